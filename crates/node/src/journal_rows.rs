//! The book of one market as rows of numbers, column by column, while a journal is read.

use napi::bindgen_prelude::BigInt64Array;
use napi_derive::napi;

use crate::convert::index;
use crate::core::Core;
use crate::journal_reader::{JournalReader, JournalUntil};

/// Collects the rows of one market from the successive cores into which a journal is read.
#[napi]
pub struct JournalRows {
    rows: slotbook_core::rows::JournalRows,
}

#[napi]
impl JournalRows {
    /// Of a market by its key or its name, in any case: its best levels, or all of its orders when `depth_levels` is 0.
    #[napi(constructor)]
    #[must_use]
    pub fn new(market: String, depth_levels: u32) -> Self {
        Self { rows: slotbook_core::rows::JournalRows::new(market, index(depth_levels)) }
    }

    /// Starts the book of the next core, which replaces the previous book: rows that the new book
    /// lacks are removed.
    #[napi]
    pub fn begin_book(&mut self) {
        self.rows.begin_book();
    }

    /// Returns whether any of the books had the market.
    #[napi]
    #[must_use]
    pub fn has_market(&self) -> bool {
        self.rows.has_market()
    }

    /// Reads like `readTo` and collects the rows that each turn changes; for each core also a
    /// snapshot of the book, unless it is rebuilding or still empty. Returns the same as `readTo`,
    /// or 4 when the row buffer is full.
    #[napi]
    pub fn read(
        &mut self,
        reader: &mut JournalReader,
        core: &mut Core,
        until: JournalUntil,
    ) -> i32 {
        self.rows.read(&mut reader.reader, &mut core.core, &until.into()) as i32
    }

    /// Takes the rows that were noted, column by column and all of one length: unix milliseconds, slot, sequence
    /// number, kind, price at 1e6, size at 1e9 and what of it is above 64 bits, the number of the epoch, and of orders the
    /// number of the maker and that of the order. Price and size are the bits of unsigned numbers. `kind` has 1 in the rows
    /// of a whole book, 2 for asks, 4 where it was another before and 8 where it is gone: a level has size 0 then, an
    /// order its last price and size.
    #[napi]
    pub fn take(&mut self) -> Vec<BigInt64Array> {
        self.rows.take().into_iter().map(BigInt64Array::new).collect()
    }

    /// The epochs by their numbers.
    #[napi]
    pub fn epochs(&self) -> Vec<String> {
        self.rows.epochs().to_vec()
    }

    /// The makers by their numbers, base58, those from this one on.
    #[napi]
    pub fn makers(&self, first: u32) -> Vec<String> {
        self.rows.makers(index(first))
    }
}

//! The book of one market as rows of numbers, column by column, while a journal is read.

use std::collections::HashMap;
use std::mem::take;

use napi::bindgen_prelude::BigInt64Array;
use napi_derive::napi;
use slotbook_book::{Book, Header, MarketId, Side};
use slotbook_protocol::units::{Price, Pubkey};
use slotbook_wire::l3::OrderLine;
use slotbook_wire::level::SourcedLevel;
use slotbook_wire::stream::changes::{Difference, LevelChanges, OrderRowChanges};

use crate::core::Core;
use crate::journal_reader::{JournalReader, JournalUntil, TURN, Until};
use crate::limits::JOURNAL_ROWS_AT_ONCE;

/// What `read` returns when there are as many rows as are taken at once.
const FULL: i32 = 4;

/// Bits of the column `kind`: the first rows of all, the asks; above them what happened.
const SNAPSHOT: i64 = 1;
const ASK: i64 = 2;
const CAME: i64 = 0;
const BECAME: i64 = 4;
const WENT: i64 = 8;

/// What a turn changes of a market.
enum Changes {
    Levels(LevelChanges),
    Orders(Box<OrderRowChanges>),
}

/// Collects the rows of one market of the core that a journal is read into.
#[napi]
pub struct JournalRows {
    market: String,
    /// Levels a side; 0 for orders.
    depth_levels: usize,
    changes: Option<(MarketId, Changes)>,
    /// The sequence number up to which the rows are.
    seq: Option<u64>,
    columns: Columns,
}

#[napi]
impl JournalRows {
    /// Of a market by its name in any case: its best levels, or all of its orders when `depth_levels` is 0.
    #[napi(constructor)]
    #[must_use]
    pub fn new(market: String, depth_levels: u32) -> Self {
        let depth_levels = usize::try_from(depth_levels).unwrap_or(usize::MAX);
        Self { market, depth_levels, changes: None, seq: None, columns: Columns::default() }
    }

    /// Reads on as `readTo` does, and notes what each turn changes; the first time that there is the market, all of
    /// its book. Returns as `readTo`, or 4 when there are as many rows as are taken at once.
    #[napi]
    pub fn read(
        &mut self,
        reader: &mut JournalReader,
        core: &mut Core,
        until: JournalUntil,
    ) -> i32 {
        let until = Until::of(&until);
        loop {
            self.note_changes(&core.book);
            if self.columns.len() >= JOURNAL_ROWS_AT_ONCE {
                return FULL;
            }
            match reader.read_next(core, &until) {
                TURN => {}
                code => return code,
            }
        }
    }

    /// Takes the rows that were noted, column by column and all of one length: unix milliseconds, slot, sequence
    /// number, kind, price at 1e6, size at 1e9 and what of it is above 64 bits, and of orders the number of the maker and that of
    /// the order. Price and size are the bits of unsigned numbers. `kind` has 1 for the first
    /// rows of all, 2 for asks, 4 where it was another before and 8 where it is gone: a level has size 0 then, an
    /// order its last price and size.
    #[napi]
    pub fn take(&mut self) -> Vec<BigInt64Array> {
        let Columns { numbers, .. } = &mut self.columns;
        let count = if self.depth_levels == 0 { COLUMNS_MAX } else { LEVEL_COLUMNS };
        numbers[..count].iter_mut().map(|column| BigInt64Array::new(take(column))).collect()
    }

    /// The makers by their numbers, base58, those from this one on.
    #[napi]
    pub fn makers(&self, first: u32) -> Vec<String> {
        let first = usize::try_from(first).unwrap_or(usize::MAX);
        let makers = self.columns.makers.get(first..).unwrap_or_default();
        makers.iter().map(Pubkey::to_string).collect()
    }
}

impl JournalRows {
    fn note_changes(&mut self, book: &Book) {
        let is_first = self.changes.is_none();
        if is_first {
            self.find_market(book);
        }
        let Self { changes, seq, columns, .. } = self;
        let Some((header, changes)) = changes
            .as_mut()
            .and_then(|(id, changes)| book.header(*id).map(|header| (header, changes)))
        else {
            return;
        };
        if seq.replace(header.seq) == Some(header.seq) {
            return;
        }
        columns.begin_turn(&header, is_first);
        match changes {
            Changes::Levels(levels) => {
                levels.read(book, |side, level| columns.put_level(side, &level));
            }
            Changes::Orders(orders) => {
                orders.read(book, |side, order| columns.put_order(side, &order));
            }
        }
    }

    fn find_market(&mut self, book: &Book) {
        let Some(id) = book.find_market_by_name(&self.market) else { return };
        let changes = match self.depth_levels {
            0 => Changes::Orders(Box::new(OrderRowChanges::new(id))),
            depth => Changes::Levels(LevelChanges::new(id, depth)),
        };
        self.changes = Some((id, changes));
    }
}

/// Columns of levels, and of orders.
const LEVEL_COLUMNS: usize = 7;
const COLUMNS_MAX: usize = 9;

/// The rows that were not taken yet.
#[derive(Default)]
struct Columns {
    numbers: [Vec<i64>; COLUMNS_MAX],
    /// The first numbers of the rows of a turn: time, slot, sequence number.
    turn: [i64; 3],
    snapshot: i64,
    makers: Vec<Pubkey>,
    maker_numbers: HashMap<Pubkey, i64>,
}

impl Columns {
    fn len(&self) -> usize {
        self.numbers[0].len()
    }

    fn begin_turn(&mut self, header: &Header, is_first: bool) {
        self.turn = [header.ts_ms, header.slot.0, header.seq].map(signed);
        self.snapshot = if is_first { SNAPSHOT } else { 0 };
    }

    fn put_level(&mut self, side: Side, level: &Difference<'_, SourcedLevel>) {
        let (action, price, size) = match level {
            Difference::Came(level) => (CAME, level.price, level.size()),
            Difference::Became(level) => (BECAME, level.price, level.size()),
            Difference::Went(level) => (WENT, level.price, 0),
        };
        self.put_row(side, action, price, size);
    }

    fn put_order(&mut self, side: Side, order: &Difference<'_, OrderLine>) {
        let (action, order) = match order {
            Difference::Came(order) => (CAME, order),
            Difference::Became(order) => (BECAME, order),
            Difference::Went(order) => (WENT, order),
        };
        self.put_row(side, action, order.price, order.size);
        let maker = self.number_of(order.maker);
        let [.., makers, ids] = &mut self.numbers;
        makers.push(maker);
        ids.push(i64::from(order.order_id));
    }

    fn put_row(&mut self, side: Side, action: i64, price: Price, size: u128) {
        let [ts_ms, slot, seq] = self.turn;
        let asks = if side == Side::Ask { ASK } else { 0 };
        let kind = self.snapshot | asks | action;
        let [size_low, size_high] = [size, size >> u64::BITS].map(low_bits);
        let row = [ts_ms, slot, seq, kind, low_bits(price.0.into()), size_low, size_high];
        self.numbers.iter_mut().zip(row).for_each(|(column, number)| column.push(number));
    }

    fn number_of(&mut self, maker: Pubkey) -> i64 {
        let Self { makers, maker_numbers, .. } = self;
        *maker_numbers.entry(maker).or_insert_with(|| {
            makers.push(maker);
            signed(makers.len() as u64 - 1)
        })
    }
}

/// What is beyond 63 bits is the largest number: no time, slot, sequence number or count is.
fn signed(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// The lowest 64 bits as they are. Prices have 64 bits, and the size of a level may have more.
fn low_bits(number: u128) -> i64 {
    let [bytes @ .., _, _, _, _, _, _, _, _] = number.to_le_bytes();
    i64::from_le_bytes(bytes)
}

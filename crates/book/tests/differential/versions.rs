//! Readers cache by version: whatever a market shows may change only with its seq, slot or state.

use std::collections::HashMap;

use slotbook_book::{Book, MarketId, OrderRow, Side};

/// What every market showed at its last version.
#[derive(Default)]
pub(crate) struct Versions(HashMap<MarketId, Shown>);

struct Shown {
    version: (u64, u64, u8),
    auctions: (Option<u64>, String),
    text: String,
}

impl Versions {
    /// Ends a turn and compares every market with what it showed before.
    pub(crate) fn check(&mut self, book: &mut Book, turn: u64) -> Result<(), String> {
        book.end_turn(turn);
        let ids: Vec<MarketId> = book.markets().map(|info| info.id).collect();
        for id in ids {
            let shown = shown(book, id).ok_or("a market without a header")?;
            let before = self.0.get(&id);
            let is_cached = before.is_some_and(|before| before.version == shown.version);
            if let Some(before) = before.filter(|before| is_cached && before.text != shown.text) {
                let (was, now) = (&before.text, &shown.text);
                return Err(format!("{id:?} at {:?} was {was}, now {now}", shown.version));
            }
            let same = before.filter(|before| is_cached && before.auctions.0 == shown.auctions.0);
            if let Some(before) = same.filter(|before| before.auctions.1 != shown.auctions.1) {
                let (was, now) = (&before.auctions.1, &shown.auctions.1);
                return Err(format!("{id:?} had the auctions {was}, now {now}"));
            }
            if before.is_some_and(|before| before.version.0 > shown.version.0) {
                return Err(format!("{id:?}: seq went back to {}", shown.version.0));
            }
            self.0.insert(id, shown);
        }
        Ok(())
    }
}

fn shown(book: &Book, id: MarketId) -> Option<Shown> {
    let mut header = book.header(id)?;
    let version = (header.seq, header.slot.0, header.state as u8);
    header.seq = 0;
    let rows = Side::BOTH.map(|side| {
        let mut rows: Vec<OrderRow> = Vec::new();
        book.orders(id, side, usize::MAX, &mut rows);
        rows
    });
    let mut auctions = Vec::new();
    book.auctions(id, &mut auctions);
    let auctions = (book.auctions_revision(id), format!("{auctions:?}"));
    Some(Shown { version, auctions, text: format!("{header:?} {rows:?}") })
}

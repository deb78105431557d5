//! Readers cache by version: a market's shown data may change only with its seq, slot or state.

use std::collections::HashMap;

use slotbook_book::{Book, Level, MarketId, OrderRow, Side, VammExclusion};
use slotbook_protocol::model::amm::AmmQuote;

/// The shown data of every market at its last version.
#[derive(Default)]
pub(crate) struct Versions {
    shown: HashMap<MarketId, Shown>,
    pub(crate) quote_turns: usize,
}

struct Shown {
    version: (u64, u64, u8),
    auctions: (Option<u64>, String),
    rows: String,
    text: String,
    quote: Option<Result<AmmQuote, VammExclusion>>,
}

/// The AMM levels of the last reading, with their version.
#[derive(Default)]
pub(crate) struct QuoteVersions(HashMap<MarketId, (u64, [Vec<Level>; 2])>);

impl QuoteVersions {
    /// AMM levels change only with the market's seq. Call it between two turns.
    pub(crate) fn check(&mut self, book: &mut Book) -> Result<(), String> {
        let ids: Vec<MarketId> = book.markets().map(|info| info.id).collect();
        for id in ids {
            book.refresh_quotes(id);
            let seq = book.header(id).ok_or("a market without a header")?.seq;
            let levels = Side::BOTH.map(|side| book.vamm_levels(id, side).to_vec());
            match self.0.insert(id, (seq, levels.clone())) {
                Some((before, was)) if before == seq && was != levels => {
                    return Err(format!("{id:?} at {seq} had the AMM {was:?}, now {levels:?}"));
                }
                _ => {}
            }
        }
        Ok(())
    }
}

impl Versions {
    /// Ends a turn and compares every market with its previous data.
    pub(crate) fn check(&mut self, book: &mut Book, turn: u64) -> Result<(), String> {
        let turned = book.end_turn(turn).to_vec();
        let ids: Vec<MarketId> = book.markets().map(|info| info.id).collect();
        for id in ids {
            let shown = shown(book, id).ok_or("a market without a header")?;
            let before = self.shown.get(&id);
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
            if let Some(before) =
                before.filter(|_| turned.contains(&id) && book.changed_quotes_only(id))
            {
                quotes_only(before, &shown).map_err(|text| format!("{id:?}: {text}"))?;
                self.quote_turns += 1;
            }
            self.shown.insert(id, shown);
        }
        Ok(())
    }
}

/// A quotes-only turn has a new seq, a changed quote, and unchanged orders.
fn quotes_only(before: &Shown, now: &Shown) -> Result<(), String> {
    if before.version.0 >= now.version.0 {
        Err(format!("quotes changed within seq {}", now.version.0))
    } else if before.rows != now.rows {
        Err(format!("more than quotes changed: {}, now {}", before.rows, now.rows))
    } else if before.quote == now.quote {
        Err(format!("no quote changed: {:?}", now.quote))
    } else {
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
    let rows = format!("{rows:?}");
    let text = format!("{header:?} {rows}");
    Some(Shown { version, auctions, rows, text, quote: book.vamm_quote(id) })
}

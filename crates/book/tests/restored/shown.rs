//! Everything that a book shows, as texts.

use slotbook_book::{AuctionRow, Book, Level, MarketId, MarketInfo, OrderRow, Side};
use slotbook_protocol::model::enums::MarketType;
use slotbook_protocol::model::units::Pubkey;

use crate::differential::world::user_key;

/// What a book shows of its markets and users, and the facts beside them.
pub(crate) fn shown(book: &mut Book) -> Vec<String> {
    let mut texts = Vec::new();
    let ids: Vec<MarketId> = book.markets().map(|info| info.id).collect();
    for id in ids {
        book.refresh_quotes(id);
        texts.extend(Side::BOTH.map(|side| shown_side(book, id, side)));
        let mut auctions: Vec<AuctionRow> = Vec::new();
        book.auctions(id, &mut auctions);
        texts.push(format!("{auctions:?} {:?}", book.auctions_revision(id)));
        texts.push(format!("{:?} {:?}", book.header(id), book.shown_orders(id)));
        texts.push(format!("{:?} {:?}", book.perp_stats(id), book.spot_stats(id)));
        texts.push(format!("{:?} {:?}", book.vamm_state(id), book.vamm_quote(id)));
        texts.push(format!("{:?}", book.vamm_account(id)));
    }
    for user in 0..48 {
        let (key, mut open) = (Pubkey(user_key(user)), Vec::new());
        book.open_orders(&key, &mut open);
        // Handles depend on the order of arrival, and are not shown.
        let open: Vec<_> =
            open.iter().map(|one| (one.market.id, one.order, one.left_out)).collect();
        texts.push(format!("{} {open:?}", book.has_user(&key)));
    }
    let markets: Vec<MarketInfo> = book.markets().cloned().collect();
    texts.push(format!("{markets:?}"));
    let mut hashes = Vec::new();
    // The first book maintains hashes since its first comparison; a new one computes them from its
    // orders.
    book.market_hashes(&mut hashes);
    texts.push(format!("{hashes:?}"));
    texts.push(format!("{:?} {:?}", book.census(), book.indicative_counts()));
    texts.push(format!("{:?} {:?}", book.indicative_due_ms(), book.oracle_keys()));
    let mut counters = book.counters();
    // Indexes depend on the order of arrival, and are not shown.
    counters.user_indexes = 0;
    texts.push(format!("{counters:?}"));
    texts.push(format!("{:?}", [MarketType::Spot, MarketType::Perp].map(|of| book.fees(of))));
    texts
}

fn shown_side(book: &Book, id: MarketId, side: Side) -> String {
    let (mut orders, mut makers) = (Vec::<OrderRow>::new(), Vec::new());
    book.orders(id, side, usize::MAX, &mut orders);
    book.top_makers(id, side, 5, &mut makers);
    let levels: Vec<Level> = book.levels(id, side).collect();
    let seq = book.seq(id).unwrap_or_default();
    let is_new = [seq.saturating_sub(3), seq].map(|seq| book.orders_changed_since(id, side, seq));
    let quoted = (book.indicative_levels(id, side), book.indicative_orders(id, side));
    let vamm = book.vamm_levels(id, side);
    format!("{levels:?} {orders:?} {makers:?} {is_new:?} {quoted:?} {vamm:?}")
}

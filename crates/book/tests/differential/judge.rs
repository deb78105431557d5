//! Applies the same updates to both books and compares them.

use std::cell::RefCell;
use std::collections::BTreeSet;

use slotbook_book::{
    AccountOrder, AccountUpdate, Applied, AuctionRow, Book, BookConfig, FeedState, Gate, Level,
    OrderRow, OrdersQuery, QueueScratch, Side,
};
use slotbook_book::{CanonicalHash, HashRow};
use slotbook_naive::{
    Clock, Key, MarketKind, MarketView, NaiveBook, Row, SnapshotKind, Stamp, Update,
};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::enums::MarketType;
use slotbook_protocol::model::units::{Price, Pubkey, Slot, UnixSeconds};

/// An account update for both books.
pub(crate) struct Delivery<'a> {
    pub(crate) key: Key,
    pub(crate) owner: Key,
    pub(crate) slot: u64,
    pub(crate) stamp: Stamp,
    pub(crate) data: &'a [u8],
}

impl<'a> Delivery<'a> {
    /// The update as the fast book takes it.
    pub(crate) fn update(&self) -> AccountUpdate<'a> {
        let gate = match self.stamp {
            Stamp::Arrival => Gate::Arrival,
            Stamp::Snapshot => Gate::Snapshot,
            Stamp::WriteVersion(version) => Gate::WriteVersion(version),
        };
        let (pubkey, owner) = (Pubkey(self.key), Pubkey(self.owner));
        AccountUpdate { pubkey, owner, slot: Slot(self.slot), gate, data: self.data }
    }
}

/// Books that take the same changes.
pub(crate) trait Books {
    fn new(rules: Program) -> Self;
    fn set_clock(&mut self, slot: u64, unix_seconds: i64);
    fn apply(&mut self, delivery: &Delivery<'_>);
    fn begin_snapshot(&mut self, slot: u64, kind: SnapshotKind);
    fn end_snapshot(&mut self);
}

pub(crate) struct Pair {
    pub(crate) fast: Book,
    pub(crate) naive: NaiveBook,
    /// Reused by each reading of single orders, as in a service.
    walked: RefCell<QueueScratch>,
}

impl Books for Pair {
    fn new(rules: Program) -> Self {
        let program = rules.id();
        Pair {
            fast: Book::new(BookConfig { program, rules }),
            naive: NaiveBook::new(program.0),
            walked: RefCell::default(),
        }
    }

    fn set_clock(&mut self, slot: u64, unix_seconds: i64) {
        self.fast.set_clock(Slot(slot), UnixSeconds(unix_seconds));
        self.naive.set_clock(Clock { slot, unix_seconds });
    }

    fn apply(&mut self, delivery: &Delivery<'_>) {
        // A malformed account is an error and leaves the account out; the comparison below covers
        // both.
        let applied = self.fast.apply(delivery.update());
        if matches!(applied, Ok(Applied::Changed | Applied::Unchanged)) {
            self.expect_held(delivery);
        }
        self.naive.apply(&Update {
            pubkey: delivery.key,
            owner: delivery.owner,
            slot: delivery.slot,
            stamp: delivery.stamp,
            data: delivery.data,
        });
    }

    fn begin_snapshot(&mut self, slot: u64, kind: SnapshotKind) {
        let state = match kind {
            SnapshotKind::Audit => FeedState::Live,
            SnapshotKind::Replace => FeedState::Rebuilding,
        };
        self.fast.set_state(state);
        self.fast.begin_snapshot(Slot(slot));
        self.naive.begin_snapshot(slot, kind);
    }

    fn end_snapshot(&mut self) {
        self.fast.end_snapshot();
        self.naive.end_snapshot();
    }
}

impl Pair {
    /// The book holds the bytes of a user besides its orders.
    fn expect_held(&self, delivery: &Delivery<'_>) {
        let Some(held) = self.fast.user_account(&Pubkey(delivery.key)) else { return };
        let mut bytes = delivery.data.to_vec();
        bytes[self.fast.config().rules.user_shape().orders].fill(0);
        bytes.resize(held.len(), 0);
        assert!(held == bytes, "the book holds other bytes than it was given");
    }

    /// Compares everything shown. `Err` describes the difference.
    pub(crate) fn compare(&self) -> Result<(), String> {
        self.fast.check_integrity().map_err(|violation| violation.to_string())?;
        let markets = self.naive.views();
        if markets.len() != self.fast.market_count() {
            return Err(format!("{} markets, naive {}", self.fast.market_count(), markets.len()));
        }
        self.compare_counts(markets.values())?;
        for ((kind, index), rows) in &self.naive.auctions() {
            let market_type = type_of(*kind);
            self.compare_auctions(market_type, *index, rows)
                .map_err(|text| format!("{market_type:?} {index}: {text}"))?;
        }
        let mut hash = CanonicalHash::new();
        for ((kind, index), view) in &markets {
            let market_type = type_of(*kind);
            self.compare_market(market_type, *index, view)
                .map_err(|text| format!("{market_type:?} {index}: {text}"))?;
            hash.market(market_type, *index);
            view.bids.iter().for_each(|row| hash.row(Side::Bid, &hash_row(row)));
            view.asks.iter().for_each(|row| hash.row(Side::Ask, &hash_row(row)));
        }
        let (ours, judge) = (self.fast.state_hash(), hash.finish());
        if ours == judge { Ok(()) } else { Err(format!("hash {ours:x}, naive {judge:x}")) }
    }

    /// Compares the levels of every AMM as of the last turn. Returns the number of levels.
    pub(crate) fn compare_quotes(&mut self) -> Result<usize, String> {
        let ids: Vec<_> = self.fast.markets().map(|info| (info.id, info.market_index)).collect();
        let mut count = 0;
        for (id, index) in ids {
            self.fast.refresh_quotes(id);
            if self.fast.vamm_state(id).is_none() {
                continue;
            }
            for (side, judge) in Side::BOTH.into_iter().zip(self.naive.amm_levels(index)) {
                let ours: Vec<slotbook_naive::Level> =
                    self.fast.vamm_levels(id, side).iter().map(naive_level).collect();
                equal_lists("level of the AMM", &ours, &judge)
                    .map_err(|text| format!("perp {index} {side:?}: {text}"))?;
                count += ours.len();
            }
        }
        Ok(count)
    }

    /// Every open order is shown, or left out for one reason.
    fn compare_counts<'a>(
        &self,
        views: impl Iterator<Item = &'a MarketView>,
    ) -> Result<(), String> {
        let counters = self.fast.counters();
        let rows: usize = views.map(|view| view.bids.len() + view.asks.len()).sum();
        equal("orders shown", &counters.shown_orders, &rows)?;
        let counted = counters.shown_orders + counters.left_out.iter().sum::<usize>();
        equal("orders shown or left out", &counted, &counters.open_orders)
    }

    fn compare_market(
        &self,
        market_type: MarketType,
        index: u16,
        view: &MarketView,
    ) -> Result<(), String> {
        let id = self.fast.find_market(market_type, index).ok_or("unknown to the fast book")?;
        let header = self.fast.header(id).ok_or("without a header")?;
        equal("empty", &header.empty_reason.is_some(), &view.empty_reason.is_some())?;
        let excluded = header.oracle.excluded.is_some();
        equal("offset orders excluded", &excluded, &view.offset_orders_excluded)?;
        for (side, rows) in [(Side::Bid, &view.bids), (Side::Ask, &view.asks)] {
            let mut ours: Vec<OrderRow> = Vec::new();
            self.fast.orders(id, side, usize::MAX, &mut ours);
            self.compare_parts(id, side, &ours)?;
            let ours: Vec<Row> = ours.iter().map(|row| naive_row(side, row)).collect();
            equal_lists("order", &ours, rows)?;
            let levels: Vec<slotbook_naive::Level> =
                self.fast.levels(id, side).map(|level| naive_level(&level)).collect();
            equal_lists("level", &levels, &slotbook_naive::levels(rows))?;
            let best = self.fast.best(id, side);
            let best = best.map(|price| i128::from(price.0));
            equal("best", &best, &rows.first().map(|row| row.price))?;
            self.compare_makers(id, side, rows)?;
            self.compare_places(id, side, rows)?;
        }
        Ok(())
    }

    /// The orders of each account that have a place are those that are shown; it is the orders and
    /// the size ahead at their price, and the distance to the best price.
    fn compare_places(
        &self,
        id: slotbook_book::MarketId,
        side: Side,
        rows: &[Row],
    ) -> Result<(), String> {
        let mut scratch = self.walked.borrow_mut();
        let makers: BTreeSet<Key> = rows.iter().map(|row| row.maker).collect();
        for maker in makers {
            let placed = self.fast.account_orders(&Pubkey(maker), &mut scratch);
            let is_here = |one: &&AccountOrder<'_>| {
                one.ahead.is_some()
                    && one.open.market.id == id
                    && Side::from(one.open.order.direction) == side
            };
            let own = rows.iter().filter(|row| row.maker == maker).count();
            equal("places", &placed.iter().filter(is_here).count(), &own)?;
            for (at, row) in rows.iter().enumerate().filter(|(_, row)| row.maker == maker) {
                let ahead = rows[..at].iter().filter(|other| other.price == row.price).count();
                let expected = (row.price, row.size, ahead, row.queue, rows[0].price - row.price);
                let is_row = |one: &AccountOrder<'_>| {
                    let (Some(price), Some(ahead)) = (one.price, one.ahead) else { return false };
                    let distance = i128::from(one.distance.unwrap_or(u64::MAX));
                    let ours = (
                        i128::from(price.0),
                        i128::from(one.size.0),
                        usize::try_from(ahead.orders).unwrap_or(usize::MAX),
                        ahead.size.cast_signed(),
                        if expected.4 < 0 { -distance } else { distance },
                    );
                    (one.open.market.id, one.open.order.order_id) == (id, row.order_id)
                        && ours == expected
                };
                if !placed.iter().any(is_row) {
                    return Err(format!("place of {row:?}: {placed:?}, naive {expected:?}"));
                }
            }
        }
        Ok(())
    }

    /// The auctions equal the naive book's, and none of their orders is in the book.
    fn compare_auctions(
        &self,
        market_type: MarketType,
        index: u16,
        rows: &[slotbook_naive::AuctionRow],
    ) -> Result<(), String> {
        let id = self.fast.find_market(market_type, index).ok_or("unknown to the fast book")?;
        let mut auctions: Vec<AuctionRow> = Vec::new();
        self.fast.auctions(id, &mut auctions);
        let ours: Vec<_> = auctions.iter().map(naive_auction).collect();
        equal_lists("auction", &ours, rows)?;
        let mut orders: Vec<OrderRow> = Vec::new();
        Side::BOTH.iter().for_each(|side| self.fast.orders(id, *side, usize::MAX, &mut orders));
        let mut names: Vec<_> = orders.iter().map(|row| (row.maker, row.order_id)).collect();
        names.extend(auctions.iter().map(|row| (row.maker, row.order.order_id)));
        let listed = names.len();
        names.sort_unstable();
        names.dedup();
        equal("orders in the book or in auction", &names.len(), &listed)
    }

    /// The first orders of a side, and the orders of one maker, are subsets of all orders.
    fn compare_parts(
        &self,
        id: slotbook_book::MarketId,
        side: Side,
        all: &[OrderRow],
    ) -> Result<(), String> {
        let mut scratch = QueueScratch::default();
        let mut part: Vec<OrderRow> = Vec::new();
        for limit in [1, 2, 5, all.len().saturating_sub(1)] {
            part.clear();
            let query = OrdersQuery { market: id, side, limit };
            self.fast.orders_with(query, &mut scratch, &mut part);
            equal("first orders", &part, &all[..limit.min(all.len())].to_vec())?;
        }
        let mut walked = self.walked.borrow_mut();
        let one_by_one: Vec<OrderRow> = self.fast.resting(id, side, &mut walked).collect();
        equal_lists("order one by one", &one_by_one, all)?;
        let strangers = [Pubkey([255; 32])];
        let makers: BTreeSet<Pubkey> = all.iter().map(|row| row.maker).chain(strangers).collect();
        for (maker, limit) in makers.iter().zip([1, usize::MAX, 2].into_iter().cycle()) {
            part.clear();
            let query = OrdersQuery { market: id, side, limit };
            self.fast.orders_of_maker(maker, query, &mut scratch, &mut part);
            let own = all.iter().filter(|row| row.maker == *maker).take(limit);
            equal("orders of a maker", &part, &own.copied().collect())?;
        }
        Ok(())
    }

    fn compare_makers(
        &self,
        id: slotbook_book::MarketId,
        side: Side,
        rows: &[Row],
    ) -> Result<(), String> {
        for limit in [0, 1, 3] {
            let mut makers: Vec<Pubkey> = Vec::new();
            self.fast.top_makers(id, side, limit, &mut makers);
            let ours: Vec<Key> = makers.iter().map(|maker| maker.0).collect();
            equal_lists("maker", &ours, &slotbook_naive::best_makers(rows, limit))?;
        }
        Ok(())
    }
}

fn type_of(kind: MarketKind) -> MarketType {
    match kind {
        MarketKind::Spot => MarketType::Spot,
        MarketKind::Perp => MarketType::Perp,
    }
}

fn hash_row(row: &Row) -> HashRow {
    HashRow {
        price: u64::try_from(row.price).expect("Invariant: a shown price is a u64"),
        size: u64::try_from(row.size).expect("Invariant: a shown size is a u64"),
        slot: row.slot,
        order_id: row.order_id,
        maker: Pubkey(row.maker),
    }
}

fn naive_row(side: Side, row: &OrderRow) -> Row {
    Row {
        side: match side {
            Side::Bid => slotbook_naive::Side::Bid,
            Side::Ask => slotbook_naive::Side::Ask,
        },
        price: i128::from(row.price.0),
        size: i128::from(row.size.0),
        queue: row.queue.cast_signed(),
        slot: row.slot.0,
        order_id: row.order_id,
        maker: row.maker.0,
        max_ts: row.max_ts.0,
        oracle_price_offset: row.oracle_price_offset,
        reduce_only: row.reduce_only,
        post_only: row.post_only,
        signed_msg: row.signed_msg,
    }
}

fn naive_level(level: &Level) -> slotbook_naive::Level {
    slotbook_naive::Level {
        price: i128::from(level.price.0),
        size: level.size.cast_signed(),
        order_count: level.order_count as usize,
    }
}

fn naive_auction(row: &AuctionRow) -> slotbook_naive::AuctionRow {
    let price = |price: Option<Price>| price.map(|price| i128::from(price.0));
    slotbook_naive::AuctionRow {
        slot: row.order.slot.0,
        order_id: row.order.order_id,
        maker: row.maker.0,
        size: i128::from(row.size.0),
        start: price(row.start),
        end: price(row.end),
        current: price(row.current),
        slots_left: row.slots_left,
    }
}

fn equal<T: PartialEq + std::fmt::Debug>(what: &str, ours: &T, judge: &T) -> Result<(), String> {
    if ours == judge { Ok(()) } else { Err(format!("{what}: {ours:?}, naive {judge:?}")) }
}

fn equal_lists<T: PartialEq + std::fmt::Debug>(
    what: &str,
    ours: &[T],
    judge: &[T],
) -> Result<(), String> {
    let length = ours.len().max(judge.len());
    match (0..length).find(|&at| ours.get(at) != judge.get(at)) {
        None => Ok(()),
        Some(at) => Err(format!("{what}[{at}]: {:?}, naive {:?}", ours.get(at), judge.get(at))),
    }
}

//! The books that are compared, each through the calls that its users have.

use hftbacktest::depth::{BTreeMarketDepth, L3MarketDepth, MarketDepth};
use nautilus_model::data::order::BookOrder;
use nautilus_model::enums::{BookType, OrderSide};
use nautilus_model::identifiers::InstrumentId;
use nautilus_model::orderbook::{BookLevel, OrderBook as NautilusBook};
use nautilus_model::types::{Price, Quantity};
use orderbook_rs::{Id, OrderBook, Side as MatchSide, TimeInForce};
use slotbook_bench::chain;
use slotbook_bench::makers::{ORACLE, STEP, TICK};
use slotbook_bench::replay::Replay;
use slotbook_book::{Gate, MarketId, Side};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::units::{OraclePrice, Pubkey, Slot, UnixSeconds};

use crate::accounts::{AccountReader, Change, Order};

const SLOT: Slot = Slot(300_000_000);
const NOW: UnixSeconds = UnixSeconds(1_700_000_000);

/// A price at 1e6 and the size at it, 1e9.
pub type Level = (u64, u64);

/// A book of one market.
pub trait Book {
    /// Takes an account's new state.
    fn update(&mut self, key: Pubkey, data: &[u8]);
    /// The best bid and ask, 1e6.
    fn best(&self) -> (u64, u64);
    /// The first levels, bids before asks.
    fn levels(&self, depth: usize, levels: &mut Vec<Level>);
}

/// Slotbook's.
pub struct Ours {
    replay: Replay,
    market: MarketId,
}

impl Ours {
    /// A live market without orders.
    ///
    /// # Panics
    /// When slotbook refuses its own accounts.
    #[must_use]
    #[expect(clippy::new_without_default, reason = "a book is begun once")]
    pub fn new() -> Self {
        let mut replay = Replay::new(Program::Drift);
        replay.book.set_clock(SLOT, NOW);
        replay.book.begin_snapshot(SLOT);
        let market =
            chain::PerpMarket { index: 0, tick: TICK, step: STEP, oracle: OraclePrice(ORACLE) };
        for (key, data) in [
            (chain::STATE_KEY, chain::state(Program::Drift)),
            (chain::market_key(0), chain::perp_market(Program::Drift, &market)),
            (chain::oracle_key(0), chain::lazer_oracle(OraclePrice(ORACLE), SLOT, 1).to_vec()),
        ] {
            replay
                .update(key, SLOT, Gate::Snapshot, &data)
                .expect("Invariant: a snapshot is valid");
        }
        replay.book.end_snapshot();
        replay.go_live();
        let market = replay.market(0).expect("Invariant: the book has its market");
        Self { replay, market }
    }
}

impl Book for Ours {
    fn update(&mut self, key: Pubkey, data: &[u8]) {
        let applied = self.replay.update(key, SLOT, Gate::Arrival, data);
        applied.expect("Invariant: an update is valid");
    }

    fn best(&self) -> (u64, u64) {
        let best = |side| self.replay.book.best(self.market, side).map_or(0, |price| price.0);
        (best(Side::Bid), best(Side::Ask))
    }

    fn levels(&self, depth: usize, levels: &mut Vec<Level>) {
        levels.clear();
        for side in [Side::Bid, Side::Ask] {
            let rows = self.replay.book.levels(self.market, side).take(depth);
            levels.extend(rows.map(|level| (level.price.0, level.size as u64)));
        }
    }
}

/// A book that takes orders.
pub trait OrderTaker {
    /// Takes one change.
    fn take_change(&mut self, change: Change);
    /// See [`Book::best`].
    fn best(&self) -> (u64, u64);
    /// See [`Book::levels`].
    fn levels(&self, depth: usize, levels: &mut Vec<Level>);
}

/// A book that takes orders, fed from accounts.
#[derive(Default)]
pub struct FromAccounts<B> {
    /// The book.
    pub book: B,
    reader: AccountReader,
}

impl<B: OrderTaker> Book for FromAccounts<B> {
    fn update(&mut self, key: Pubkey, data: &[u8]) {
        let Self { book, reader } = self;
        reader.read(key, data, |change| book.take_change(change));
    }

    fn best(&self) -> (u64, u64) {
        self.book.best()
    }

    fn levels(&self, depth: usize, levels: &mut Vec<Level>) {
        self.book.levels(depth, levels);
    }
}

/// NautilusTrader's, by order.
pub struct Nautilus {
    book: NautilusBook,
    sequence: u64,
}

/// A price of 6 places in the 9 that the crate counts in.
const NAUTILUS_PRICE: i64 = 1_000;

impl Default for Nautilus {
    fn default() -> Self {
        let market = InstrumentId::from("SOL-PERP.DRIFT");
        Self { book: NautilusBook::new(market, BookType::L3_MBO), sequence: 0 }
    }
}

impl OrderTaker for Nautilus {
    fn take_change(&mut self, change: Change) {
        self.sequence += 1;
        let (sequence, ts) = (self.sequence, self.sequence.into());
        match change {
            Change::Insert(order) => self.book.add(nautilus_order(order), 0, sequence, ts),
            Change::Resize(order) => self.book.update(nautilus_order(order), 0, sequence, ts),
            Change::Cancel(order) => self.book.delete(nautilus_order(order), 0, sequence, ts),
        }
    }

    fn best(&self) -> (u64, u64) {
        let raw = |price: Option<Price>| price.map_or(0, |price| price.raw / NAUTILUS_PRICE) as u64;
        (raw(self.book.best_bid_price()), raw(self.book.best_ask_price()))
    }

    fn levels(&self, depth: usize, levels: &mut Vec<Level>) {
        levels.clear();
        let level =
            |level: &BookLevel| ((level.price.value.raw / NAUTILUS_PRICE) as u64, level.size_raw());
        levels.extend(self.book.bids(Some(depth)).map(level));
        levels.extend(self.book.asks(Some(depth)).map(level));
    }
}

fn nautilus_order(order: Order) -> BookOrder {
    let side = if order.is_ask { OrderSide::Sell } else { OrderSide::Buy };
    let price = Price::from_raw(order.price as i64 * NAUTILUS_PRICE, 6);
    BookOrder::new(side, price, Quantity::from_raw(order.size, 9), order.id)
}

/// The book of the crate orderbook-rs, which also matches.
pub struct OrderbookRs(OrderBook<()>);

impl Default for OrderbookRs {
    fn default() -> Self {
        Self(OrderBook::new("SOL-PERP"))
    }
}

impl OrderTaker for OrderbookRs {
    fn take_change(&mut self, change: Change) {
        let done = match change {
            Change::Insert(Order { id, is_ask, price, size }) => {
                let side = if is_ask { MatchSide::Sell } else { MatchSide::Buy };
                let price = u128::from(price);
                let id = Id::Sequential(id);
                self.0.add_limit_order(id, price, size, side, TimeInForce::Gtc, None).map(Some)
            }
            Change::Resize(Order { id, size, .. }) => {
                let (order_id, new_quantity) =
                    (Id::Sequential(id), pricelevel::Quantity::new(size));
                self.0.update_order(pricelevel::OrderUpdate::UpdateQuantity {
                    order_id,
                    new_quantity,
                })
            }
            Change::Cancel(order) => self.0.cancel_order(Id::Sequential(order.id)),
        };
        done.expect("Invariant: the order is known, or new");
    }

    fn best(&self) -> (u64, u64) {
        let price = |best: Option<u128>| best.map_or(0, |price| price as u64);
        (price(self.0.best_bid()), price(self.0.best_ask()))
    }

    fn levels(&self, depth: usize, levels: &mut Vec<Level>) {
        levels.clear();
        for side in [MatchSide::Buy, MatchSide::Sell] {
            let rows = self.0.levels_with_cumulative_depth(side).take(depth);
            levels.extend(rows.flatten().map(|level| (level.price as u64, level.quantity)));
        }
    }
}

/// The market depth of hftbacktest, by order.
pub struct Hftbacktest(BTreeMarketDepth);

const UNIT: f64 = 1e-9;
const TICK_SIZE: f64 = 1e-6;

impl Default for Hftbacktest {
    fn default() -> Self {
        Self(BTreeMarketDepth::new(TICK_SIZE, UNIT))
    }
}

impl OrderTaker for Hftbacktest {
    fn take_change(&mut self, change: Change) {
        let amounts = |order: Order| (order.price as f64 * TICK_SIZE, order.size as f64 * UNIT);
        match change {
            Change::Insert(order) => {
                let (price, size) = amounts(order);
                let added = if order.is_ask {
                    self.0.add_sell_order(order.id, price, size, 0)
                } else {
                    self.0.add_buy_order(order.id, price, size, 0)
                };
                added.expect("Invariant: the order is new");
            }
            Change::Resize(order) => {
                let (price, size) = amounts(order);
                let changed = self.0.modify_order(order.id, price, size, 0);
                changed.expect("Invariant: the order is known");
            }
            Change::Cancel(order) => {
                self.0.delete_order(order.id, 0).expect("Invariant: the order is known");
            }
        }
    }

    fn best(&self) -> (u64, u64) {
        (self.0.best_bid_tick() as u64, self.0.best_ask_tick() as u64)
    }

    fn levels(&self, depth: usize, levels: &mut Vec<Level>) {
        levels.clear();
        let level = |(tick, size): (&i64, &f64)| (*tick as u64, (size / UNIT).round() as u64);
        levels.extend(self.0.bid_depth.iter().rev().take(depth).map(level));
        levels.extend(self.0.ask_depth.iter().take(depth).map(level));
    }
}

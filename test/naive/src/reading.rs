//! The incumbent's readings of the rules, one switch each.
//!
//! With every switch off a [`ReadingBook`] follows our rules; with every switch on it is the
//! incumbent's book, its defects included. Source of the readings:
//! sdk/src/dlob/{DLOB,NodeList,DLOBNode,orderBookLevels}.ts, 2.163.0-beta.0.

use std::collections::{BTreeMap, BTreeSet};

use crate::account::{Key, MarketKind, Order};
use crate::price::{ProtectedParams, auction_price_sdk, protected_price_sdk, resting_offset_price};
use crate::rules::{MarketContext, is_in_book, shown_size};
use crate::taking::{Removal, TakingList};
use crate::view::Side;

/// The switches; each names one rule of the incumbent's that differs from ours.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Readings {
    /// Expired orders stay in the book.
    pub expired_kept: bool,
    /// Levels cap a reduce-only order at `min(|position|, base)` less what is filled; rows do not
    /// cap it.
    pub reduce_only_sizes: bool,
    /// The cap of a reduce-only order is forgotten when its auction ends.
    pub cap_lost: bool,
    /// Oracle-offset orders are listed during their auction, at its price, sorted by the offset.
    pub in_auction_offsets: bool,
    /// Equal prices of different lists: the list that is merged last comes first.
    pub cross_list_ties: bool,
    /// Protected makers are shown at their protected price, sorted by the raw one.
    pub protected_view: bool,
    /// Signed-message orders are sorted by slot, then merged by price.
    pub signed_msg_list: bool,
    /// Taking an order that shares the head's id off a list drops all before it.
    pub head_removal: bool,
    /// A limit order without a price makes every question fail.
    pub zero_price_throws: bool,
}

impl Readings {
    /// The number of switches.
    pub const COUNT: usize = 9;

    /// The incumbent's book.
    pub fn all() -> Self {
        let mut readings = Self::default();
        (0..Self::COUNT).for_each(|index| *readings.switch(index).0 = true);
        readings
    }

    /// One switch by number, with the name of its rule.
    ///
    /// # Panics
    /// When `index` is not below [`Self::COUNT`].
    pub fn switch(&mut self, index: usize) -> (&mut bool, &'static str) {
        match index {
            0 => (&mut self.head_removal, "head removal"),
            1 => (&mut self.zero_price_throws, "zero price limit"),
            2 => (&mut self.cap_lost, "reduce-only cap lost"),
            3 => (&mut self.cross_list_ties, "tie across lists"),
            4 => (&mut self.signed_msg_list, "unsorted list"),
            5 => (&mut self.protected_view, "protected view"),
            6 => (&mut self.in_auction_offsets, "in-auction offsets"),
            7 => (&mut self.expired_kept, "expired"),
            8 => (&mut self.reduce_only_sizes, "reduce-only sizes"),
            _ => panic!("switch was {index}, must be below {}", Self::COUNT),
        }
    }

    /// The names of the rules whose switches are on.
    pub fn names(mut self) -> Vec<&'static str> {
        (0..Self::COUNT)
            .filter_map(|index| {
                let (on, name) = self.switch(index);
                on.then_some(name)
            })
            .collect()
    }
}

/// A market of a recorded book.
pub type MarketKey = (MarketKind, u16);

/// One order of a recorded book, with what its recording says of its user.
#[derive(Clone, Copy, Debug)]
pub struct ReadingOrder {
    /// The order.
    pub order: Order,
    /// The user account.
    pub user: Key,
    /// The user's position on the order's market; 0 where the recording has none.
    pub position: i128,
    /// The base given at insertion: the cap of a reduce-only order.
    pub inserted_base: i128,
    /// Whether the user is a protected maker.
    pub is_protected: bool,
    /// Whether the order came as a signed message.
    pub is_signed: bool,
}

/// The time and the prices at which a recorded book is asked.
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// The slot.
    pub slot: u64,
    /// The unix time in seconds.
    pub now: i64,
    /// Oracle price of each market, at 1e6.
    pub oracles: BTreeMap<MarketKey, i128>,
}

/// One order of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerRow {
    /// Position in the recording.
    pub index: usize,
    /// Shown price.
    pub price: i128,
    /// Size in the order list; `None` when the order is not listed there.
    pub size: Option<i128>,
    /// Size in the levels; 0 adds nothing.
    pub level_size: i128,
}

/// One side of one market, or the failure that the incumbent answers with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The question fails.
    Throws,
    /// Bids and asks in book order.
    Book {
        /// Bids.
        bids: Vec<AnswerRow>,
        /// Asks.
        asks: Vec<AnswerRow>,
    },
}

/// What became of an order since it was inserted.
#[derive(Clone, Copy, Debug, Default)]
struct Fate {
    /// It was inserted into the taking list.
    started_as_taker: bool,
    /// It moved from the taking list to the resting list, as the n-th of all that did.
    moved: Option<usize>,
    /// An open order of the same user and id came before it.
    is_repeat: bool,
}

/// A recorded book under a choice of readings. Snapshots are answered in order, on one book.
#[derive(Clone, Debug)]
pub struct ReadingBook {
    readings: Readings,
    orders: Vec<ReadingOrder>,
    fates: Vec<Fate>,
    taking: BTreeMap<(MarketKey, Side), TakingList>,
    protected: BTreeMap<MarketKey, ProtectedParams>,
    slot_max: u64,
    moves: usize,
    /// Lists from which a removal dropped more than the one order.
    damaged: BTreeSet<(MarketKey, Side)>,
}

/// Fixed-price orders.
const LIST_FIXED: usize = 0;
/// Oracle-offset orders.
const LIST_OFFSET: usize = 1;
/// Oracle-offset orders of protected makers.
const LIST_PROTECTED_OFFSET: usize = 2;
/// Signed-message orders.
const LIST_SIGNED: usize = 3;

/// An order on its way into an answer.
#[derive(Clone, Copy, Debug)]
struct Candidate {
    row: AnswerRow,
    list: usize,
    key: i128,
    slot: u64,
    id: u32,
    user: Key,
}

impl ReadingBook {
    /// Inserts orders in the given sequence at a slot. Of a repeated (user, order id) the first
    /// open order stays.
    pub fn new(
        readings: Readings,
        orders: Vec<ReadingOrder>,
        insert_slot: u64,
        protected: BTreeMap<MarketKey, ProtectedParams>,
    ) -> Self {
        let mut seen = BTreeSet::new();
        let fates: Vec<Fate> = orders
            .iter()
            .map(|entry| {
                let is_repeat =
                    entry.order.is_open() && !seen.insert((entry.user, entry.order.order_id));
                let started_as_taker = !is_repeat && waits_as_taker(entry, insert_slot);
                Fate { started_as_taker, moved: None, is_repeat }
            })
            .collect();
        let taking = taking_lists(&orders, &fates);
        ReadingBook {
            readings,
            orders,
            fates,
            taking,
            protected,
            slot_max: 0,
            moves: 0,
            damaged: BTreeSet::new(),
        }
    }

    /// Moves the book to a snapshot's slot. Call it once per snapshot, before the questions.
    pub fn advance(&mut self, slot: u64) {
        if slot <= self.slot_max {
            return;
        }
        self.slot_max = slot;
        let removal = if self.readings.head_removal { Removal::ByOrderId } else { Removal::Sound };
        for (place, list) in &mut self.taking {
            let waiting = list.reachable();
            let finished: Vec<(usize, usize)> = waiting
                .iter()
                .copied()
                .filter(|&(_, order)| self.orders[order].order.is_resting(&slot.into()))
                .collect();
            for &(node, order) in &finished {
                list.remove(node, removal);
                self.fates[order].moved = Some(self.moves);
                self.moves += 1;
            }
            if list.reachable().len() + finished.len() != waiting.len() {
                self.damaged.insert(*place);
            }
        }
    }

    /// The markets that orders name.
    pub fn markets(&self) -> Vec<MarketKey> {
        let mut markets: Vec<MarketKey> = self.orders.iter().map(market_of).collect();
        markets.sort_unstable();
        markets.dedup();
        markets
    }

    /// The book of one market at a snapshot.
    pub fn ask(&self, market: MarketKey, at: &Snapshot) -> Answer {
        let zero_price = |entry: &&ReadingOrder| {
            let order = &entry.order;
            market_of(entry) == market
                && order.price == 0
                && order.oracle_price_offset == 0
                && order.is_open()
                && order.is_live_limit()
                && order.is_resting(&at.slot.into())
        };
        if self.readings.zero_price_throws && self.orders.iter().any(|entry| zero_price(&entry)) {
            return Answer::Throws;
        }
        Answer::Book {
            bids: self.side(market, Side::Bid, at),
            asks: self.side(market, Side::Ask, at),
        }
    }

    fn side(&self, market: MarketKey, side: Side, at: &Snapshot) -> Vec<AnswerRow> {
        let mut lists: [Vec<Candidate>; 4] = Default::default();
        for index in 0..self.orders.len() {
            let entry = &self.orders[index];
            if market_of(entry) == market
                && entry.order.is_bid() == (side == Side::Bid)
                && let Some(candidate) = self.candidate(index, market, at)
            {
                lists[candidate.list].push(candidate);
            }
        }
        for (number, list) in lists.iter_mut().enumerate() {
            let slot_sorted = number == LIST_SIGNED;
            // Where the defect shows, the rest of the list is in the incumbent's order, too.
            let by_insertion = number == LIST_FIXED && self.damaged.contains(&(market, side));
            list.sort_by_key(|c| {
                let toward_best = if side == Side::Bid && !slot_sorted { -c.key } else { c.key };
                let insertion = if by_insertion { self.insertion(c.row.index) } else { 0 };
                (toward_best, c.slot, insertion, c.id, c.user)
            });
        }
        self.merge(lists, side)
    }

    /// When an order came into its resting list, counted over all orders.
    fn insertion(&self, index: usize) -> usize {
        self.fates[index].moved.map_or(index, |number| self.orders.len() + number)
    }

    /// An order as it would be listed; `None` when the book does not show it.
    fn candidate(&self, index: usize, market: MarketKey, at: &Snapshot) -> Option<Candidate> {
        let (entry, fate) = (&self.orders[index], self.fates[index]);
        let order = &entry.order;
        let oracle = at.oracles.get(&market).copied();
        let has_offset = order.oracle_price_offset != 0;
        let context = context_of(market, oracle);
        let in_auction = self.readings.in_auction_offsets
            && has_offset
            && !entry.is_signed
            && !order.is_resting(&at.slot.into());
        let judged_slot = if in_auction { u64::MAX } else { at.slot };
        let judged_now = if self.readings.expired_kept { i64::MIN } else { at.now };
        let is_lost = self.readings.head_removal && fate.started_as_taker && fate.moved.is_none();
        if fate.is_repeat
            || is_lost
            || !is_in_book(order, &context, &judged_slot.into(), judged_now)
        {
            return None;
        }
        let plain = match (has_offset, oracle) {
            (false, _) => i128::from(order.price),
            (true, None) => return None,
            (true, Some(oracle)) if in_auction && has_auction_prices(order) => {
                auction_price_sdk(order, at.slot, oracle)
            }
            (true, Some(oracle)) => resting_offset_price(oracle, order, 1, false),
        };
        let (size, level_size) = self.sizes(entry, fate)?;
        let row =
            AnswerRow { index, price: self.view_price(entry, market, plain), size, level_size };
        let list = self.list_of(entry);
        let key = self.sort_key(entry, list, row.price);
        Some(Candidate { row, list, key, slot: order.slot, id: order.order_id, user: entry.user })
    }

    /// Size in the order list and in the levels; `None` when the order is shown in neither.
    fn sizes(&self, entry: &ReadingOrder, fate: Fate) -> Option<(Option<i128>, i128)> {
        let order = &entry.order;
        if !self.readings.reduce_only_sizes {
            let size = shown_size(order, entry.position);
            return (size > 0).then_some((Some(size), size));
        }
        let cap_is_lost = self.readings.cap_lost && fate.moved.is_some();
        let cap = if order.reduce_only && !cap_is_lost {
            entry.inserted_base
        } else {
            i128::from(order.base_asset_amount)
        };
        let filled = i128::from(order.base_asset_amount_filled);
        let rest = order.unfilled();
        (rest > 0).then_some((Some(rest), (cap - filled).max(0)))
    }

    fn view_price(&self, entry: &ReadingOrder, market: MarketKey, plain: i128) -> i128 {
        match self.protected.get(&market) {
            Some(params) if self.readings.protected_view && entry.is_protected => {
                protected_price_sdk(plain, entry.order.is_bid(), params)
            }
            _ => plain,
        }
    }

    fn list_of(&self, entry: &ReadingOrder) -> usize {
        if entry.is_signed && self.readings.signed_msg_list {
            LIST_SIGNED
        } else if entry.order.oracle_price_offset == 0 {
            LIST_FIXED
        } else if entry.is_protected && !entry.is_signed {
            LIST_PROTECTED_OFFSET
        } else {
            LIST_OFFSET
        }
    }

    fn sort_key(&self, entry: &ReadingOrder, list: usize, price: i128) -> i128 {
        let by_insertion_key = self.readings.in_auction_offsets || self.readings.protected_view;
        match list {
            LIST_SIGNED => i128::from(entry.order.slot),
            LIST_FIXED if by_insertion_key => i128::from(entry.order.price),
            _ if by_insertion_key => i128::from(entry.order.oracle_price_offset),
            _ => price,
        }
    }

    /// Merges the lists by price, looking at their heads only.
    fn merge(&self, lists: [Vec<Candidate>; 4], side: Side) -> Vec<AnswerRow> {
        let mut heads = [0_usize; 4];
        let mut rows = Vec::new();
        while let Some(best) = self.best_head(&lists, heads, side) {
            rows.push(lists[best][heads[best]].row);
            heads[best] += 1;
        }
        rows
    }

    fn best_head(
        &self,
        lists: &[Vec<Candidate>; 4],
        heads: [usize; 4],
        side: Side,
    ) -> Option<usize> {
        let head = |list: usize| lists[list].get(heads[list]);
        (0..lists.len()).filter(|&list| head(list).is_some()).reduce(|best, next| {
            let (Some(b), Some(n)) = (head(best), head(next)) else { return best };
            let next_is_better = match side {
                Side::Bid => n.row.price > b.row.price,
                Side::Ask => n.row.price < b.row.price,
            };
            let is_tie = n.row.price == b.row.price;
            let next_wins_tie =
                self.readings.cross_list_ties || (n.slot, n.id, n.user) < (b.slot, b.id, b.user);
            if next_is_better || (is_tie && next_wins_tie) { next } else { best }
        })
    }
}

/// Whether an on-chain order starts in the list of takers that wait for their auction's end.
fn waits_as_taker(entry: &ReadingOrder, slot: u64) -> bool {
    let order = &entry.order;
    !entry.is_signed
        && order.is_open()
        && order.is_live_limit()
        && order.oracle_price_offset == 0
        && !order.is_resting(&slot.into())
}

/// One list per market and side, in list order.
fn taking_lists(
    orders: &[ReadingOrder],
    fates: &[Fate],
) -> BTreeMap<(MarketKey, Side), TakingList> {
    let mut numbers: BTreeMap<(MarketKey, Side), Vec<usize>> = BTreeMap::new();
    for (number, entry) in orders.iter().enumerate() {
        if fates[number].started_as_taker {
            let side = if entry.order.is_bid() { Side::Bid } else { Side::Ask };
            numbers.entry((market_of(entry), side)).or_default().push(number);
        }
    }
    let list = |mut numbers: Vec<usize>| {
        numbers.sort_by_key(|&number| (orders[number].order.slot, number));
        let ids: Vec<(usize, u32)> =
            numbers.into_iter().map(|number| (number, orders[number].order.order_id)).collect();
        TakingList::new(&ids)
    };
    numbers.into_iter().map(|(place, numbers)| (place, list(numbers))).collect()
}

fn has_auction_prices(order: &Order) -> bool {
    order.auction_start_price != 0 || order.auction_end_price != 0
}

fn market_of(entry: &ReadingOrder) -> MarketKey {
    let kind = if entry.order.market_type == 0 { MarketKind::Spot } else { MarketKind::Perp };
    (kind, entry.order.market_index)
}

/// Recorded books have tick 1 and step 1.
fn context_of(market: MarketKey, oracle: Option<i128>) -> MarketContext {
    MarketContext {
        kind: market.0,
        index: market.1,
        tick: 1,
        step: 1,
        is_prediction: false,
        is_reduce_only: false,
        reduces_every_order: false,
        oracle,
        spot: (0, 0, 0),
    }
}

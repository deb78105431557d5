//! Indicative quotes: what makers show without an order on chain, for a second at a time.
//!
//! A maker's quotes of a market replace each other. They live for [`QUOTE_LIFE_MS`] of the turns'
//! time, are priced at the market's one oracle reading and kept to its tick, bids down and asks up.
//! Two quotes of one price stand behind each other by the slot at which they were first shown.
//!
//! What is shown of them is derived once a sequence number, by [`Book::refresh_indicative`].

use std::fmt;

use slotbook_protocol::enums::MarketStatus;
use slotbook_protocol::price::{resting_offset_price, standardize_price};
use slotbook_protocol::units::{
    BaseQty, OraclePrice, PREDICTION_PRICE_MAX, Price, PriceOffset, Pubkey, Slot, UnixSeconds,
};

use crate::Side;
use crate::book::Book;
use crate::limits::{
    INDICATIVE_MAKERS_MAX, INDICATIVE_PAIRS_MAX, INDICATIVE_QUOTES_MAX, QUOTE_LIFE_MS,
};
use crate::markets::market::Market;
use crate::model::market::MarketId;
use crate::model::rows::{Level, OrderRow};

/// The maker that rows of indicative quotes carry: who quotes is not told.
/// Source: dlob-server src/dlob-subscriber/DLOBSubscriberIO.ts `INDICATIVE_QUOTES_PUBKEY`.
pub const INDICATIVE_MAKER: Pubkey =
    Pubkey::from_base58("inDNdu3ML4vG5LNExqcwuCQtLcCU8KfK5YM2qYV3JJz");

/// Whether quotes may be better than everything else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndicativePolicy {
    /// A quote may join the touch of the orders and the AMM, and is moved there when it is better.
    #[default]
    Join,
    /// A quote shows at its own price.
    Improve,
}

/// One side of a quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotedSide {
    /// The price, or what is added to the oracle's: 1e6. A fixed price is above 0.
    pub price: i64,
    /// At 1e9 whatever the market's decimals are. 0 shows nothing.
    pub size: u64,
}

/// A quote as its maker gives it. A side that is `None` is not quoted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndicativeQuote {
    /// What the maker would buy.
    pub bid: Option<QuotedSide>,
    /// What the maker would sell.
    pub ask: Option<QuotedSide>,
    /// True when the prices are offsets from the oracle's.
    pub is_oracle_offset: bool,
}

/// Why quotes were not taken. What the maker had quoted before stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndicativeError {
    /// No market has this number.
    UnknownMarket,
    /// More quotes at once than [`INDICATIVE_QUOTES_MAX`].
    QuotesExceeded,
    /// The market has quotes of [`INDICATIVE_MAKERS_MAX`] makers, or all markets together have
    /// [`INDICATIVE_PAIRS_MAX`] of them.
    MakersExceeded,
    /// A fixed price that is not above 0, or an offset beyond 32 bits.
    PriceOutOfRange,
    /// A size beyond 64 bits in the market's decimals.
    SizeOutOfRange,
}

impl fmt::Display for IndicativeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::UnknownMarket => f.write_str("market is not known"),
            Self::QuotesExceeded => {
                write!(f, "quotes of a market must be at most {INDICATIVE_QUOTES_MAX}")
            }
            Self::MakersExceeded => f.write_str("no room for the quotes of one more maker"),
            Self::PriceOutOfRange => {
                f.write_str("price must be above 0, an offset from the oracle within 32 bits")
            }
            Self::SizeOutOfRange => f.write_str("size must fit 64 bits in the market's decimals"),
        }
    }
}

impl std::error::Error for IndicativeError {}

/// What is held of the quotes of all markets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndicativeCounts {
    /// Pairs of a maker and a market with quotes.
    pub makers: usize,
    /// Sides of quotes with a size.
    pub quotes: usize,
}

/// What the book keeps of quotes beside those of each market.
#[derive(Debug, Default)]
pub(crate) struct Indicative {
    policy: IndicativePolicy,
    counts: IndicativeCounts,
    /// No quote expires before; `None` when there is none.
    due_ms: Option<u64>,
}

/// The quotes of one market, and what is shown of them.
#[derive(Debug, Default)]
pub(crate) struct MarketQuotes {
    /// By key, each once, none without an order.
    makers: Vec<MakerQuotes>,
    last_id: u32,
    /// The sequence number at which `rows` and `levels` were derived.
    derived_at: Option<u64>,
    rows: [Vec<OrderRow>; 2],
    levels: [Vec<Level>; 2],
}

#[derive(Debug)]
struct MakerQuotes {
    maker: Pubkey,
    due_ms: u64,
    orders: Vec<Quoted>,
}

/// One side of a quote with a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Quoted {
    /// The quote's number in what its maker sent.
    index: usize,
    side: Side,
    is_oracle_offset: bool,
    price: i64,
    /// In the market's base units.
    size: u64,
    order_id: u32,
    /// Where the book stood when this price and size were first quoted.
    slot: Slot,
}

impl Book {
    /// Says whether quotes may be better than the orders and the AMM. Quotes that stand show
    /// accordingly when the turn has ended.
    pub fn set_indicative_policy(&mut self, policy: IndicativePolicy) {
        if self.indicative.policy == policy {
            return;
        }
        for number in 0..self.markets.len() {
            let market = &self.markets[number];
            if !market.quotes.makers.is_empty() {
                let id = market.info.id;
                self.refresh_quotes(id);
                self.touch_indicative(id);
            }
        }
        self.indicative.policy = policy;
    }

    /// Replaces a maker's quotes of a market; none withdraws them. They leave the book with the
    /// first turn that ends [`QUOTE_LIFE_MS`] after `ts_ms`, Unix milliseconds as of
    /// [`Book::end_turn`]. Answers whether anything shown may have changed: quotes sent again only
    /// live on.
    ///
    /// # Errors
    /// [`IndicativeError`]; the maker's quotes are then as before.
    pub fn set_indicative(
        &mut self,
        id: MarketId,
        maker: Pubkey,
        quotes: &[IndicativeQuote],
        ts_ms: u64,
    ) -> Result<bool, IndicativeError> {
        let market = self.markets.get(id.index()).ok_or(IndicativeError::UnknownMarket)?;
        if quotes.len() > INDICATIVE_QUOTES_MAX {
            return Err(IndicativeError::QuotesExceeded);
        }
        let orders = quoted(quotes, market.info.decimals, self.slot)?;
        let found = market.quotes.find(&maker);
        if found.is_err() && !orders.is_empty() {
            let full = market.quotes.makers.len() >= INDICATIVE_MAKERS_MAX
                || self.indicative.counts.makers >= INDICATIVE_PAIRS_MAX;
            if full {
                return Err(IndicativeError::MakersExceeded);
            }
        }
        // Who is the first to read at this sequence number is shown what the last turn left.
        self.refresh_quotes(id);
        let changed = self.replace_quotes(id, (maker, found), orders, ts_ms);
        if changed {
            self.touch_indicative(id);
        }
        Ok(changed)
    }

    /// Unix milliseconds before which no quote expires; `None` when there are none. A turn that
    /// ends then takes out those that are due.
    #[must_use]
    pub fn indicative_due_ms(&self) -> Option<u64> {
        self.indicative.due_ms
    }

    /// What is held of the quotes of all markets.
    #[must_use]
    pub fn indicative_counts(&self) -> IndicativeCounts {
        self.indicative.counts
    }

    /// Derives what is shown of a market's quotes, once a sequence number, after the levels of its
    /// AMM; see [`Book::refresh_quotes`].
    pub(crate) fn refresh_indicative(&mut self, id: MarketId) {
        let Some(market) = self.markets.get(id.index()) else { return };
        if market.quotes.derived_at == Some(market.seq) {
            return;
        }
        let touch = match self.indicative.policy {
            IndicativePolicy::Join => Side::BOTH.map(|side| self.firm_touch(id, side)),
            IndicativePolicy::Improve => [None, None],
        };
        let market = &mut self.markets[id.index()];
        let mut quotes = std::mem::take(&mut market.quotes);
        quotes.derive(market, touch);
        market.quotes = quotes;
    }

    /// The levels of a side's quotes, best first, under the policy. Nothing for an unknown market,
    /// and until the quotes of this sequence number are derived.
    #[must_use]
    pub fn indicative_levels(&self, id: MarketId, side: Side) -> &[Level] {
        self.derived_quotes(id).map_or(&[], |quotes| &quotes.levels[side.index()])
    }

    /// The quotes of a side as orders, in the order in which they would be met; `queue` counts
    /// quotes alone. All have the maker [`INDICATIVE_MAKER`] and an id that stays while their maker
    /// quotes without a break. Nothing as for [`Book::indicative_levels`].
    #[must_use]
    pub fn indicative_orders(&self, id: MarketId, side: Side) -> &[OrderRow] {
        self.derived_quotes(id).map_or(&[], |quotes| &quotes.rows[side.index()])
    }

    fn derived_quotes(&self, id: MarketId) -> Option<&MarketQuotes> {
        let market = self.markets.get(id.index())?;
        (market.quotes.derived_at == Some(market.seq)).then_some(&market.quotes)
    }

    /// The best price of everything that is not a quote.
    fn firm_touch(&self, id: MarketId, side: Side) -> Option<Price> {
        let vamm = self.vamm_levels(id, side).first().map(|level| level.price);
        let better = |a: Price, b: Price| if side.is_better(b.0, a.0) { b } else { a };
        [self.best(id, side), vamm].into_iter().flatten().reduce(better)
    }

    /// Takes out the quotes that are due at the end of a turn.
    pub(crate) fn expire_quotes(&mut self, ts_ms: u64) {
        let Some(due_ms) = self.indicative.due_ms else { return };
        // A clock that was put back must not make quotes live longer than they may.
        let due_ms_max = ts_ms.saturating_add(QUOTE_LIFE_MS);
        if due_ms > ts_ms && due_ms <= due_ms_max {
            return;
        }
        let mut next: Option<u64> = None;
        for number in 0..self.markets.len() {
            let market = &mut self.markets[number];
            let Some((gone, due)) = market.quotes.expire(ts_ms, due_ms_max) else { continue };
            next = [next, due].into_iter().flatten().min();
            self.indicative.counts.makers -= gone.makers;
            self.indicative.counts.quotes -= gone.quotes;
            if gone.makers > 0 {
                let id = market.info.id;
                self.touch_indicative(id);
            }
        }
        self.indicative.due_ms = next;
    }

    fn replace_quotes(
        &mut self,
        id: MarketId,
        (maker, found): (Pubkey, Result<usize, usize>),
        mut orders: Vec<Quoted>,
        ts_ms: u64,
    ) -> bool {
        let counts = &mut self.indicative.counts;
        let market = &mut self.markets[id.index()];
        let quotes = &mut market.quotes;
        let old = found.ok().map(|at| quotes.makers.remove(at));
        let old_orders = old.as_ref().map_or(&[][..], |old| &old.orders);
        quotes.identify(&mut orders, old_orders);
        let changed = orders != old_orders;
        counts.makers -= usize::from(old.is_some());
        counts.quotes -= old_orders.len();
        if orders.is_empty() {
            return changed;
        }
        counts.makers += 1;
        counts.quotes += orders.len();
        let due_ms = ts_ms.saturating_add(QUOTE_LIFE_MS);
        let (Ok(at) | Err(at)) = found;
        quotes.makers.insert(at, MakerQuotes { maker, due_ms, orders });
        let due = self.indicative.due_ms;
        self.indicative.due_ms = Some(due.map_or(due_ms, |due| due.min(due_ms)));
        changed
    }

    /// Counts agree, and no limit is passed. The name of what does not hold.
    pub(crate) fn check_indicative(&self) -> Result<(), &'static str> {
        let mut counts = IndicativeCounts::default();
        for market in &self.markets {
            let makers = &market.quotes.makers;
            if !makers.is_sorted_by(|a, b| a.maker < b.maker) {
                return Err("each quoting maker of a market is listed once");
            }
            if makers.len() > INDICATIVE_MAKERS_MAX {
                return Err("a market's quoting makers are bounded");
            }
            for quoting in makers {
                if quoting.orders.is_empty() || quoting.orders.iter().any(|order| order.size == 0) {
                    return Err("a kept quote has a size");
                }
                if self.indicative.due_ms.is_none_or(|due_ms| due_ms > quoting.due_ms) {
                    return Err("no quote is due before the next due time");
                }
                counts.makers += 1;
                counts.quotes += quoting.orders.len();
            }
        }
        if counts == self.indicative.counts { Ok(()) } else { Err("quotes are counted") }
    }
}

impl MarketQuotes {
    fn find(&self, maker: &Pubkey) -> Result<usize, usize> {
        self.makers.binary_search_by(|quoting| quoting.maker.cmp(maker))
    }

    /// Gives each order the id of the one that stood in its place, and its slot too when nothing
    /// shown of it is new.
    fn identify(&mut self, orders: &mut [Quoted], old: &[Quoted]) {
        for order in orders {
            let place = (order.index, order.side);
            let before = old.iter().find(|before| (before.index, before.side) == place);
            order.order_id = before.map_or_else(|| self.next_id(), |before| before.order_id);
            if let Some(before) = before {
                let same = Quoted { slot: before.slot, ..*order } == *before;
                order.slot = if same { before.slot } else { order.slot };
            }
        }
    }

    fn next_id(&mut self) -> u32 {
        self.last_id = self.last_id.wrapping_add(1);
        self.last_id
    }

    /// Takes out what is due; answers how much that was, and when the next is. `None` when the
    /// market has no quotes.
    fn expire(&mut self, ts_ms: u64, due_ms_max: u64) -> Option<(IndicativeCounts, Option<u64>)> {
        if self.makers.is_empty() {
            return None;
        }
        let mut gone = IndicativeCounts::default();
        self.makers.retain_mut(|quoting| {
            quoting.due_ms = quoting.due_ms.min(due_ms_max);
            let stays = quoting.due_ms > ts_ms;
            if !stays {
                gone.makers += 1;
                gone.quotes += quoting.orders.len();
            }
            stays
        });
        Some((gone, self.makers.iter().map(|quoting| quoting.due_ms).min()))
    }

    fn derive(&mut self, market: &Market, touch: [Option<Price>; 2]) {
        self.derived_at = Some(market.seq);
        for side in Side::BOTH {
            let rows = &mut self.rows[side.index()];
            let levels = &mut self.levels[side.index()];
            rows.clear();
            levels.clear();
            if market.empty.is_some() || market.info.status == MarketStatus::ReduceOnly {
                continue;
            }
            let quoted = self.makers.iter().flat_map(|quoting| &quoting.orders);
            let quoted = quoted.filter(|order| order.side == side);
            rows.extend(quoted.filter_map(|order| order.row(market, touch[side.index()])));
            rows.sort_unstable_by(|a, b| {
                let by_price = match side {
                    Side::Bid => b.price.cmp(&a.price),
                    Side::Ask => a.price.cmp(&b.price),
                };
                by_price.then_with(|| a.compare_in_queue(b))
            });
            queue_up(rows, levels);
        }
    }
}

impl Quoted {
    /// The order as the book shows it; `None` for one without a price or below a step.
    fn row(&self, market: &Market, touch: Option<Price>) -> Option<OrderRow> {
        let price = self.shown_price(market)?;
        let price = match touch {
            Some(touch) if self.side.is_better(price.0, touch.0) => touch,
            _ => price,
        };
        (price.0 > 0 && self.size >= market.info.step.0).then_some(OrderRow {
            price,
            size: BaseQty(self.size),
            queue: 0,
            maker: INDICATIVE_MAKER,
            order_id: self.order_id,
            slot: self.slot,
            // Its life is counted by the turns' clock and not by the chain's.
            max_ts: UnixSeconds(0),
            reduce_only: false,
            post_only: true,
            signed_msg: false,
            oracle_price_offset: self.offset().unwrap_or(0),
        })
    }

    fn shown_price(&self, market: &Market) -> Option<Price> {
        let direction = self.side.direction();
        let (tick, is_prediction) = (market.info.tick, market.info.is_prediction);
        if let Some(offset) = self.offset() {
            let oracle = OraclePrice(market.pricing?.oracle);
            let offset = PriceOffset(offset);
            return Some(resting_offset_price(oracle, offset, tick, direction, is_prediction));
        }
        let price = u64::try_from(self.price).ok()?;
        let price_max = if is_prediction { PREDICTION_PRICE_MAX } else { u64::MAX };
        Some(standardize_price(Price(price.min(price_max)), tick, direction))
    }

    fn offset(&self) -> Option<i32> {
        if self.is_oracle_offset { i32::try_from(self.price).ok() } else { None }
    }
}

/// Counts what is ahead of each row at its price, and adds the rows up to levels.
fn queue_up(rows: &mut [OrderRow], levels: &mut Vec<Level>) {
    for row in rows {
        let size = u128::from(row.size.0);
        match levels.last_mut() {
            Some(level) if level.price == row.price => {
                row.queue = level.size;
                level.size += size;
                level.order_count += 1;
            }
            _ => levels.push(Level { price: row.price, size, order_count: 1 }),
        }
    }
}

/// The sides of quotes that have a size, checked, in the market's decimals.
fn quoted(
    quotes: &[IndicativeQuote],
    decimals: u32,
    slot: Slot,
) -> Result<Vec<Quoted>, IndicativeError> {
    let mut orders = Vec::with_capacity(quotes.len() * Side::BOTH.len());
    for (index, quote) in quotes.iter().enumerate() {
        let sides = Side::BOTH.into_iter().zip([quote.bid, quote.ask]);
        for (side, quoted) in sides.filter_map(|(side, quoted)| Some((side, quoted?))) {
            let is_oracle_offset = quote.is_oracle_offset;
            let in_range = if is_oracle_offset {
                i32::try_from(quoted.price).is_ok()
            } else {
                quoted.price > 0 || quoted.size == 0
            };
            if !in_range {
                return Err(IndicativeError::PriceOutOfRange);
            }
            let size = market_size(quoted.size, decimals).ok_or(IndicativeError::SizeOutOfRange)?;
            if size > 0 {
                let price = quoted.price;
                orders.push(Quoted {
                    index,
                    side,
                    is_oracle_offset,
                    price,
                    size,
                    order_id: 0,
                    slot,
                });
            }
        }
    }
    Ok(orders)
}

/// A size at 1e9 in the decimals of a market, rounded down; `None` when it does not fit.
fn market_size(size: u64, decimals: u32) -> Option<u64> {
    let wide = u128::from(size).checked_mul(10_u128.checked_pow(decimals)?)?;
    u64::try_from(wide / WIRE_SIZE_UNITS).ok()
}

/// Units of a size of one in what a maker sends.
const WIRE_SIZE_UNITS: u128 = 1_000_000_000;

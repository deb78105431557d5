//! Indicative quotes: what makers show without an order on chain, for a second at a time.
//!
//! A maker's new quotes of a market replace the old ones. They live for `QUOTE_LIFE_MS` of the turns'
//! time, are priced at the market's one oracle reading and rounded to its tick, bids down and asks up.
//! Two quotes of one price stand behind each other by the slot at which they were first shown.
//!
//! What is shown of them is derived once a sequence number.

use std::fmt;

use slotbook_protocol::price::{resting_offset_price, standardize_price};
use slotbook_protocol::units::{
    BaseQty, OraclePrice, PREDICTION_PRICE_MAX, Price, PriceOffset, Pubkey, Slot, UnixSeconds,
};

use crate::limits::INDICATIVE_QUOTES_MAX;
use crate::model::market::MarketInfo;
use crate::{Level, OrderRow, Side};

/// The maker in rows of indicative quotes, whose own makers are not disclosed.
/// Source: dlob-server src/dlob-subscriber/DLOBSubscriberIO.ts `INDICATIVE_QUOTES_PUBKEY`.
pub const INDICATIVE_MAKER: Pubkey =
    Pubkey::from_base58("inDNdu3ML4vG5LNExqcwuCQtLcCU8KfK5YM2qYV3JJz");

/// Whether quotes may be better than everything else.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndicativePolicy {
    /// A quote may join the best price of the orders and the AMM, and is moved there when it is
    /// better.
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

/// Why quotes were rejected. What the maker had quoted before stays.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndicativeError {
    /// No market has this number.
    UnknownMarket,
    /// More quotes at once than [`crate::limits::INDICATIVE_QUOTES_MAX`].
    QuotesExceeded,
    /// The market has quotes of [`crate::limits::INDICATIVE_MAKERS_MAX`] makers, or all markets together have
    /// [`crate::limits::INDICATIVE_PAIRS_MAX`] of them.
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

/// What concerns the quotes of all markets.
#[derive(Debug, Default)]
pub(crate) struct Indicative {
    pub(crate) policy: IndicativePolicy,
    pub(crate) counts: IndicativeCounts,
    /// No quote expires before; `None` when there is none.
    pub(crate) due_ms: Option<u64>,
}

/// The quotes of one market, and what is shown of them.
#[derive(Debug, Default)]
pub(crate) struct MarketQuotes {
    /// By key, each once, none without an order.
    pub(crate) makers: Vec<MakerQuotes>,
    pub(crate) last_id: u32,
    /// The sequence number at which `rows` and `levels` were derived.
    pub(crate) derived_at: Option<u64>,
    rows: [Vec<OrderRow>; 2],
    levels: [Vec<Level>; 2],
}

/// The quotes of one maker.
#[derive(Clone, Debug)]
pub(crate) struct MakerQuotes {
    pub(crate) maker: Pubkey,
    pub(crate) due_ms: u64,
    pub(crate) orders: Vec<Quoted>,
}

/// One side of a quote with a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quoted {
    /// The quote's number in what its maker sent.
    pub(crate) index: usize,
    pub(crate) side: Side,
    pub(crate) is_oracle_offset: bool,
    pub(crate) price: i64,
    /// In the market's base units.
    pub(crate) size: u64,
    pub(crate) order_id: u32,
    /// Where the book stood when this price and size were first quoted.
    pub(crate) slot: Slot,
}

impl MarketQuotes {
    /// Where a maker stands, or would stand.
    pub(crate) fn find(&self, maker: &Pubkey) -> Result<usize, usize> {
        self.makers.binary_search_by(|quoting| quoting.maker.cmp(maker))
    }

    /// Gives each order the id of the one that stood in its place, and its slot too when nothing
    /// shown of it is new.
    pub(crate) fn identify(&mut self, orders: &mut [Quoted], old: &[Quoted]) {
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

    /// Removes what is due; returns how much that was, and when the next is due. `None` when the
    /// market has no quotes.
    pub(crate) fn expire(
        &mut self,
        ts_ms: u64,
        due_ms_max: u64,
    ) -> Option<(IndicativeCounts, Option<u64>)> {
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

    /// Makes the rows and levels of a sequence number.
    pub(crate) fn derive(&mut self, seq: u64, terms: &QuoteTerms<'_>) {
        self.derived_at = Some(seq);
        for side in Side::BOTH {
            let rows = &mut self.rows[side.index()];
            let levels = &mut self.levels[side.index()];
            rows.clear();
            levels.clear();
            if !terms.are_shown {
                continue;
            }
            let quoted = self.makers.iter().flat_map(|quoting| &quoting.orders);
            let quoted = quoted.filter(|order| order.side == side);
            rows.extend(quoted.filter_map(|order| order.row(terms)));
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

    pub(crate) fn levels(&self, side: Side) -> &[Level] {
        &self.levels[side.index()]
    }

    pub(crate) fn rows(&self, side: Side) -> &[OrderRow] {
        &self.rows[side.index()]
    }
}

/// What of a market decides how its quotes are shown.
#[derive(Debug)]
pub(crate) struct QuoteTerms<'a> {
    pub(crate) info: &'a MarketInfo,
    /// The price of oracle offsets; `None` while there is none.
    pub(crate) oracle: Option<OraclePrice>,
    /// By side, the price that no quote may improve; `None` where every price is allowed.
    pub(crate) best: [Option<Price>; 2],
    pub(crate) are_shown: bool,
}

impl Quoted {
    /// The order as the book shows it; `None` for one without a price or below a step.
    fn row(&self, terms: &QuoteTerms<'_>) -> Option<OrderRow> {
        let price = self.shown_price(terms)?;
        let price = match terms.best[self.side.index()] {
            Some(best) if self.side.is_better(price.0, best.0) => best,
            _ => price,
        };
        (price.0 > 0 && self.size >= terms.info.step.0).then_some(OrderRow {
            price,
            size: BaseQty(self.size),
            queue: 0,
            maker: INDICATIVE_MAKER,
            order_id: self.order_id,
            slot: self.slot,
            // A quote expires by the time of turns, not by the chain's.
            max_ts: UnixSeconds(0),
            reduce_only: false,
            post_only: true,
            signed_msg: false,
            oracle_price_offset: self.offset().unwrap_or(0),
        })
    }

    fn shown_price(&self, terms: &QuoteTerms<'_>) -> Option<Price> {
        let direction = self.side.direction();
        let (tick, is_prediction) = (terms.info.tick, terms.info.is_prediction);
        if let Some(offset) = self.offset() {
            let offset = PriceOffset(offset);
            return Some(resting_offset_price(
                terms.oracle?,
                offset,
                tick,
                direction,
                is_prediction,
            ));
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
pub(crate) fn quoted(
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

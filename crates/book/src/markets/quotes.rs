//! Indicative quotes: off-chain quotes of makers, each valid for a second.
//!
//! A maker's new quotes in a market replace the old ones. They live for `QUOTE_LIFE_MS` of turn
//! time, are priced at the market's oracle reading and rounded to its tick: bids down, asks up.
//! Quotes at one price queue by the slot in which they were first quoted.
//!
//! The visible rows are derived once for each sequence number.

use std::fmt;

use slotbook_protocol::model::price::{resting_offset_price, standardize_price};
use slotbook_protocol::model::units::{
    BaseQty, OraclePrice, PREDICTION_PRICE_MAX, Price, PriceOffset, Pubkey, Slot, UnixSeconds,
};

use crate::limits::INDICATIVE_QUOTES_MAX;
use crate::model::market::MarketInfo;
use crate::{Level, OrderRow, Side};

/// The maker in rows of indicative quotes, which hides the real maker. Source: dlob-server
/// src/dlob-subscriber/DLOBSubscriberIO.ts `INDICATIVE_QUOTES_PUBKEY`.
pub const INDICATIVE_MAKER: Pubkey =
    Pubkey::from_base58("inDNdu3ML4vG5LNExqcwuCQtLcCU8KfK5YM2qYV3JJz");

/// Whether quotes may improve on the best price of the book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum IndicativePolicy {
    /// A quote may join the best price of the orders and the AMM; a better quote is moved to that
    /// price.
    #[default]
    Join,
    /// A quote shows at its own price.
    Improve,
}

/// One side of a quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuotedSide {
    /// Fixed price above 0, or offset from the oracle; 1e6.
    pub price: i64,
    /// Base size at 1e9 in every market. A size of 0 does not appear in the book.
    pub size: u64,
}

/// A quote as its maker sent it; `None` for a side without a quote.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct IndicativeQuote {
    /// The bid.
    pub bid: Option<QuotedSide>,
    /// The ask.
    pub ask: Option<QuotedSide>,
    /// Whether the prices are offsets from the oracle price.
    pub is_oracle_offset: bool,
}

/// The reasons why quotes are rejected. The maker's previous quotes remain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndicativeError {
    /// No market has this number.
    UnknownMarket,
    /// More quotes than [`crate::limits::INDICATIVE_QUOTES_MAX`].
    QuotesExceeded,
    /// More makers than [`crate::limits::INDICATIVE_MAKERS_MAX`] in the market, or more pairs than
    /// [`crate::limits::INDICATIVE_PAIRS_MAX`] over all markets.
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

/// Counts of the quotes of all markets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct IndicativeCounts {
    /// Pairs of a maker and a market with quotes.
    pub makers: usize,
    /// Sides of quotes with a size.
    pub quotes: usize,
}

/// State shared by the quotes of all markets.
#[derive(Debug, Default)]
pub(crate) struct Indicative {
    pub(crate) policy: IndicativePolicy,
    pub(crate) counts: IndicativeCounts,
    /// The earliest expiry; `None` without quotes.
    pub(crate) due_ms: Option<u64>,
}

#[derive(Debug, Default)]
pub(crate) struct MarketQuotes {
    /// Sorted by key, without duplicates or makers without quotes.
    pub(crate) makers: Vec<MakerQuotes>,
    pub(crate) last_id: u32,
    /// The sequence number at which `rows` and `levels` were derived.
    pub(crate) derived_at: Option<u64>,
    rows: [Vec<OrderRow>; 2],
    levels: [Vec<Level>; 2],
}

#[derive(Clone, Debug)]
pub(crate) struct MakerQuotes {
    pub(crate) maker: Pubkey,
    pub(crate) due_ms: u64,
    pub(crate) orders: Vec<Quoted>,
}

/// One side of a quote with a size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quoted {
    /// The quote's index in the maker's message.
    pub(crate) index: usize,
    pub(crate) side: Side,
    pub(crate) is_oracle_offset: bool,
    pub(crate) price: i64,
    /// In the market's base units.
    pub(crate) size: u64,
    pub(crate) order_id: u32,
    /// The slot of the book in which this price and size were first quoted.
    pub(crate) slot: Slot,
}

impl MarketQuotes {
    /// The index of a maker, or its insertion point.
    pub(crate) fn find(&self, maker: &Pubkey) -> Result<usize, usize> {
        self.makers.binary_search_by(|quoting| quoting.maker.cmp(maker))
    }

    /// Gives each quote the id of the quote that it replaces, and also its slot when price and size
    /// are equal.
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

    /// Removes expired quotes; returns their number and the next expiry. `None` when the market has
    /// no quotes.
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

/// The data of the market that decides how its quotes appear.
#[derive(Debug)]
pub(crate) struct QuoteTerms<'a> {
    pub(crate) info: &'a MarketInfo,
    /// The oracle price; `None` while there is none.
    pub(crate) oracle: Option<OraclePrice>,
    /// For each side, the price that no quote may improve; `None` for no limit.
    pub(crate) best: [Option<Price>; 2],
    pub(crate) are_shown: bool,
}

impl Quoted {
    /// Returns the quote as a row; `None` when it has no price, or less than a step.
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
            // A quote expires by the turn's time and not by the chain's time.
            max_ts: UnixSeconds(0),
            reduce_only: false,
            post_only: true,
            signed_msg: false,
            oracle_price_offset: self.offset().map_or(0, i64::from),
        })
    }

    fn shown_price(&self, terms: &QuoteTerms<'_>) -> Option<Price> {
        let direction = self.side.direction();
        let (tick, is_prediction) = (terms.info.tick, terms.info.is_prediction);
        if let Some(offset) = self.offset() {
            let offset = PriceOffset(offset.into());
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

/// Computes the size ahead of each row at its price, and adds the rows up to levels.
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

/// Returns the sides with a size, validated, in the market's decimals.
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

/// Converts a size at 1e9 to a market's decimals, rounded down; `None` when it does not fit.
fn market_size(size: u64, decimals: u32) -> Option<u64> {
    let wide = u128::from(size).checked_mul(10_u128.checked_pow(decimals)?)?;
    u64::try_from(wide / WIRE_SIZE_UNITS).ok()
}

/// The number that represents a size of one in a maker's message.
const WIRE_SIZE_UNITS: u128 = 1_000_000_000;

//! The facts of a market: its id, its account, its oracle, and the reason why its book may be
//! empty.

use std::cmp::Reverse;
use std::fmt;

use slotbook_protocol::model::enums::{MarketStatus, MarketType, OracleSource};
use slotbook_protocol::model::oracle::OracleReading;
use slotbook_protocol::model::units::{BaseQty, Price, Pubkey, UnixSeconds};

/// The id of a market in this book: consecutive numbers in the order of discovery.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MarketId(pub u16);

impl MarketId {
    /// No market: the order slot is in no ladder.
    pub(crate) const NONE: Self = Self(u16::MAX);

    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// Type and index of a market, by which accounts refer to it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(crate) struct MarketKey {
    pub(crate) market_type: MarketType,
    pub(crate) market_index: u16,
}

impl MarketKey {
    /// Parses a key such as `perp_7`, in any case.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let (name, digits) = text.split_once('_')?;
        let of_name = |known: &MarketType| known.name().eq_ignore_ascii_case(name);
        let market_type = [MarketType::Perp, MarketType::Spot].into_iter().find(of_name)?;
        let market_index = digits.parse().ok()?;
        let is_plain = digits == "0" || digits.starts_with(|digit| ('1'..='9').contains(&digit));
        is_plain.then_some(Self { market_type, market_index })
    }
}

impl fmt::Display for MarketKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}_{}", self.market_type.name(), self.market_index)
    }
}

/// The fields of a market's account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarketInfo {
    /// The market's number in this book.
    pub id: MarketId,
    /// The market's account.
    pub account: Pubkey,
    /// The name on chain without padding: any text that the market's lister chose.
    pub name: String,
    /// The unique name in bodies and topics: the name on chain, such as `SOL-PERP`; or the key,
    /// such as `perp_7`, when the name has special characters or an earlier market has the same
    /// name.
    pub symbol: String,
    /// Perp or spot.
    pub market_type: MarketType,
    /// Index among the markets of its type.
    pub market_index: u16,
    /// Status on chain.
    pub status: MarketStatus,
    /// Smallest price step, 1e6; at least 1.
    pub tick: Price,
    /// Smallest size step, in base units of this market; at least 1.
    pub step: BaseQty,
    /// Smallest order that is not reduce-only, in base units.
    pub min_order_size: BaseQty,
    /// Decimals of a base size: 9 for perps, the token's for spot.
    pub decimals: u32,
    /// The mint of the traded token; `None` for perps.
    pub mint: Option<Pubkey>,
    /// Percentage by which fees and rebates differ from the fee tiers.
    pub fee_adjustment: i16,
    /// Fee that takers pay in addition to their tier's fee, in tenths of a basis point.
    pub taker_fee_addon_tenth_bps: u16,
    /// Whether this is a prediction market, whose maximum price is 1,000,000.
    pub is_prediction: bool,
    /// The oracle's account; all zero for the quote asset.
    pub oracle: Pubkey,
    /// How the oracle's account is read.
    pub oracle_source: OracleSource,
    /// Paused operations, as the bit field of the market's type.
    pub paused_operations: u8,
    /// When the market expires, 0 for never.
    pub expiry_ts: UnixSeconds,
}

impl MarketInfo {
    pub(crate) fn key(&self) -> MarketKey {
        MarketKey { market_type: self.market_type, market_index: self.market_index }
    }

    /// Returns the sort key: perp markets before spot markets, each by index.
    pub(crate) fn rank(&self) -> (Reverse<MarketType>, u16) {
        (Reverse(self.market_type), self.market_index)
    }

    /// Returns whether the name on chain can be used in paths, lists, topics and files.
    pub(crate) fn has_plain_name(&self) -> bool {
        let is_plain = |c: char| c.is_alphanumeric() || " -_.+$".contains(c);
        self.name.contains(char::is_alphanumeric)
            && self.name.chars().all(is_plain)
            && MarketKey::parse(&self.name).is_none()
    }
}

/// Statistics of a perp market's account. No book depends on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerpStats {
    /// Sum of the users' long positions, 1e9.
    pub base_long: i128,
    /// Sum of the users' short positions, 1e9; negative or 0.
    pub base_short: i128,
    /// Users with a position in the market.
    pub users_with_base: u32,
    /// The last funding rate, quote per base and hour, 1e9.
    pub funding_rate: i64,
    /// The 24-hour average of funding rates that the program stores, 1e9.
    pub funding_rate_24h: i64,
    /// The oracle's average price at the last funding, 1e6; in accounts older than this field, the
    /// oracle's average in the account.
    pub funding_oracle_twap: i64,
    /// When the funding rate was last set.
    pub funding_ts: UnixSeconds,
    /// Initial margin as a fraction of the position's value, 1e4.
    pub margin_ratio_initial: u32,
}

/// Statistics of a spot market's account, in the token's decimals. No book depends on them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpotStats {
    /// All deposits with interest, rounded down.
    pub deposits: u128,
    /// All borrows with interest, rounded up.
    pub borrows: u128,
}

/// Why a body omits oracle-offset orders.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffsetExclusion {
    /// The oracle's account has never arrived.
    OracleMissing,
    /// The oracle's account cannot be read.
    OracleMalformed,
    /// The oracle price is not valid for orders; the name is that of its validity.
    OracleInvalid(&'static str),
}

impl OffsetExclusion {
    /// The name in response bodies.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OracleMissing => "oracleMissing",
            Self::OracleMalformed => "oracleMalformed",
            Self::OracleInvalid(validity) => validity,
        }
    }
}

/// The oracle readings that all parts of one body share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OracleState {
    /// The reading of the exchange oracle, when its account can be read.
    pub exchange: Option<OracleReading>,
    /// The reading of the MM oracle; in spot markets, and where it does not apply, that of the
    /// exchange oracle.
    pub mm: Option<OracleReading>,
    /// Set while oracle-offset orders cannot be priced.
    pub excluded: Option<OffsetExclusion>,
}

impl OracleState {
    pub(crate) const MISSING: Self =
        Self { exchange: None, mm: None, excluded: Some(OffsetExclusion::OracleMissing) };
}

/// Why a market shows an empty book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyReason {
    /// Its status is neither active nor reduce-only.
    MarketStatus,
    /// Fills are paused in this market.
    MarketFillPaused,
    /// Fills are paused on the whole exchange.
    ExchangeFillPaused,
    /// Its expiry has passed.
    MarketExpired,
    /// Its account cannot be read.
    MarketMalformed,
    /// Its account is closed.
    MarketClosed,
    /// The program's spot markets have no orders.
    SpotNotTraded,
    /// Its orders rest in the account of a CLOB program, which is not read.
    OrdersOnClob,
}

impl EmptyReason {
    /// The name in response bodies.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::MarketStatus => "marketStatus",
            Self::MarketFillPaused => "marketFillPaused",
            Self::ExchangeFillPaused => "exchangeFillPaused",
            Self::MarketExpired => "marketExpired",
            Self::MarketMalformed => "marketMalformed",
            Self::MarketClosed => "marketClosed",
            Self::SpotNotTraded => "spotNotTraded",
            Self::OrdersOnClob => "ordersOnClob",
        }
    }
}

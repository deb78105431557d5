//! One market: what its account says, what its oracle says, and its ladders.

use slotbook_protocol::enums::{MarketStatus, MarketType, OracleSource};
use slotbook_protocol::oracle::OracleReading;
use slotbook_protocol::units::{BaseQty, Price, Pubkey, Slot, UnixSeconds};

use crate::Side;
use crate::ladder::fixed::Ladder;
use crate::ladder::offset::{OffsetLadder, OffsetPricing};
use crate::markets::amm::{Change, Vamm};
use crate::markets::quotes::MarketQuotes;
use crate::model::update::Version;
use crate::orders::rules::EmptyReason;
use crate::orders::users::MarketKey;
use crate::view::auctions::AuctionList;

/// A market's number in this book: dense, in the order in which markets were found.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct MarketId(pub u16);

impl MarketId {
    pub(crate) fn index(self) -> usize {
        usize::from(self.0)
    }
}

/// What a market's account says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarketInfo {
    /// The market's number in this book.
    pub id: MarketId,
    /// The market's account.
    pub account: Pubkey,
    /// Name without padding, as `SOL-PERP`.
    pub name: String,
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
    /// The mint of the token that is traded; `None` for perps.
    pub mint: Option<Pubkey>,
    /// Percent by which fees and rebates differ from their tiers'.
    pub fee_adjustment: i16,
    /// True for prediction markets, whose prices end at 1,000,000.
    pub is_prediction: bool,
    /// The oracle's account; all zero for the quote asset.
    pub oracle: Pubkey,
    /// How the oracle's account is read.
    pub oracle_source: OracleSource,
    /// Paused operations, a bit field of the market's type.
    pub paused_operations: u8,
    /// When the market expires, 0 for never.
    pub expiry_ts: UnixSeconds,
}

impl MarketInfo {
    /// The market as accounts name it.
    pub(crate) fn key(&self) -> MarketKey {
        MarketKey { market_type: self.market_type, market_index: self.market_index }
    }
}

/// What a perp market's account says for statistics. No book depends on it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerpFigures {
    /// Sum of the users' long positions, 1e9.
    pub base_long: i128,
    /// Sum of the users' short positions, 1e9, not above zero.
    pub base_short: i128,
    /// The last funding rate, quote for a base and hour, 1e9.
    pub funding_rate: i64,
    /// The program's own running average of the rates of 24 hours, 1e9.
    pub funding_rate_24h: i64,
    /// The oracle's average price of the last funding, 1e6; the oracle's average of the account in
    /// accounts that are older than the field.
    pub funding_oracle_twap: i64,
    /// When the funding rate was last set.
    pub funding_ts: UnixSeconds,
}

/// Why oracle-offset orders are left out of a body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OffsetExclusion {
    /// No oracle account has been seen.
    OracleMissing,
    /// The oracle's account cannot be read.
    OracleMalformed,
    /// The oracle's price is not usable for orders; the name is its validity.
    OracleInvalid(&'static str),
}

impl OffsetExclusion {
    /// The name used in answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OracleMissing => "oracleMissing",
            Self::OracleMalformed => "oracleMalformed",
            Self::OracleInvalid(validity) => validity,
        }
    }
}

/// The oracle as every part of one body sees it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OracleState {
    /// The exchange oracle, when its account can be read.
    pub exchange: Option<OracleReading>,
    /// The MM-oracle view; for spot markets, and where it does not apply, the exchange oracle.
    pub mm: Option<OracleReading>,
    /// Set while oracle-offset orders cannot be priced.
    pub excluded: Option<OffsetExclusion>,
}

impl OracleState {
    pub(crate) const MISSING: Self =
        Self { exchange: None, mm: None, excluded: Some(OffsetExclusion::OracleMissing) };
}

/// What the market's account says about its oracle, beside the oracle's own account.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct OracleFields {
    pub(crate) mm_price: i64,
    pub(crate) mm_slot: u64,
    pub(crate) mm_sequence_id: u64,
    /// The last price the program saw: shown when the oracle's account is absent.
    pub(crate) last_price: i64,
    pub(crate) last_twap: i64,
    /// Mark minus oracle, both over five minutes.
    pub(crate) premium: i64,
    /// How much wider the confidence may be for this tier.
    pub(crate) confidence_multiplier: u64,
}

/// Interest of a spot market: from scaled balances to tokens.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Interest {
    pub(crate) deposit: u128,
    pub(crate) borrow: u128,
}

#[derive(Debug)]
pub(crate) struct Market {
    pub(crate) info: MarketInfo,
    pub(crate) oracle_fields: OracleFields,
    pub(crate) interest: Interest,
    /// Of a perp market.
    pub(crate) figures: Option<PerpFigures>,
    /// Set while the account itself is closed or malformed.
    pub(crate) unusable: Option<EmptyReason>,
    pub(crate) version: Version,
    pub(crate) empty: Option<EmptyReason>,
    pub(crate) oracle: OracleState,
    pub(crate) pricing: Option<OffsetPricing>,
    pub(crate) fixed: [Ladder; 2],
    pub(crate) offset: [OffsetLadder; 2],
    pub(crate) auctions: AuctionList,
    pub(crate) seq: u64,
    pub(crate) ts_ms: u64,
    pub(crate) vamm: Vamm,
    /// What this turn has changed so far.
    pub(crate) dirty: Change,
    /// What the last turn that changed anything changed.
    pub(crate) turned: Change,
    /// The sides of which this turn has changed orders, or may have.
    pub(crate) dirty_sides: [bool; 2],
    /// By side, the sequence number of the last such turn.
    pub(crate) side_seqs: [u64; 2],
    pub(crate) quotes: MarketQuotes,
}

impl Market {
    pub(crate) fn new(info: MarketInfo) -> Self {
        Self {
            info,
            oracle_fields: OracleFields::default(),
            interest: Interest::default(),
            figures: None,
            unusable: None,
            version: Version::default(),
            empty: None,
            oracle: OracleState::MISSING,
            pricing: None,
            fixed: Side::BOTH.map(Ladder::new),
            offset: Side::BOTH.map(OffsetLadder::new),
            auctions: AuctionList::default(),
            seq: 0,
            ts_ms: 0,
            vamm: Vamm::default(),
            dirty: Change::Nothing,
            turned: Change::Nothing,
            dirty_sides: [false; 2],
            side_seqs: [0; 2],
            quotes: MarketQuotes::default(),
        }
    }

    /// Ends a turn that has changed something shown.
    pub(crate) fn end_turn(&mut self, ts_ms: u64) {
        self.turned = std::mem::replace(&mut self.dirty, Change::Nothing);
        self.seq += 1;
        self.ts_ms = ts_ms;
        let sides = std::mem::take(&mut self.dirty_sides);
        for (seq, _) in self.side_seqs.iter_mut().zip(sides).filter(|(_, dirty)| *dirty) {
            *seq = self.seq;
        }
    }

    /// Orders in the ladders that are not shown: all of them while the book is empty by rule, and
    /// those at an oracle offset while there is no price for them.
    pub(crate) fn hidden_orders(&self) -> [usize; 2] {
        match (self.empty, self.pricing) {
            (Some(_), _) => [self.fixed_orders() + self.offset_orders(), 0],
            (None, None) => [0, self.offset_orders()],
            (None, Some(_)) => [0, 0],
        }
    }

    /// Orders that the book shows: those in the ladders that are not hidden.
    pub(crate) fn shown_orders(&self) -> usize {
        let [empty, unpriced] = self.hidden_orders();
        self.fixed_orders() + self.offset_orders() - empty - unpriced
    }

    fn fixed_orders(&self) -> usize {
        self.fixed.iter().map(Ladder::order_count).sum()
    }

    fn offset_orders(&self) -> usize {
        self.offset.iter().map(OffsetLadder::order_count).sum()
    }

    /// Only reduce-only orders show.
    pub(crate) fn is_reduce_only(&self) -> bool {
        self.info.status == MarketStatus::ReduceOnly
    }

    /// The slot of the market account's newest state.
    pub(crate) fn market_slot(&self) -> Slot {
        Slot(self.version.slot)
    }
}

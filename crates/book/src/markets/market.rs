//! One market: what its account says, what its oracle says, and its ladders.

use slotbook_protocol::enums::MarketStatus;
use slotbook_protocol::units::Slot;

use crate::ladder::fixed::Ladder;
use crate::ladder::offset::{OffsetLadder, OffsetPricing};
use crate::markets::amm::{Change, Vamm};
use crate::markets::quotes::MarketQuotes;
use crate::model::update::Version;
use crate::view::auctions::AuctionList;
use crate::{EmptyReason, MarketInfo, OracleState, PerpFigures, Side};

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

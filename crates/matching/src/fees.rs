//! The fees and rebates of a fill.

use slotbook_protocol::model::Program;
use slotbook_protocol::model::enums::MarketType;
use slotbook_protocol::model::fees::{FeeStructure, FeeTier, FillFees, TakerTerms, fill_fees};
use slotbook_protocol::model::units::QuoteQty;

use crate::taker::Taker;
use crate::terms::MarketTerms;

pub(crate) static PERP_FEES: FeeStructure = FeeStructure::perps_default(Program::Drift);

pub(crate) static SPOT_FEES: FeeStructure = FeeStructure::spot_default();

/// A fraction of a quote amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rate {
    /// Numerator.
    pub numerator: u64,
    /// Denominator, above 0.
    pub denominator: u64,
}

/// The fees of one taker in one market.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FeeTerms {
    pub(crate) taker: TakerTerms,
    pub(crate) maker: FeeTier,
    pub(crate) adjustment: i16,
}

impl FeeTerms {
    /// Selects a taker's fee tier. Orders do not contain the tiers of makers, so makers get the
    /// first tier's rebate. In spot markets the program gives every taker the first tier without a
    /// discount. Source: programs/drift/src/math/fees.rs `determine_user_fee_tier`.
    pub(crate) fn of(taker: &Taker, market: &MarketTerms, structure: &FeeStructure) -> Self {
        let first = structure.tier(0);
        let tier = structure.tier(taker.fee_tier.into());
        let (tier, is_referred) = match market.market_type {
            MarketType::Perp => (tier, taker.referred),
            MarketType::Spot => (first, false),
        };
        let taker = TakerTerms {
            tier,
            is_referred,
            is_high_leverage: false,
            builder_fee_tenth_bps: None,
            addon_tenth_bps: market.taker_fee_addon_tenth_bps,
        };
        Self { taker, maker: first, adjustment: market.fee_adjustment }
    }

    /// Returns the fees of a fill with a maker. `None` when the fee does not cover the rebate and
    /// the rewards.
    pub(crate) fn with_maker(&self, quote: QuoteQty) -> Option<FillFees> {
        fill_fees(quote, &self.taker, Some(&self.maker), self.adjustment, None).ok()
    }

    /// Returns the fees of a fill without a maker. `None` when the fee does not cover the rewards.
    pub(crate) fn without_maker(&self, quote: QuoteQty) -> Option<FillFees> {
        fill_fees(quote, &self.taker, None, self.adjustment, None).ok()
    }

    /// Returns the rebate rate of the taker's own order once the order rests.
    pub(crate) fn rebate_rate(&self) -> Rate {
        let FeeTier { maker_rebate_numerator, maker_rebate_denominator, .. } = self.taker.tier;
        let percent = i32::from(self.adjustment).saturating_add(100).max(0).unsigned_abs();
        Rate {
            numerator: u64::from(maker_rebate_numerator) * u64::from(percent),
            denominator: u64::from(maker_rebate_denominator.max(1)) * 100,
        }
    }
}

//! What a fill costs the taker and earns the maker.

use slotbook_protocol::units::QuoteQty;

use crate::liquidity::MarketTerms;
use crate::taker::Taker;

/// The fees of one taker in one market.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FeeTerms {
    tier: u8,
    adjustment: i16,
    referred: bool,
}

impl FeeTerms {
    pub(crate) fn of(taker: &Taker, market: &MarketTerms) -> Self {
        Self { tier: taker.fee_tier, adjustment: market.fee_adjustment, referred: taker.referred }
    }

    pub(crate) fn taker(&self, _quote: QuoteQty) -> QuoteQty {
        QuoteQty(0)
    }

    pub(crate) fn maker_rebate(&self, _quote: QuoteQty) -> QuoteQty {
        QuoteQty(0)
    }

    pub(crate) fn rebate_rate(&self) -> u64 {
        20
    }
}

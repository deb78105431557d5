//! The fees of the exchange, as its state says.

use slotbook_protocol::enums::MarketType;
use slotbook_protocol::fees::FeeStructure;
use slotbook_protocol::state::StateView;

use crate::book::Book;

/// The fees by kind of market.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fees {
    perp: FeeStructure,
    spot: FeeStructure,
}

impl Default for Fees {
    fn default() -> Self {
        Self { perp: FeeStructure::perps_default(), spot: FeeStructure::spot_default() }
    }
}

impl Fees {
    /// The fees of the state account. A structure that is not set up has no denominators; the
    /// program's own stands for it.
    pub(crate) fn of(view: &StateView<'_>) -> Self {
        let own = Self::default();
        let or = |structure: FeeStructure, own| {
            let is_set = structure.tiers[0].fee_denominator != 0;
            if is_set { structure } else { own }
        };
        Self {
            perp: or(view.perp_fee_structure(), own.perp),
            spot: or(view.spot_fee_structure(), own.spot),
        }
    }
}

impl Book {
    /// The fees of markets of a kind; the program's own until the exchange's state was seen.
    #[must_use]
    pub fn fees(&self, market_type: MarketType) -> &FeeStructure {
        match market_type {
            MarketType::Perp => &self.fees.perp,
            MarketType::Spot => &self.fees.spot,
        }
    }
}

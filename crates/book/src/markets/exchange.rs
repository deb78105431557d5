//! What the exchange's state account says to all markets.

use slotbook_protocol::fees::FeeStructure;
use slotbook_protocol::oracle::OracleGuardRails;
use slotbook_protocol::state::StateView;
use slotbook_protocol::units::Pubkey;

use crate::model::clock::Clock;
use crate::model::update::Version;

/// The exchange as every market and order sees it: its program, its state account, and the time.
#[derive(Debug)]
pub(crate) struct Exchange {
    /// The owner of user and market accounts.
    pub(crate) program: Pubkey,
    /// The state account; `None` until one was applied.
    pub(crate) key: Option<Pubkey>,
    pub(crate) version: Version,
    pub(crate) terms: ExchangeTerms,
    /// Of the terms; `None` when they may be others since it was made.
    pub(crate) terms_hash: Option<u64>,
    /// The last good bytes of the state account; none until one was seen.
    pub(crate) data: Vec<u8>,
    /// User accounts that the state account counts; 0 until one was seen.
    pub(crate) sub_accounts: u64,
    pub(crate) clock: Clock,
}

/// What a state account says. Until one was seen, the program's own defaults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExchangeTerms {
    pub(crate) status: u8,
    pub(crate) guard_rails: OracleGuardRails,
    pub(crate) perp_fees: FeeStructure,
    pub(crate) spot_fees: FeeStructure,
}

impl Default for ExchangeTerms {
    fn default() -> Self {
        Self {
            status: 0,
            guard_rails: OracleGuardRails::default(),
            perp_fees: FeeStructure::perps_default(),
            spot_fees: FeeStructure::spot_default(),
        }
    }
}

impl ExchangeTerms {
    /// The terms of the state account. A fee structure that is not set up has no denominators; the
    /// program's default replaces it.
    pub(crate) fn of(view: &StateView<'_>) -> Self {
        let default = Self::default();
        let or = |structure: FeeStructure, default| {
            let is_set = structure.tiers[0].fee_denominator != 0;
            if is_set { structure } else { default }
        };
        Self {
            status: view.exchange_status(),
            guard_rails: view.oracle_guard_rails(),
            perp_fees: or(view.perp_fee_structure(), default.perp_fees),
            spot_fees: or(view.spot_fee_structure(), default.spot_fees),
        }
    }
}

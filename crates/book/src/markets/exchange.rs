//! The exchange's state account.

use slotbook_protocol::model::Program;
use slotbook_protocol::model::clock::SlotSchedule;
use slotbook_protocol::model::fees::FeeStructure;
use slotbook_protocol::model::oracle::OracleGuardRails;
use slotbook_protocol::model::state::State;
use slotbook_protocol::model::units::Pubkey;

use crate::model::clock::Clock;
use crate::model::update::Version;

/// The facts that all markets and orders share: the program, its state account, and the time.
#[derive(Debug)]
pub(crate) struct Exchange {
    /// The owner of user and market accounts.
    pub(crate) program: Pubkey,
    /// The layout of the program's accounts, and the program's rules.
    pub(crate) rules: Program,
    /// The key of the state account; `None` until one was applied.
    pub(crate) key: Option<Pubkey>,
    pub(crate) version: Version,
    pub(crate) terms: ExchangeTerms,
    /// Hash of the terms; `None` when the terms may have changed since the hash was computed.
    pub(crate) terms_hash: Option<u64>,
    /// The last well-formed bytes of the state account; empty before the first.
    pub(crate) data: Vec<u8>,
    /// Number of user accounts according to the state account; 0 before the first.
    pub(crate) sub_accounts: u64,
    pub(crate) clock: Clock,
}

impl Exchange {
    /// Replaces the terms; returns whether they are others.
    pub(crate) fn set_terms(&mut self, terms: ExchangeTerms) -> bool {
        if self.terms == terms {
            return false;
        }
        (self.terms, self.terms_hash) = (terms, None);
        true
    }

    /// Takes the lengths of slots of the terms at the present slot; returns whether they are others.
    pub(crate) fn take_lengths(&mut self) -> bool {
        let slots = self.terms.slots.at(self.clock.slot());
        std::mem::replace(&mut self.clock.slots, slots) != slots
    }
}

/// The fields of the state account; the program's defaults before the first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ExchangeTerms {
    pub(crate) status: u8,
    pub(crate) guard_rails: OracleGuardRails,
    pub(crate) perp_fees: FeeStructure,
    pub(crate) spot_fees: FeeStructure,
    pub(crate) slots: SlotSchedule,
}

impl ExchangeTerms {
    /// Returns the initial terms of an exchange.
    pub(crate) fn default_of(program: Program) -> Self {
        Self {
            status: 0,
            guard_rails: OracleGuardRails::default(),
            perp_fees: FeeStructure::perps_default(program),
            spot_fees: FeeStructure::spot_default(),
            slots: SlotSchedule::default(),
        }
    }

    /// Returns the terms in the state account. A fee structure that is not set up has no
    /// denominators; the program's default replaces it.
    pub(crate) fn of(state: &State) -> Self {
        let default = Self::default_of(state.perp_fees.program);
        let or = |structure: FeeStructure, default| {
            let is_set = structure.tiers[0].fee_denominator != 0;
            if is_set { structure } else { default }
        };
        Self {
            status: state.exchange_status,
            guard_rails: state.guard_rails,
            perp_fees: or(state.perp_fees, default.perp_fees),
            spot_fees: or(state.spot_fees, default.spot_fees),
            slots: state.slots,
        }
    }
}

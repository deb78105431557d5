//! The exchange's state: pauses, guard rails, auction lengths.

use crate::drift::account::field::getters;
use crate::drift::account::state::STATE;
use crate::drift::account::{AccountKind, checked};
use crate::model::error::ProtocolError;
use crate::model::fees::FeeStructure;
use crate::model::oracle::OracleGuardRails;

/// Bits of `exchange_status`. Source: programs/drift/src/state/state.rs `ExchangeStatus`.
pub mod exchange_status {
    /// The AMM does not fill.
    pub const AMM_PAUSED: u8 = 4;
    /// Nothing fills.
    pub const FILL_PAUSED: u8 = 8;
}

/// The state account, read where it is.
#[derive(Clone, Copy, Debug)]
pub struct StateView<'a> {
    bytes: &'a [u8; STATE.size],
}

impl<'a> StateView<'a> {
    /// A view over an account's bytes.
    ///
    /// # Errors
    /// [`ProtocolError::WrongDiscriminator`] or [`ProtocolError::WrongLength`].
    #[inline]
    pub fn parse(data: &'a [u8]) -> Result<Self, ProtocolError> {
        Ok(Self { bytes: checked(AccountKind::State, data)? })
    }

    getters! { STATE;
        /// User accounts that were made and not deleted, idle ones among them.
        number_of_sub_accounts -> u64 = u64::from, u64 "numberOfSubAccounts";
        /// Paused operations of the whole exchange, see [`exchange_status`].
        exchange_status -> u8 = u8::from, u8 "exchangeStatus";
    }

    /// The fees of perp markets.
    #[must_use]
    pub fn perp_fee_structure(&self) -> FeeStructure {
        const AT: usize = STATE.at("perpFeeStructure", "FeeStructure");
        FeeStructure::read(&self.bytes[AT..])
    }

    /// The fees of spot markets.
    #[must_use]
    pub fn spot_fee_structure(&self) -> FeeStructure {
        const AT: usize = STATE.at("spotFeeStructure", "FeeStructure");
        FeeStructure::read(&self.bytes[AT..])
    }

    /// The limits within which an oracle's price is valid.
    #[must_use]
    pub fn oracle_guard_rails(&self) -> OracleGuardRails {
        OracleGuardRails {
            mark_oracle_percent_divergence: self.mark_oracle_percent_divergence(),
            oracle_twap_5min_percent_divergence: self.oracle_twap_5min_percent_divergence(),
            slots_before_stale_for_amm: self.slots_before_stale_for_amm(),
            slots_before_stale_for_margin: self.slots_before_stale_for_margin(),
            confidence_interval_max_size: self.confidence_interval_max_size(),
            too_volatile_ratio: self.too_volatile_ratio(),
        }
    }

    getters! { STATE;
        /// See [`OracleGuardRails`].
        mark_oracle_percent_divergence -> u64 = u64::from,
            u64 "oracleGuardRails.priceDivergence.markOraclePercentDivergence";
        /// See [`OracleGuardRails`].
        oracle_twap_5min_percent_divergence -> u64 = u64::from,
            u64 "oracleGuardRails.priceDivergence.oracleTwap5minPercentDivergence";
        /// See [`OracleGuardRails`].
        slots_before_stale_for_amm -> i64 = i64::from,
            i64 "oracleGuardRails.validity.slotsBeforeStaleForAmm";
        /// See [`OracleGuardRails`].
        slots_before_stale_for_margin -> i64 = i64::from,
            i64 "oracleGuardRails.validity.slotsBeforeStaleForMargin";
        /// See [`OracleGuardRails`].
        confidence_interval_max_size -> u64 = u64::from,
            u64 "oracleGuardRails.validity.confidenceIntervalMaxSize";
        /// See [`OracleGuardRails`].
        too_volatile_ratio -> i64 = i64::from, i64 "oracleGuardRails.validity.tooVolatileRatio";
    }
}

//! The exchange's state: pauses, guard rails, fees.

use super::account::AccountKind;
use super::clock::SlotSchedule;
use super::error::ProtocolError;
use super::fees::FeeStructure;
use super::oracle::OracleGuardRails;
use super::tables::{Tables, checked};
use super::units::Slot;
use crate::bytes::u64_at;
use crate::layout::leaf;

/// The fields of the state account that concern all markets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct State {
    /// Number of user accounts that were created and not deleted, including idle accounts.
    pub number_of_sub_accounts: u64,
    /// Paused operations of the whole exchange, see
    /// [`exchange_status`](super::pauses::exchange_status).
    pub exchange_status: u8,
    /// The fees of perp markets.
    pub perp_fees: FeeStructure,
    /// The fees of spot markets.
    pub spot_fees: FeeStructure,
    /// The limits within which an oracle's price is valid.
    pub guard_rails: OracleGuardRails,
    /// How long slots are.
    pub slots: SlotSchedule,
}

impl State {
    pub(crate) fn read<T: Tables>(data: &[u8]) -> Result<Self, ProtocolError> {
        let bytes = checked::<T>(AccountKind::State, data)?;
        let perp_fees = const { T::STATE.at("perpFeeStructure", "FeeStructure") };
        let spot_fees = const { T::STATE.at("spotFeeStructure", "FeeStructure") };
        Ok(Self {
            number_of_sub_accounts: leaf!(T::STATE, bytes, u64 "numberOfSubAccounts"),
            exchange_status: leaf!(T::STATE, bytes, u8 "exchangeStatus"),
            perp_fees: FeeStructure {
                promo_tier: leaf!(T::STATE, bytes, u8 "promoFeeTier" or 0),
                ..FeeStructure::read::<T>(&bytes[perp_fees..])
            },
            spot_fees: FeeStructure::read::<T>(&bytes[spot_fees..]),
            guard_rails: OracleGuardRails::read::<T>(bytes),
            slots: slots_of::<T>(bytes),
        })
    }
}

fn slots_of<T: Tables>(state: &[u8]) -> SlotSchedule {
    let changes = const { T::STATE.find("slotDurationTransitionSlots", "u64") };
    SlotSchedule {
        changes: changes.map_or([0; 4], |at| {
            std::array::from_fn(|change| u64_at(state, at + change * size_of::<u64>()))
        }),
        length_ms: leaf!(T::STATE, state, u16 "slotDurationMs" or 0),
        staged_ms: leaf!(T::STATE, state, u16 "pendingSlotDurationMs" or 0),
        staged_from: Slot(leaf!(T::STATE, state, u64 "slotDurationEffectiveSlot" or 0)),
    }
}

//! The chain's clock, as its sysvar account holds it.

use crate::bytes::{i64_at, u64_at};
use crate::error::ProtocolError;
use crate::units::{Pubkey, Slot, UnixSeconds};

/// Address of the clock's account. Source: solana-clock `sysvar::id`.
pub const CLOCK_ID: Pubkey = Pubkey::from_base58("SysvarC1ock11111111111111111111111111111111");

/// Owner of all sysvar accounts. Source: solana-sdk-ids `sysvar::id`.
pub const SYSVAR_OWNER: Pubkey = Pubkey::from_base58("Sysvar1111111111111111111111111111111111111");

/// Bytes of the clock's account.
pub const CLOCK_BYTES: usize = 40;

/// The chain's clock.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Clock {
    /// The slot.
    pub slot: Slot,
    /// When the epoch began.
    pub epoch_start_timestamp: UnixSeconds,
    /// The epoch.
    pub epoch: u64,
    /// The epoch for which leaders are known.
    pub leader_schedule_epoch: u64,
    /// The time by which orders and markets expire.
    pub unix_timestamp: UnixSeconds,
}

impl Clock {
    /// Reads the clock's account. Source: solana-clock `Clock`.
    ///
    /// # Errors
    /// [`ProtocolError::WrongOwner`] or [`ProtocolError::WrongLength`].
    pub fn decode(owner: &Pubkey, data: &[u8]) -> Result<Self, ProtocolError> {
        if *owner != SYSVAR_OWNER {
            return Err(ProtocolError::WrongOwner { owner: *owner });
        }
        if data.len() != CLOCK_BYTES {
            let actual = data.len();
            return Err(ProtocolError::WrongLength { expected: CLOCK_BYTES, actual });
        }
        Ok(Self {
            slot: Slot(u64_at(data, 0)),
            epoch_start_timestamp: UnixSeconds(i64_at(data, 8)),
            epoch: u64_at(data, 16),
            leader_schedule_epoch: u64_at(data, 24),
            unix_timestamp: UnixSeconds(i64_at(data, 32)),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clock_is_read_field_by_field() {
        let fields: [u64; 5] = [1, 2, 3, 4, 5];
        let data: Vec<u8> = fields.iter().flat_map(|field| field.to_le_bytes()).collect();
        let expected = Clock {
            slot: Slot(1),
            epoch_start_timestamp: UnixSeconds(2),
            epoch: 3,
            leader_schedule_epoch: 4,
            unix_timestamp: UnixSeconds(5),
        };
        assert_eq!(Clock::decode(&SYSVAR_OWNER, &data), Ok(expected));
    }

    #[test]
    fn clock_of_another_owner_or_length_is_refused() {
        let owner = Pubkey::default();
        assert_eq!(Clock::decode(&owner, &[0; 40]), Err(ProtocolError::WrongOwner { owner }));
        let error = ProtocolError::WrongLength { expected: 40, actual: 39 };
        assert_eq!(Clock::decode(&SYSVAR_OWNER, &[0; 39]), Err(error));
    }
}

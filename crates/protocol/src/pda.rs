//! Addresses that the program derives from seeds.

use curve25519_dalek::edwards::CompressedEdwardsY;
use sha2::{Digest, Sha256};

use crate::account::PROGRAM_ID;
use crate::error::ProtocolError;
use crate::units::Pubkey;

/// Most seeds of an address, the bump included. Source: solana-pubkey `MAX_SEEDS`.
const SEEDS_MAX: usize = 16;

/// Longest seed. Source: solana-pubkey `MAX_SEED_LEN`.
const SEED_BYTES_MAX: usize = 32;

/// What is hashed behind the seeds and the program. Source: solana-pubkey `PDA_MARKER`.
const MARKER: &[u8] = b"ProgramDerivedAddress";

/// The address of seeds under a program, and its bump: the highest byte that gives no point of the
/// curve, so that no private key belongs to it.
///
/// # Errors
/// [`ProtocolError::NoProgramAddress`] for too many or too long seeds, or when no bump serves.
///
/// Source: solana-pubkey `find_program_address`.
pub fn find_program_address(
    seeds: &[&[u8]],
    program: &Pubkey,
) -> Result<(Pubkey, u8), ProtocolError> {
    if seeds.len() >= SEEDS_MAX || seeds.iter().any(|seed| seed.len() > SEED_BYTES_MAX) {
        return Err(ProtocolError::NoProgramAddress);
    }
    let mut seeded = Sha256::new();
    seeds.iter().for_each(|seed| seeded.update(seed));
    (0..=u8::MAX)
        .rev()
        .map(|bump| {
            let hash = seeded.clone().chain_update([bump]).chain_update(program.0);
            (hash.chain_update(MARKER).finalize().into(), bump)
        })
        .find(|(address, _)| !is_on_curve(address))
        .map(|(address, bump)| (Pubkey(address), bump))
        .ok_or(ProtocolError::NoProgramAddress)
}

fn is_on_curve(bytes: &[u8; 32]) -> bool {
    CompressedEdwardsY(*bytes).decompress().is_some()
}

/// What an address of the program is derived from.
/// Source: programs/drift/src/instructions, the `seeds` of each account.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "each variant is the account kind of the same name")]
pub enum ProgramAddress {
    State,
    Signer,
    User { authority: Pubkey, sub_account_id: u16 },
    UserStats { authority: Pubkey },
    PerpMarket { market_index: u16 },
    SpotMarket { market_index: u16 },
    SpotMarketVault { market_index: u16 },
    InsuranceFundVault { market_index: u16 },
    PrelaunchOracle { market_index: u16 },
    PythPullOracle { feed_id: [u8; 32] },
    PythLazerOracle { feed_id: u32 },
    SignedMsgUserOrders { authority: Pubkey },
    SignedMsgWsDelegates { authority: Pubkey },
    ReferrerName { name: [u8; 32] },
    InsuranceFundStake { authority: Pubkey, market_index: u16 },
    HighLeverageModeConfig,
    ProtectedMakerModeConfig,
    FuelOverflow { authority: Pubkey },
    RevenueShare { authority: Pubkey },
    RevenueShareEscrow { authority: Pubkey },
}

impl ProgramAddress {
    /// The address under the exchange's program.
    ///
    /// # Errors
    /// [`ProtocolError::NoProgramAddress`] when no bump serves, which no known seed causes.
    pub fn find(&self) -> Result<Pubkey, ProtocolError> {
        self.find_under(&PROGRAM_ID)
    }

    /// The address under a program, for a deployment of one's own.
    ///
    /// # Errors
    /// As [`ProgramAddress::find`].
    pub fn find_under(&self, program: &Pubkey) -> Result<Pubkey, ProtocolError> {
        let find = |seeds: &[&[u8]]| Ok(find_program_address(seeds, program)?.0);
        match self {
            Self::State => find(&[b"drift_state"]),
            Self::Signer => find(&[b"drift_signer"]),
            Self::User { authority, sub_account_id } => {
                find(&[b"user", &authority.0, &sub_account_id.to_le_bytes()])
            }
            Self::UserStats { authority } => find(&[b"user_stats", &authority.0]),
            Self::PerpMarket { market_index } => {
                find(&[b"perp_market", &market_index.to_le_bytes()])
            }
            Self::SpotMarket { market_index } => {
                find(&[b"spot_market", &market_index.to_le_bytes()])
            }
            Self::SpotMarketVault { market_index } => {
                find(&[b"spot_market_vault", &market_index.to_le_bytes()])
            }
            Self::InsuranceFundVault { market_index } => {
                find(&[b"insurance_fund_vault", &market_index.to_le_bytes()])
            }
            Self::PrelaunchOracle { market_index } => {
                find(&[b"prelaunch_oracle", &market_index.to_le_bytes()])
            }
            Self::PythPullOracle { feed_id } => find(&[b"pyth_pull", feed_id]),
            Self::PythLazerOracle { feed_id } => find(&[b"pyth_lazer", &feed_id.to_le_bytes()]),
            Self::SignedMsgUserOrders { authority } => find(&[b"SIGNED_MSG", &authority.0]),
            Self::SignedMsgWsDelegates { authority } => find(&[b"SIGNED_MSG_WS", &authority.0]),
            Self::ReferrerName { name } => find(&[b"referrer_name", name]),
            Self::InsuranceFundStake { authority, market_index } => {
                find(&[b"insurance_fund_stake", &authority.0, &market_index.to_le_bytes()])
            }
            Self::HighLeverageModeConfig => find(&[b"high_leverage_mode_config"]),
            Self::ProtectedMakerModeConfig => find(&[b"protected_maker_mode_config"]),
            Self::FuelOverflow { authority } => find(&[b"fuel_overflow", &authority.0]),
            Self::RevenueShare { authority } => find(&[b"REV_SHARE", &authority.0]),
            Self::RevenueShareEscrow { authority } => find(&[b"REV_ESCROW", &authority.0]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(address: ProgramAddress, expected: &str) {
        assert_eq!(address.find().unwrap().to_string(), expected, "{address:?}");
    }

    #[test]
    fn addresses_are_those_on_chain() {
        let perp = |market_index| ProgramAddress::PerpMarket { market_index };
        let spot = |market_index| ProgramAddress::SpotMarket { market_index };
        check(ProgramAddress::State, "5zpq7DvB6UdFFvpmBPspGPNfUGoBRRCE2HHg5u3gxcsN");
        check(ProgramAddress::Signer, "JCNCMFXo5M5qwUPg2Utu1u6YWp3MbygxqBsBeXXJfrw");
        check(perp(0), "8UJgxaiQx5nTrdDgph5FiahMmzduuLTLf5WmsPegYA6W");
        check(perp(1), "2UZMvVTBQR9yWxrEdzEQzXWE61bUjqQ5VpJAGqVb3B19");
        check(spot(0), "6gMq3mRCKf8aP3ttTyYhuijVZ2LGi14oDsBbkgubfLB3");
        check(spot(4), "64WtBLXJsFnmoFR2kXqbTz3KzNP5x1SrpSn8zmkbF6xB");
        let prelaunch = |market_index| ProgramAddress::PrelaunchOracle { market_index };
        check(prelaunch(37), "AowFw1dCVjS8kngvTCoT3oshiUyL69k7P1uxqXwteWH4");
        let lazer = |feed_id| ProgramAddress::PythLazerOracle { feed_id };
        check(lazer(6), "3m6i4RFWEDw2Ft4tFHPJtYgmpPe21k56M3FHeWYrgGBz");
        check(lazer(7), "9VCioxmni2gDLv11qufWzT3RDERhQE4iY5Gf7NTfYyAV");
        let authority = "GiMXQkJXLVjScmQDkoLJShBJpTh9SDPvT2AZQq8NyEBf".parse().unwrap();
        let user = ProgramAddress::User { authority, sub_account_id: 0 };
        check(user, "9JtczxrJjPM4J1xooxr2rFXmRivarb4BwjNiBgXDwe2p");
    }

    #[test]
    fn too_many_or_too_long_seeds_are_refused() {
        let many = [&b"x"[..]; SEEDS_MAX];
        let none = Err(ProtocolError::NoProgramAddress);
        assert_eq!(find_program_address(&many, &PROGRAM_ID), none);
        assert_eq!(find_program_address(&[&[0; SEED_BYTES_MAX + 1]], &PROGRAM_ID), none);
    }
}

//! Kinds of accounts, which programs of one descent tell apart by the same first bytes.

use super::error::ProtocolError;

/// Bytes at the start of an account that name its kind.
pub const DISCRIMINATOR_BYTES: usize = 8;

/// Defines the kinds: variant, discriminator, sentence.
macro_rules! account_kinds {
    ($($kind:ident = $discriminator:literal, $sentence:literal;)*) => {
        /// A kind of account.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub enum AccountKind {
            $(#[doc = $sentence] $kind,)*
        }

        impl AccountKind {
            /// All kinds.
            pub const ALL: &'static [Self] = &[$(Self::$kind),*];

            /// The first eight bytes of an account of this kind: of sha256 over `account:` and the
            /// name. Source: anchor's `Discriminator`.
            #[must_use]
            pub const fn discriminator(self) -> [u8; DISCRIMINATOR_BYTES] {
                match self {
                    $(Self::$kind => u64::to_be_bytes($discriminator),)*
                }
            }
        }

        /// The kind of account that bytes say they are. Owner and length are not checked.
        ///
        /// # Errors
        /// [`ProtocolError::WrongLength`] below eight bytes; [`ProtocolError::WrongDiscriminator`]
        /// for a kind that is not in [`AccountKind`].
        #[inline]
        pub fn kind_of(data: &[u8]) -> Result<AccountKind, ProtocolError> {
            let Some(found) = data.first_chunk::<DISCRIMINATOR_BYTES>() else {
                let actual = data.len();
                return Err(ProtocolError::WrongLength { expected: DISCRIMINATOR_BYTES, actual });
            };
            match u64::from_be_bytes(*found) {
                $($discriminator => Ok(AccountKind::$kind),)*
                _ => Err(ProtocolError::WrongDiscriminator { discriminator: *found }),
            }
        }
    };
}

account_kinds! {
    User = 0x9f75_5fe3_ef97_3aec, "Positions and orders of one sub-account.";
    UserStats = 0xb0df_881b_7a4f_20e3, "Fees and volumes of one authority.";
    PerpMarket = 0x0adf_0c2c_6bf5_37f7, "A perp market and its AMM.";
    SpotMarket = 0x64b1_086b_a841_4127, "A token and its lending pool.";
    State = 0xd892_6b5e_684b_b6b1, "The exchange's settings.";
    PythLazerOracle = 0x9f07_a1f9_2251_7985, "A Pyth Lazer price.";
    PrelaunchOracle = 0x5c0e_8bea_48f4_441a, "A price before launch.";
    SignedMsgUserOrders = 0x4606_32f8_de01_8f31, "Signed messages that became orders.";
    HighLeverageModeConfig = 0x03c4_5abd_c140_e4ea, "Limits of the high-leverage mode.";
    ProtectedMakerModeConfig = 0x2f56_5a09_e0ff_0a45, "Limits of the protected-maker mode.";
    InsuranceFundStake = 0x6eca_0e2a_5f49_5a5f, "One authority's stake in an insurance fund.";
    ReferrerName = 0x6985_aa6e_342a_1cb6, "A referrer's name.";
    FuelOverflow = 0xb640_e7b1_e28e_453a, "Fuel beyond 32 bits.";
    RevenueShare = 0x3728_e407_8b34_b46e, "What a builder has earned.";
    RevenueShareEscrow = 0x62a7_032e_4ab1_adfc, "What a user owes to builders.";
}

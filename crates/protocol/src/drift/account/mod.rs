//! The program's accounts: which kind bytes are, and one layout table a kind.
//!
//! The tables are the only place where an offset is written down: the typed views of
//! [`crate::drift::user`], [`crate::drift::market`], [`crate::drift::state`] and [`crate::model::oracle`] take theirs from
//! them.

pub mod common;
pub mod field;
pub(crate) mod json;
pub mod oracles;
pub mod perp_market;
pub mod small;
pub mod spot_market;
pub mod state;
pub mod user;
pub mod variable;

use crate::model::error::ProtocolError;
use crate::model::units::Pubkey;
use field::{Layout, Shape};

pub use json::decode_json;

/// The exchange's program, the same on every cluster.
/// Source: programs/drift/src/lib.rs `declare_id`.
pub const PROGRAM_ID: Pubkey = Pubkey::from_base58("dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH");

/// Bytes at the start of an account that name its kind.
pub const DISCRIMINATOR_BYTES: usize = 8;

/// Defines the kinds: variant, discriminator, layout table, sentence.
macro_rules! account_kinds {
    ($($kind:ident = $discriminator:literal, $layout:expr, $sentence:literal;)*) => {
        /// A kind of account of the program.
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

            /// The layout table of this kind.
            #[must_use]
            pub const fn layout(self) -> &'static Layout {
                match self {
                    $(Self::$kind => &$layout,)*
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
    User = 0x9f75_5fe3_ef97_3aec, user::USER, "Positions and orders of one sub-account.";
    UserStats = 0xb0df_881b_7a4f_20e3, user::USER_STATS, "Fees and volumes of one authority.";
    PerpMarket = 0x0adf_0c2c_6bf5_37f7, perp_market::PERP_MARKET, "A perp market and its AMM.";
    SpotMarket = 0x64b1_086b_a841_4127, spot_market::SPOT_MARKET, "A token and its lending pool.";
    State = 0xd892_6b5e_684b_b6b1, state::STATE, "The exchange's settings.";
    PythLazerOracle = 0x9f07_a1f9_2251_7985, oracles::PYTH_LAZER_ORACLE, "A Pyth Lazer price.";
    PrelaunchOracle = 0x5c0e_8bea_48f4_441a, oracles::PRELAUNCH_ORACLE, "A price before launch.";
    SignedMsgUserOrders = 0x4606_32f8_de01_8f31, variable::SIGNED_MSG_USER_ORDERS,
        "Signed messages that became orders.";
    HighLeverageModeConfig = 0x03c4_5abd_c140_e4ea, small::HIGH_LEVERAGE_MODE_CONFIG,
        "Limits of the high-leverage mode.";
    ProtectedMakerModeConfig = 0x2f56_5a09_e0ff_0a45, small::PROTECTED_MAKER_MODE_CONFIG,
        "Limits of the protected-maker mode.";
    InsuranceFundStake = 0x6eca_0e2a_5f49_5a5f, small::INSURANCE_FUND_STAKE,
        "One authority's stake in an insurance fund.";
    ReferrerName = 0x6985_aa6e_342a_1cb6, small::REFERRER_NAME, "A referrer's name.";
    FuelOverflow = 0xb640_e7b1_e28e_453a, small::FUEL_OVERFLOW, "Fuel beyond 32 bits.";
    RevenueShare = 0x3728_e407_8b34_b46e, variable::REVENUE_SHARE, "What a builder has earned.";
    RevenueShareEscrow = 0x62a7_032e_4ab1_adfc, variable::REVENUE_SHARE_ESCROW,
        "What a user owes to builders.";
}

impl AccountKind {
    /// True when every account of this kind has the same length.
    #[must_use]
    pub fn has_fixed_length(self) -> bool {
        self.layout().fields.iter().all(|field| field.shape != Shape::List)
    }

    /// Checks that bytes are an account of this kind: discriminator and length.
    ///
    /// # Errors
    /// [`ProtocolError::WrongDiscriminator`] or [`ProtocolError::WrongLength`].
    pub fn check(self, data: &[u8]) -> Result<(), ProtocolError> {
        let expected = self.layout().size;
        let actual = data.len();
        match data.first_chunk() {
            Some(found) if *found == self.discriminator() => {}
            Some(found) => {
                return Err(ProtocolError::WrongDiscriminator { discriminator: *found });
            }
            None => return Err(ProtocolError::WrongLength { expected, actual }),
        }
        let fits = if self.has_fixed_length() { actual == expected } else { actual >= expected };
        if fits { Ok(()) } else { Err(ProtocolError::WrongLength { expected, actual }) }
    }
}

/// The bytes of an account of a kind of fixed length, checked.
#[inline]
pub(crate) fn checked<const LEN: usize>(
    kind: AccountKind,
    data: &[u8],
) -> Result<&[u8; LEN], ProtocolError> {
    kind.check(data)?;
    data.try_into().map_err(|_| ProtocolError::WrongLength { expected: LEN, actual: data.len() })
}

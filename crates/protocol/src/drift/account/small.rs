//! Layouts of the small accounts.

use crate::layout::FieldType::{I64, Key, U8, U16, U32, U64, U128};
use crate::layout::{Layout, many, one};

/// Layout of the account `InsuranceFundStake`.
/// Source: programs/drift/src/state/insurance_fund_stake.rs `InsuranceFundStake`.
pub const INSURANCE_FUND_STAKE: Layout = Layout {
    name: "InsuranceFundStake",
    size: 136,
    fields: &[
        one("authority", Key, 8),
        one("ifShares", U128, 40),
        one("lastWithdrawRequestShares", U128, 56),
        one("ifBase", U128, 72),
        one("lastValidTs", I64, 88),
        one("lastWithdrawRequestValue", U64, 96),
        one("lastWithdrawRequestTs", I64, 104),
        one("costBasis", I64, 112),
        one("marketIndex", U16, 120),
        many("padding", U8, 122, 14),
    ],
};

/// Layout of the account `ProtectedMakerModeConfig`.
/// Source: programs/drift/src/state/protected_maker_mode_config.rs `ProtectedMakerModeConfig`.
pub const PROTECTED_MAKER_MODE_CONFIG: Layout = Layout {
    name: "ProtectedMakerModeConfig",
    size: 48,
    fields: &[
        one("maxUsers", U32, 8),
        one("currentUsers", U32, 12),
        one("reduceOnly", U8, 16),
        many("padding", U8, 17, 31),
    ],
};

/// Layout of the account `HighLeverageModeConfig`.
/// Source: programs/drift/src/state/high_leverage_mode_config.rs `HighLeverageModeConfig`.
pub const HIGH_LEVERAGE_MODE_CONFIG: Layout = Layout {
    name: "HighLeverageModeConfig",
    size: 48,
    fields: &[
        one("maxUsers", U32, 8),
        one("currentUsers", U32, 12),
        one("reduceOnly", U8, 16),
        many("padding1", U8, 17, 3),
        one("currentMaintenanceUsers", U32, 20),
        many("padding2", U8, 24, 24),
    ],
};

/// Layout of the account `ReferrerName`.
/// Source: programs/drift/src/state/user.rs `ReferrerName`.
pub const REFERRER_NAME: Layout = Layout {
    name: "ReferrerName",
    size: 136,
    fields: &[
        one("authority", Key, 8),
        one("user", Key, 40),
        one("userStats", Key, 72),
        many("name", U8, 104, 32),
    ],
};

/// Layout of the account `FuelOverflow`.
/// Source: programs/drift/src/state/user.rs `FuelOverflow`.
pub const FUEL_OVERFLOW: Layout = Layout {
    name: "FuelOverflow",
    size: 240,
    fields: &[
        one("authority", Key, 8),
        one("fuelInsurance", U128, 40),
        one("fuelDeposits", U128, 56),
        one("fuelBorrows", U128, 72),
        one("fuelPositions", U128, 88),
        one("fuelTaker", U128, 104),
        one("fuelMaker", U128, 120),
        one("lastFuelSweepTs", U32, 136),
        one("lastResetTs", U32, 140),
        many("padding", U128, 144, 6),
    ],
};

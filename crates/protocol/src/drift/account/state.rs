//! Layouts of the exchange's state.

use crate::layout::FieldType::{I64, Key, Struct, U8, U16, U32, U64, U128};
use crate::layout::{Layout, many, one};

/// Layout of the account `State`.
/// Source: programs/drift/src/state/state.rs `State`.
pub const STATE: Layout = Layout {
    name: "State",
    size: 992,
    fields: &[
        one("admin", Key, 8),
        one("whitelistMint", Key, 40),
        one("discountMint", Key, 72),
        one("signer", Key, 104),
        one("srmVault", Key, 136),
        one("perpFeeStructure", Struct(&FEE_STRUCTURE), 168),
        one("spotFeeStructure", Struct(&FEE_STRUCTURE), 528),
        one("oracleGuardRails", Struct(&ORACLE_GUARD_RAILS), 888),
        one("numberOfAuthorities", U64, 936),
        one("numberOfSubAccounts", U64, 944),
        one("lpCooldownTime", U64, 952),
        one("liquidationMarginBufferRatio", U32, 960),
        one("settlementDuration", U16, 964),
        one("numberOfMarkets", U16, 966),
        one("numberOfSpotMarkets", U16, 968),
        one("signerNonce", U8, 970),
        one("minPerpAuctionDuration", U8, 971),
        one("defaultMarketOrderTimeInForce", U8, 972),
        one("defaultSpotAuctionDuration", U8, 973),
        one("exchangeStatus", U8, 974),
        one("liquidationDuration", U8, 975),
        one("initialPctToLiquidate", U16, 976),
        one("maxNumberOfSubAccounts", U16, 978),
        one("maxInitializeUserFee", U16, 980),
        one("featureBitFlags", U8, 982),
        one("lpPoolFeatureBitFlags", U8, 983),
        many("padding", U8, 984, 8),
    ],
};

/// Layout of the struct `FeeStructure`.
/// Source: programs/drift/src/state/state.rs `FeeStructure`.
pub const FEE_STRUCTURE: Layout = Layout {
    name: "FeeStructure",
    size: 360,
    fields: &[
        many("feeTiers", Struct(&FEE_TIER), 0, 10),
        one("fillerRewardStructure", Struct(&ORDER_FILLER_REWARD_STRUCTURE), 320),
        one("referrerRewardEpochUpperBound", U64, 344),
        one("flatFillerFee", U64, 352),
    ],
};

/// Layout of the struct `OracleGuardRails`.
/// Source: programs/drift/src/state/state.rs `OracleGuardRails`.
pub const ORACLE_GUARD_RAILS: Layout = Layout {
    name: "OracleGuardRails",
    size: 48,
    fields: &[
        one("priceDivergence", Struct(&PRICE_DIVERGENCE_GUARD_RAILS), 0),
        one("validity", Struct(&VALIDITY_GUARD_RAILS), 16),
    ],
};

/// Layout of the struct `FeeTier`.
/// Source: programs/drift/src/state/state.rs `FeeTier`.
pub const FEE_TIER: Layout = Layout {
    name: "FeeTier",
    size: 32,
    fields: &[
        one("feeNumerator", U32, 0),
        one("feeDenominator", U32, 4),
        one("makerRebateNumerator", U32, 8),
        one("makerRebateDenominator", U32, 12),
        one("referrerRewardNumerator", U32, 16),
        one("referrerRewardDenominator", U32, 20),
        one("refereeFeeNumerator", U32, 24),
        one("refereeFeeDenominator", U32, 28),
    ],
};

/// Layout of the struct `OrderFillerRewardStructure`.
/// Source: programs/drift/src/state/state.rs `OrderFillerRewardStructure`.
pub const ORDER_FILLER_REWARD_STRUCTURE: Layout = Layout {
    name: "OrderFillerRewardStructure",
    size: 24,
    fields: &[
        one("rewardNumerator", U32, 0),
        one("rewardDenominator", U32, 4),
        one("timeBasedRewardLowerBound", U128, 8),
    ],
};

/// Layout of the struct `PriceDivergenceGuardRails`.
/// Source: programs/drift/src/state/state.rs `PriceDivergenceGuardRails`.
pub const PRICE_DIVERGENCE_GUARD_RAILS: Layout = Layout {
    name: "PriceDivergenceGuardRails",
    size: 16,
    fields: &[
        one("markOraclePercentDivergence", U64, 0),
        one("oracleTwap5minPercentDivergence", U64, 8),
    ],
};

/// Layout of the struct `ValidityGuardRails`.
/// Source: programs/drift/src/state/state.rs `ValidityGuardRails`.
pub const VALIDITY_GUARD_RAILS: Layout = Layout {
    name: "ValidityGuardRails",
    size: 32,
    fields: &[
        one("slotsBeforeStaleForAmm", I64, 0),
        one("slotsBeforeStaleForMargin", I64, 8),
        one("confidenceIntervalMaxSize", U64, 16),
        one("tooVolatileRatio", I64, 24),
    ],
};

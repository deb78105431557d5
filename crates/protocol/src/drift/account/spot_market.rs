//! Layouts of spot markets.

use super::common::{HISTORICAL_ORACLE_DATA, POOL_BALANCE};
use crate::layout::FieldType::{Bool, Enum, I16, I64, Key, Struct, U8, U16, U32, U64, U128};
use crate::layout::{Layout, many, one};
use crate::model::enums::{AssetTier, MarketStatus, OracleSource};

/// Layout of the account `SpotMarket`.
/// Source: programs/drift/src/state/spot_market.rs `SpotMarket`.
pub const SPOT_MARKET: Layout = Layout {
    name: "SpotMarket",
    size: 776,
    fields: &[
        one("pubkey", Key, 8),
        one("oracle", Key, 40),
        one("mint", Key, 72),
        one("vault", Key, 104),
        many("name", U8, 136, 32),
        one("historicalOracleData", Struct(&HISTORICAL_ORACLE_DATA), 168),
        one("historicalIndexData", Struct(&HISTORICAL_INDEX_DATA), 216),
        one("revenuePool", Struct(&POOL_BALANCE), 256),
        one("spotFeePool", Struct(&POOL_BALANCE), 280),
        one("insuranceFund", Struct(&INSURANCE_FUND), 304),
        one("totalSpotFee", U128, 416),
        one("depositBalance", U128, 432),
        one("borrowBalance", U128, 448),
        one("cumulativeDepositInterest", U128, 464),
        one("cumulativeBorrowInterest", U128, 480),
        one("totalSocialLoss", U128, 496),
        one("totalQuoteSocialLoss", U128, 512),
        one("withdrawGuardThreshold", U64, 528),
        one("maxTokenDeposits", U64, 536),
        one("depositTokenTwap", U64, 544),
        one("borrowTokenTwap", U64, 552),
        one("utilizationTwap", U64, 560),
        one("lastInterestTs", U64, 568),
        one("lastTwapTs", U64, 576),
        one("expiryTs", I64, 584),
        one("orderStepSize", U64, 592),
        one("orderTickSize", U64, 600),
        one("minOrderSize", U64, 608),
        one("maxPositionSize", U64, 616),
        one("nextFillRecordId", U64, 624),
        one("nextDepositRecordId", U64, 632),
        one("initialAssetWeight", U32, 640),
        one("maintenanceAssetWeight", U32, 644),
        one("initialLiabilityWeight", U32, 648),
        one("maintenanceLiabilityWeight", U32, 652),
        one("imfFactor", U32, 656),
        one("liquidatorFee", U32, 660),
        one("ifLiquidationFee", U32, 664),
        one("optimalUtilization", U32, 668),
        one("optimalBorrowRate", U32, 672),
        one("maxBorrowRate", U32, 676),
        one("decimals", U32, 680),
        one("marketIndex", U16, 684),
        one("ordersEnabled", Bool, 686),
        one("oracleSource", Enum(OracleSource::VARIANT_NAMES), 687),
        one("status", Enum(MarketStatus::VARIANT_NAMES), 688),
        one("assetTier", Enum(AssetTier::VARIANT_NAMES), 689),
        one("pausedOperations", U8, 690),
        one("ifPausedOperations", U8, 691),
        one("feeAdjustment", I16, 692),
        one("maxTokenBorrowsFraction", U16, 694),
        one("flashLoanAmount", U64, 696),
        one("flashLoanInitialTokenAmount", U64, 704),
        one("totalSwapFee", U64, 712),
        one("scaleInitialAssetWeightStart", U64, 720),
        one("minBorrowRate", U8, 728),
        one("fuelBoostDeposits", U8, 729),
        one("fuelBoostBorrows", U8, 730),
        one("fuelBoostTaker", U8, 731),
        one("fuelBoostMaker", U8, 732),
        one("fuelBoostInsurance", U8, 733),
        one("tokenProgramFlag", U8, 734),
        one("poolId", U8, 735),
        many("padding", U8, 736, 40),
    ],
};

/// Layout of the struct `HistoricalIndexData`.
/// Source: programs/drift/src/state/oracle.rs `HistoricalIndexData`.
pub const HISTORICAL_INDEX_DATA: Layout = Layout {
    name: "HistoricalIndexData",
    size: 40,
    fields: &[
        one("lastIndexBidPrice", U64, 0),
        one("lastIndexAskPrice", U64, 8),
        one("lastIndexPriceTwap", U64, 16),
        one("lastIndexPriceTwap5min", U64, 24),
        one("lastIndexPriceTwapTs", I64, 32),
    ],
};

/// Layout of the struct `InsuranceFund`.
/// Source: programs/drift/src/state/spot_market.rs `InsuranceFund`.
pub const INSURANCE_FUND: Layout = Layout {
    name: "InsuranceFund",
    size: 112,
    fields: &[
        one("vault", Key, 0),
        one("totalShares", U128, 32),
        one("userShares", U128, 48),
        one("sharesBase", U128, 64),
        one("unstakingPeriod", I64, 80),
        one("lastRevenueSettleTs", I64, 88),
        one("revenueSettlePeriod", I64, 96),
        one("totalFactor", U32, 104),
        one("userFactor", U32, 108),
    ],
};

//! Layouts of users and their statistics.

use crate::layout::FieldType::{Bool, Enum, I32, I64, Key, Struct, U8, U16, U32, U64};
use crate::layout::{Layout, many, one};
use crate::model::enums::{
    Direction, MarginMode, MarketType, OrderStatus, OrderType, SpotBalanceType, TriggerCondition,
};

/// Layout of the account `User`.
/// Source: programs/drift/src/state/user.rs `User`.
pub const USER: Layout = Layout {
    name: "User",
    size: 4376,
    fields: &[
        one("authority", Key, 8),
        one("delegate", Key, 40),
        many("name", U8, 72, 32),
        many("spotPositions", Struct(&SPOT_POSITION), 104, 8),
        many("perpPositions", Struct(&PERP_POSITION), 424, 8),
        many("orders", Struct(&ORDER), 1192, 32),
        one("lastAddPerpLpSharesTs", I64, 4264),
        one("totalDeposits", U64, 4272),
        one("totalWithdraws", U64, 4280),
        one("totalSocialLoss", U64, 4288),
        one("settledPerpPnl", I64, 4296),
        one("cumulativeSpotFees", I64, 4304),
        one("cumulativePerpFunding", I64, 4312),
        one("liquidationMarginFreed", U64, 4320),
        one("lastActiveSlot", U64, 4328),
        one("nextOrderId", U32, 4336),
        one("maxMarginRatio", U32, 4340),
        one("nextLiquidationId", U16, 4344),
        one("subAccountId", U16, 4346),
        one("status", U8, 4348),
        one("isMarginTradingEnabled", Bool, 4349),
        one("idle", Bool, 4350),
        one("openOrders", U8, 4351),
        one("hasOpenOrder", Bool, 4352),
        one("openAuctions", U8, 4353),
        one("hasOpenAuction", Bool, 4354),
        one("marginMode", Enum(MarginMode::VARIANT_NAMES), 4355),
        one("poolId", U8, 4356),
        many("padding1", U8, 4357, 3),
        one("lastFuelBonusUpdateTs", U32, 4360),
        many("padding", U8, 4364, 12),
    ],
};

/// Layout of the account `UserStats`.
/// Source: programs/drift/src/state/user.rs `UserStats`.
pub const USER_STATS: Layout = Layout {
    name: "UserStats",
    size: 240,
    fields: &[
        one("authority", Key, 8),
        one("referrer", Key, 40),
        one("fees", Struct(&USER_FEES), 72),
        one("nextEpochTs", I64, 120),
        one("makerVolume30d", U64, 128),
        one("takerVolume30d", U64, 136),
        one("fillerVolume30d", U64, 144),
        one("lastMakerVolume30dTs", I64, 152),
        one("lastTakerVolume30dTs", I64, 160),
        one("lastFillerVolume30dTs", I64, 168),
        one("ifStakedQuoteAssetAmount", U64, 176),
        one("numberOfSubAccounts", U16, 184),
        one("numberOfSubAccountsCreated", U16, 186),
        one("referrerStatus", U8, 188),
        one("disableUpdatePerpBidAskTwap", U8, 189),
        one("pausedOperations", U8, 190),
        one("fuelOverflowStatus", U8, 191),
        one("fuelInsurance", U32, 192),
        one("fuelDeposits", U32, 196),
        one("fuelBorrows", U32, 200),
        one("fuelPositions", U32, 204),
        one("fuelTaker", U32, 208),
        one("fuelMaker", U32, 212),
        one("ifStakedGovTokenAmount", U64, 216),
        one("lastFuelIfBonusUpdateTs", U32, 224),
        many("padding", U8, 228, 12),
    ],
};

/// Layout of the struct `SpotPosition`.
/// Source: programs/drift/src/state/user.rs `SpotPosition`.
pub const SPOT_POSITION: Layout = Layout {
    name: "SpotPosition",
    size: 40,
    fields: &[
        one("scaledBalance", U64, 0),
        one("openBids", I64, 8),
        one("openAsks", I64, 16),
        one("cumulativeDeposits", I64, 24),
        one("marketIndex", U16, 32),
        one("balanceType", Enum(SpotBalanceType::VARIANT_NAMES), 34),
        one("openOrders", U8, 35),
        many("padding", U8, 36, 4),
    ],
};

/// Layout of the struct `PerpPosition`.
/// Source: programs/drift/src/state/user.rs `PerpPosition`.
pub const PERP_POSITION: Layout = Layout {
    name: "PerpPosition",
    size: 96,
    fields: &[
        one("lastCumulativeFundingRate", I64, 0),
        one("baseAssetAmount", I64, 8),
        one("quoteAssetAmount", I64, 16),
        one("quoteBreakEvenAmount", I64, 24),
        one("quoteEntryAmount", I64, 32),
        one("openBids", I64, 40),
        one("openAsks", I64, 48),
        one("settledPnl", I64, 56),
        one("lpShares", U64, 64),
        one("isolatedPositionScaledBalance", U64, 72),
        one("lastQuoteAssetAmountPerLp", I64, 80),
        many("padding", U8, 88, 2),
        one("maxMarginRatio", U16, 90),
        one("marketIndex", U16, 92),
        one("openOrders", U8, 94),
        one("positionFlag", U8, 95),
    ],
};

/// Layout of the struct `Order`.
/// Source: programs/drift/src/state/user.rs `Order`.
pub const ORDER: Layout = Layout {
    name: "Order",
    size: 96,
    fields: &[
        one("slot", U64, 0),
        one("price", U64, 8),
        one("baseAssetAmount", U64, 16),
        one("baseAssetAmountFilled", U64, 24),
        one("quoteAssetAmountFilled", U64, 32),
        one("triggerPrice", U64, 40),
        one("auctionStartPrice", I64, 48),
        one("auctionEndPrice", I64, 56),
        one("maxTs", I64, 64),
        one("oraclePriceOffset", I32, 72),
        one("orderId", U32, 76),
        one("marketIndex", U16, 80),
        one("status", Enum(OrderStatus::VARIANT_NAMES), 82),
        one("orderType", Enum(OrderType::VARIANT_NAMES), 83),
        one("marketType", Enum(MarketType::VARIANT_NAMES), 84),
        one("userOrderId", U8, 85),
        one("existingPositionDirection", Enum(Direction::VARIANT_NAMES), 86),
        one("direction", Enum(Direction::VARIANT_NAMES), 87),
        one("reduceOnly", Bool, 88),
        one("postOnly", Bool, 89),
        one("immediateOrCancel", Bool, 90),
        one("triggerCondition", Enum(TriggerCondition::VARIANT_NAMES), 91),
        one("auctionDuration", U8, 92),
        one("postedSlotTail", U8, 93),
        one("bitFlags", U8, 94),
        many("padding", U8, 95, 1),
    ],
};

/// Layout of the struct `UserFees`.
/// Source: programs/drift/src/state/user.rs `UserFees`.
pub const USER_FEES: Layout = Layout {
    name: "UserFees",
    size: 48,
    fields: &[
        one("totalFeePaid", U64, 0),
        one("totalFeeRebate", U64, 8),
        one("totalTokenDiscount", U64, 16),
        one("totalRefereeDiscount", U64, 24),
        one("totalReferrerReward", U64, 32),
        one("currentEpochReferrerReward", U64, 40),
    ],
};

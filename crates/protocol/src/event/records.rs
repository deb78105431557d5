//! Every record that the program logs, field by field.

use super::field::{EventField, EventLayout, group, list, many, one, option, text};
use super::typed::{FUNDING_RATE_RECORD, ORDER_ACTION_RECORD};
use crate::account::field::FieldType::{
    Bool, Enum, I32, I64, I128, Key, Struct, U8, U16, U32, U64, U128,
};
use crate::account::user::ORDER;
use crate::enums::{
    DepositDirection, DepositExplanation, Direction, LiquidationType, LpAction, MarketType,
    OrderType, PostOnlyParam, SettlePnlExplanation, StakeAction, TriggerCondition,
};

/// All records, the most frequent first.
pub static RECORDS: &[&EventLayout] = &[
    &ORDER_ACTION_RECORD,
    &ORDER_RECORD,
    &NEW_USER_RECORD,
    &DEPOSIT_RECORD,
    &SPOT_INTEREST_RECORD,
    &FUNDING_PAYMENT_RECORD,
    &FUNDING_RATE_RECORD,
    &CURVE_RECORD,
    &SIGNED_MSG_ORDER_RECORD,
    &LP_RECORD,
    &LIQUIDATION_RECORD,
    &SETTLE_PNL_RECORD,
    &INSURANCE_FUND_RECORD,
    &INSURANCE_FUND_STAKE_RECORD,
    &INSURANCE_FUND_SWAP_RECORD,
    &TRANSFER_PROTOCOL_IF_SHARES_TO_REVENUE_POOL_RECORD,
    &SWAP_RECORD,
    &SPOT_MARKET_VAULT_DEPOSIT_RECORD,
    &DELETE_USER_RECORD,
    &FUEL_SWEEP_RECORD,
    &FUEL_SEASON_RECORD,
    &REVENUE_SHARE_SETTLE_RECORD,
    &LP_SETTLE_RECORD,
    &LP_SWAP_RECORD,
    &LP_MINT_REDEEM_RECORD,
    &LP_BORROW_LEND_DEPOSIT_RECORD,
    &ADMIN_WITHDRAW_FROM_INSURANCE_FUND_RECORD,
];

/// Source: programs/drift/src/state/events.rs `NewUserRecord`.
pub const NEW_USER_RECORD: EventLayout = EventLayout {
    name: "NewUserRecord",
    discriminator: [0xec, 0xba, 0x71, 0xdb, 0x2a, 0x33, 0x95, 0xf9],
    fields: &[
        one("ts", I64),
        one("userAuthority", Key),
        one("user", Key),
        one("subAccountId", U16),
        many("name", U8, 32),
        one("referrer", Key),
    ],
};

/// Source: programs/drift/src/state/events.rs `DepositRecord`.
pub const DEPOSIT_RECORD: EventLayout = EventLayout {
    name: "DepositRecord",
    discriminator: [0xb4, 0xf1, 0xda, 0xcf, 0x66, 0x87, 0x2c, 0x86],
    fields: &[
        one("ts", I64),
        one("userAuthority", Key),
        one("user", Key),
        one("direction", Enum(DepositDirection::VARIANT_NAMES)),
        one("depositRecordId", U64),
        one("amount", U64),
        one("marketIndex", U16),
        one("oraclePrice", I64),
        one("marketDepositBalance", U128),
        one("marketWithdrawBalance", U128),
        one("marketCumulativeDepositInterest", U128),
        one("marketCumulativeBorrowInterest", U128),
        one("totalDepositsAfter", U64),
        one("totalWithdrawsAfter", U64),
        one("explanation", Enum(DepositExplanation::VARIANT_NAMES)),
        option("transferUser", Key),
        option("signer", Key),
        one("userTokenAmountAfter", I128),
    ],
};

/// Source: programs/drift/src/state/events.rs `SpotInterestRecord`.
pub const SPOT_INTEREST_RECORD: EventLayout = EventLayout {
    name: "SpotInterestRecord",
    discriminator: [0xb7, 0xba, 0xcb, 0xba, 0xe1, 0xbb, 0x5f, 0x82],
    fields: &[
        one("ts", I64),
        one("marketIndex", U16),
        one("depositBalance", U128),
        one("cumulativeDepositInterest", U128),
        one("borrowBalance", U128),
        one("cumulativeBorrowInterest", U128),
        one("optimalUtilization", U32),
        one("optimalBorrowRate", U32),
        one("maxBorrowRate", U32),
    ],
};

/// Source: programs/drift/src/state/events.rs `FundingPaymentRecord`.
pub const FUNDING_PAYMENT_RECORD: EventLayout = EventLayout {
    name: "FundingPaymentRecord",
    discriminator: [0x08, 0x3b, 0x60, 0x14, 0x89, 0xc9, 0x38, 0x5f],
    fields: &[
        one("ts", I64),
        one("userAuthority", Key),
        one("user", Key),
        one("marketIndex", U16),
        one("fundingPayment", I64),
        one("baseAssetAmount", I64),
        one("userLastCumulativeFunding", I64),
        one("ammCumulativeFundingLong", I128),
        one("ammCumulativeFundingShort", I128),
    ],
};

/// Source: programs/drift/src/state/events.rs `CurveRecord`.
pub const CURVE_RECORD: EventLayout = EventLayout {
    name: "CurveRecord",
    discriminator: [0x65, 0xee, 0x28, 0xe4, 0x46, 0x2e, 0x3d, 0x75],
    fields: &[
        one("ts", I64),
        one("recordId", U64),
        one("pegMultiplierBefore", U128),
        one("baseAssetReserveBefore", U128),
        one("quoteAssetReserveBefore", U128),
        one("sqrtKBefore", U128),
        one("pegMultiplierAfter", U128),
        one("baseAssetReserveAfter", U128),
        one("quoteAssetReserveAfter", U128),
        one("sqrtKAfter", U128),
        one("baseAssetAmountLong", U128),
        one("baseAssetAmountShort", U128),
        one("baseAssetAmountWithAmm", I128),
        one("totalFee", I128),
        one("totalFeeMinusDistributions", I128),
        one("adjustmentCost", I128),
        one("oraclePrice", I64),
        one("fillRecord", U128),
        one("numberOfUsers", U32),
        one("marketIndex", U16),
    ],
};

/// Source: programs/drift/src/state/events.rs `SignedMsgOrderRecord`.
pub const SIGNED_MSG_ORDER_RECORD: EventLayout = EventLayout {
    name: "SignedMsgOrderRecord",
    discriminator: [0xd3, 0xc5, 0x19, 0x12, 0x8e, 0x56, 0x71, 0x1b],
    fields: &[
        one("user", Key),
        text("hash"),
        group("matchingOrderParams", ORDER_PARAMS),
        one("userOrderId", U32),
        one("signedMsgOrderMaxSlot", U64),
        many("signedMsgOrderUuid", U8, 8),
        one("ts", I64),
    ],
};

/// Source: programs/drift/src/state/events.rs `OrderRecord`.
pub const ORDER_RECORD: EventLayout = EventLayout {
    name: "OrderRecord",
    discriminator: [0x68, 0x13, 0x40, 0x38, 0x59, 0x15, 0x02, 0x5a],
    fields: &[one("ts", I64), one("user", Key), one("order", Struct(&ORDER))],
};

/// Source: programs/drift/src/state/events.rs `LPRecord`.
pub const LP_RECORD: EventLayout = EventLayout {
    name: "LPRecord",
    discriminator: [0x65, 0x16, 0x36, 0x26, 0xb2, 0x0d, 0x8e, 0x6f],
    fields: &[
        one("ts", I64),
        one("user", Key),
        one("action", Enum(LpAction::VARIANT_NAMES)),
        one("nShares", U64),
        one("marketIndex", U16),
        one("deltaBaseAssetAmount", I64),
        one("deltaQuoteAssetAmount", I64),
        one("pnl", I64),
    ],
};

/// Source: programs/drift/src/state/events.rs `LiquidationRecord`.
pub const LIQUIDATION_RECORD: EventLayout = EventLayout {
    name: "LiquidationRecord",
    discriminator: [0x7f, 0x11, 0x00, 0x6c, 0xb6, 0x0d, 0xe7, 0x35],
    fields: &[
        one("ts", I64),
        one("liquidationType", Enum(LiquidationType::VARIANT_NAMES)),
        one("user", Key),
        one("liquidator", Key),
        one("marginRequirement", U128),
        one("totalCollateral", I128),
        one("marginFreed", U64),
        one("liquidationId", U16),
        one("bankrupt", Bool),
        list("canceledOrderIds", U32),
        group("liquidatePerp", LIQUIDATE_PERP_RECORD),
        group("liquidateSpot", LIQUIDATE_SPOT_RECORD),
        group("liquidateBorrowForPerpPnl", LIQUIDATE_BORROW_FOR_PERP_PNL_RECORD),
        group("liquidatePerpPnlForDeposit", LIQUIDATE_PERP_PNL_FOR_DEPOSIT_RECORD),
        group("perpBankruptcy", PERP_BANKRUPTCY_RECORD),
        group("spotBankruptcy", SPOT_BANKRUPTCY_RECORD),
        one("bitFlags", U8),
    ],
};

/// Source: programs/drift/src/state/events.rs `SettlePnlRecord`.
pub const SETTLE_PNL_RECORD: EventLayout = EventLayout {
    name: "SettlePnlRecord",
    discriminator: [0x39, 0x44, 0x69, 0x1a, 0x77, 0xc6, 0xd5, 0x59],
    fields: &[
        one("ts", I64),
        one("user", Key),
        one("marketIndex", U16),
        one("pnl", I128),
        one("baseAssetAmount", I64),
        one("quoteAssetAmountAfter", I64),
        one("quoteEntryAmount", I64),
        one("settlePrice", I64),
        one("explanation", Enum(SettlePnlExplanation::VARIANT_NAMES)),
    ],
};

/// Source: programs/drift/src/state/events.rs `InsuranceFundRecord`.
pub const INSURANCE_FUND_RECORD: EventLayout = EventLayout {
    name: "InsuranceFundRecord",
    discriminator: [0x38, 0xde, 0xd7, 0xeb, 0x4e, 0xc5, 0x63, 0x92],
    fields: &[
        one("ts", I64),
        one("spotMarketIndex", U16),
        one("perpMarketIndex", U16),
        one("userIfFactor", U32),
        one("totalIfFactor", U32),
        one("vaultAmountBefore", U64),
        one("insuranceVaultAmountBefore", U64),
        one("totalIfSharesBefore", U128),
        one("totalIfSharesAfter", U128),
        one("amount", I64),
    ],
};

/// Source: programs/drift/src/state/events.rs `InsuranceFundStakeRecord`.
pub const INSURANCE_FUND_STAKE_RECORD: EventLayout = EventLayout {
    name: "InsuranceFundStakeRecord",
    discriminator: [0x44, 0x42, 0x9c, 0x07, 0xd8, 0x94, 0xfa, 0x72],
    fields: &[
        one("ts", I64),
        one("userAuthority", Key),
        one("action", Enum(StakeAction::VARIANT_NAMES)),
        one("amount", U64),
        one("marketIndex", U16),
        one("insuranceVaultAmountBefore", U64),
        one("ifSharesBefore", U128),
        one("userIfSharesBefore", U128),
        one("totalIfSharesBefore", U128),
        one("ifSharesAfter", U128),
        one("userIfSharesAfter", U128),
        one("totalIfSharesAfter", U128),
    ],
};

/// Source: programs/drift/src/state/events.rs `InsuranceFundSwapRecord`.
pub const INSURANCE_FUND_SWAP_RECORD: EventLayout = EventLayout {
    name: "InsuranceFundSwapRecord",
    discriminator: [0x55, 0xbe, 0x63, 0xcb, 0xed, 0x21, 0xe3, 0x64],
    fields: &[
        one("rebalanceConfig", Key),
        one("inIfTotalSharesBefore", U128),
        one("outIfTotalSharesBefore", U128),
        one("inIfUserSharesBefore", U128),
        one("outIfUserSharesBefore", U128),
        one("inIfTotalSharesAfter", U128),
        one("outIfTotalSharesAfter", U128),
        one("inIfUserSharesAfter", U128),
        one("outIfUserSharesAfter", U128),
        one("ts", I64),
        one("inAmount", U64),
        one("outAmount", U64),
        one("outOraclePrice", U64),
        one("outOraclePriceTwap", I64),
        one("inVaultAmountBefore", U64),
        one("outVaultAmountBefore", U64),
        one("inFundVaultAmountAfter", U64),
        one("outFundVaultAmountAfter", U64),
        one("inMarketIndex", U16),
        one("outMarketIndex", U16),
    ],
};

/// Source: programs/drift/src/state/events.rs `TransferProtocolIfSharesToRevenuePoolRecord`.
pub const TRANSFER_PROTOCOL_IF_SHARES_TO_REVENUE_POOL_RECORD: EventLayout = EventLayout {
    name: "TransferProtocolIfSharesToRevenuePoolRecord",
    discriminator: [0xd1, 0x76, 0x8e, 0xa7, 0x82, 0x2e, 0xa4, 0x97],
    fields: &[
        one("ts", I64),
        one("marketIndex", U16),
        one("amount", U64),
        one("shares", U128),
        one("ifVaultAmountBefore", U64),
        one("protocolSharesBefore", U128),
        one("transferAmount", U64),
    ],
};

/// Source: programs/drift/src/state/events.rs `SwapRecord`.
pub const SWAP_RECORD: EventLayout = EventLayout {
    name: "SwapRecord",
    discriminator: [0xa2, 0xbb, 0x7b, 0xc2, 0x8a, 0x38, 0xfa, 0xf1],
    fields: &[
        one("ts", I64),
        one("user", Key),
        one("amountOut", U64),
        one("amountIn", U64),
        one("outMarketIndex", U16),
        one("inMarketIndex", U16),
        one("outOraclePrice", I64),
        one("inOraclePrice", I64),
        one("fee", U64),
    ],
};

/// Source: programs/drift/src/state/events.rs `SpotMarketVaultDepositRecord`.
pub const SPOT_MARKET_VAULT_DEPOSIT_RECORD: EventLayout = EventLayout {
    name: "SpotMarketVaultDepositRecord",
    discriminator: [0xb2, 0xd9, 0x17, 0xbc, 0x7f, 0xbe, 0x20, 0x49],
    fields: &[
        one("ts", I64),
        one("marketIndex", U16),
        one("depositBalance", U128),
        one("cumulativeDepositInterestBefore", U128),
        one("cumulativeDepositInterestAfter", U128),
        one("depositTokenAmountBefore", U64),
        one("amount", U64),
    ],
};

/// Source: programs/drift/src/state/events.rs `DeleteUserRecord`.
pub const DELETE_USER_RECORD: EventLayout = EventLayout {
    name: "DeleteUserRecord",
    discriminator: [0x47, 0x6f, 0xbe, 0x76, 0x07, 0x03, 0x84, 0xde],
    fields: &[
        one("ts", I64),
        one("userAuthority", Key),
        one("user", Key),
        one("subAccountId", U16),
        option("keeper", Key),
    ],
};

/// Source: programs/drift/src/state/events.rs `FuelSweepRecord`.
pub const FUEL_SWEEP_RECORD: EventLayout = EventLayout {
    name: "FuelSweepRecord",
    discriminator: [0x29, 0x54, 0x25, 0xf6, 0x84, 0xf0, 0x83, 0x08],
    fields: &[
        one("ts", I64),
        one("authority", Key),
        one("userStatsFuelInsurance", U32),
        one("userStatsFuelDeposits", U32),
        one("userStatsFuelBorrows", U32),
        one("userStatsFuelPositions", U32),
        one("userStatsFuelTaker", U32),
        one("userStatsFuelMaker", U32),
        one("fuelOverflowFuelInsurance", U128),
        one("fuelOverflowFuelDeposits", U128),
        one("fuelOverflowFuelBorrows", U128),
        one("fuelOverflowFuelPositions", U128),
        one("fuelOverflowFuelTaker", U128),
        one("fuelOverflowFuelMaker", U128),
    ],
};

/// Source: programs/drift/src/state/events.rs `FuelSeasonRecord`.
pub const FUEL_SEASON_RECORD: EventLayout = EventLayout {
    name: "FuelSeasonRecord",
    discriminator: [0x13, 0x89, 0x77, 0x21, 0xe0, 0xf9, 0x06, 0x57],
    fields: &[
        one("ts", I64),
        one("authority", Key),
        one("fuelInsurance", U128),
        one("fuelDeposits", U128),
        one("fuelBorrows", U128),
        one("fuelPositions", U128),
        one("fuelTaker", U128),
        one("fuelMaker", U128),
        one("fuelTotal", U128),
    ],
};

/// Source: programs/drift/src/state/events.rs `RevenueShareSettleRecord`.
pub const REVENUE_SHARE_SETTLE_RECORD: EventLayout = EventLayout {
    name: "RevenueShareSettleRecord",
    discriminator: [0x3d, 0xa2, 0x59, 0x0a, 0x18, 0x14, 0x3b, 0x2d],
    fields: &[
        one("ts", I64),
        option("builder", Key),
        option("referrer", Key),
        one("feeSettled", U64),
        one("marketIndex", U16),
        one("marketType", Enum(MarketType::VARIANT_NAMES)),
        one("builderSubAccountId", U16),
        one("builderTotalReferrerRewards", U64),
        one("builderTotalBuilderRewards", U64),
    ],
};

/// Source: programs/drift/src/state/events.rs `LPSettleRecord`.
pub const LP_SETTLE_RECORD: EventLayout = EventLayout {
    name: "LPSettleRecord",
    discriminator: [0xd0, 0xbf, 0x83, 0x6e, 0xad, 0x30, 0x07, 0x02],
    fields: &[
        one("recordId", U64),
        one("lastTs", I64),
        one("lastSlot", U64),
        one("ts", I64),
        one("slot", U64),
        one("perpMarketIndex", U16),
        one("settleToLpAmount", I64),
        one("perpAmmPnlDelta", I64),
        one("perpAmmExFeeDelta", I64),
        one("lpAum", U128),
        one("lpPrice", U128),
        one("lpPool", Key),
    ],
};

/// Source: programs/drift/src/state/events.rs `LPSwapRecord`.
pub const LP_SWAP_RECORD: EventLayout = EventLayout {
    name: "LPSwapRecord",
    discriminator: [0x9f, 0x3e, 0x82, 0xc4, 0x60, 0x4f, 0xb0, 0xfe],
    fields: &[
        one("ts", I64),
        one("slot", U64),
        one("authority", Key),
        one("outAmount", U128),
        one("inAmount", U128),
        one("outFee", I128),
        one("inFee", I128),
        one("outSpotMarketIndex", U16),
        one("inSpotMarketIndex", U16),
        one("outConstituentIndex", U16),
        one("inConstituentIndex", U16),
        one("outOraclePrice", I64),
        one("inOraclePrice", I64),
        one("lastAum", U128),
        one("lastAumSlot", U64),
        one("inMarketCurrentWeight", I64),
        one("outMarketCurrentWeight", I64),
        one("inMarketTargetWeight", I64),
        one("outMarketTargetWeight", I64),
        one("inSwapId", U64),
        one("outSwapId", U64),
        one("lpPool", Key),
    ],
};

/// Source: programs/drift/src/state/events.rs `LPMintRedeemRecord`.
pub const LP_MINT_REDEEM_RECORD: EventLayout = EventLayout {
    name: "LPMintRedeemRecord",
    discriminator: [0x35, 0xb2, 0x8e, 0x49, 0x4e, 0x5b, 0x5b, 0x08],
    fields: &[
        one("ts", I64),
        one("slot", U64),
        one("authority", Key),
        one("description", U8),
        one("amount", U128),
        one("fee", I128),
        one("spotMarketIndex", U16),
        one("constituentIndex", U16),
        one("oraclePrice", I64),
        one("mint", Key),
        one("lpAmount", U64),
        one("lpFee", I64),
        one("lpPrice", U128),
        one("mintRedeemId", U64),
        one("lastAum", U128),
        one("lastAumSlot", U64),
        one("inMarketCurrentWeight", I64),
        one("inMarketTargetWeight", I64),
        one("lpPool", Key),
    ],
};

/// Source: programs/drift/src/state/events.rs `LPBorrowLendDepositRecord`.
pub const LP_BORROW_LEND_DEPOSIT_RECORD: EventLayout = EventLayout {
    name: "LPBorrowLendDepositRecord",
    discriminator: [0xf2, 0xb5, 0x0b, 0x38, 0xf3, 0x3d, 0x4f, 0xd2],
    fields: &[
        one("ts", I64),
        one("slot", U64),
        one("spotMarketIndex", U16),
        one("constituentIndex", U16),
        one("direction", Enum(DepositDirection::VARIANT_NAMES)),
        one("tokenBalance", I64),
        one("lastTokenBalance", I64),
        one("interestAccruedTokenAmount", I64),
        one("amountDepositWithdraw", U64),
        one("lpPool", Key),
    ],
};

/// Source: programs/drift/src/state/events.rs `AdminWithdrawFromInsuranceFundRecord`.
pub const ADMIN_WITHDRAW_FROM_INSURANCE_FUND_RECORD: EventLayout = EventLayout {
    name: "AdminWithdrawFromInsuranceFundRecord",
    discriminator: [0xe6, 0xec, 0x0a, 0x00, 0xc4, 0x29, 0x93, 0x2d],
    fields: &[
        one("ts", I64),
        one("marketIndex", U16),
        one("admin", Key),
        one("amount", U64),
        one("sharesBurned", U128),
        one("insuranceFundVaultAmountBefore", U64),
        one("protocolSharesBefore", U128),
        one("protocolSharesAfter", U128),
        one("recipientTokenAccount", Key),
    ],
};

/// Source: programs/drift/src/state/order_params.rs `OrderParams`.
const ORDER_PARAMS: &[EventField] = &[
    one("orderType", Enum(OrderType::VARIANT_NAMES)),
    one("marketType", Enum(MarketType::VARIANT_NAMES)),
    one("direction", Enum(Direction::VARIANT_NAMES)),
    one("userOrderId", U8),
    one("baseAssetAmount", U64),
    one("price", U64),
    one("marketIndex", U16),
    one("reduceOnly", Bool),
    one("postOnly", Enum(PostOnlyParam::VARIANT_NAMES)),
    one("bitFlags", U8),
    option("maxTs", I64),
    option("triggerPrice", U64),
    one("triggerCondition", Enum(TriggerCondition::VARIANT_NAMES)),
    option("oraclePriceOffset", I32),
    option("auctionDuration", U8),
    option("auctionStartPrice", I64),
    option("auctionEndPrice", I64),
];

/// Source: programs/drift/src/state/events.rs `LiquidatePerpRecord`.
const LIQUIDATE_PERP_RECORD: &[EventField] = &[
    one("marketIndex", U16),
    one("oraclePrice", I64),
    one("baseAssetAmount", I64),
    one("quoteAssetAmount", I64),
    one("lpShares", U64),
    one("fillRecordId", U64),
    one("userOrderId", U32),
    one("liquidatorOrderId", U32),
    one("liquidatorFee", U64),
    one("ifFee", U64),
];

/// Source: programs/drift/src/state/events.rs `LiquidateSpotRecord`.
const LIQUIDATE_SPOT_RECORD: &[EventField] = &[
    one("assetMarketIndex", U16),
    one("assetPrice", I64),
    one("assetTransfer", U128),
    one("liabilityMarketIndex", U16),
    one("liabilityPrice", I64),
    one("liabilityTransfer", U128),
    one("ifFee", U64),
];

/// Source: programs/drift/src/state/events.rs `LiquidateBorrowForPerpPnlRecord`.
const LIQUIDATE_BORROW_FOR_PERP_PNL_RECORD: &[EventField] = &[
    one("perpMarketIndex", U16),
    one("marketOraclePrice", I64),
    one("pnlTransfer", U128),
    one("liabilityMarketIndex", U16),
    one("liabilityPrice", I64),
    one("liabilityTransfer", U128),
];

/// Source: programs/drift/src/state/events.rs `LiquidatePerpPnlForDepositRecord`.
const LIQUIDATE_PERP_PNL_FOR_DEPOSIT_RECORD: &[EventField] = &[
    one("perpMarketIndex", U16),
    one("marketOraclePrice", I64),
    one("pnlTransfer", U128),
    one("assetMarketIndex", U16),
    one("assetPrice", I64),
    one("assetTransfer", U128),
];

/// Source: programs/drift/src/state/events.rs `PerpBankruptcyRecord`.
const PERP_BANKRUPTCY_RECORD: &[EventField] = &[
    one("marketIndex", U16),
    one("pnl", I128),
    one("ifPayment", U128),
    option("clawbackUser", Key),
    option("clawbackUserPayment", U128),
    one("cumulativeFundingRateDelta", I128),
];

/// Source: programs/drift/src/state/events.rs `SpotBankruptcyRecord`.
const SPOT_BANKRUPTCY_RECORD: &[EventField] = &[
    one("marketIndex", U16),
    one("borrowAmount", U128),
    one("ifPayment", U128),
    one("cumulativeDepositInterestDelta", U128),
];

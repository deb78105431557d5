//! Every record that the program logs, field by field.

use super::field::{EventField, EventLayout, group, list, many, one, option, text};
use super::pool_records::{
    ADMIN_WITHDRAW_FROM_INSURANCE_FUND_RECORD, FUEL_SEASON_RECORD, FUEL_SWEEP_RECORD,
    INSURANCE_FUND_RECORD, INSURANCE_FUND_STAKE_RECORD, INSURANCE_FUND_SWAP_RECORD,
    LP_BORROW_LEND_DEPOSIT_RECORD, LP_MINT_REDEEM_RECORD, LP_SETTLE_RECORD, LP_SWAP_RECORD,
    REVENUE_SHARE_SETTLE_RECORD, SPOT_MARKET_VAULT_DEPOSIT_RECORD,
    TRANSFER_PROTOCOL_IF_SHARES_TO_REVENUE_POOL_RECORD,
};
use super::typed::{FUNDING_RATE_RECORD, ORDER_ACTION_RECORD};
use crate::drift::layouts::ORDER;
use crate::layout::FieldType::{Bool, Enum, I32, I64, I128, Key, Struct, U8, U16, U32, U64, U128};
use crate::model::enums::{
    DepositDirection, DepositExplanation, Direction, LiquidationType, LpAction, MarketType,
    OrderType, PostOnlyParam, SettlePnlExplanation, TriggerCondition,
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

//! Records of funds, pools and rewards, which no order is part of.

use super::field::{EventLayout, one, option};
use crate::layout::FieldType::{Enum, I64, I128, Key, U8, U16, U32, U64, U128};
use crate::model::enums::{DepositDirection, MarketType, StakeAction};

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

//! The members of records in each format. A new kind of record is a table here.

use crate::order_lives::Outcome;

/// A format of records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// Slotbook's own.
    Spec,
    /// That of the Drift v2 data API.
    Records,
    /// Its placed orders: actions come before them, oldest first, and are not written themselves.
    Orders,
    /// That of its older paths: the program's integers as text, and trades as JSON in a string.
    Named,
    /// Of the market data stream, in human units.
    Stream,
    /// Of the compatible channel of trades.
    Channel,
    /// The members of `Records` as lines of RFC 4180.
    Csv,
}

/// The value of a member.
#[derive(Clone, Copy, Debug)]
pub(crate) enum From {
    /// A value of the record: the struct that has it, or empty, and its field.
    Value(&'static str, &'static str),
    /// The signature of the transaction.
    Signature,
    /// The index of the record among the program's events of the transaction.
    Index,
    /// The slot of the transaction.
    Slot,
    /// The name of the market.
    Symbol,
    /// The price of a fill.
    Price,
    /// A funding rate as a fraction of the price.
    Fraction,
    /// What became of a placed order.
    Outcome(Outcome),
}

/// How a value is written. Keys, names and truth values are written alike in all of these.
#[derive(Clone, Copy, Debug)]
pub(crate) enum How {
    /// The integer; `null` without a value.
    Plain,
    /// The integer; 0 without a value.
    Whole,
    /// The integer in quotes; `null` without a value.
    Text,
    /// The integer in quotes; an empty text without a value.
    Word,
    /// All decimals in quotes; an empty text without a value.
    Fixed(u32),
    /// A number without zeros at its end; `null` without a value.
    Decimal(u32),
    /// As `Whole`, `Fixed` and `Decimal`, of a base amount scaled to nine decimals.
    BaseWhole,
    BaseFixed,
    BaseDecimal,
    /// As `Fixed`, with the decimals of the market's token.
    TokenFixed,
}

/// A member of an object.
#[derive(Debug)]
pub(crate) struct Member {
    /// The object within the record that has the member; empty for the record itself.
    pub(crate) group: &'static str,
    pub(crate) name: &'static str,
    pub(crate) from: From,
    pub(crate) how: How,
}

use How::{
    BaseDecimal, BaseFixed, BaseWhole, Decimal, Fixed, Plain, Text, TokenFixed, Whole, Word,
};

/// Decimals of prices and quote amounts.
const QUOTE: How = Fixed(6);
/// Of rates.
const RATE: How = Fixed(9);
/// The same in human units.
const DECIMAL_QUOTE: How = Decimal(6);

const fn told(name: &'static str, from: From) -> Member {
    Member { group: "", name, from, how: Plain }
}

/// A member with the name of its value.
const fn own(name: &'static str, how: How) -> Member {
    Member { group: "", name, from: From::Value("", name), how }
}

/// A member of another name.
const fn of(name: &'static str, value: &'static str, how: How) -> Member {
    Member { group: "", name, from: From::Value("", value), how }
}

/// A member of the order in a record of a new order.
const fn order(name: &'static str, how: How) -> Member {
    Member { group: "", name, from: From::Value("order", name), how }
}

/// What became of the order in a record of a new order.
const fn outcome(name: &'static str, of: Outcome, how: How) -> Member {
    Member { group: "", name, from: From::Outcome(of), how }
}

/// A member of an object within the record.
const fn inside(group: &'static str, name: &'static str, how: How) -> Member {
    Member { group, name, from: From::Value(group, name), how }
}

const TS: Member = own("ts", Plain);
const SIGNATURE: Member = told("txSig", From::Signature);
const INDEX: Member = told("txSigIndex", From::Index);
const SLOT: Member = told("slot", From::Slot);
const SYMBOL: Member = told("symbol", From::Symbol);
const MARKET: Member = own("marketIndex", Plain);

/// Returns the members of a kind of record; none for a kind that a format lacks.
pub(crate) fn members_of(form: Form, record: &str) -> &'static [Member] {
    match (record, form) {
        ("OrderActionRecord", Form::Spec) => TRADE_SPEC,
        ("OrderActionRecord", Form::Records | Form::Named | Form::Csv) => TRADE_RECORD,
        ("OrderActionRecord", Form::Stream) => TRADE_STREAM,
        ("OrderActionRecord", Form::Channel) => TRADE_CHANNEL,
        ("FundingRateRecord", Form::Spec) => FUNDING_SPEC,
        ("FundingRateRecord", Form::Records | Form::Csv) => FUNDING_RECORD,
        ("FundingRateRecord", Form::Named) => FUNDING_RAW,
        ("FundingPaymentRecord", Form::Records) => FUNDING_PAYMENT,
        ("DepositRecord", Form::Records) => DEPOSIT,
        ("SettlePnlRecord", Form::Records) => SETTLE_PNL,
        ("LiquidationRecord", Form::Records) => LIQUIDATION,
        ("OrderRecord", Form::Orders) => ORDER,
        ("NewUserRecord", Form::Records) => NEW_USER,
        ("DeleteUserRecord", Form::Records) => DELETED_USER,
        _ => &[],
    }
}

const TRADE_SPEC: &[Member] = &[
    TS,
    MARKET,
    own("marketType", Text),
    own("filler", Text),
    own("taker", Text),
    own("maker", Text),
    own("takerOrderId", Plain),
    own("makerOrderId", Plain),
    own("baseAssetAmountFilled", BaseWhole),
    own("quoteAssetAmountFilled", Whole),
    own("takerFee", Whole),
    own("makerFee", Whole),
    own("action", Text),
    own("actionExplanation", Text),
    SLOT,
    SIGNATURE,
    own("fillRecordId", Plain),
    own("takerOrderDirection", Text),
    own("oraclePrice", Plain),
];

const TRADE_RECORD: &[Member] = &[
    TS,
    SIGNATURE,
    INDEX,
    SLOT,
    own("fillerReward", QUOTE),
    own("baseAssetAmountFilled", BaseFixed),
    own("quoteAssetAmountFilled", QUOTE),
    own("takerFee", QUOTE),
    of("makerRebate", "makerFee", QUOTE),
    own("makerFee", QUOTE),
    own("referrerReward", QUOTE),
    own("quoteAssetAmountSurplus", QUOTE),
    own("takerOrderBaseAssetAmount", BaseFixed),
    own("takerOrderCumulativeBaseAssetAmountFilled", BaseFixed),
    own("takerOrderCumulativeQuoteAssetAmountFilled", QUOTE),
    own("makerOrderBaseAssetAmount", BaseFixed),
    own("makerOrderCumulativeBaseAssetAmountFilled", BaseFixed),
    own("makerOrderCumulativeQuoteAssetAmountFilled", QUOTE),
    own("oraclePrice", QUOTE),
    own("action", Word),
    own("actionExplanation", Word),
    MARKET,
    own("marketType", Word),
    own("filler", Word),
    own("fillRecordId", Word),
    own("taker", Word),
    own("takerOrderId", Word),
    own("takerOrderDirection", Word),
    own("maker", Word),
    own("makerOrderId", Word),
    own("makerOrderDirection", Word),
    own("spotFulfillmentMethodFee", QUOTE),
    of("marketFilter", "marketType", Word),
    SYMBOL,
    own("bitFlags", Plain),
    own("takerExistingQuoteEntryAmount", QUOTE),
    own("takerExistingBaseAssetAmount", BaseFixed),
    own("makerExistingQuoteEntryAmount", QUOTE),
    own("makerExistingBaseAssetAmount", BaseFixed),
];

const TRADE_STREAM: &[Member] = &[
    TS,
    SIGNATURE,
    INDEX,
    SLOT,
    own("fillRecordId", Text),
    MARKET,
    own("marketType", Text),
    SYMBOL,
    own("action", Text),
    own("actionExplanation", Text),
    Member { group: "", name: "price", from: From::Price, how: DECIMAL_QUOTE },
    own("baseAssetAmountFilled", BaseDecimal),
    own("quoteAssetAmountFilled", DECIMAL_QUOTE),
    own("quoteAssetAmountSurplus", DECIMAL_QUOTE),
    own("oraclePrice", DECIMAL_QUOTE),
    own("filler", Text),
    own("referrerReward", DECIMAL_QUOTE),
    own("taker", Text),
    own("takerOrderId", Plain),
    own("takerOrderDirection", Text),
    own("takerFee", DECIMAL_QUOTE),
    own("takerOrderBaseAssetAmount", BaseDecimal),
    own("takerOrderCumulativeBaseAssetAmountFilled", BaseDecimal),
    own("takerOrderCumulativeQuoteAssetAmountFilled", DECIMAL_QUOTE),
    own("maker", Text),
    own("makerOrderId", Plain),
    own("makerOrderDirection", Text),
    own("makerFee", DECIMAL_QUOTE),
    own("makerOrderBaseAssetAmount", BaseDecimal),
    own("makerOrderCumulativeBaseAssetAmountFilled", BaseDecimal),
    own("makerOrderCumulativeQuoteAssetAmountFilled", DECIMAL_QUOTE),
    own("fillerReward", DECIMAL_QUOTE),
    of("makerRebate", "makerFee", DECIMAL_QUOTE),
    own("spotFulfillmentMethodFee", DECIMAL_QUOTE),
    own("bitFlags", Plain),
];

/// Without what would reveal the account of an indicative maker.
const TRADE_CHANNEL: &[Member] = &[
    TS,
    MARKET,
    own("marketType", Text),
    own("baseAssetAmountFilled", BaseDecimal),
    own("quoteAssetAmountFilled", DECIMAL_QUOTE),
    own("quoteAssetAmountSurplus", DECIMAL_QUOTE),
    own("oraclePrice", DECIMAL_QUOTE),
    own("filler", Text),
    own("referrerReward", DECIMAL_QUOTE),
    own("taker", Text),
    own("takerOrderId", Plain),
    own("takerOrderDirection", Text),
    own("takerFee", DECIMAL_QUOTE),
    own("takerOrderBaseAssetAmount", BaseDecimal),
    own("takerOrderCumulativeBaseAssetAmountFilled", BaseDecimal),
    own("takerOrderCumulativeQuoteAssetAmountFilled", DECIMAL_QUOTE),
    own("maker", Text),
    own("makerOrderId", Plain),
    own("makerOrderDirection", Text),
    own("makerFee", DECIMAL_QUOTE),
    own("makerOrderBaseAssetAmount", BaseDecimal),
    own("makerOrderCumulativeBaseAssetAmountFilled", BaseDecimal),
    own("makerOrderCumulativeQuoteAssetAmountFilled", DECIMAL_QUOTE),
    SIGNATURE,
    SLOT,
    own("fillRecordId", Plain),
    own("action", Text),
    own("actionExplanation", Text),
    own("bitFlags", Plain),
];

const FUNDING_SPEC: &[Member] = &[
    TS,
    SYMBOL,
    MARKET,
    Member { group: "", name: "fundingRate", from: From::Fraction, how: Decimal(18) },
    of("oraclePrice", "oraclePriceTwap", DECIMAL_QUOTE),
    of("markPrice", "markPriceTwap", DECIMAL_QUOTE),
];

const FUNDING_RECORD: &[Member] = &[
    TS,
    SIGNATURE,
    INDEX,
    SLOT,
    own("recordId", Word),
    MARKET,
    SYMBOL,
    own("fundingRate", RATE),
    own("fundingRateLong", RATE),
    own("fundingRateShort", RATE),
    own("cumulativeFundingRateLong", RATE),
    own("cumulativeFundingRateShort", RATE),
    own("oraclePriceTwap", QUOTE),
    own("markPriceTwap", QUOTE),
    own("periodRevenue", QUOTE),
    own("baseAssetAmountWithAmm", BaseFixed),
    own("baseAssetAmountWithUnsettledLp", BaseFixed),
];

const FUNDING_RAW: &[Member] = &[
    SIGNATURE,
    SLOT,
    own("ts", Word),
    own("recordId", Word),
    MARKET,
    own("fundingRate", Word),
    own("cumulativeFundingRateLong", Word),
    own("cumulativeFundingRateShort", Word),
    own("oraclePriceTwap", Word),
    own("markPriceTwap", Word),
    own("fundingRateLong", Word),
    own("fundingRateShort", Word),
    own("periodRevenue", Word),
    own("baseAssetAmountWithAmm", Word),
    own("baseAssetAmountWithUnsettledLp", Word),
];

const FUNDING_PAYMENT: &[Member] = &[
    TS,
    SIGNATURE,
    INDEX,
    SLOT,
    own("userAuthority", Word),
    own("user", Word),
    MARKET,
    SYMBOL,
    own("fundingPayment", QUOTE),
    own("baseAssetAmount", BaseFixed),
    own("userLastCumulativeFunding", RATE),
    own("ammCumulativeFundingLong", RATE),
    own("ammCumulativeFundingShort", RATE),
];

const DEPOSIT: &[Member] = &[
    TS,
    SIGNATURE,
    INDEX,
    SLOT,
    own("depositRecordId", Word),
    own("userAuthority", Word),
    own("user", Word),
    own("direction", Word),
    own("amount", TokenFixed),
    MARKET,
    SYMBOL,
    own("oraclePrice", QUOTE),
    own("marketDepositBalance", RATE),
    own("marketWithdrawBalance", RATE),
    own("marketCumulativeDepositInterest", Fixed(10)),
    own("marketCumulativeBorrowInterest", Fixed(10)),
    own("totalDepositsAfter", QUOTE),
    own("totalWithdrawsAfter", QUOTE),
    own("explanation", Word),
    own("transferUser", Word),
    own("signer", Word),
    own("userTokenAmountAfter", TokenFixed),
];

const SETTLE_PNL: &[Member] = &[
    TS,
    SIGNATURE,
    INDEX,
    SLOT,
    own("user", Word),
    MARKET,
    SYMBOL,
    own("pnl", QUOTE),
    own("baseAssetAmount", BaseFixed),
    own("quoteAssetAmountAfter", QUOTE),
    own("quoteEntryAmount", QUOTE),
    own("settlePrice", QUOTE),
    own("explanation", Word),
];

/// Of the objects, the one of `liquidationType` counts. Amounts of tokens are the program's
/// integers, because a step may be of two tokens.
const LIQUIDATION: &[Member] = &[
    TS,
    SIGNATURE,
    INDEX,
    SLOT,
    own("liquidationType", Word),
    own("user", Word),
    own("liquidator", Word),
    own("marginRequirement", QUOTE),
    own("totalCollateral", QUOTE),
    own("marginFreed", QUOTE),
    own("liquidationId", Plain),
    own("bankrupt", Plain),
    own("canceledOrderIds", Plain),
    inside("liquidatePerp", "marketIndex", Plain),
    inside("liquidatePerp", "oraclePrice", QUOTE),
    inside("liquidatePerp", "baseAssetAmount", BaseFixed),
    inside("liquidatePerp", "quoteAssetAmount", QUOTE),
    inside("liquidatePerp", "lpShares", Word),
    inside("liquidatePerp", "fillRecordId", Word),
    inside("liquidatePerp", "userOrderId", Word),
    inside("liquidatePerp", "liquidatorOrderId", Word),
    inside("liquidatePerp", "liquidatorFee", QUOTE),
    inside("liquidatePerp", "ifFee", QUOTE),
    inside("liquidatePerp", "protocolFee", QUOTE),
    inside("liquidateSpot", "assetMarketIndex", Plain),
    inside("liquidateSpot", "assetPrice", QUOTE),
    inside("liquidateSpot", "assetTransfer", Word),
    inside("liquidateSpot", "liabilityMarketIndex", Plain),
    inside("liquidateSpot", "liabilityPrice", QUOTE),
    inside("liquidateSpot", "liabilityTransfer", Word),
    inside("liquidateSpot", "ifFee", Word),
    inside("liquidateSpot", "protocolFee", Word),
    inside("liquidateBorrowForPerpPnl", "perpMarketIndex", Plain),
    inside("liquidateBorrowForPerpPnl", "marketOraclePrice", QUOTE),
    inside("liquidateBorrowForPerpPnl", "pnlTransfer", QUOTE),
    inside("liquidateBorrowForPerpPnl", "liabilityMarketIndex", Plain),
    inside("liquidateBorrowForPerpPnl", "liabilityPrice", QUOTE),
    inside("liquidateBorrowForPerpPnl", "liabilityTransfer", Word),
    inside("liquidatePerpPnlForDeposit", "perpMarketIndex", Plain),
    inside("liquidatePerpPnlForDeposit", "marketOraclePrice", QUOTE),
    inside("liquidatePerpPnlForDeposit", "pnlTransfer", QUOTE),
    inside("liquidatePerpPnlForDeposit", "assetMarketIndex", Plain),
    inside("liquidatePerpPnlForDeposit", "assetPrice", QUOTE),
    inside("liquidatePerpPnlForDeposit", "assetTransfer", Word),
    inside("perpBankruptcy", "marketIndex", Plain),
    inside("perpBankruptcy", "pnl", QUOTE),
    inside("perpBankruptcy", "ifPayment", QUOTE),
    inside("perpBankruptcy", "clawbackUser", Word),
    inside("perpBankruptcy", "clawbackUserPayment", QUOTE),
    inside("perpBankruptcy", "cumulativeFundingRateDelta", RATE),
    inside("spotBankruptcy", "marketIndex", Plain),
    inside("spotBankruptcy", "borrowAmount", Word),
    inside("spotBankruptcy", "ifPayment", Word),
    inside("spotBankruptcy", "cumulativeDepositInterestDelta", Fixed(10)),
];

const ORDER: &[Member] = &[
    TS,
    SIGNATURE,
    INDEX,
    SLOT,
    own("user", Word),
    order("status", Word),
    order("orderType", Word),
    order("marketType", Word),
    order("orderId", Plain),
    order("userOrderId", Plain),
    order("marketIndex", Plain),
    SYMBOL,
    order("price", QUOTE),
    order("baseAssetAmount", BaseFixed),
    outcome("baseAssetAmountFilled", Outcome::Base, BaseFixed),
    outcome("quoteAssetAmountFilled", Outcome::Quote, QUOTE),
    order("direction", Word),
    order("reduceOnly", Plain),
    order("triggerPrice", QUOTE),
    order("triggerCondition", Word),
    order("existingPositionDirection", Word),
    order("postOnly", Plain),
    order("immediateOrCancel", Plain),
    order("oraclePriceOffset", QUOTE),
    order("auctionDuration", Plain),
    order("auctionStartPrice", QUOTE),
    order("auctionEndPrice", QUOTE),
    order("maxTs", Word),
    order("bitFlags", Plain),
    outcome("lastActionStatus", Outcome::Status, Word),
    outcome("lastActionExplanation", Outcome::Explanation, Word),
    outcome("lastUpdatedTs", Outcome::UpdatedTs, Plain),
    outcome("cumulativeFee", Outcome::Fee, QUOTE),
];

const NEW_USER: &[Member] = &[
    TS,
    SIGNATURE,
    INDEX,
    SLOT,
    own("userAuthority", Word),
    own("user", Word),
    own("subAccountId", Plain),
    own("name", Word),
    own("referrer", Word),
];

const DELETED_USER: &[Member] = &[
    TS,
    SIGNATURE,
    INDEX,
    SLOT,
    own("userAuthority", Word),
    own("user", Word),
    own("subAccountId", Plain),
    own("keeper", Word),
];

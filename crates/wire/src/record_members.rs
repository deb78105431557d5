//! The members of each kind of record in each format. Those of bodies are generated from the schemas
//! of the bodies; those of streams are listed here.

use crate::generated::record_tables::{
    DEPOSIT, FUNDING_PAYMENT, FUNDING_RAW, FUNDING_RECORD, FUNDING_SPEC, LIQUIDATION, NEW_USER,
    ORDER, SETTLE_PNL, TRADE_RECORD, TRADE_SPEC,
};
use crate::record_forms::How::{self, BaseDecimal, Decimal, Plain, Text};
use crate::record_forms::{
    Form, From, INDEX, MARKET, Member, SIGNATURE, SLOT, SYMBOL, TS, of, own,
};

/// Prices and quote amounts in human units.
const DECIMAL_QUOTE: How = Decimal(6);

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
        _ => &[],
    }
}

/// A list of members that has what was filled, and both orders, between its first and its last members.
macro_rules! trade {
    ([$($first:expr),* $(,)?], [$($last:expr),* $(,)?]) => {
        &[
            $($first,)*
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
            $($last,)*
        ]
    };
}

const TRADE_STREAM: &[Member] = trade!(
    [
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
    ],
    [
        own("fillerReward", DECIMAL_QUOTE),
        of("makerRebate", "makerFee", DECIMAL_QUOTE),
        own("spotFulfillmentMethodFee", DECIMAL_QUOTE),
        own("bitFlags", Plain),
    ]
);

/// Without what would reveal the account of an indicative maker.
const TRADE_CHANNEL: &[Member] = trade!(
    [TS, MARKET, own("marketType", Text)],
    [
        SIGNATURE,
        SLOT,
        own("fillRecordId", Plain),
        own("action", Text),
        own("actionExplanation", Text),
        own("bitFlags", Plain),
    ]
);

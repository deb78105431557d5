//! The records of the history as structs, read without allocation.

use super::field::{DISCRIMINATOR_BYTES, EventField, EventFieldType, EventLayout};
use super::input::Input;
use crate::bytes::{i64_at, i128_at, key_at, u8_at, u16_at, u32_at, u64_at};
use crate::model::enums::{Direction, MarketType, OrderAction, OrderActionExplanation};
use crate::model::error::ProtocolError;
use crate::model::units::Pubkey;

/// The type of a field.
trait Item: Sized {
    fn take(input: &mut Input<'_>) -> Result<Self, ProtocolError>;
}

/// A value that has a fixed number of bytes, the same in a record and in memory.
trait Element: Sized {
    fn of(bytes: &[u8]) -> Result<Self, ProtocolError>;
}

macro_rules! elements {
    ($($element:ty = $of:expr;)*) => {$(
        impl Element for $element {
            #[inline]
            fn of(bytes: &[u8]) -> Result<Self, ProtocolError> {
                $of(bytes)
            }
        }
    )*};
}

elements! {
    u8 = |bytes| Ok(u8_at(bytes, 0));
    u16 = |bytes| Ok(u16_at(bytes, 0));
    u32 = |bytes| Ok(u32_at(bytes, 0));
    u64 = |bytes| Ok(u64_at(bytes, 0));
    i64 = |bytes| Ok(i64_at(bytes, 0));
    i128 = |bytes| Ok(i128_at(bytes, 0));
    Pubkey = |bytes| Ok(key_at(bytes, 0));
    Direction = |bytes| Direction::from_byte(u8_at(bytes, 0));
    MarketType = |bytes| MarketType::from_byte(u8_at(bytes, 0));
    OrderAction = |bytes| OrderAction::from_byte(u8_at(bytes, 0));
    OrderActionExplanation = |bytes| Ok(explanation_of(u8_at(bytes, 0)));
}

/// Programs may add explanations, and no other field depends on the explanation: an unknown
/// explanation is read as [`OrderActionExplanation::None`].
fn explanation_of(byte: u8) -> OrderActionExplanation {
    OrderActionExplanation::from_byte(byte).unwrap_or(OrderActionExplanation::None)
}

impl<T: Element> Item for T {
    #[inline]
    fn take(input: &mut Input<'_>) -> Result<Self, ProtocolError> {
        Self::of(input.take(size_of::<Self>())?)
    }
}

impl<T: Element> Item for Option<T> {
    #[inline]
    fn take(input: &mut Input<'_>) -> Result<Self, ProtocolError> {
        match u8_at(input.take(1)?, 0) {
            0 => Ok(None),
            1 => T::take(input).map(Some),
            value => Err(ProtocolError::InvalidEnum { field: "option", value }),
        }
    }
}

/// Begins the field with a name if it is the next field of the record; otherwise the field reads as
/// zeros, because programs have removed fields.
#[inline]
fn begin(input: &mut Input<'_>, fields: &mut &[EventField], name: &str) {
    match fields.split_first() {
        Some((field, rest)) if field.name == name => {
            *fields = rest;
            input.begin_field();
        }
        _ => input.begin_absent_field(),
    }
}

/// Defines a record: the struct, and the function that reads it. Its fields are those of the
/// programs' tables, in the same order.
macro_rules! record {
    ($(#[$doc:meta])* $name:ident, {
        $($field:ident, $api:literal, $field_type:ty, $sentence:literal;)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name {
            $(#[doc = $sentence] pub $field: $field_type,)*
        }

        impl $name {
            /// The program's name of the record.
            pub const NAME: &'static str = stringify!($name);

            /// Reads the record by the layout of its program, including the discriminator. Fields
            /// that the record or the layout lacks are zero or `None`.
            ///
            /// # Errors
            /// [`ProtocolError::WrongLength`] when the record ends inside a field,
            /// [`ProtocolError::WrongDiscriminator`] or [`ProtocolError::InvalidEnum`].
            pub fn read(layout: &EventLayout, data: &[u8]) -> Result<Self, ProtocolError> {
                layout.check(data)?;
                let mut input = Input::new(data);
                let mut fields = layout.fields;
                let record = Self {
                    $($field: {
                        begin(&mut input, &mut fields, $api);
                        Item::take(&mut input)?
                    },)*
                };
                debug_assert!(fields.is_empty(), "Invariant: the struct has every field of the table");
                Ok(record)
            }
        }
    };
}

record! {
    /// An action on an order: placed, cancelled, filled, triggered. Only
    /// [`OrderAction::Fill`] is a trade. For a trigger, `taker_fee` and `filler_reward` hold the
    /// keeper's flat fee.
    ///
    /// Base amounts are in units of 1e-9 (spot: of the token's decimals), quote amounts and prices
    /// in units of 1e-6, `ts` in seconds. Fees are quote amounts; a negative fee is paid out. An
    /// unknown explanation reads as none. Source: programs/drift/src/state/events.rs
    /// `OrderActionRecord`.
    OrderActionRecord, {
        ts, "ts", i64, "The chain's time, in seconds.";
        action, "action", OrderAction, "What was done.";
        action_explanation, "actionExplanation", OrderActionExplanation, "Why, or how it filled.";
        market_index, "marketIndex", u16, "The market among those of its type.";
        market_type, "marketType", MarketType, "The market's type.";
        filler, "filler", Option<Pubkey>, "The keeper's user account; `None` without one.";
        filler_reward, "fillerReward", Option<u64>, "What the keeper was paid.";
        fill_record_id, "fillRecordId", Option<u64>, "The market's number of this fill.";
        base_filled, "baseAssetAmountFilled", Option<u64>, "Base that changed hands.";
        quote_filled, "quoteAssetAmountFilled", Option<u64>, "Quote that changed hands.";
        taker_fee, "takerFee", Option<u64>, "What the taker paid.";
        maker_fee, "makerFee", Option<i64>, "What the maker paid; negative for a rebate.";
        referrer_reward, "referrerReward", Option<u32>, "What the taker's referrer was paid.";
        quote_surplus, "quoteAssetAmountSurplus", Option<i64>, "What the AMM gained on its price.";
        spot_method_fee, "spotFulfillmentMethodFee", Option<u64>, "What an outside venue took.";
        taker, "taker", Option<Pubkey>, "The taker's user account.";
        taker_order_id, "takerOrderId", Option<u32>, "The taker's order.";
        taker_direction, "takerOrderDirection", Option<Direction>, "The taker's direction.";
        taker_base, "takerOrderBaseAssetAmount", Option<u64>, "Base of the taker's order.";
        taker_base_filled, "takerOrderCumulativeBaseAssetAmountFilled", Option<u64>,
            "Base of it that is filled by now.";
        taker_quote_filled, "takerOrderCumulativeQuoteAssetAmountFilled", Option<u64>,
            "Quote of it that is filled by now.";
        maker, "maker", Option<Pubkey>, "The maker's user account; `None` when the AMM filled.";
        maker_order_id, "makerOrderId", Option<u32>, "The maker's order.";
        maker_direction, "makerOrderDirection", Option<Direction>, "The maker's direction.";
        maker_base, "makerOrderBaseAssetAmount", Option<u64>, "Base of the maker's order.";
        maker_base_filled, "makerOrderCumulativeBaseAssetAmountFilled", Option<u64>,
            "Base of it that is filled by now.";
        maker_quote_filled, "makerOrderCumulativeQuoteAssetAmountFilled", Option<u64>,
            "Quote of it that is filled by now.";
        oracle_price, "oraclePrice", i64, "The oracle's price at that moment.";
        bit_flags, "bitFlags", u8, "Flags of the order; absent before 2025.";
        taker_existing_quote, "takerExistingQuoteEntryAmount", Option<u64>,
            "Quote at which the taker's position that shrank was entered.";
        taker_existing_base, "takerExistingBaseAssetAmount", Option<u64>,
            "Base of the taker's position that changed its sign.";
        maker_existing_quote, "makerExistingQuoteEntryAmount", Option<u64>,
            "Quote at which the maker's position that shrank was entered.";
        maker_existing_base, "makerExistingBaseAssetAmount", Option<u64>,
            "Base of the maker's position that changed its sign.";
        trigger_price, "triggerPrice", Option<u64>, "The price that triggered the order.";
        builder_index, "builderIdx", Option<u8>, "The builder that brought the order.";
        builder_fee, "builderFee", Option<u64>, "What the builder was paid.";
    }
}

record! {
    /// An update of a market's funding rate. The rate is quote per base and hour, in units of 1e-9;
    /// prices are in units of 1e-6, base amounts in units of 1e-9, `ts` in seconds. Source:
    /// programs/drift/src/state/events.rs `FundingRateRecord`.
    FundingRateRecord, {
        ts, "ts", i64, "The chain's time, in seconds.";
        record_id, "recordId", u64, "The market's number of this update.";
        market_index, "marketIndex", u16, "The perp market.";
        funding_rate, "fundingRate", i64, "The rate; positive when longs pay.";
        funding_rate_long, "fundingRateLong", i128, "What longs are charged.";
        funding_rate_short, "fundingRateShort", i128, "What shorts are paid.";
        cumulative_long, "cumulativeFundingRateLong", i128, "The sum of the longs' rates.";
        cumulative_short, "cumulativeFundingRateShort", i128, "The sum of the shorts' rates.";
        oracle_twap, "oraclePriceTwap", i64, "The oracle's average price over the period.";
        mark_twap, "markPriceTwap", u64, "The market's average price over the period.";
        period_revenue, "periodRevenue", i64, "What the AMM earned over the period, in quote; Drift v2 alone writes it.";
        base_with_amm, "baseAssetAmountWithAmm", i128, "The users' net position with the AMM.";
        base_with_unsettled_lp, "baseAssetAmountWithUnsettledLp", i128,
            "The net position of liquidity providers that is not settled; Drift v2 alone writes it.";
    }
}

/// Returns the user accounts that a record names before its first field without a fixed size, for
/// example the owner of the order, the depositor, the liquidated user and the liquidator. Keys that
/// the record lacks at its end are omitted.
pub fn users_at_start<'a>(
    layout: &'static EventLayout,
    data: &'a [u8],
) -> impl Iterator<Item = Pubkey> + 'a {
    let mut at = DISCRIMINATOR_BYTES;
    layout
        .fields
        .iter()
        .map_while(move |field| {
            let EventFieldType::One(element) = field.field_type else { return None };
            let start = at;
            at += element.size();
            let bytes = data.get(start..at)?;
            Some(matches!(field.name, "user" | "liquidator").then(|| key_at(bytes, 0)))
        })
        .flatten()
}

/// The numbers that the program always writes for a fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Filled {
    /// The market's number of the fill.
    pub fill_record_id: u64,
    /// Base that changed hands.
    pub base: u64,
    /// Quote that changed hands.
    pub quote: u64,
}

impl OrderActionRecord {
    /// Returns the required numbers of a fill; `None` for other actions.
    ///
    /// # Errors
    /// [`ProtocolError::MissingField`] when the record of a fill lacks a number.
    pub fn filled(&self) -> Result<Option<Filled>, ProtocolError> {
        if self.action != OrderAction::Fill {
            return Ok(None);
        }
        let present =
            |number: Option<u64>, field| number.ok_or(ProtocolError::MissingField { field });
        Ok(Some(Filled {
            fill_record_id: present(self.fill_record_id, "fill_record_id")?,
            base: present(self.base_filled, "base_asset_amount_filled")?,
            quote: present(self.quote_filled, "quote_asset_amount_filled")?,
        }))
    }
}

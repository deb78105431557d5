//! The records that history is made of, as structs, read without an allocation.

use super::field::{EventField, EventFieldType, EventLayout};
use super::input::Input;
use crate::bytes::{i64_at, i128_at, key_at, u8_at, u16_at, u32_at, u64_at};
use crate::layout::FieldType;
use crate::model::enums::{Direction, MarketType, OrderAction, OrderActionExplanation};
use crate::model::error::ProtocolError;
use crate::model::units::Pubkey;

/// A type of a field: how it is described, and how it is read.
trait Item: Sized {
    const TYPE: EventFieldType;

    fn take(input: &mut Input<'_>) -> Result<Self, ProtocolError>;
}

/// An item of a fixed number of bytes.
trait Element: Sized {
    const TYPE: FieldType;

    fn of(bytes: &[u8]) -> Result<Self, ProtocolError>;
}

macro_rules! elements {
    ($($element:ty, $variant:ident, $reader:ident;)*) => {
        $(
            impl Element for $element {
                const TYPE: FieldType = FieldType::$variant;

                #[inline]
                fn of(bytes: &[u8]) -> Result<Self, ProtocolError> {
                    Ok($reader(bytes, 0))
                }
            }

            impl Item for $element {
                const TYPE: EventFieldType = EventFieldType::One(FieldType::$variant);

                #[inline]
                fn take(input: &mut Input<'_>) -> Result<Self, ProtocolError> {
                    Self::of(input.take(<Self as Element>::TYPE.size())?)
                }
            }
        )*
    };
}

elements! {
    u8, U8, u8_at;
    u16, U16, u16_at;
    u32, U32, u32_at;
    u64, U64, u64_at;
    i64, I64, i64_at;
    i128, I128, i128_at;
    Pubkey, Key, key_at;
}

/// The enums, and how each is made from its byte.
macro_rules! enum_elements {
    ($($element:ty => $from_byte:expr;)*) => {
        $(
            impl Element for $element {
                const TYPE: FieldType = FieldType::Enum(<$element>::VARIANT_NAMES);

                #[inline]
                fn of(bytes: &[u8]) -> Result<Self, ProtocolError> {
                    $from_byte(u8_at(bytes, 0))
                }
            }

            impl Item for $element {
                const TYPE: EventFieldType = EventFieldType::One(<Self as Element>::TYPE);

                #[inline]
                fn take(input: &mut Input<'_>) -> Result<Self, ProtocolError> {
                    Self::of(input.take(1)?)
                }
            }
        )*
    };
}

enum_elements! {
    Direction => Direction::from_byte;
    MarketType => MarketType::from_byte;
    OrderAction => OrderAction::from_byte;
    OrderActionExplanation => explanation_of;
}

/// The program may add explanations, and no other field depends on them: an unknown explanation is
/// read as [`OrderActionExplanation::None`].
#[expect(clippy::unnecessary_wraps, reason = "the others refuse")]
fn explanation_of(byte: u8) -> Result<OrderActionExplanation, ProtocolError> {
    Ok(OrderActionExplanation::from_byte(byte).unwrap_or(OrderActionExplanation::None))
}

impl<T: Element> Item for Option<T> {
    const TYPE: EventFieldType = EventFieldType::Option(T::TYPE);

    #[inline]
    fn take(input: &mut Input<'_>) -> Result<Self, ProtocolError> {
        match u8_at(input.take(1)?, 0) {
            0 => Ok(None),
            1 => T::of(input.take(T::TYPE.size())?).map(Some),
            value => Err(ProtocolError::InvalidEnum { field: "option", value }),
        }
    }
}

/// Defines a record once: the struct, its description, and how it is read.
macro_rules! record {
    ($(#[$doc:meta])* $name:ident, $layout:ident, $discriminator:expr, {
        $($field:ident, $api:literal, $field_type:ty, $sentence:literal;)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub struct $name {
            $(#[doc = $sentence] pub $field: $field_type,)*
        }

        #[doc = concat!("The description of [`", stringify!($name), "`].")]
        pub const $layout: EventLayout = EventLayout {
            name: stringify!($name),
            discriminator: $discriminator,
            fields: &[$(
                EventField { name: $api, field_type: <$field_type as Item>::TYPE },
            )*],
        };

        impl $name {
            /// Reads the record, discriminator first. Fields that it ends before are zero or
            /// `None`.
            ///
            /// # Errors
            /// [`ProtocolError::WrongLength`] when it ends inside a field,
            /// [`ProtocolError::WrongDiscriminator`] or [`ProtocolError::InvalidEnum`].
            pub fn read(data: &[u8]) -> Result<Self, ProtocolError> {
                $layout.check(data)?;
                let mut input = Input::new(data);
                Ok(Self {
                    $($field: {
                        input.begin_field();
                        <$field_type as Item>::take(&mut input)?
                    },)*
                })
            }
        }
    };
}

record! {
    /// What happened to an order: placed, cancelled, filled, triggered. Only [`OrderAction::Fill`]
    /// is a trade; on a trigger `taker_fee` and `filler_reward` hold the keeper's flat fee.
    ///
    /// Base in units of 1e-9 (spot: of the token's decimals), quote and prices of 1e-6, `ts` in
    /// seconds. Fees are quote; a negative one is paid out. An explanation without a name reads as none.
    /// Source: programs/drift/src/state/events.rs `OrderActionRecord`.
    OrderActionRecord, ORDER_ACTION_RECORD, [0xe0, 0x34, 0x43, 0x47, 0xc2, 0xed, 0x6d, 0x01], {
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
    /// One update of a market's funding rate. The rate is quote per base and hour, in units of
    /// 1e-9; prices of 1e-6, base of 1e-9, `ts` in seconds.
    /// Source: programs/drift/src/state/events.rs `FundingRateRecord`.
    FundingRateRecord, FUNDING_RATE_RECORD, [0x44, 0x03, 0xff, 0x1a, 0x85, 0x5b, 0x93, 0xfe], {
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
        period_revenue, "periodRevenue", i64, "What the AMM earned over the period, in quote.";
        base_with_amm, "baseAssetAmountWithAmm", i128, "The users' net position with the AMM.";
        base_with_unsettled_lp, "baseAssetAmountWithUnsettledLp", i128,
            "The net position of liquidity providers that is not settled.";
    }
}

/// What the program always writes of a fill.
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
    /// The required numbers of a fill; `None` for other actions.
    ///
    /// # Errors
    /// [`ProtocolError::MissingField`] when a fill lacks a number.
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

//! The enums of accounts: for each variant the byte on chain, the program's name and the name in
//! interfaces.

use crate::model::error::ProtocolError;

/// Defines an enum of an account. Every variant has a byte, a camelCase name and a sentence of
/// documentation.
macro_rules! chain_enum {
    ($(#[$doc:meta])* $name:ident, $field:literal {
        $($variant:ident = $byte:literal, $api:literal, $sentence:literal;)*
    }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[repr(u8)]
        pub enum $name {
            $(#[doc = $sentence] $variant = $byte,)*
        }

        /// The first variant, which zeroed bytes are.
        impl Default for $name {
            fn default() -> Self {
                Self::ALL[0]
            }
        }

        impl $name {
            /// All variants, in the order of their bytes.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            /// The program's names, in the order of their bytes.
            pub const VARIANT_NAMES: &'static [&'static str] = &[$(stringify!($variant)),*];

            /// Returns the variant for a byte on chain.
            ///
            /// # Errors
            /// [`ProtocolError::InvalidEnum`] for an unknown byte.
            #[inline]
            pub const fn from_byte(byte: u8) -> Result<Self, ProtocolError> {
                match byte {
                    $($byte => Ok(Self::$variant),)*
                    value => Err(ProtocolError::InvalidEnum { field: $field, value }),
                }
            }

            /// The name in interfaces, camelCase.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$variant => $api,)*
                }
            }
        }
    };
}

chain_enum!(
    /// The state of an order slot. Source: programs/drift/src/state/user.rs `OrderStatus`.
    OrderStatus, "status" {
        Init = 0, "init", "Never used.";
        Open = 1, "open", "A live order.";
        Filled = 2, "filled", "Filled completely.";
        Canceled = 3, "canceled", "Cancelled or expired.";
    }
);
chain_enum!(
    /// The pricing of an order. Source: programs/drift/src/state/user.rs `OrderType`.
    OrderType, "order_type" {
        Market = 0, "market", "Takes, between two fixed auction prices.";
        Limit = 1, "limit", "Rests at a price or an oracle offset.";
        TriggerMarket = 2, "triggerMarket", "Becomes a market order when triggered.";
        TriggerLimit = 3, "triggerLimit", "Becomes a limit order when triggered.";
        Oracle = 4, "oracle", "Takes, between two oracle offsets.";
    }
);
chain_enum!(
    /// The kind of market. Source: programs/drift/src/state/user.rs `MarketType`.
    MarketType, "market_type" {
        Spot = 0, "spot", "Tokens change hands.";
        Perp = 1, "perp", "Positions change hands.";
    }
);
chain_enum!(
    /// A direction of an order or position.
    /// Source: programs/drift/src/controller/position.rs `PositionDirection`.
    Direction, "direction" {
        Long = 0, "long", "Buys the base asset.";
        Short = 1, "short", "Sells the base asset.";
    }
);
chain_enum!(
    /// The condition of a trigger order, and whether the order has triggered. Source:
    /// programs/drift/src/state/user.rs `OrderTriggerCondition`.
    TriggerCondition, "trigger_condition" {
        Above = 0, "above", "Waits for a price above.";
        Below = 1, "below", "Waits for a price below.";
        TriggeredAbove = 2, "triggeredAbove", "The price was above.";
        TriggeredBelow = 3, "triggeredBelow", "The price was below.";
    }
);
chain_enum!(
    /// The sign of a spot balance.
    /// Source: programs/drift/src/state/spot_market.rs `SpotBalanceType`.
    SpotBalanceType, "balance_type" {
        Deposit = 0, "deposit", "The user owns tokens.";
        Borrow = 1, "borrow", "The user owes tokens.";
    }
);
chain_enum!(
    /// The margin ratios that apply to a user. Source: programs/drift/src/state/user.rs
    /// `MarginMode`.
    MarginMode, "margin_mode" {
        Default = 0, "default", "The market's own ratios.";
        HighLeverage = 1, "highLeverage", "High-leverage ratios.";
        HighLeverageMaintenance = 2, "highLeverageMaintenance", "High leverage, maintenance only.";
    }
);
chain_enum!(
    /// The state of a market, which limits its operations. Source:
    /// programs/drift/src/state/perp_market.rs `MarketStatus`.
    MarketStatus, "status" {
        Initialized = 0, "initialized", "Not open yet.";
        Active = 1, "active", "Everything is allowed.";
        FundingPaused = 2, "fundingPaused", "No longer used by the program.";
        AmmPaused = 3, "ammPaused", "No longer used by the program.";
        FillPaused = 4, "fillPaused", "No longer used by the program.";
        WithdrawPaused = 5, "withdrawPaused", "No longer used by the program.";
        ReduceOnly = 6, "reduceOnly", "Positions may only shrink.";
        Settlement = 7, "settlement", "Expired; positions are settled.";
        Delisted = 8, "delisted", "No longer traded.";
    }
);
chain_enum!(
    /// The kind of contract of a perp market. Source: programs/drift/src/state/perp_market.rs
    /// `ContractType`.
    ContractType, "contract_type" {
        Perpetual = 0, "perpetual", "Never expires.";
        Future = 1, "future", "Expires at a time.";
        Prediction = 2, "prediction", "Pays 0 or 1; prices end at 1e6.";
    }
);
chain_enum!(
    /// The risk class of a perp market. Source: programs/drift/src/state/perp_market.rs
    /// `ContractTier`.
    ContractTier, "contract_tier" {
        A = 0, "a", "The safest.";
        B = 1, "b", "Safe.";
        C = 2, "c", "Less safe.";
        Speculative = 3, "speculative", "No insurance by default.";
        HighlySpeculative = 4, "highlySpeculative", "New or thin.";
        Isolated = 5, "isolated", "No other position beside it.";
    }
);
chain_enum!(
    /// The risk class of a token. Source: programs/drift/src/state/spot_market.rs `AssetTier`.
    AssetTier, "asset_tier" {
        Collateral = 0, "collateral", "Full collateral.";
        Protected = 1, "protected", "Collateral that cannot be borrowed against freely.";
        Cross = 2, "cross", "No collateral, borrowed beside others.";
        Isolated = 3, "isolated", "Borrowed alone.";
        Unlisted = 4, "unlisted", "Not borrowed.";
    }
);
chain_enum!(
    /// The format of an oracle's account. Source: programs/drift/src/state/oracle.rs
    /// `OracleSource`.
    OracleSource, "oracle_source" {
        Pyth = 0, "pyth", "Pyth push feed.";
        Switchboard = 1, "switchboard", "Switchboard v2 aggregator.";
        QuoteAsset = 2, "quoteAsset", "Constant price of one; no account.";
        Pyth1K = 3, "pyth1K", "Pyth push feed of 1,000 units.";
        Pyth1M = 4, "pyth1M", "Pyth push feed of 1,000,000 units.";
        PythStableCoin = 5, "pythStableCoin", "Pyth push feed, held at one when near.";
        Prelaunch = 6, "prelaunch", "The program's own price before launch.";
        PythPull = 7, "pythPull", "Pyth pull update.";
        Pyth1KPull = 8, "pyth1KPull", "Pyth pull update of 1,000 units.";
        Pyth1MPull = 9, "pyth1MPull", "Pyth pull update of 1,000,000 units.";
        PythStableCoinPull = 10, "pythStableCoinPull", "Pyth pull update, held at one when near.";
        SwitchboardOnDemand = 11, "switchboardOnDemand", "Switchboard on-demand feed.";
        PythLazer = 12, "pythLazer", "Pyth Lazer price.";
        PythLazer1K = 13, "pythLazer1K", "Pyth Lazer price of 1,000 units.";
        PythLazer1M = 14, "pythLazer1M", "Pyth Lazer price of 1,000,000 units.";
        PythLazerStableCoin = 15, "pythLazerStableCoin", "Pyth Lazer price, held at one when near.";
    }
);

impl Direction {
    /// The other direction.
    #[must_use]
    pub const fn opposite(self) -> Self {
        match self {
            Self::Long => Self::Short,
            Self::Short => Self::Long,
        }
    }
}

impl ContractTier {
    /// Returns the factor by which the oracle's confidence may exceed the guard rail. Source:
    /// programs/drift/src/state/perp_market.rs `get_max_confidence_interval_multiplier`.
    #[must_use]
    pub const fn confidence_multiplier(self) -> u64 {
        match self {
            Self::A | Self::B => 1,
            Self::C => 2,
            Self::Speculative => 10,
            Self::HighlySpeculative | Self::Isolated => 50,
        }
    }
}

impl AssetTier {
    /// Returns the factor by which the oracle's confidence may exceed the guard rail. Source:
    /// programs/drift/src/state/spot_market.rs `get_max_confidence_interval_multiplier`.
    #[must_use]
    pub const fn confidence_multiplier(self) -> u64 {
        match self {
            Self::Collateral | Self::Protected => 1,
            Self::Cross => 5,
            Self::Isolated | Self::Unlisted => 50,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_variants_agree_and_the_byte_after_the_last_is_refused() {
        macro_rules! check {
            ($($name:ident),*) => {$(
                for (byte, variant) in (0u8..).zip($name::ALL) {
                    assert_eq!($name::from_byte(byte), Ok(*variant));
                    assert_eq!(*variant as u8, byte);
                    assert_eq!($name::VARIANT_NAMES[usize::from(byte)], format!("{variant:?}"));
                }
                let after = u8::try_from($name::ALL.len()).unwrap();
                for byte in after..=u8::MAX {
                    assert!($name::from_byte(byte).is_err());
                }
            )*};
        }
        check!(OrderStatus, OrderType, MarketType, Direction, TriggerCondition, SpotBalanceType);
        check!(MarginMode, MarketStatus, ContractType, ContractTier, AssetTier, OracleSource);
    }
}

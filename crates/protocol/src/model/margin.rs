//! The fields of user and market accounts that collateral, margin and gains depend on.
//!
//! All amounts are `i128`, limited to [`AMOUNT_MAX`], so that no sum of a few of them overflows. A
//! field that a program lacks is 0.

use super::account::AccountKind;
use super::error::ProtocolError;
use super::tables::{Tables, checked};
use super::units::Pubkey;
use super::user::{POSITIONS, user_status};
use crate::layout::{leaf, read};

/// The largest amount that is read of an account; no amount of the program is near it.
pub const AMOUNT_MAX: i128 = 10i128.pow(30);

/// Bits of a perp position's flag. Source: programs/drift/src/state/user.rs `PositionFlag`.
pub mod position_flag {
    /// The position has collateral of its own.
    pub const ISOLATED: i128 = 1;
}

fn amount<T: TryInto<i128>>(value: T) -> i128 {
    value.try_into().unwrap_or(AMOUNT_MAX).clamp(-AMOUNT_MAX, AMOUNT_MAX)
}

/// Defines a struct of amounts and its reader from a table.
macro_rules! amounts {
    ($(#[$doc:meta])* $name:ident of $table:expr => {
        $($(#[$of_field:meta])* $field:ident: $type:tt $leaf:literal $(or $absent:literal)?;)*
    } $({ $($(#[$of_path:meta])* $inner:ident: $inner_type:tt $path:literal;)* })?) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
        pub struct $name {
            $($(#[$of_field])* pub $field: i128,)*
            $($($(#[$of_path])* pub $inner: i128,)*)?
        }

        impl $name {
            fn read<T: Tables>(bytes: &[u8]) -> Self {
                Self {
                    $($field: amount(leaf!($table, bytes, $type $leaf $(or $absent)?)),)*
                    $($($inner: amount(
                        read!($inner_type, bytes, const { $table.at($path, stringify!($inner_type)) })
                    ),)*)?
                }
            }
        }
    };
}

amounts!(
    /// A perp position: base at 1e9, quote at 1e6.
    PerpHolding of T::USER.inner("perpPositions") => {
        /// Index of its market.
        market_index: u16 "marketIndex";
        /// Signed base.
        base: i64 "baseAssetAmount";
        /// Signed quote with fees, settled funding and settlements.
        quote: i64 "quoteAssetAmount";
        /// Signed quote at entry, without fees.
        quote_entry: i64 "quoteEntryAmount";
        /// Signed quote with fees and settled funding.
        quote_break_even: i64 "quoteBreakEvenAmount";
        /// The market's cumulative funding rate up to which funding is settled, 1e9.
        last_cumulative_funding: i64 "lastCumulativeFundingRate";
        /// Base of the open bids.
        open_bids: i64 "openBids";
        /// Base of the open asks, negative or 0.
        open_asks: i64 "openAsks";
        /// Profit that was settled since the position was opened.
        settled_pnl: i64 "settledPnl";
        /// Balance of its own collateral, before interest.
        isolated_balance: u64 "isolatedPositionScaledBalance";
        /// The owner's minimum of the initial margin ratio, 1e4.
        max_margin_ratio: u16 "maxMarginRatio";
        /// Number of open orders.
        open_orders: u8 "openOrders";
        /// Bits, see [`position_flag`].
        flag: u8 "positionFlag";
    }
);

amounts!(
    /// A spot position.
    SpotHolding of T::USER.inner("spotPositions") => {
        /// Index of its market.
        market_index: u16 "marketIndex";
        /// Balance before interest, 1e9.
        scaled_balance: u64 "scaledBalance";
        /// 1 for a debt, 0 for a deposit.
        is_borrow: enum "balanceType";
        /// Tokens of the open bids.
        open_bids: i64 "openBids";
        /// Tokens of the open asks, negative or 0.
        open_asks: i64 "openAsks";
        /// Number of open orders.
        open_orders: u8 "openOrders";
    }
);

amounts!(
    /// Amounts of a user account outside of positions.
    UserAmounts of T::USER => {
        /// Number of the account within its wallet.
        sub_account_id: u16 "subAccountId";
        /// Flags, see [`user_status`].
        status: u8 "status";
        /// 1 for high-leverage ratios, 2 for these in the maintenance margin only.
        margin_mode: enum "marginMode" or 0;
        /// The owner's minimum of the initial margin ratio, 1e4.
        max_margin_ratio: u32 "maxMarginRatio";
        /// The pool of markets that it may use; 0 is the main one.
        pool_id: u8 "poolId";
        /// Profit settled in all perp markets, 1e6.
        settled_perp_pnl: i64 "settledPerpPnl";
        /// Funding received in all perp markets, negative where paid, 1e6.
        cumulative_perp_funding: i64 "cumulativePerpFunding";
    }
);

amounts!(
    /// Amounts of a perp market: base at 1e9, quote at 1e6, ratios and weights at 1e4.
    PerpAmounts of T::PERP_MARKET => {
        /// The price of settled positions, 1e6.
        expiry_price: i64 "expiryPrice";
        /// Index of the spot market of the quote token.
        quote_index: u16 "quoteSpotMarketIndex";
        /// Initial margin ratio.
        ratio_initial: u32 "marginRatioInitial";
        /// Maintenance margin ratio.
        ratio_maintenance: u32 "marginRatioMaintenance";
        /// Initial ratio of accounts in high-leverage mode; 0 for none.
        high_ratio_initial: u16 "highLeverageMarginRatioInitial" or 0;
        /// Maintenance ratio of accounts in high-leverage mode; 0 for none.
        high_ratio_maintenance: u16 "highLeverageMarginRatioMaintenance" or 0;
        /// Growth of ratios with size, 1e6.
        imf_factor: u32 "imfFactor";
        /// Weight of gains in the initial margin.
        pnl_weight_initial: u32 "unrealizedPnlInitialAssetWeight";
        /// Weight of gains in the maintenance margin.
        pnl_weight_maintenance: u32 "unrealizedPnlMaintenanceAssetWeight";
        /// Decrease of the initial weight with the gain, 1e6.
        pnl_imf_factor: u32 "unrealizedPnlImfFactor";
        /// Gains of all users beyond the pools from which on weights decrease; 0 for never.
        pnl_max_imbalance: u64 "unrealizedPnlMaxImbalance";
        /// Cumulative funding of longs, 1e9.
        funding_long: i128 "cumulativeFundingRateLong";
        /// Cumulative funding of shorts, 1e9.
        funding_short: i128 "cumulativeFundingRateShort";
        /// Base of all users.
        base_with_amm: i128 "baseAssetAmountWithAmm";
        /// Base of liquidity providers that is not settled.
        base_unsettled_lp: i128 "baseAssetAmountWithUnsettledLp" or 0;
        /// Quote of all users.
        quote: i128 "quoteAssetAmount";
        /// Quote of liquidity providers that is not settled.
        quote_unsettled_lp: i64 "quoteAssetAmountWithUnsettledLp" or 0;
        /// Funding that is not settled.
        net_unsettled_funding: i64 "netUnsettledFundingPnl";
    } {
        /// Balance of the pool that pays gains.
        pnl_pool: u128 "pnlPool.scaledBalance";
        /// Balance of the fees.
        fee_pool: u128 "amm.feePool.scaledBalance";
    }
);

amounts!(
    /// Amounts of a spot market: weights at 1e4.
    SpotAmounts of T::SPOT_MARKET => {
        /// Decimals of the token.
        decimals: u32 "decimals";
        /// Interest on deposits, 1e10.
        deposit_interest: u128 "cumulativeDepositInterest";
        /// Interest on borrows, 1e10.
        borrow_interest: u128 "cumulativeBorrowInterest";
        /// All deposits before interest, 1e9.
        deposit_balance: u128 "depositBalance";
        /// Initial weight of deposits.
        asset_weight_initial: u32 "initialAssetWeight";
        /// Maintenance weight of deposits.
        asset_weight_maintenance: u32 "maintenanceAssetWeight";
        /// Initial weight of debts.
        liability_weight_initial: u32 "initialLiabilityWeight";
        /// Maintenance weight of debts.
        liability_weight_maintenance: u32 "maintenanceLiabilityWeight";
        /// Change of weights with size, 1e6.
        imf_factor: u32 "imfFactor";
        /// Value of all deposits from which on the initial weight decreases; 0 for never, 1e6.
        scale_start: u64 "scaleInitialAssetWeightStart";
        /// The oracle's five-minute average, 1e6.
        twap_5min: i64 "lastOraclePriceTwap5min";
        /// When the average was set, seconds.
        twap_ts: i64 "lastOraclePriceTwapTs";
    }
);

/// A user account with all positions in use.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UserHoldings {
    /// The wallet that owns the account.
    pub authority: Pubkey,
    /// The name that the owner gave it.
    pub name: String,
    /// The account's own amounts.
    pub amounts: UserAmounts,
    /// Perp positions, in the account's order.
    pub perps: Vec<PerpHolding>,
    /// Spot positions, in the account's order.
    pub spots: Vec<SpotHolding>,
}

impl PerpHolding {
    /// Whether the position is in use. Source: sdk/src/user.ts `getActivePerpPositions`.
    #[must_use]
    pub const fn is_active(&self) -> bool {
        self.base != 0 || self.quote != 0 || self.open_orders != 0 || self.isolated_balance > 0
    }
}

impl SpotHolding {
    /// Whether the position is in use. Source: sdk/src/math/spotPosition.ts
    /// `isSpotPositionAvailable`.
    #[must_use]
    pub const fn is_active(&self) -> bool {
        self.scaled_balance != 0 || self.open_orders != 0
    }
}

impl UserHoldings {
    /// Whether the account is being liquidated or bankrupt.
    #[must_use]
    pub const fn is_over(&self) -> bool {
        self.amounts.status & (user_status::BEING_LIQUIDATED | user_status::BANKRUPT) as i128 != 0
    }

    pub(super) fn read<T: Tables>(data: &[u8]) -> Result<Self, ProtocolError> {
        let bytes = checked::<T>(AccountKind::User, data)?;
        let [perps, spots] = const {
            [
                T::USER.at("perpPositions", "PerpPosition"),
                T::USER.at("spotPositions", "SpotPosition"),
            ]
        };
        let perps = structs(&bytes[perps..], const { T::USER.inner("perpPositions").size });
        let spots = structs(&bytes[spots..], const { T::USER.inner("spotPositions").size });
        Ok(Self {
            authority: leaf!(T::USER, bytes, publicKey "authority"),
            name: super::market::name_of(bytes, const { T::USER.leaf("name", "u8") }),
            amounts: UserAmounts::read::<T>(bytes),
            perps: perps.map(PerpHolding::read::<T>).filter(PerpHolding::is_active).collect(),
            spots: spots.map(SpotHolding::read::<T>).filter(SpotHolding::is_active).collect(),
        })
    }
}

fn structs(bytes: &[u8], size: usize) -> impl Iterator<Item = &[u8]> {
    bytes.chunks_exact(size).take(POSITIONS)
}

impl PerpAmounts {
    pub(super) fn of<T: Tables>(data: &[u8]) -> Result<Self, ProtocolError> {
        checked::<T>(AccountKind::PerpMarket, data).map(Self::read::<T>)
    }
}

impl SpotAmounts {
    pub(super) fn of<T: Tables>(data: &[u8]) -> Result<Self, ProtocolError> {
        checked::<T>(AccountKind::SpotMarket, data).map(Self::read::<T>)
    }
}

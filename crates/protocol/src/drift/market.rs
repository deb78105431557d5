//! Market accounts, perp and spot: what a book, and what prices need of them.

use core::convert::identity;

use crate::drift::account::field::getters;
use crate::drift::account::perp_market::PERP_MARKET;
use crate::drift::account::spot_market::SPOT_MARKET;
use crate::drift::account::{AccountKind, checked};
use crate::model::enums::{AssetTier, ContractTier, ContractType, MarketStatus, OracleSource};
use crate::model::error::ProtocolError;
use crate::model::units::{BaseQty, OraclePrice, Price, Pubkey, Slot, UnixSeconds};

/// Bits of a perp market's `paused_operations`.
/// Source: programs/drift/src/state/paused_operations.rs `PerpOperation`.
pub mod perp_operation {
    /// The AMM does not fill.
    pub const AMM_FILL: u8 = 2;
    /// Nothing fills.
    pub const FILL: u8 = 4;
}

/// Bits of a spot market's `paused_operations`.
/// Source: programs/drift/src/state/paused_operations.rs `SpotOperation`.
pub mod spot_operation {
    /// Nothing fills.
    pub const FILL: u8 = 2;
}

/// A perp market's account, read where it is.
#[derive(Clone, Copy, Debug)]
pub struct PerpMarketView<'a> {
    bytes: &'a [u8; PERP_MARKET.size],
}

impl<'a> PerpMarketView<'a> {
    /// A view over an account's bytes.
    ///
    /// # Errors
    /// [`ProtocolError::WrongDiscriminator`] or [`ProtocolError::WrongLength`].
    #[inline]
    pub fn parse(data: &'a [u8]) -> Result<Self, ProtocolError> {
        Ok(Self { bytes: checked(AccountKind::PerpMarket, data)? })
    }

    /// The account's bytes, for readers of many fields in this crate.
    #[inline]
    pub(crate) const fn bytes(&self) -> &'a [u8; PERP_MARKET.size] {
        self.bytes
    }

    /// The market's name without its padding.
    #[must_use]
    pub fn name(&self) -> String {
        const AT: usize = PERP_MARKET.at("name", "u8");
        trimmed_name(&self.bytes[AT..AT + NAME_BYTES])
    }

    getters! { PERP_MARKET;
        /// Index among perp markets.
        market_index -> u16 = u16::from, u16 "marketIndex";
        /// What may happen in the market.
        status -> Result<MarketStatus, ProtocolError> = MarketStatus::from_byte, enum "status";
        /// Paused operations, see [`perp_operation`].
        paused_operations -> u8 = u8::from, u8 "pausedOperations";
        /// When the market expires; 0 for never.
        expiry_ts -> UnixSeconds = UnixSeconds, i64 "expiryTs";
        /// The kind of contract.
        contract_type -> Result<ContractType, ProtocolError> = ContractType::from_byte,
            enum "contractType";
        /// How risky the contract is.
        contract_tier -> Result<ContractTier, ProtocolError> = ContractTier::from_byte,
            enum "contractTier";
        /// The oracle's account.
        oracle -> Pubkey = identity, publicKey "amm.oracle";
        /// How the oracle's account is read.
        oracle_source -> Result<OracleSource, ProtocolError> = OracleSource::from_byte,
            enum "amm.oracleSource";
        /// Smallest price step, 1e6.
        order_tick_size -> Price = Price, u64 "amm.orderTickSize";
        /// Smallest size step, 1e9.
        order_step_size -> BaseQty = BaseQty, u64 "amm.orderStepSize";
        /// Smallest order that is not reduce-only, 1e9.
        min_order_size -> BaseQty = BaseQty, u64 "amm.minOrderSize";
        /// The market makers' oracle price, 1e6; 0 when there is none.
        mm_oracle_price -> OraclePrice = OraclePrice, i64 "amm.mmOraclePrice";
        /// Slot of the market makers' oracle; 0 when there is none.
        mm_oracle_slot -> Slot = Slot, u64 "amm.mmOracleSlot";
        /// Sequence id of the market makers' oracle, microseconds.
        mm_oracle_sequence_id -> u64 = u64::from, u64 "amm.mmOracleSequenceId";
        /// The last oracle price that the program saw, 1e6.
        last_oracle_price -> OraclePrice = OraclePrice,
            i64 "amm.historicalOracleData.lastOraclePrice";
        /// The oracle's time-weighted price, 1e6.
        last_oracle_price_twap -> OraclePrice = OraclePrice,
            i64 "amm.historicalOracleData.lastOraclePriceTwap";
        /// The oracle's time-weighted price over five minutes, 1e6.
        last_oracle_price_twap_5min -> OraclePrice = OraclePrice,
            i64 "amm.historicalOracleData.lastOraclePriceTwap5min";
        /// The mark's time-weighted price over five minutes, 1e6.
        last_mark_price_twap_5min -> Price = Price, u64 "amm.lastMarkPriceTwap5min";
        /// Percent by which fees and rebates differ from their tiers'.
        fee_adjustment -> i16 = i16::from, i16 "feeAdjustment";
        /// Initial margin of a position as a part of its value, 1e4.
        margin_ratio_initial -> u32 = u32::from, u32 "marginRatioInitial";
        /// Sum of the users' long positions, 1e9.
        base_long -> i128 = i128::from, i128 "amm.baseAssetAmountLong";
        /// Users with a position in the market.
        number_of_users_with_base -> u32 = u32::from, u32 "numberOfUsersWithBase";
        /// Sum of the users' short positions, 1e9, not above zero.
        base_short -> i128 = i128::from, i128 "amm.baseAssetAmountShort";
        /// The last funding rate, quote for a base and hour, 1e9; positive when longs pay.
        last_funding_rate -> i64 = i64::from, i64 "amm.lastFundingRate";
        /// The program's own running average of the rates of 24 hours, 1e9.
        last_24h_average_funding_rate -> i64 = i64::from, i64 "amm.last24hAvgFundingRate";
        /// The oracle's average price of the last funding, 1e6; 0 in accounts older than the field.
        last_funding_oracle_twap -> OraclePrice = OraclePrice, i64 "amm.lastFundingOracleTwap";
        /// When the funding rate was last set.
        last_funding_rate_ts -> UnixSeconds = UnixSeconds, i64 "amm.lastFundingRateTs";
    }
}

/// A spot market's account, read where it is.
#[derive(Clone, Copy, Debug)]
pub struct SpotMarketView<'a> {
    bytes: &'a [u8; SPOT_MARKET.size],
}

impl<'a> SpotMarketView<'a> {
    /// A view over an account's bytes.
    ///
    /// # Errors
    /// [`ProtocolError::WrongDiscriminator`] or [`ProtocolError::WrongLength`].
    #[inline]
    pub fn parse(data: &'a [u8]) -> Result<Self, ProtocolError> {
        Ok(Self { bytes: checked(AccountKind::SpotMarket, data)? })
    }

    /// The market's name without its padding.
    #[must_use]
    pub fn name(&self) -> String {
        const AT: usize = SPOT_MARKET.at("name", "u8");
        trimmed_name(&self.bytes[AT..AT + NAME_BYTES])
    }

    getters! { SPOT_MARKET;
        /// The oracle's account; all zero for the quote asset.
        oracle -> Pubkey = identity, publicKey "oracle";
        /// The token's mint.
        mint -> Pubkey = identity, publicKey "mint";
        /// Index among spot markets.
        market_index -> u16 = u16::from, u16 "marketIndex";
        /// What may happen in the market.
        status -> Result<MarketStatus, ProtocolError> = MarketStatus::from_byte, enum "status";
        /// How risky the token is.
        asset_tier -> Result<AssetTier, ProtocolError> = AssetTier::from_byte, enum "assetTier";
        /// Paused operations, see [`spot_operation`].
        paused_operations -> u8 = u8::from, u8 "pausedOperations";
        /// When the market expires; 0 for never.
        expiry_ts -> UnixSeconds = UnixSeconds, i64 "expiryTs";
        /// How the oracle's account is read.
        oracle_source -> Result<OracleSource, ProtocolError> = OracleSource::from_byte,
            enum "oracleSource";
        /// Smallest price step, 1e6.
        order_tick_size -> Price = Price, u64 "orderTickSize";
        /// Smallest size step, in the token's decimals.
        order_step_size -> BaseQty = BaseQty, u64 "orderStepSize";
        /// Smallest order that is not reduce-only, in the token's decimals.
        min_order_size -> BaseQty = BaseQty, u64 "minOrderSize";
        /// Decimals of the token.
        decimals -> u32 = u32::from, u32 "decimals";
        /// Percent by which fees and rebates differ from their tiers'.
        fee_adjustment -> i16 = i16::from, i16 "feeAdjustment";
        /// All deposits before interest, 1e9.
        deposit_balance -> u128 = u128::from, u128 "depositBalance";
        /// All borrows before interest, 1e9.
        borrow_balance -> u128 = u128::from, u128 "borrowBalance";
        /// Interest on deposits, 1e10.
        cumulative_deposit_interest -> u128 = u128::from, u128 "cumulativeDepositInterest";
        /// Interest on borrows, 1e10.
        cumulative_borrow_interest -> u128 = u128::from, u128 "cumulativeBorrowInterest";
        /// The last oracle price that the program saw, 1e6.
        last_oracle_price -> OraclePrice = OraclePrice, i64 "historicalOracleData.lastOraclePrice";
        /// The oracle's time-weighted price, 1e6.
        last_oracle_price_twap -> OraclePrice = OraclePrice,
            i64 "historicalOracleData.lastOraclePriceTwap";
    }
}

/// Bytes of a name, the same for all kinds.
const NAME_BYTES: usize = 32;

/// Names are padded with spaces, some with zeros; bytes that are no text are replaced.
fn trimmed_name(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_matches(|c: char| c == '\0' || c.is_whitespace()).to_owned()
}

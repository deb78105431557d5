//! Perp and spot market accounts: the fields that the book and the price rules need.

use super::account::AccountKind;
use super::amm::PerpAmm;
use super::enums::{AssetTier, ContractTier, ContractType, MarketStatus, OracleSource};
use super::error::ProtocolError;
use super::tables::{Tables, checked};
use super::units::{BaseQty, Price, Pubkey, UnixSeconds};
use crate::layout::leaf;

/// The fields that perp and spot market accounts have in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarketTerms {
    /// Its name without its padding.
    pub name: String,
    /// Index among the markets of its type.
    pub market_index: u16,
    /// What may happen in the market.
    pub status: MarketStatus,
    /// Paused operations, see [`perp_operation`](super::pauses::perp_operation) and
    /// [`spot_operation`](super::pauses::spot_operation).
    pub paused_operations: u8,
    /// When the market expires; 0 for never.
    pub expiry_ts: UnixSeconds,
    /// The address of the oracle's account; all zero for the quote asset.
    pub oracle: Pubkey,
    /// How the oracle's account is read.
    pub oracle_source: OracleSource,
    /// Smallest price step, 1e6.
    pub order_tick_size: Price,
    /// Smallest step of a size: 1e9 for perps, the token's decimals for spot.
    pub order_step_size: BaseQty,
    /// Smallest size of an order that is not reduce-only, in the same unit as the step.
    pub min_order_size: BaseQty,
    /// Percent by which the market's fees and rebates differ from those of the tiers.
    pub fee_adjustment: i16,
    /// Fee that takers pay in addition to their tier's fee, in tenths of a basis point.
    pub taker_fee_addon_tenth_bps: u16,
}

/// A perp market's account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PerpMarket {
    /// What a spot market's says too.
    pub terms: MarketTerms,
    /// The kind of contract.
    pub contract_type: ContractType,
    /// How risky the contract is.
    pub contract_tier: ContractTier,
    /// The market's AMM, and the oracle values that the account stores.
    pub amm: PerpAmm,
    /// Sum of the users' long positions, 1e9.
    pub base_long: i128,
    /// Sum of the users' short positions, 1e9, zero or negative.
    pub base_short: i128,
    /// Users with a position in the market.
    pub number_of_users_with_base: u32,
    /// The last funding rate in quote per base and hour, 1e9; positive when longs pay.
    pub last_funding_rate: i64,
    /// The oracle's average price at the last funding, 1e6; 0 in accounts older than the field.
    pub last_funding_oracle_twap: i64,
    /// When the funding rate was last set.
    pub last_funding_rate_ts: UnixSeconds,
}

/// A spot market's account.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SpotMarket {
    /// What a perp market's says too.
    pub terms: MarketTerms,
    /// The token's mint.
    pub mint: Pubkey,
    /// How risky the token is.
    pub asset_tier: AssetTier,
    /// Decimals of the token.
    pub decimals: u32,
    /// All deposits before interest, 1e9.
    pub deposit_balance: u128,
    /// All borrows before interest, 1e9.
    pub borrow_balance: u128,
    /// Interest on deposits, 1e10.
    pub cumulative_deposit_interest: u128,
    /// Interest on borrows, 1e10.
    pub cumulative_borrow_interest: u128,
    /// The last oracle price that the program used, 1e6.
    pub last_oracle_price: i64,
    /// The oracle's time-weighted price, 1e6.
    pub last_oracle_price_twap: i64,
}

/// Reads the common fields from the bytes of an account with this table, whose length was checked.
macro_rules! read_terms {
    ($tables:ty, $table:expr, $bytes:expr) => {
        MarketTerms {
            name: name_of($bytes, const { $table.leaf("name", "u8") }),
            market_index: leaf!($table, $bytes, u16 "marketIndex"),
            status: <$tables>::market_status(leaf!($table, $bytes, enum "status"))?,
            paused_operations: leaf!($table, $bytes, u8 "pausedOperations"),
            expiry_ts: UnixSeconds(leaf!($table, $bytes, i64 "expiryTs")),
            oracle: leaf!($table, $bytes, publicKey "oracle"),
            oracle_source: OracleSource::from_byte(leaf!($table, $bytes, enum "oracleSource"))?,
            order_tick_size: Price(leaf!($table, $bytes, u64 "orderTickSize")),
            order_step_size: BaseQty(leaf!($table, $bytes, u64 "orderStepSize")),
            min_order_size: BaseQty(leaf!($table, $bytes, u64 "minOrderSize")),
            fee_adjustment: leaf!($table, $bytes, i16 "feeAdjustment"),
            taker_fee_addon_tenth_bps: leaf!($table, $bytes, u16 "takerFeeAddonTenthBps" or 0),
        }
    };
}

impl PerpMarket {
    pub(crate) fn read<T: Tables>(data: &[u8]) -> Result<Self, ProtocolError> {
        let bytes = checked::<T>(AccountKind::PerpMarket, data)?;
        macro_rules! at {
            ($type:tt $name:literal) => {
                leaf!(T::PERP_MARKET, bytes, $type $name)
            };
        }
        let contract_type = ContractType::from_byte(at!(enum "contractType"))?;
        Ok(Self {
            terms: read_terms!(T, T::PERP_MARKET, bytes),
            contract_type,
            contract_tier: ContractTier::from_byte(at!(enum "contractTier"))?,
            amm: PerpAmm::read::<T>(bytes, contract_type == ContractType::Prediction),
            base_long: at!(i128 "baseAssetAmountLong"),
            base_short: at!(i128 "baseAssetAmountShort"),
            number_of_users_with_base: at!(u32 "numberOfUsersWithBase"),
            last_funding_rate: at!(i64 "lastFundingRate"),
            last_funding_oracle_twap: at!(i64 "lastFundingOracleTwap"),
            last_funding_rate_ts: UnixSeconds(at!(i64 "lastFundingRateTs")),
        })
    }
}

impl SpotMarket {
    pub(crate) fn read<T: Tables>(data: &[u8]) -> Result<Self, ProtocolError> {
        let bytes = checked::<T>(AccountKind::SpotMarket, data)?;
        macro_rules! at {
            ($type:tt $name:literal) => {
                leaf!(T::SPOT_MARKET, bytes, $type $name)
            };
        }
        Ok(Self {
            terms: read_terms!(T, T::SPOT_MARKET, bytes),
            mint: at!(publicKey "mint"),
            asset_tier: AssetTier::from_byte(at!(enum "assetTier"))?,
            decimals: at!(u32 "decimals"),
            deposit_balance: at!(u128 "depositBalance"),
            borrow_balance: at!(u128 "borrowBalance"),
            cumulative_deposit_interest: at!(u128 "cumulativeDepositInterest"),
            cumulative_borrow_interest: at!(u128 "cumulativeBorrowInterest"),
            last_oracle_price: at!(i64 "lastOraclePrice"),
            last_oracle_price_twap: at!(i64 "lastOraclePriceTwap"),
        })
    }
}

/// Bytes of a name, the same for all kinds of accounts.
const NAME_BYTES: usize = 32;

pub(super) fn name_of(bytes: &[u8], at: usize) -> String {
    trimmed_name(&bytes[at..at + NAME_BYTES])
}

/// Names are padded with spaces or zeros; bytes that are not UTF-8 are replaced.
fn trimmed_name(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).trim_matches(|c: char| c == '\0' || c.is_whitespace()).to_owned()
}

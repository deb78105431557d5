//! A user account: positions, orders and the flags that decide about them.

use std::ops::Range;

use crate::bytes::{i64_at, u8_at, u16_at, u64_at};
use crate::drift::account::field::getters;
use crate::drift::account::user::{PERP_POSITION, SPOT_POSITION, USER};
use crate::drift::account::{AccountKind, checked};
use crate::model::enums::SpotBalanceType;
use crate::model::error::ProtocolError;
use crate::model::order::{ORDER_BYTES, OrderView};

/// Order slots of a user account.
pub const ORDERS: usize = 32;

/// Perp position slots of a user account.
pub const PERP_POSITIONS: usize = 8;

/// Spot position slots of a user account.
pub const SPOT_POSITIONS: usize = 8;

/// Bits of `status`. Source: programs/drift/src/state/user.rs `UserStatus`.
pub mod user_status {
    /// The account is being liquidated.
    pub const BEING_LIQUIDATED: u8 = 1;
    /// The account is bankrupt.
    pub const BANKRUPT: u8 = 2;
    /// Only reduce-only orders are accepted.
    pub const REDUCE_ONLY: u8 = 4;
    /// May provide liquidity in the advanced way.
    pub const ADVANCED_LP: u8 = 8;
    /// Its orders are priced as a protected maker's.
    pub const PROTECTED_MAKER_ORDERS: u8 = 16;
}

/// A user account, read where it is.
#[derive(Clone, Copy, Debug)]
pub struct UserView<'a> {
    bytes: &'a [u8; USER.size],
}

/// A perp position slot. An empty one has base 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerpPosition {
    /// Index of the perp market.
    pub market_index: u16,
    /// Signed base, 1e9: positive is long.
    pub base_asset_amount: i64,
    /// Signed quote, 1e6.
    pub quote_asset_amount: i64,
    /// Orders open in this market.
    pub open_orders: u8,
}

/// A spot position slot. An empty one has balance 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpotPosition {
    /// Index of the spot market.
    pub market_index: u16,
    /// Balance before interest, 1e9.
    pub scaled_balance: u64,
    /// Owned or owed.
    pub balance_type: SpotBalanceType,
    /// Orders open in this market.
    pub open_orders: u8,
}

/// Where the order slots lie in an account's bytes.
pub const USER_ORDERS: Range<usize> = {
    let start = USER.at("orders", "Order");
    start..start + ORDERS * ORDER_BYTES
};

/// Where the perp positions begin, behind the spot positions and up to the orders.
pub const USER_PERP_POSITIONS: usize = USER.at("perpPositions", "PerpPosition");

impl<'a> UserView<'a> {
    /// A view over an account's bytes.
    ///
    /// # Errors
    /// [`ProtocolError::WrongDiscriminator`] or [`ProtocolError::WrongLength`].
    #[inline]
    pub fn parse(data: &'a [u8]) -> Result<Self, ProtocolError> {
        Ok(Self { bytes: checked(AccountKind::User, data)? })
    }

    getters! { USER;
        /// Flags, see [`user_status`].
        status -> u8 = u8::from, u8 "status";
        /// Marked as idle by the program.
        idle -> bool = is_set, bool "idle";
    }

    /// The bytes of all order slots.
    #[must_use]
    #[inline]
    pub fn orders_bytes(&self) -> &'a [u8; ORDERS * ORDER_BYTES] {
        let found = self.bytes[USER_ORDERS.start..].first_chunk();
        found.expect("Invariant: the orders lie inside the account")
    }

    /// The order in a slot.
    ///
    /// # Panics
    /// When `index` is not below [`ORDERS`].
    #[must_use]
    #[inline]
    pub fn order(&self, index: usize) -> OrderView<'a> {
        let (slots, _) = self.orders_bytes().as_chunks();
        OrderView::new(&slots[index])
    }

    /// The perp position in a slot.
    ///
    /// # Panics
    /// When `index` is not below [`PERP_POSITIONS`].
    #[must_use]
    #[inline]
    pub fn perp_position(&self, index: usize) -> PerpPosition {
        const AT: usize = USER_PERP_POSITIONS;
        const BASE: usize = PERP_POSITION.at("baseAssetAmount", "i64");
        const QUOTE: usize = PERP_POSITION.at("quoteAssetAmount", "i64");
        const MARKET: usize = PERP_POSITION.at("marketIndex", "u16");
        const OPEN_ORDERS: usize = PERP_POSITION.at("openOrders", "u8");
        assert!(index < PERP_POSITIONS, "Invariant: perp position slots are {PERP_POSITIONS}");
        let at = AT + index * PERP_POSITION.size;
        PerpPosition {
            market_index: u16_at(self.bytes, at + MARKET),
            base_asset_amount: i64_at(self.bytes, at + BASE),
            quote_asset_amount: i64_at(self.bytes, at + QUOTE),
            open_orders: u8_at(self.bytes, at + OPEN_ORDERS),
        }
    }

    /// The spot position in a slot.
    ///
    /// # Errors
    /// [`ProtocolError::InvalidEnum`] when the balance is neither owned nor owed.
    ///
    /// # Panics
    /// When `index` is not below [`SPOT_POSITIONS`].
    #[inline]
    pub fn spot_position(&self, index: usize) -> Result<SpotPosition, ProtocolError> {
        const AT: usize = USER.at("spotPositions", "SpotPosition");
        const BALANCE: usize = SPOT_POSITION.at("scaledBalance", "u64");
        const MARKET: usize = SPOT_POSITION.at("marketIndex", "u16");
        const BALANCE_TYPE: usize = SPOT_POSITION.at("balanceType", "enum");
        const OPEN_ORDERS: usize = SPOT_POSITION.at("openOrders", "u8");
        assert!(index < SPOT_POSITIONS, "Invariant: spot position slots are {SPOT_POSITIONS}");
        let at = AT + index * SPOT_POSITION.size;
        Ok(SpotPosition {
            market_index: u16_at(self.bytes, at + MARKET),
            scaled_balance: u64_at(self.bytes, at + BALANCE),
            balance_type: SpotBalanceType::from_byte(u8_at(self.bytes, at + BALANCE_TYPE))?,
            open_orders: u8_at(self.bytes, at + OPEN_ORDERS),
        })
    }
}

#[inline]
const fn is_set(byte: u8) -> bool {
    byte != 0
}

/// Decimals of a scaled balance and its interest together; a token's own decimals are taken off.
/// Source: programs/drift/src/math/spot_balance.rs `get_token_amount`.
const BALANCE_INTEREST_DECIMALS: u32 = 19;

/// Signed tokens of a spot balance, in the token's decimals: a deposit rounded down, a borrow
/// rounded up and negative. Saturates where the interest is beyond all bounds.
/// Source: programs/drift/src/math/spot_balance.rs `get_token_amount`, `get_signed_token_amount`.
#[must_use]
pub fn spot_token_amount(
    scaled_balance: u128,
    balance_type: SpotBalanceType,
    decimals: u32,
    deposit_interest: u128,
    borrow_interest: u128,
) -> i128 {
    let divisor = 10u128.saturating_pow(BALANCE_INTEREST_DECIMALS.saturating_sub(decimals));
    let tokens = match balance_type {
        SpotBalanceType::Deposit => scaled_balance.saturating_mul(deposit_interest) / divisor,
        SpotBalanceType::Borrow => scaled_balance.saturating_mul(borrow_interest).div_ceil(divisor),
    };
    let tokens = i128::try_from(tokens).unwrap_or(i128::MAX);
    match balance_type {
        SpotBalanceType::Deposit => tokens,
        SpotBalanceType::Borrow => -tokens,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Interest of 1.0.
    const ONE: u128 = 10_000_000_000;

    #[test]
    fn deposits_round_down_and_borrows_round_up() {
        let usdc = |balance, balance_type, interest| {
            spot_token_amount(balance, balance_type, 6, interest, interest)
        };
        // A balance of 1.5 of a token's smallest unit.
        assert_eq!(usdc(1_500, SpotBalanceType::Deposit, ONE), 1);
        assert_eq!(usdc(1_500, SpotBalanceType::Borrow, ONE), -2);
        assert_eq!(usdc(1_000_000_000, SpotBalanceType::Deposit, ONE * 11 / 10), 1_100_000);
        assert_eq!(usdc(1_000_000_000, SpotBalanceType::Borrow, ONE * 11 / 10), -1_100_000);
        assert_eq!(usdc(0, SpotBalanceType::Borrow, ONE), 0);
    }

    #[test]
    fn token_amount_is_in_the_tokens_decimals() {
        let tokens = |decimals| {
            spot_token_amount(2_000_000_000, SpotBalanceType::Deposit, decimals, ONE, ONE)
        };
        assert_eq!(tokens(9), 2_000_000_000);
        assert_eq!(tokens(5), 200_000);
        assert_eq!(tokens(0), 2);
    }
}

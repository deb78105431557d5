//! A user account: its positions, its orders, and the flags that affect the orders.

use std::ops::Range;

use super::enums::SpotBalanceType;
use super::error::ProtocolError;
pub use super::order::{ORDERS, POSITIONS};
use super::tables::Tables;
use crate::bytes::{i64_at, u8_at, u16_at, u64_at};

/// Bits of `status`. Source: programs/drift/src/state/user.rs `UserStatus`.
pub mod user_status {
    /// The account is being liquidated.
    pub const BEING_LIQUIDATED: u8 = 1;
    /// The account is bankrupt.
    pub const BANKRUPT: u8 = 2;
}

/// Signed base of a perp position.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PerpPosition {
    /// Signed base amount, 1e9: positive is long. An empty slot has 0.
    pub base: i64,
    /// Index of the perp market.
    pub market_index: u16,
    /// The account counts more open orders in the market than it holds: they rest elsewhere, as on a
    /// CLOB program. See [`Positions::mark_elsewhere`].
    pub has_orders_elsewhere: bool,
}

/// The scaled balance of a spot position; the token amount also depends on the market's interest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SpotPosition {
    /// Balance before interest, 1e9. An empty slot has 0.
    pub scaled_balance: u64,
    /// Index of the spot market.
    pub market_index: u16,
    /// Owned or owed.
    pub balance_type: SpotBalanceType,
}

/// The positions that reduce-only sizes depend on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Positions {
    /// Perp positions.
    pub perp: [PerpPosition; POSITIONS],
    /// Spot positions.
    pub spot: [SpotPosition; POSITIONS],
}

impl Positions {
    /// No position.
    pub const NONE: Self = Self {
        perp: [PerpPosition { base: 0, market_index: 0, has_orders_elsewhere: false }; POSITIONS],
        spot: [SpotPosition {
            scaled_balance: 0,
            market_index: 0,
            balance_type: SpotBalanceType::Deposit,
        }; POSITIONS],
    };

    /// Returns the base amount of the perp position in a market, 0 without a position.
    #[must_use]
    pub fn perp_base(&self, market_index: u16) -> i64 {
        let found = self.perp.iter().find(|p| p.market_index == market_index && p.base != 0);
        found.map_or(0, |position| position.base)
    }

    /// Returns the spot position in a market, if the user has one.
    #[must_use]
    pub fn spot(&self, market_index: u16) -> Option<&SpotPosition> {
        self.spot.iter().find(|p| p.market_index == market_index && p.scaled_balance != 0)
    }

    #[inline]
    pub(super) fn read<T: Tables>(user: &[u8]) -> Result<Self, ProtocolError> {
        let user = &user[..T::USER.size];
        let (perps, perp_size) = const {
            (T::USER.leaf("perpPositions", "PerpPosition"), T::USER.inner("perpPositions").size)
        };
        let (spots, spot_size) = const {
            (T::USER.leaf("spotPositions", "SpotPosition"), T::USER.inner("spotPositions").size)
        };
        macro_rules! field {
            ($read:ident, $at:ident, $list:literal $name:literal $type:literal) => {
                $read(user, $at + const { T::USER.inner($list).at($name, $type) })
            };
        }
        let mut positions = Self::NONE;
        for (index, position) in positions.perp.iter_mut().enumerate() {
            let at = perps + index * perp_size;
            position.base = field!(i64_at, at, "perpPositions" "baseAssetAmount" "i64");
            position.market_index = field!(u16_at, at, "perpPositions" "marketIndex" "u16");
        }
        for (index, position) in positions.spot.iter_mut().enumerate() {
            let at = spots + index * spot_size;
            position.scaled_balance = field!(u64_at, at, "spotPositions" "scaledBalance" "u64");
            position.market_index = field!(u16_at, at, "spotPositions" "marketIndex" "u16");
            let balance_type = field!(u8_at, at, "spotPositions" "balanceType" "enum");
            position.balance_type = SpotBalanceType::from_byte(balance_type)?;
        }
        Ok(positions)
    }

    /// Marks the perp positions in whose markets an account counts more open orders than it holds.
    /// `counts` are those of the positions, `held` has the perp market of the order in each slot,
    /// see [`OrderView::held_in`](super::order::OrderView::held_in). Source: the CLOB branch counts
    /// an order on a book like one in a slot, see `clob_resident_open_orders`.
    #[inline]
    pub fn mark_elsewhere(&mut self, counts: [u8; POSITIONS], held: &[u32; ORDERS]) {
        for (position, count) in self.perp.iter_mut().zip(counts) {
            let market = position.market_index.into();
            let held = || held.iter().map(|index| u8::from(*index == market)).sum();
            position.has_orders_elsewhere = count != 0 && count > held();
        }
    }
}

/// The positions, in bytes, of the parts of a user account that change often.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UserShape {
    /// The order slots.
    pub orders: Range<usize>,
    /// Bytes of one of them.
    pub order_bytes: usize,
}

impl UserShape {
    pub(crate) const fn of<T: Tables>() -> Self {
        let order_bytes = T::USER.inner("orders").size;
        let start = T::USER.at("orders", "Order");
        Self { orders: start..start + ORDERS * order_bytes, order_bytes }
    }

    /// Returns the parts that overlap with ranges of an account.
    #[must_use]
    pub fn touched(&self, runs: impl Iterator<Item = Range<usize>>) -> TouchedParts {
        let Self { orders: all, order_bytes } = self;
        let mut touched = TouchedParts { orders: 0, before_orders: false };
        for run in runs {
            touched.before_orders |= run.start < all.start;
            let (start, end) = (run.start.max(all.start), run.end.min(all.end));
            if start < end {
                let first = (start - all.start) / order_bytes;
                let last = (end - 1 - all.start) / order_bytes;
                touched.orders |= u32::MAX << first & u32::MAX >> (ORDERS - 1 - last);
            }
        }
        touched
    }
}

/// The parts of a user account that may differ from a known state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TouchedParts {
    /// Bit mask of the order slots.
    pub orders: u32,
    /// Whether bytes before the order slots may differ.
    pub before_orders: bool,
}

impl TouchedParts {
    /// The whole account.
    pub const ALL: Self = Self { orders: u32::MAX, before_orders: true };
}

/// The decimals of a scaled balance times its interest; a token's own decimals are subtracted.
/// Source: programs/drift/src/math/spot_balance.rs `get_token_amount`.
const BALANCE_INTEREST_DECIMALS: u32 = 19;

/// Returns the signed token amount of a spot balance, in the token's decimals: a deposit rounded
/// down, a borrow rounded up and negative. Saturates on overflow. Source:
/// programs/drift/src/math/spot_balance.rs `get_token_amount`, `get_signed_token_amount`.
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

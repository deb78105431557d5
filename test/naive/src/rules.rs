//! The rules of the book: what is shown, at which price, at which size.

use crate::account::{MarketKind, Order, PerpMarket, SpotMarket, State, User};
use crate::slots::Moment;

/// Why a market shows an empty book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EmptyReason {
    /// The market's status is neither Active nor ReduceOnly.
    Status,
    /// Fills are paused for the market.
    MarketPaused,
    /// Fills are paused for the whole exchange.
    ExchangePaused,
    /// The market's expiry has passed.
    Expired,
    /// The market's account is closed or unreadable.
    Lost,
    /// The program trades no spot markets.
    NotTraded,
}

/// `MarketStatus::Active`.
const ACTIVE: u8 = 1;
/// `MarketStatus::ReduceOnly`.
const REDUCE_ONLY: u8 = 6;
/// `PerpOperation::Fill`.
const PERP_FILL: u8 = 4;
/// `SpotOperation::Fill`.
const SPOT_FILL: u8 = 2;
/// `ExchangeStatus::FillPaused`.
const EXCHANGE_FILL_PAUSED: u8 = 8;
/// `UserStatus::BeingLiquidated | UserStatus::Bankrupt`.
const USER_LIQUIDATED: u8 = 3;

/// All a rule needs to know about a market.
#[derive(Clone, Copy, Debug)]
#[allow(missing_docs, reason = "the fields are those of the chain or of the report")]
pub struct MarketContext {
    pub kind: MarketKind,
    pub index: u16,
    pub tick: i128,
    pub step: i128,
    pub is_prediction: bool,
    pub is_reduce_only: bool,
    /// Whether a reduce-only market makes every order one that reduces.
    pub reduces_every_order: bool,
    /// Price of the one oracle reading of the view; `None` when no reading is usable.
    pub oracle: Option<i128>,
    /// Deposit and borrow interest, and decimals, of a spot market.
    pub spot: (u128, u128, u32),
}

/// Why a perp market shows nothing, if it does.
pub(crate) fn perp_empty_reason(
    market: &PerpMarket,
    state: Option<&State>,
    now: i64,
) -> Option<EmptyReason> {
    empty_reason(market.status, market.paused & PERP_FILL != 0, market.expiry_ts, state, now)
}

/// Why a spot market shows nothing, if it does.
pub(crate) fn spot_empty_reason(
    market: &SpotMarket,
    state: Option<&State>,
    now: i64,
) -> Option<EmptyReason> {
    empty_reason(market.status, market.paused & SPOT_FILL != 0, market.expiry_ts, state, now)
}

fn empty_reason(
    status: u8,
    paused: bool,
    expiry_ts: i64,
    state: Option<&State>,
    now: i64,
) -> Option<EmptyReason> {
    if status != ACTIVE && status != REDUCE_ONLY {
        Some(EmptyReason::Status)
    } else if paused {
        Some(EmptyReason::MarketPaused)
    } else if state.is_some_and(|state| state.exchange_status & EXCHANGE_FILL_PAUSED != 0) {
        Some(EmptyReason::ExchangePaused)
    } else if expiry_ts != 0 && now >= expiry_ts {
        Some(EmptyReason::Expired)
    } else {
        None
    }
}

/// Whether a market status byte means reduce-only.
pub(crate) fn is_reduce_only(status: u8) -> bool {
    status == REDUCE_ONLY
}

/// Whether an account's orders are shown at all.
pub(crate) fn user_is_shown(user: &User) -> bool {
    user.status & USER_LIQUIDATED == 0
}

/// Whether an order is in the book of the market at this time.
pub(crate) fn is_in_book(order: &Order, market: &MarketContext, at: &Moment, now: i64) -> bool {
    order.is_open()
        && order.is_on(market.kind, market.index)
        && order.is_live_limit()
        && order.is_resting(at)
        && !order.is_expired(now)
        && (order.price != 0 || order.oracle_price_offset != 0)
        && (order.reduce_only || !market.is_reduce_only)
}

/// An order as the market fills it.
pub(crate) fn as_filled(order: &Order, market: &MarketContext) -> Order {
    let is_forced = market.is_reduce_only && market.reduces_every_order;
    Order { reduce_only: order.reduce_only || is_forced, ..*order }
}

/// The size of an order: the rest, for reduce-only orders at most the opposite position.
pub(crate) fn shown_size(order: &Order, position: i128) -> i128 {
    let rest = order.unfilled();
    let is_opposite = (order.is_bid() && position < 0) || (!order.is_bid() && position > 0);
    match (order.reduce_only, is_opposite) {
        (false, _) => rest,
        (true, true) => rest.min(position.abs()),
        (true, false) => 0,
    }
}

/// The signed position that a reduce-only order of this user on this market reduces.
pub(crate) fn position_of(user: &User, market: &MarketContext) -> i128 {
    match market.kind {
        MarketKind::Perp => user
            .perp_positions
            .iter()
            .find(|(index, _)| *index == market.index)
            .map_or(0, |(_, base)| i128::from(*base)),
        MarketKind::Spot => user
            .spot_positions
            .iter()
            .find(|(index, _, _)| *index == market.index)
            .map_or(0, |(_, scaled, borrowed)| {
                let tokens = token_amount(*scaled, *borrowed, market.spot);
                tokens - tokens % market.step.max(1)
            }),
    }
}

/// Signed token amount of a spot balance: deposits round down, borrows round away from zero.
///
/// Source: programs/drift/src/math/spot_balance.rs get_token_amount.
fn token_amount(
    scaled: u64,
    borrowed: bool,
    (deposit, borrow, decimals): (u128, u128, u32),
) -> i128 {
    let Some(precision) = 19_u32.checked_sub(decimals).map(|power| 10_u128.pow(power)) else {
        return 0;
    };
    let interest = if borrowed { borrow } else { deposit };
    let Some(product) = u128::from(scaled).checked_mul(interest) else {
        return 0;
    };
    let amount = if borrowed { product.div_ceil(precision) } else { product / precision };
    let amount = i128::try_from(amount).unwrap_or(i128::MAX);
    if borrowed { -amount } else { amount }
}

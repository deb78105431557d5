//! Orders: the 96 bytes, and the prices that follow from them.

use slotbook_protocol::model::clock::SlotClock;
use slotbook_protocol::model::enums::Direction;
use slotbook_protocol::model::order::{ORDER_BYTES, Order, RawOrder};
use slotbook_protocol::model::price::{
    ProtectedMakerParams, auction_price_program, limit_price_program, resting_offset_price,
    standardize_base, standardize_price,
};
use slotbook_protocol::model::units::{OraclePrice, Price, Slot, UnixSeconds};

use crate::input::Input;

/// The market around an order.
struct Market {
    slot: Slot,
    tick: Price,
    oracle: Option<OraclePrice>,
    is_prediction: bool,
    protected: Option<ProtectedMakerParams>,
    position: i64,
}

/// The order, then the market.
pub(crate) fn run(input: &[u8]) {
    let mut input = Input::new(input);
    let raw = RawOrder::from(input.take::<ORDER_BYTES>());
    let view = raw.view();
    assert_eq!(view.check().is_ok(), view.decode().is_ok(), "a check reads what decoding reads");
    let Ok(order) = view.decode() else { return };
    let flags = input.byte();
    let market = Market {
        slot: Slot(order.slot.0.wrapping_add(u64::from(input.byte())).wrapping_sub(2)),
        tick: Price(input.word()),
        oracle: (flags & 1 != 0).then_some(OraclePrice(input.word().cast_signed())),
        is_prediction: flags & 2 != 0,
        protected: (flags & 4 != 0).then(|| ProtectedMakerParams {
            limit_price_divisor: input.byte(),
            dynamic_offset: input.word(),
            tick_size: Price(input.word()),
        }),
        position: input.word().cast_signed(),
    };
    check_predicates(&order, &market.slot.into(), market.position);
    check_prices(&order, &market);
}

fn check_predicates(order: &Order, clock: &SlotClock, position: i64) {
    let (resting, taking) = (order.is_resting_limit(clock), order.is_taking(clock));
    assert!(!resting || order.is_limit(), "only limit orders rest");
    assert_ne!(resting, taking, "an order rests or takes");
    assert!(
        !order.has_auction_price(clock) || order.has_limit_price(clock),
        "an auction has a price"
    );
    assert!(order.unfilled_for_position(position) <= order.unfilled(), "reduce-only takes less");
    assert!(order.unfilled() <= order.base_asset_amount, "no more is open than was ordered");
    let last = order.max_ts;
    assert!(!order.is_expired(last), "the last second is live");
    assert!(!order.is_expired(UnixSeconds(last.0.saturating_sub(1))), "so are those before");
}

fn check_prices(order: &Order, market: &Market) {
    let (clock, tick, oracle) = (&market.slot.into(), market.tick, market.oracle);
    let on_tick = |price: Price| standardize_price(price, tick, Direction::Long) == price;
    let is_saturated = |price: Price| price.0 >= u64::MAX - tick.0;
    let auction = auction_price_program(order, clock, tick, oracle, market.is_prediction);
    if let Ok(price) = auction {
        assert!(on_tick(price) || is_saturated(price), "an auction's price is on the tick");
    }
    let protected = market.protected;
    for fallback in [None, Some(order.trigger_price)] {
        let price = limit_price_program(
            order,
            clock,
            tick,
            oracle,
            fallback,
            market.is_prediction,
            protected,
        );
        if order.has_auction_price(clock) && market.slot >= order.slot {
            assert_eq!(price, auction.map(Some), "while an auction runs its price is the limit");
        }
    }
    if let Some(oracle) = oracle {
        let (offset, direction) = (order.oracle_price_offset, order.direction);
        let price = resting_offset_price(oracle, offset, tick, direction, false);
        assert!(on_tick(price) || is_saturated(price), "an offset order's price is on the tick");
    }
    let rounded = standardize_base(order.base_asset_amount, order.base_asset_amount_filled);
    assert!(rounded <= order.base_asset_amount, "sizes round down");
}

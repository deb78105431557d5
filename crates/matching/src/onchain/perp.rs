//! Simulates a new perp order as one fill of the program.

use slotbook_protocol::model::amm::PerpAmm;
use slotbook_protocol::model::enums::{Direction, OrderStatus, OrderType};
use slotbook_protocol::model::order::Order;
use slotbook_protocol::model::price::standardize_price;
use slotbook_protocol::model::units::{BaseQty, OraclePrice, Price, Pubkey, Slot, UnixSeconds};

use super::makers::{MakerOrder, Moment};
use super::program::{FillError, Fills, ProgramFill, Request, Source, fill};
use crate::fill::{FillSource, Origin, Reason};
use crate::limits::{JIT_OFFERS_MAX, MAKERS_PASSED_MAX};
use crate::liquidity::{JitOffer, Liquidity, Maker};
use crate::money::price_of;
use crate::spec::refuse_crossing;
use crate::taker::{OrderKind, Size, Taker};
use crate::tally::{Amounts, Tally};
use crate::terms::best_of;

/// Minimum lifetime of a market order without an expiry, seconds. Source:
/// programs/drift/src/controller/orders.rs `place_perp_order`.
const MARKET_ORDER_SECONDS_MIN: i64 = 30;

/// The address of a taker without an account; no account has this address.
const NOBODY: Pubkey = Pubkey([u8::MAX; 32]);

/// The origin of an order that is passed to the fill. The index in the input is the same.
enum Passed {
    Resting(Maker),
    Offer(JitOffer),
}

/// Fills the taker by one program fill; fills nothing when the program fill fails on chain.
pub(super) fn walk(taker: &Taker, liquidity: Liquidity<'_>, tally: &mut Tally) {
    if taker.post_only {
        refuse_crossing(liquidity.amm, liquidity.oracle, tally);
        if tally.stopped.is_some() {
            return;
        }
    }
    let (orders, passed) = pass_makers(taker, liquidity.jit, liquidity.makers, tally);
    let program = liquidity.program;
    let oracle = liquidity.oracle.filter(|_| program.is_some());
    let may_fill = oracle.is_some() && program.is_some_and(|program| program.may.fill);
    let mut amm = program.map_or_else(PerpAmm::default, |program| *program.amm);
    amm.fee_adjustment = tally.fees.adjustment;
    if oracle.is_none() || !program.is_some_and(|program| program.may.share) {
        amm.amm_jit_intensity = 0;
    }
    let request = Request {
        taker_key: taker.key.unwrap_or(NOBODY),
        taker: order_of(taker, tally),
        taker_position: taker.reduce_only.unwrap_or(0),
        terms: tally.fees.taker,
        maker_tier: tally.fees.maker,
        makers: &orders,
        amm,
        is_amm_available: may_fill,
        moment: moment_of(taker, tally, oracle, &amm),
    };
    match fill_amount(request, taker.size, tally) {
        Ok(fills) if !fills.is_within_bands(&request.moment) => {
            tally.stopped = Some(Reason::PriceBand);
        }
        Ok(fills) => {
            tally.best = best_price(&request, &fills);
            for fill in &fills.fills {
                if !note(fill, &passed, tally) {
                    return;
                }
            }
        }
        Err(_) => tally.stopped = Some(Reason::FillFails),
    }
}

/// Returns the orders that a filler would pass: the offers of the auction and the best resting
/// orders, sorted by account. Offers are rounded to the tick. An offer of an unknown maker gets a
/// placeholder account.
fn pass_makers(
    taker: &Taker,
    jit: &[JitOffer],
    resting: &mut dyn Iterator<Item = Maker>,
    tally: &Tally,
) -> (Vec<MakerOrder>, Vec<Passed>) {
    let side = taker.direction.opposite();
    let mut both: Vec<(MakerOrder, Passed)> = Vec::new();
    let offers = jit.iter().take(JIT_OFFERS_MAX).enumerate();
    both.extend(offers.filter(|(_, offer)| offer.price.0 > 0).map(|(number, offer)| {
        let price = standardize_price(offer.price, tally.market.tick, side);
        let key = offer.maker.unwrap_or_else(|| numbered(number));
        let order_id = offer.order_id.unwrap_or(0);
        (maker_order(key, order_id, (price, offer.size), side), Passed::Offer(*offer))
    }));
    let resting = resting
        .filter(|maker| taker.key != Some(maker.key))
        .take(MAKERS_PASSED_MAX)
        .take_while(|maker| tally.accepts(maker.price));
    both.extend(resting.map(|maker| {
        let order = maker_order(maker.key, maker.order_id, (maker.price, maker.size), side);
        (order, Passed::Resting(maker))
    }));
    both.sort_by_key(|(maker, _)| (maker.key, maker.order.order_id));
    both.into_iter().unzip()
}

/// Returns a placeholder account for an offer of an unknown maker.
fn numbered(number: usize) -> Pubkey {
    let mut key = [0; 32];
    let number = (number as u64).to_be_bytes();
    key[32 - number.len()..].copy_from_slice(&number);
    Pubkey(key)
}

/// Returns a resting order with its current price and fillable size, the same as in the book.
fn maker_order(
    key: Pubkey,
    order_id: u32,
    (price, size): (Price, BaseQty),
    side: Direction,
) -> MakerOrder {
    let order = Order {
        status: OrderStatus::Open,
        order_type: OrderType::Limit,
        direction: side,
        price,
        base_asset_amount: size,
        order_id,
        post_only: true,
        ..Order::default()
    };
    MakerOrder { key, order, position: 0, is_protected: false }
}

/// Returns the taker's order, placed in slot 0. Auction prices are rounded to the tick and clamped
/// to the order's limit; the program would reject an auction price beyond the limit. Source:
/// programs/drift/src/validation/order.rs `validate_auction_params`.
fn order_of(taker: &Taker, tally: &Tally) -> Order {
    let auction = taker.auction.filter(|auction| auction.duration_slots > 0);
    let price_of = |price: Price| {
        let price = standardize_price(price, tally.market.tick, taker.direction);
        let price = match (taker.direction, tally.limit) {
            (Direction::Long, Some(limit)) => price.min(limit),
            (Direction::Short, Some(limit)) => price.max(limit),
            (_, None) => price,
        };
        i64::try_from(price.0).unwrap_or(i64::MAX)
    };
    let duration = auction.map_or(0, |auction| auction.duration_slots);
    let order_type = match taker.kind {
        OrderKind::Market => OrderType::Market,
        OrderKind::Limit => OrderType::Limit,
    };
    let seconds = MARKET_ORDER_SECONDS_MIN.max(i64::from(duration / 2) + 10);
    Order {
        status: OrderStatus::Open,
        order_type,
        direction: taker.direction,
        price: tally.limit.unwrap_or(Price(0)),
        base_asset_amount: tally.left_base(),
        reduce_only: taker.reduce_only.is_some(),
        post_only: taker.post_only,
        auction_duration: duration,
        auction_start_price: auction.map_or(0, |auction| price_of(auction.start)),
        auction_end_price: auction.map_or(0, |auction| price_of(auction.end)),
        max_ts: UnixSeconds(if taker.kind == OrderKind::Market { seconds } else { 0 }),
        ..Order::default()
    }
}

/// Returns the state at the fill, whose clock starts when the order is placed; a slot counts as
/// half a second.
fn moment_of(taker: &Taker, tally: &Tally, oracle: Option<OraclePrice>, amm: &PerpAmm) -> Moment {
    let elapsed = taker.auction.map_or(0, |auction| auction.elapsed_slots);
    Moment {
        clock: Slot(elapsed).into(),
        now: UnixSeconds(i64::try_from(elapsed / 2).unwrap_or(i64::MAX)),
        oracle: oracle.unwrap_or(OraclePrice(0)),
        tick: tally.market.tick,
        step: tally.market.step,
        is_prediction: tally.market.is_prediction,
        margin_ratio_initial: oracle.map(|_| amm.margin_ratio_initial),
        protected: None,
    }
}

/// Fills the order. The program only has base sizes: for a quote amount, the order gets the largest
/// size in whole steps whose fills cost at most the amount.
fn fill_amount(
    mut request: Request<'_>,
    size: Size,
    tally: &mut Tally,
) -> Result<Fills, FillError> {
    let all = fill(&request)?;
    let Size::Quote(most) = size else { return Ok(all) };
    let fits = |fills: &Fills| fills.totals().1 <= u128::from(most.0);
    if fits(&all) {
        return Ok(all);
    }
    tally.is_spent = true;
    let step = tally.market.step.0.max(1);
    let filled = u64::try_from(all.totals().0).unwrap_or(u64::MAX);
    let (mut fit, mut beyond) = (0, filled.div_ceil(step));
    request.taker.base_asset_amount = BaseQty(0);
    let mut best = fill(&request)?;
    while beyond > fit + 1 {
        let middle = fit + (beyond - fit) / 2;
        request.taker.base_asset_amount = BaseQty(middle.saturating_mul(step));
        let fills = fill(&request)?;
        if fits(&fills) {
            (fit, best) = (middle, fills);
        } else {
            beyond = middle;
        }
    }
    Ok(best)
}

/// Returns the best initial price: the price of the first maker or of the AMM.
fn best_price(request: &Request<'_>, fills: &Fills) -> Option<Price> {
    let direction = request.taker.direction;
    let maker = fills.makers.ranked.first().map(|maker| maker.price);
    let reserve_price = request.amm.reserves().price().ok();
    let amm = reserve_price
        .filter(|_| request.is_amm_available)
        .and_then(|price| request.amm.price_for(price, direction).ok());
    best_of(direction, [maker, amm].into_iter().flatten())
}

/// Records a fill. Returns false when the totals overflow.
fn note(fill: &ProgramFill, passed: &[Passed], tally: &mut Tally) -> bool {
    let origin = match fill.source {
        Source::Amm | Source::AmmJit => {
            Origin { source: FillSource::Vamm, maker: None, order_id: None }
        }
        Source::Maker(index) => match &passed[index] {
            Passed::Resting(maker) => Origin {
                source: FillSource::Dlob,
                maker: Some(maker.key),
                order_id: Some(maker.order_id),
            },
            Passed::Offer(offer) => {
                Origin { source: FillSource::Jit, maker: offer.maker, order_id: offer.order_id }
            }
        },
    };
    let amounts = Amounts { base: fill.base, quote: fill.quote };
    let on_curve = || price_of(fill.quote, fill.base, tally.market.decimals, tally.direction);
    let Some(price) = fill.price.or_else(on_curve) else {
        tally.stopped = Some(Reason::QuoteExceeded);
        return false;
    };
    tally.fill_with_fees(price, amounts, origin, &fill.fees)
}

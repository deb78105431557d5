//! The AMM of a perp market: quotes, levels and fills of any account.

use slotbook_book::{AmmCut, Level, Side};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::account::AccountKind;
use slotbook_protocol::model::amm::{
    AmmInputs, AmmLevel, AmmQuote, AmmSide, PerpAmm, top_of_book_amounts,
};
use slotbook_protocol::model::enums::Direction;
use slotbook_protocol::model::units::{BaseQty, Price};

use crate::account::account;
use crate::input::Input;

/// Levels that are cut at most.
const LEVELS_MAX: usize = 64;

/// The moment and the taker, then the market's account in steps.
pub(crate) fn run(input: &[u8]) {
    let mut input = Input::new(input);
    // The stored inputs have a third word, which means nothing.
    let [price, oracle_confidence, _, now, slot] = [(); 5].map(|()| input.word());
    let (oracle_price, now) = (price.cast_signed(), now.cast_signed());
    let inputs = AmmInputs { oracle_price, oracle_confidence, now, slot };
    let count = usize::from(input.byte()) % LEVELS_MAX;
    let (base, limit) = (BaseQty(input.word()), Price(input.word()));
    let data = account(AccountKind::PerpMarket, input);
    let Ok(market) = Program::Drift.perp_market(&data) else { return };
    let amm = market.amm;
    if let Ok(quote) = AmmQuote::of(&amm, &inputs) {
        let top = top_of_book_amounts(amm.program, market.terms.market_index);
        for (side, amm_side) in Side::BOTH.into_iter().zip([AmmSide::Bid, AmmSide::Ask]) {
            check_levels(&quote, amm_side, count, &top, amm.order_tick_size);
            check_book_levels(&quote, side, count, &top);
        }
    }
    for taker in [Direction::Long, Direction::Short] {
        check_fill(&amm, &inputs, taker, base, limit);
    }
}

fn check_levels(quote: &AmmQuote, side: AmmSide, count: usize, top: &[u64], tick: u64) {
    let mut levels = vec![AmmLevel { price: Price(1), size: 1 }];
    let cut = quote.levels(side, count, top, &mut levels);
    assert!(cut.is_ok() || levels.is_empty(), "nothing is left of a failure");
    assert!(levels.len() <= count.max(1), "no more levels than were requested");
    let size: u128 = levels.iter().map(|level| u128::from(level.size)).sum();
    assert!(size <= quote.liquidity(side), "levels have no more than the side");
    assert!(levels.iter().all(|level| level.size > 0), "no level is empty");
    let is_on_tick = |price: u64| tick == 0 || price.is_multiple_of(tick) || price == u64::MAX;
    assert!(levels.iter().all(|level| is_on_tick(level.price.0)), "levels are on the tick");
}

/// What the book makes of the levels: best first, each price once.
fn check_book_levels(quote: &AmmQuote, side: Side, chunks_max: usize, top_of_book: &[u64]) {
    let (mut chunks, mut levels) = (Vec::new(), Vec::new());
    let cut = AmmCut { chunks_max, top_of_book };
    if cut.levels(quote, side, &mut chunks, &mut levels).is_err() {
        return;
    }
    let is_worse = |a: &Level, b: &Level| side.is_better(a.price.0, b.price.0);
    assert!(levels.is_sorted_by(is_worse), "the best level is first, and each price is once");
    assert!(levels.iter().all(|level| level.price.0 > 0), "no level is for nothing");
}

fn check_fill(amm: &PerpAmm, inputs: &AmmInputs, taker: Direction, base: BaseQty, limit: Price) {
    let Ok(mut moved) = amm.before_fill(inputs) else { return };
    let seconds_left = inputs.now;
    let _ = moved.fallback_price(taker, limit, inputs.oracle_price, seconds_left);
    let Ok(most) = moved.available_liquidity(taker) else { return };
    let up_to = moved.base_up_to(taker, limit).unwrap_or(most);
    for base in [base, most, up_to.min(most)] {
        let before = moved;
        let filled = moved.fill(taker, base);
        if filled.is_err() {
            assert_eq!(moved, before, "a fill that fails changes nothing");
            continue;
        }
        let change = match taker {
            Direction::Long => i128::from(base.0),
            Direction::Short => -i128::from(base.0),
        };
        let users = moved.base_asset_amount_with_amm - before.base_asset_amount_with_amm;
        assert_eq!(users, change, "users hold what they took");
        let reserve =
            before.base_asset_reserve.cast_signed() - moved.base_asset_reserve.cast_signed();
        assert_eq!(reserve, change, "and the reserve gave it");
    }
}

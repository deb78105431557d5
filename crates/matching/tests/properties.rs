//! Invariants of every walk, for any market and order.
//!
//! Each test calls [`common::check`]: size is conserved, sums equal the fills, no fill is worse
//! than the limit, and no source fills more than its size.

use crate::common::{BASE, Market, ONE, perp, spot};
use proptest::prelude::*;
use slotbook_matching::{
    AmmOffer, Auction, ExternalLevel, FillSource, JitOffer, Maker, MarketTerms, Model, OrderKind,
    Size, Taker,
};
use slotbook_protocol::model::amm::curve::{Reserves, SwapAmount};
use slotbook_protocol::model::enums::Direction;
use slotbook_protocol::model::units::{BaseQty, OraclePrice, Price, Pubkey, QuoteQty, Slot};

fn price() -> impl Strategy<Value = Price> {
    (ONE * 90..ONE * 110).prop_map(Price)
}

fn size() -> impl Strategy<Value = BaseQty> {
    prop_oneof![
        (1..20_u64).prop_map(|steps| BaseQty(steps * BASE / 100)),
        (BASE / 1_000..BASE).prop_map(BaseQty),
    ]
}

fn maker() -> impl Strategy<Value = Maker> {
    (price(), size(), 0..4_u8, 0..20_u64, any::<u32>()).prop_map(
        |(price, size, key, slot, order_id)| Maker {
            key: Pubkey([key; 32]),
            order_id,
            price,
            size,
            slot: Slot(slot),
        },
    )
}

fn offer() -> impl Strategy<Value = JitOffer> {
    (price(), size(), proptest::option::of(0..4_u8)).prop_map(|(price, size, maker)| JitOffer {
        maker: maker.map(|byte| Pubkey([byte; 32])),
        order_id: None,
        price,
        size,
        is_quote: false,
    })
}

/// A curve around the prices of the orders, thin enough that fills move it.
fn amm() -> impl Strategy<Value = AmmOffer> {
    (ONE * 90..ONE * 110, 10 * BASE..100_000 * BASE, 0..100_u128).prop_map(
        |(price, reserve, percent)| {
            let reserve = u128::from(reserve);
            let peg = u128::from(price);
            let reserves = Reserves { base: reserve, quote: reserve, sqrt_k: reserve, peg };
            AmmOffer { reserves, available: reserve * percent / 200 }
        },
    )
}

fn direction() -> impl Strategy<Value = Direction> {
    any::<bool>().prop_map(|buys| if buys { Direction::Long } else { Direction::Short })
}

fn market() -> impl Strategy<Value = Market> {
    (
        any::<bool>(),
        proptest::collection::vec(maker(), 0..20),
        proptest::collection::vec(offer(), 0..5),
        proptest::option::of(amm()),
        proptest::collection::vec((price(), size()), 0..5),
        proptest::option::of(ONE * 90..ONE * 110),
    )
        .prop_map(|(is_spot, makers, jit, amm, external, oracle)| {
            let external =
                external.into_iter().map(|(price, size)| ExternalLevel { price, size }).collect();
            let oracle = oracle.and_then(|price| i64::try_from(price).ok()).map(OraclePrice);
            let mut market = if is_spot { spot() } else { perp() };
            // All sizes are of nine decimals.
            market.terms.decimals = 9;
            Market { makers, jit, amm, external, oracle, ..market }
        })
}

fn taker() -> impl Strategy<Value = Taker> {
    let size = prop_oneof![
        size().prop_map(Size::Base),
        (BASE..30 * BASE).prop_map(|base| Size::Base(BaseQty(base))),
        (ONE..ONE * 500).prop_map(|quote| Size::Quote(QuoteQty(quote))),
    ];
    (
        (direction(), size, any::<bool>(), proptest::option::of(price()), any::<bool>()),
        proptest::option::of(-3..3_i64),
        proptest::option::of((price(), price(), 0..12_u8, 0..14_u64)),
        (0..6_u8, any::<bool>(), proptest::option::of(0..4_u8)),
    )
        .prop_map(|((direction, size, rests, limit, post_only), position, auction, others)| {
            let (fee_tier, referred, key) = others;
            let kind = if rests && limit.is_some() { OrderKind::Limit } else { OrderKind::Market };
            let post_only = post_only && kind == OrderKind::Limit;
            let auction = auction.filter(|_| !post_only).map(|(a, b, duration, elapsed)| {
                let (low, high) = (a.min(b), a.max(b));
                let (start, end) = match direction {
                    Direction::Long => (low, high),
                    Direction::Short => (high, low),
                };
                Auction { start, end, duration_slots: duration, elapsed_slots: elapsed }
            });
            let taker = Taker {
                key: key.map(|byte| Pubkey([byte; 32])),
                direction,
                size,
                kind,
                limit,
                post_only,
                reduce_only: position.map(|bases| bases * BASE.cast_signed()),
                auction,
                fee_tier,
                referred,
            };
            // An auction that passes the limit cannot be placed.
            let is_placed =
                taker.check(&MarketTerms::perp(Price(1), BaseQty(1), BaseQty(1))).is_ok();
            Taker { auction: taker.auction.filter(|_| is_placed), ..taker }
        })
}

fn in_order(mut market: Market, taker: Direction) -> Market {
    let rank = |price: Price| match taker {
        Direction::Long => price.0,
        Direction::Short => u64::MAX - price.0,
    };
    market.makers.sort_by_key(|maker| (rank(maker.price), maker.slot, maker.order_id, maker.key));
    market.external.sort_by_key(|level| rank(level.price));
    market
}

fn is_worse(taker: Direction, price: u128, than: u128) -> bool {
    match taker {
        Direction::Long => price > than,
        Direction::Short => price < than,
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(2_000) })]

    #[test]
    fn size_is_conserved_and_no_fill_is_worse_than_the_limit(market in market(), taker in taker()) {
        let market = in_order(market, taker.direction);
        let walk = market.walk(&taker);
        // A second walk is identical: the walk is a pure function.
        prop_assert_eq!(&walk, &market.walk(&taker));
        for fill in &walk.fills {
            prop_assert!(taker.key.is_none() || fill.maker != taker.key);
        }
    }

    #[test]
    fn sources_come_in_their_order_of_priority(market in market(), taker in taker()) {
        let market = in_order(market, taker.direction);
        let rank = |source| match source {
            FillSource::Jit => 0,
            FillSource::Dlob => 1,
            FillSource::Vamm => 2,
            FillSource::External => 3,
        };
        let walk = market.walk(&taker);
        let on_chain = walk.fills.iter().filter(|fill| fill.source != FillSource::External);
        prop_assert!(on_chain.clone().is_sorted_by_key(|fill| rank(fill.source)));
        for source in [FillSource::Jit, FillSource::Dlob, FillSource::External] {
            let prices = walk.fills.iter().filter(|fill| fill.source == source);
            let prices: Vec<u128> = prices.map(|fill| fill.price.0.into()).collect();
            let is_sorted = prices.is_sorted_by(|a, b| !is_worse(taker.direction, *a, *b));
            prop_assert!(is_sorted, "{prices:?}");
        }
    }

    #[test]
    fn a_bigger_order_never_gets_a_better_average(
        market in market(), taker in taker(), steps in 1..5_000_u64,
    ) {
        // Without auction and AMM the sequence follows the price.
        let market = in_order(Market { jit: Vec::new(), amm: None, ..market }, taker.direction);
        let small = Taker { size: Size::Base(BaseQty(BASE)), reduce_only: None, ..taker };
        let big = Taker { size: Size::Base(BaseQty(BASE + steps * BASE / 1_000)), ..small };
        let [small, big] = [small, big].map(|taker| market.walk(&taker));
        prop_assert!(big.filled_base >= small.filled_base);
        // Each fill's quote is rounded by less than a unit; averages are compared without rounding.
        let cross = |of: u64, by: u64| u128::from(of) * u128::from(by);
        let slack = u128::from(big.filled_base.0) * (small.fills.len() as u128 + 1);
        let small_average = cross(small.filled_quote.0, big.filled_base.0);
        let big_average = cross(big.filled_quote.0, small.filled_base.0);
        match taker.direction {
            Direction::Long => prop_assert!(big_average + slack >= small_average),
            Direction::Short => prop_assert!(big_average <= small_average + slack),
        }
    }

    #[test]
    fn a_bigger_order_on_the_curve_never_gets_a_better_average(
        amm in amm(), direction in direction(), steps in 10..50_000_u64, more in 1..50_000_u64,
    ) {
        let market = Market { amm: Some(amm), ..perp() };
        let filled = |steps: u64| {
            let size = Size::Base(BaseQty(steps * market.terms.step.0));
            market.walk(&Taker { direction, ..Taker::market(direction, size) })
        };
        let (small, big) = (filled(steps), filled(steps + more));
        let cross = |of: u64, by: u64| u128::from(of) * u128::from(by);
        let small_average = cross(small.filled_quote.0, big.filled_base.0);
        let big_average = cross(big.filled_quote.0, small.filled_base.0);
        // The curve rounds a quote by at most two units and one of the quote reserve.
        let slack = 4 * u128::from(big.filled_base.0);
        match direction {
            Direction::Long => prop_assert!(big_average + slack >= small_average),
            Direction::Short => prop_assert!(big_average <= small_average + slack),
        }
    }

    #[test]
    fn the_curve_gives_what_its_reserves_give(market in market(), taker in taker()) {
        let market = in_order(market, taker.direction);
        let walk = market.walk(&taker);
        let fills = walk.fills.iter().filter(|fill| fill.source == FillSource::Vamm);
        prop_assert!(fills.clone().count() <= 1);
        for fill in fills {
            let reserves = market.amm.unwrap().reserves;
            let amount = SwapAmount::Base(fill.size.0.into());
            let swap = reserves.swap(amount, amount.direction_of(taker.direction)).unwrap();
            prop_assert_eq!(swap.quote_amount, u128::from(fill.quote.0));
            prop_assert_eq!(fill.size.0 % market.terms.step.0, 0);
            if let Some(limit) = taker.limit {
                let last = u128::from(swap.reserves.price().unwrap().0);
                prop_assert!(!is_worse(taker.direction, last, limit.0.into()));
            }
        }
    }

    #[test]
    fn a_quote_amount_fills_the_base_that_it_buys(market in market(), taker in taker()) {
        let market = in_order(market, taker.direction);
        let Size::Quote(_) = taker.size else { return Ok(()) };
        let walk = market.walk(&taker);
        if walk.filled_base < market.terms.min_order_size {
            return Ok(());
        }
        let on_step = walk.filled_base.0 - walk.filled_base.0 % market.terms.step.0;
        let of_base = Taker { size: Size::Base(BaseQty(on_step)), ..taker };
        let same = market.walk(&of_base);
        // The remainder after a size of fractional steps may be too small for the curve.
        prop_assert!(same.filled_base.0 + market.terms.step.0 > on_step);
        prop_assert!(same.filled_quote <= walk.filled_quote);
    }

    #[test]
    fn quotes_never_make_an_order_worse(
        market in market(), quotes in proptest::collection::vec(offer(), 1..5), taker in taker(),
    ) {
        let market = in_order(market, taker.direction);
        let without = Market { jit: Vec::new(), ..market };
        let jit = quotes.iter().map(|quote| JitOffer { is_quote: true, ..*quote }).collect();
        let with = Market { jit, ..without.clone() };
        let (bare, quoted) = (without.walk(&taker), with.walk(&taker));
        if bare.filled_base != quoted.filled_base {
            // Quotes add liquidity: an order of a quote amount buys more base, or fills a larger
            // part.
            let Size::Base(_) = taker.size else { return Ok(()) };
            // The curve gives whole steps alone.
            prop_assert!(quoted.filled_base.0 + with.terms.step.0 > bare.filled_base.0);
            return Ok(());
        }
        // Each fill rounds its quote by at most one unit, the curve by three.
        let slack = 4 + quoted.fills.len() as u64 + bare.fills.len() as u64;
        match taker.direction {
            Direction::Long => {
                prop_assert!(quoted.filled_quote.0 <= bare.filled_quote.0 + slack);
            }
            Direction::Short => {
                prop_assert!(quoted.filled_quote.0 + slack >= bare.filled_quote.0);
            }
        }
    }

    #[test]
    fn the_programs_sequence_conserves_size_and_keeps_the_limit_too(
        market in market(), taker in taker(),
    ) {
        let market = in_order(market, taker.direction);
        let walk = market.walk_by(&taker, Model::Onchain);
        prop_assert_eq!(&walk, &market.walk_by(&taker, Model::Onchain));
    }
}

//! The program's own sequence: properties of its fills, and results for new orders.

#![expect(clippy::unwrap_used, reason = "a test may panic")]

use proptest::prelude::*;
use slotbook_matching::onchain::makers::{MakerOrder, Moment};
use slotbook_matching::onchain::program::{Fills, Request, Source, fill};
use slotbook_matching::{
    AmmMay, Auction, ExternalLevel, FillSource, JitOffer, Liquidity, Maker, MarketTerms, Model,
    ProgramAmm, Reason, Size, Taker, Walk, walk,
};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::amm::{AmmInputs, PerpAmm, U256};
use slotbook_protocol::model::enums::{Direction, MarketType, OrderStatus, OrderType};
use slotbook_protocol::model::fees::{FeeStructure, TakerTerms};
use slotbook_protocol::model::order::Order;
use slotbook_protocol::model::units::{
    BaseQty, OraclePrice, Price, Pubkey, QuoteQty, Slot, UnixSeconds,
};

const ORACLE: i64 = 150_000_000;
const STEP: u64 = 10_000_000;
const TICK: u64 = 100;

/// An AMM at a price of 150 with 5 bps between the reserve price and either quote.
fn amm() -> PerpAmm {
    let root = 2_000_000_000_000_000;
    let mut amm = PerpAmm {
        base_asset_reserve: root,
        quote_asset_reserve: root,
        sqrt_k: root,
        peg_multiplier: 150_000_000,
        terminal_quote_asset_reserve: root,
        min_base_asset_reserve: root / 2,
        max_base_asset_reserve: root * 2,
        order_step_size: STEP,
        order_tick_size: TICK,
        min_order_size: STEP,
        base_spread: 1_000,
        max_spread: 50_000,
        max_fill_reserve_fraction: 100,
        margin_ratio_initial: 1_000,
        last_oracle_price: ORACLE,
        last_oracle_price_twap: ORACLE,
        last_oracle_price_twap_5min: ORACLE,
        ..PerpAmm::default()
    };
    let price = amm.reserves().price().unwrap();
    amm.update_spreads(price, None).unwrap();
    amm
}

fn key(number: u8) -> Pubkey {
    Pubkey([number; 32])
}

fn maker(number: u8, price: u64, size: u64) -> Maker {
    Maker {
        key: key(number),
        order_id: number.into(),
        price: Price(price),
        size: BaseQty(size),
        slot: Slot(number.into()),
    }
}

fn terms() -> MarketTerms {
    MarketTerms::perp(Price(TICK), BaseQty(STEP), BaseQty(STEP))
}

/// Walks a taker over makers and, if there is one, an AMM.
fn onchain(taker: &Taker, makers: &[Maker], amm: Option<&PerpAmm>, jit: &[JitOffer]) -> Walk {
    let mut makers = makers.iter().copied();
    let liquidity = Liquidity {
        program: amm.map(|amm| ProgramAmm { amm, may: AmmMay { fill: true, share: true } }),
        oracle: Some(OraclePrice(ORACLE)),
        jit,
        ..Liquidity::of_makers(terms(), &mut makers)
    };
    walk(taker, liquidity, Model::Onchain)
}

fn sources(walk: &Walk) -> Vec<FillSource> {
    walk.fills.iter().map(|fill| fill.source).collect()
}

fn buy(size: u64) -> Taker {
    Taker::market(Direction::Long, Size::Base(BaseQty(size)))
}

/// The share is at most what one fill may take of the reserve, in whole steps.
#[test]
fn velocitys_amm_shares_in_a_match_where_it_may_not_fill_alone_up_to_the_most_of_a_fill() {
    let amm = PerpAmm {
        program: Program::Velocity,
        amm_jit_intensity: 100,
        base_asset_amount_with_amm: -1_000_000_000_000,
        max_fill_reserve_fraction: 50_000,
        ..amm()
    };
    let most = amm.available_liquidity(Direction::Long).unwrap();
    assert_eq!(most, BaseQty(40_000_000_000)); // 2e15 over 50 000
    let size = most.0 * 4;
    let taker = Taker::limit(Direction::Long, Size::Base(BaseQty(size)), Price(151_000_000));
    let sizes = |may| {
        let mut makers = [maker(1, 150_000_000, size)].into_iter();
        let liquidity = Liquidity {
            program: Some(ProgramAmm { amm: &amm, may }),
            oracle: Some(OraclePrice(ORACLE)),
            ..Liquidity::of_makers(terms(), &mut makers)
        };
        let walk = walk(&taker, liquidity, Model::Onchain);
        walk.fills.iter().map(|fill| (fill.source, fill.size.0)).collect::<Vec<_>>()
    };
    let shared = [(FillSource::Vamm, most.0), (FillSource::Dlob, size - most.0)];
    assert_eq!(sizes(AmmMay { fill: false, share: true }), shared);
    assert_eq!(sizes(AmmMay { fill: false, share: false }), [(FillSource::Dlob, size)]);
}

/// Velocity has no smallest fill of the AMM.
#[test]
fn velocitys_amm_fills_less_than_a_smallest_order() {
    let amm = PerpAmm { program: Program::Velocity, min_order_size: STEP * 10, ..amm() };
    let wants =
        Order { base_asset_amount: BaseQty(STEP * 5), ..order(Direction::Long, 151_000_000, 0) };
    let mut request = request(&[], wants, amm);
    request.taker_position = -i64::try_from(STEP * 100).unwrap();
    assert_eq!(fill(&request).unwrap().totals().0, u128::from(STEP * 5));
}

#[test]
fn offers_of_the_auction_are_makers_like_others() {
    let offer = |price, size| JitOffer {
        maker: None,
        order_id: None,
        price: Price(price),
        size: BaseQty(size),
        is_quote: false,
    };
    let makers = [maker(1, 150_000_000, STEP)];
    let walk = onchain(
        &buy(STEP * 3),
        &makers,
        None,
        &[offer(150_010_000, STEP), offer(149_990_000, STEP)],
    );
    use FillSource::{Dlob, Jit};
    assert_eq!(sources(&walk), [Jit, Dlob, Jit]);
}

#[test]
fn a_fill_far_from_the_oracle_fails_as_a_whole() {
    let makers = [maker(1, 170_000_000, STEP)];
    let taker = Taker::limit(Direction::Long, Size::Base(BaseQty(STEP)), Price(200_000_000));
    let closed = PerpAmm { min_base_asset_reserve: u128::MAX, ..amm() };
    let walk = onchain(&taker, &makers, Some(&closed), &[]);
    assert_eq!((walk.fills.len(), walk.reason), (0, Some(Reason::PriceBand)));
}

#[test]
fn a_taker_without_a_limit_goes_a_little_through_the_amm_and_no_further() {
    let (near, far) = (maker(1, 150_500_000, STEP), maker(2, 160_000_000, STEP));
    let closed = PerpAmm { amm_jit_intensity: 0, ..amm() };
    let mut makers = [near, far].into_iter();
    let liquidity = Liquidity {
        program: Some(ProgramAmm { amm: &closed, may: AmmMay { fill: false, share: false } }),
        oracle: Some(OraclePrice(ORACLE)),
        ..Liquidity::of_makers(terms(), &mut makers)
    };
    let walk = walk(&buy(STEP * 2), liquidity, Model::Onchain);
    assert_eq!(walk.fills.len(), 1);
    assert_eq!(walk.fills[0].maker, Some(key(1)));
}

#[test]
fn an_amount_of_quote_buys_the_most_whole_steps_that_it_pays() {
    let makers = [maker(1, 150_000_000, STEP * 10), maker(2, 150_100_000, STEP * 10)];
    let taker = Taker::market(Direction::Long, Size::Quote(QuoteQty(16_600_000)));
    let walk = onchain(&taker, &makers, None, &[]);
    // Ten steps at 1.5 and one at 1.501; a second step at 1.501 would exceed the remaining quote.
    assert_eq!(walk.filled_base, BaseQty(STEP * 11));
    assert_eq!(walk.filled_quote, QuoteQty(16_501_000));
}

#[test]
fn an_auction_bounds_every_fill_and_never_passes_the_limit() {
    let makers =
        [maker(1, 149_000_000, STEP), maker(2, 150_000_000, STEP), maker(3, 151_000_000, STEP)];
    let auction = |start, end| Auction {
        start: Price(start),
        end: Price(end),
        duration_slots: 10,
        elapsed_slots: 5,
    };
    let limit = Taker::limit(Direction::Long, Size::Base(BaseQty(STEP * 3)), Price(150_000_000));
    let fills = |start, end| {
        let taker = Taker { auction: Some(auction(start, end)), ..limit };
        onchain(&taker, &makers, None, &[]).fills.len()
    };
    assert_eq!(fills(149_000_000, 150_000_000), 1);
    assert_eq!(fills(152_000_000, 153_000_000), 2);
}

#[test]
fn a_reduce_only_taker_stops_at_its_position() {
    let makers = [maker(1, 150_000_000, STEP), maker(2, 150_100_000, STEP * 9)];
    let position = -i64::try_from(STEP * 3).unwrap();
    let taker = Taker { reduce_only: Some(position), ..buy(STEP * 10) };
    let walk = onchain(&taker, &makers, None, &[]);
    assert_eq!(walk.filled_base, BaseQty(STEP * 3));
}

#[test]
fn spot_takes_external_venues_alone_where_there_are_some() {
    let market = MarketTerms { market_type: MarketType::Spot, ..terms() };
    let external = [ExternalLevel { price: Price(151_000_000), size: BaseQty(STEP) }];
    let taker = Taker::limit(Direction::Long, Size::Base(BaseQty(STEP * 2)), Price(151_000_000));
    let spot = |external: &[ExternalLevel], taker: &Taker| {
        let mut makers = [maker(1, 150_000_000, STEP)].into_iter();
        let liquidity = Liquidity { external, ..Liquidity::of_makers(market, &mut makers) };
        walk(taker, liquidity, Model::Onchain)
    };
    assert_eq!(sources(&spot(&external, &taker)), [FillSource::External]);
    assert_eq!(sources(&spot(&[], &taker)), [FillSource::Dlob]);
    assert_eq!(sources(&spot(&[], &buy(STEP))), []);
}

#[test]
fn a_spot_taker_in_auction_is_bound_by_its_price_and_meets_offers_and_orders_by_price() {
    let market = MarketTerms { market_type: MarketType::Spot, ..terms() };
    let spot = |elapsed_slots, external: &[ExternalLevel]| {
        let auction = Auction {
            start: Price(150_000_000),
            end: Price(151_000_000),
            duration_slots: 10,
            elapsed_slots,
        };
        let taker = Taker { auction: Some(auction), ..buy(STEP * 4) };
        let jit = [Some(key(1)), None].map(|maker| JitOffer {
            maker,
            order_id: None,
            price: Price(150_200_001),
            size: BaseQty(STEP),
            is_quote: false,
        });
        let mut makers = [maker(2, 150_100_000, STEP), maker(3, 150_500_000, STEP)].into_iter();
        let makers = &mut makers;
        let liquidity = Liquidity { external, jit: &jit, ..Liquidity::of_makers(market, makers) };
        let taker = Taker { key: Some(key(1)), ..taker };
        let walk = walk(&taker, liquidity, Model::Onchain);
        walk.fills.iter().map(|fill| (fill.source, fill.price.0)).collect::<Vec<_>>()
    };
    use FillSource::{Dlob, External, Jit};
    let all = [(Dlob, 150_100_000), (Jit, 150_200_100), (Dlob, 150_500_000)];
    assert_eq!(spot(0, &[]), []);
    assert_eq!(spot(1, &[]), all[..1]);
    assert_eq!(spot(3, &[]), all[..2]);
    assert_eq!(spot(10, &[]), all);
    assert_eq!(spot(11, &[]), [], "its auction is over, and it has no limit");
    let level = ExternalLevel { price: Price(150_300_000), size: BaseQty(STEP) };
    assert_eq!(spot(2, &[level]), []);
    assert_eq!(spot(3, &[level]), [(External, 150_300_000)]);
}

#[test]
fn the_amm_does_not_fill_less_than_a_smallest_order_for_a_large_position() {
    let amm = PerpAmm { min_order_size: STEP * 10, ..amm() };
    let wants =
        Order { base_asset_amount: BaseQty(STEP * 5), ..order(Direction::Long, 151_000_000, 0) };
    let filled = |position: u64, reduce_only: bool| {
        let taker = Order { reduce_only, ..wants };
        let mut request = request(&[], taker, amm);
        request.taker_position = -position.cast_signed();
        fill(&request).unwrap().totals().0
    };
    assert_eq!(filled(STEP * 10, false), u128::from(STEP * 5));
    assert_eq!(filled(STEP * 10 + 1, false), 0);
    assert_eq!(filled(STEP * 10 + 1, true), u128::from(STEP * 5));
}

#[test]
fn a_taker_without_limit_is_bound_by_the_amm_or_else_by_the_oracle() {
    let amm = amm();
    let price = |amm: &PerpAmm, taker, seconds| {
        amm.fallback_price(taker, Price(150_000_000), ORACLE, seconds).unwrap().0
    };
    // A hundredth through the AMM's quote at the end of the order's life, a two-hundredth before.
    assert_eq!(price(&amm, Direction::Long, 0), 150_075_000 + 1_500_750);
    assert_eq!(price(&amm, Direction::Short, 30), 149_925_000 - 749_625);
    let empty = PerpAmm {
        min_base_asset_reserve: u128::MAX,
        max_base_asset_reserve: 0,
        last_ask_price_twap: 151_000_000,
        last_bid_price_twap: 149_500_000,
        ..amm
    };
    assert_eq!(price(&empty, Direction::Long, 0), 150_000_000 + 1_000_000 + 15_000_000);
    assert_eq!(price(&empty, Direction::Short, 30), 150_000_000 - 500_000 - 3_000_000);
}

/// A market as the program fills it.
fn request<'a>(makers: &'a [MakerOrder], taker: Order, amm: PerpAmm) -> Request<'a> {
    let tier = FeeStructure::perps_default(Program::Drift).tiers[0];
    Request {
        taker_key: key(255),
        taker,
        taker_position: 0,
        terms: TakerTerms {
            tier,
            is_high_leverage: false,
            is_referred: false,
            builder_fee_tenth_bps: None,
            addon_tenth_bps: 0,
        },
        maker_tier: tier,
        makers,
        amm,
        is_amm_available: true,
        moment: Moment {
            clock: Slot(100).into(),
            now: UnixSeconds(1_000),
            oracle: OraclePrice(ORACLE),
            tick: Price(TICK),
            step: BaseQty(STEP),
            is_prediction: false,
            margin_ratio_initial: Some(1_000),
            protected: None,
        },
    }
}

fn direction() -> impl Strategy<Value = Direction> {
    prop_oneof![Just(Direction::Long), Just(Direction::Short)]
}

fn order(direction: Direction, price: u64, size: u64) -> Order {
    Order {
        status: OrderStatus::Open,
        order_type: OrderType::Limit,
        direction,
        price: Price(price),
        base_asset_amount: BaseQty(size),
        slot: Slot(1),
        ..Order::default()
    }
}

/// Makers around the oracle's price: account, ticks from it, steps, whether reduce-only.
fn makers_of(side: Direction, parts: &[(u8, i16, u16, bool)]) -> Vec<MakerOrder> {
    let mut makers: Vec<MakerOrder> = parts
        .iter()
        .enumerate()
        .map(|(id, (account, ticks, steps, reduce_only))| {
            let price = (ORACLE + i64::from(*ticks) * 100).unsigned_abs();
            let order = Order {
                order_id: u32::try_from(id).unwrap(),
                reduce_only: *reduce_only,
                ..order(side, price, u64::from(*steps) * STEP)
            };
            let position = if side == Direction::Long { -300_000_000 } else { 300_000_000 };
            MakerOrder { key: key(account % 4), order, position, is_protected: false }
        })
        .collect();
    makers.sort_by_key(|maker| (maker.key, maker.order.order_id));
    makers
}

/// The invariants of every fill: amounts, limits, positions and the curve.
fn check(request: &Request<'_>, fills: &Fills) -> Result<(), TestCaseError> {
    let (base, _) = fills.totals();
    let wanted = request.taker.unfilled().0;
    prop_assert!(base <= u128::from(wanted));
    let filled = fills.taker_filled.0 - request.taker.base_asset_amount_filled.0;
    prop_assert_eq!(base, u128::from(filled));
    let mut from_amm = 0_i128;
    for fill in &fills.fills {
        prop_assert!(fill.base.0 > 0);
        let paid = u128::from(fill.quote.0) * 1_000_000_000;
        let cost = |price: Price, more: u64| {
            (u128::from(price.0) + u128::from(more)) * u128::from(fill.base.0)
        };
        if let Some(limit) = fills.limit_price {
            // A unit of quote is rounding.
            match request.taker.direction {
                Direction::Long => prop_assert!(paid < cost(limit, 1) + 1_000_000_000),
                Direction::Short => prop_assert!(paid + 1_000_000_000 >= cost(limit, 0)),
            }
        }
        match fill.source {
            Source::Maker(index) => {
                prop_assert!(fill.base <= request.makers[index].order.unfilled());
            }
            Source::Amm | Source::AmmJit => from_amm += i128::from(fill.base.0),
        }
    }
    let signed = if request.taker.direction == Direction::Long { from_amm } else { -from_amm };
    let (before, after) = (&request.amm, &fills.amm);
    prop_assert_eq!(after.base_asset_amount_with_amm - before.base_asset_amount_with_amm, signed);
    let moved = before.base_asset_reserve.cast_signed() - after.base_asset_reserve.cast_signed();
    prop_assert_eq!(moved, signed);
    if from_amm > 0 {
        // The product is k less the remainder of one division.
        let product = U256::product(after.base_asset_reserve, after.quote_asset_reserve);
        prop_assert!(product <= after.reserves().invariant());
        let more = U256::product(after.base_asset_reserve, after.quote_asset_reserve + 1);
        prop_assert!(more > after.reserves().invariant());
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 2_000, failure_persistence: None, ..ProptestConfig::default()
    })]

    #[test]
    fn fills_keep_sizes_limits_and_the_curve(
        taker in direction(), ticks in -3_000_i64..3_000, steps in 1_u64..5_000,
        has_limit in any::<bool>(), net in -10_i128.pow(14)..10_i128.pow(14), jit in 0_u8..=100,
        parts in prop::collection::vec((any::<u8>(), -2_000_i16..2_000, 0_u16..500, any::<bool>()), 0..12),
    ) {
        let makers = makers_of(taker.opposite(), &parts);
        let mut amm = PerpAmm { base_asset_amount_with_amm: net, amm_jit_intensity: jit, ..amm() };
        amm.update_spreads(Price(150_000_000), None).unwrap();
        let price = if has_limit { (ORACLE + ticks * 100).unsigned_abs() } else { 0 };
        let order_type = if has_limit { OrderType::Limit } else { OrderType::Market };
        let taker = Order { order_type, ..order(taker, price, steps * STEP) };
        let request = request(&makers, taker, amm);
        let fills = fill(&request).unwrap();
        check(&request, &fills)?;
        // The fills of reduce-only makers together do not exceed their account's position.
        for account in 0..4 {
            let reduced: u64 = fills.fills.iter().filter_map(|fill| match fill.source {
                Source::Maker(index) if makers[index].key == key(account) => {
                    makers[index].order.reduce_only.then_some(fill.base.0)
                }
                _ => None,
            }).sum();
            prop_assert!(reduced <= 300_000_000);
        }
    }

    #[test]
    fn no_fields_make_it_panic(
        taker in direction(), price in any::<u64>(), size in any::<u64>(), filled in any::<u64>(),
        position in any::<i64>(), oracle in any::<i64>(), words in prop::array::uniform10(any::<u128>()),
        shifts in prop::array::uniform10(0_u32..127), net in any::<i128>(), small in any::<[u8; 6]>(),
        makers in prop::collection::vec((any::<u64>(), any::<u64>(), any::<i64>(), any::<bool>()), 0..9),
        slot in any::<u64>(), ts in any::<i64>(), fee_adjustment in any::<i16>(),
    ) {
        let word = |at: usize| words[at] >> shifts[at];
        let half = |at: usize| u64::try_from(word(at) & u128::from(u64::MAX)).unwrap();
        let third = |at: usize| u32::try_from(word(at) & u128::from(u32::MAX)).unwrap();
        let hostile = PerpAmm {
            base_asset_reserve: word(0), quote_asset_reserve: word(1), sqrt_k: word(2),
            peg_multiplier: word(3), terminal_quote_asset_reserve: word(4),
            min_base_asset_reserve: word(5), max_base_asset_reserve: word(6),
            ask_base_asset_reserve: word(7), ask_quote_asset_reserve: word(8),
            bid_base_asset_reserve: word(9), bid_quote_asset_reserve: word(1),
            base_asset_amount_with_amm: net, base_asset_amount_with_unsettled_lp: net,
            total_fee_minus_distributions: net, net_revenue_since_last_funding: position,
            order_step_size: half(2), order_tick_size: half(3), min_order_size: half(4),
            long_spread: u32::from_le_bytes([small[0]; 4]), short_spread: third(5),
            base_spread: third(6), max_spread: third(7),
            mark_std: half(8), oracle_std: half(9), volume_24h: half(1),
            curve_update_intensity: small[1], amm_jit_intensity: small[2],
            amm_spread_adjustment: small[3].cast_signed(),
            amm_inventory_spread_adjustment: small[4].cast_signed(),
            max_fill_reserve_fraction: u16::from(small[5]), is_prediction: small[5] & 1 == 1,
            reference_price_offset: third(6).cast_signed(), last_24h_avg_funding_rate: ts,
            last_oracle_price_twap: oracle, last_oracle_price_twap_5min: ts,
            last_oracle_reserve_price_spread_pct: ts, last_oracle_conf_pct: half(2),
            program: if small[5] & 2 == 2 { Program::Velocity } else { Program::Drift },
            concentration_coef: word(9), market_config: small[0], funding_bias_sensitivity: small[1],
            last_funding_oracle_twap: position, fee_adjustment, ..amm()
        };
        let mut updated = hostile;
        let inputs = AmmInputs {
            oracle_price: oracle, oracle_confidence: size, now: ts, slot,
        };
        let _ = updated.update_spreads(Price(price), Some(&inputs));
        let _ = hostile.before_fill(&inputs);
        let makers: Vec<MakerOrder> = makers.iter().map(|(price, size, position, reduce_only)| {
            let order = Order { reduce_only: *reduce_only, ..order(taker.opposite(), *price, *size) };
            MakerOrder { key: key(price.to_le_bytes()[0]), order, position: *position, is_protected: *reduce_only }
        }).collect();
        let order = Order {
            base_asset_amount_filled: BaseQty(filled), reduce_only: small[0] & 1 == 1,
            post_only: small[0] & 2 == 2, max_ts: UnixSeconds(ts), auction_duration: small[1] & 15,
            auction_start_price: position, auction_end_price: ts, ..order(taker, price, size)
        };
        for amm in [hostile, updated] {
            let mut request = request(&makers, order, amm);
            request.taker_position = position;
            request.moment.clock = Slot(slot).into();
            request.moment.now = UnixSeconds(ts.wrapping_neg());
            request.moment.oracle = OraclePrice(oracle);
            if let Ok(fills) = fill(&request) {
                prop_assert!(fills.totals().0 <= u128::from(order.unfilled().0));
                let _ = fills.is_within_bands(&request.moment);
            }
        }
    }

    #[test]
    fn without_amm_and_offers_it_is_the_specifications(
        taker in direction(), ticks in -200_i64..200, steps in 1_u64..120,
        parts in prop::collection::btree_map(-200_i64..200, 1_u64..20, 0..8),
    ) {
        // Seven makers with different prices: the number that one fill tries, without ties.
        let mut makers: Vec<Maker> = parts
            .iter()
            .zip(1_u8..=7)
            .map(|((ticks, steps), number)| {
                maker(number, (ORACLE + ticks * 100).unsigned_abs(), steps * STEP)
            })
            .collect();
        if taker == Direction::Short {
            makers.reverse();
        }
        let limit = Price((ORACLE + ticks * 100).unsigned_abs());
        // A seller of a quote amount may skip part of a better bid for a worse one that fits; the
        // program knows no quote amounts and does not.
        let in_quote = Size::Quote(QuoteQty(steps * 1_500_000));
        let in_base = Size::Base(BaseQty(steps * STEP));
        let sizes = if taker == Direction::Long { [in_base, in_quote] } else { [in_base; 2] };
        for size in sizes {
            let taker = Taker::limit(taker, size, limit);
            let [spec, onchain] = [Model::Spec, Model::Onchain].map(|model| {
                let mut makers = makers.iter().copied();
                walk(&taker, Liquidity::of_makers(terms(), &mut makers), model)
            });
            prop_assert_eq!(spec, onchain);
        }
    }
}

//! Uncrossing against its rules applied to whole sides, and its invariants.

use std::collections::BTreeMap;

use proptest::prelude::*;
use slotbook_book::Side;
use slotbook_protocol::model::units::{OraclePrice, Price};
use slotbook_wire::level::{SOURCES, SourcedLevel};
use slotbook_wire::uncross::{Crossing, UncrossRules};

type Sides = (Vec<SourcedLevel>, Vec<SourcedLevel>);

#[derive(Clone, Debug)]
struct Case {
    bids: Vec<SourcedLevel>,
    asks: Vec<SourcedLevel>,
    reference: i64,
    gap: u64,
    own_bids: Vec<Price>,
    own_asks: Vec<Price>,
}

impl Case {
    /// A case of order levels, none of them the reader's own.
    fn of(bids: &[(u64, u128)], asks: &[(u64, u128)], reference: i64) -> Self {
        let levels = |levels: &[(u64, u128)]| levels.iter().map(|level| dlob(*level)).collect();
        let (bids, asks) = (levels(bids), levels(asks));
        Self { bids, asks, reference, gap: 1, own_bids: Vec::new(), own_asks: Vec::new() }
    }

    /// Both sides uncrossed, and the number of levels read from each.
    fn uncrossed(&self) -> (Sides, [usize; 2]) {
        let rules = UncrossRules {
            reference: OraclePrice(self.reference),
            gap: Price(self.gap),
            own_bids: &self.own_bids,
            own_asks: &self.own_asks,
        };
        let mut crossing = Crossing::default();
        let mut bids = self.bids.iter().copied().peekable();
        let mut asks = self.asks.iter().copied().peekable();
        crossing.move_crossing(&mut bids, &mut asks, &rules);
        let touched = Side::BOTH.map(|side| crossing.moved(side).len());
        let (bids, asks) = crossing.merged(bids, asks);
        ((bids.collect(), asks.collect()), touched)
    }
}

fn dlob((price, size): (u64, u128)) -> SourcedLevel {
    SourcedLevel { price: Price(price), sizes: [size, 0, 0] }
}

/// Sizes by price and source.
#[derive(Default)]
struct Ladder(BTreeMap<u64, [u128; SOURCES]>);

impl Ladder {
    fn put(&mut self, price: i128, level: &SourcedLevel) {
        let price = u64::try_from(price.max(0)).unwrap_or(u64::MAX);
        let sums = self.0.entry(price).or_default();
        sums.iter_mut().zip(level.sizes).for_each(|(sum, size)| *sum += size);
    }

    fn ascending(self) -> Vec<SourcedLevel> {
        let level = |(price, sizes)| SourcedLevel { price: Price(price), sizes };
        self.0.into_iter().map(level).collect()
    }
}

/// The rules of `facts/dlob-semantics.md` 4.8, step by step to the end of both sides.
fn by_the_rules(case: &Case) -> Sides {
    let price = |level: &SourcedLevel| i128::from(level.price.0);
    let (reference, gap) = (i128::from(case.reference), i128::from(case.gap));
    let tops = case.bids.first().zip(case.asks.first());
    if tops.is_none_or(|(bid, ask)| bid.price < ask.price) {
        return (case.bids.clone(), case.asks.clone());
    }
    let (mut bids, mut asks) = (Ladder::default(), Ladder::default());
    let (mut i, mut j) = (0, 0);
    let (mut max_bid, mut min_ask) = (i128::MAX, i128::MIN);
    while let (Some(bid), Some(ask)) = (case.bids.get(i), case.asks.get(j)) {
        let (b, a) = (price(bid), price(ask));
        let (mut takes_bid, mut takes_ask) = (true, true);
        if case.own_bids.contains(&bid.price) {
            bids.put(b, bid);
            takes_ask = false;
        } else if case.own_asks.contains(&ask.price) {
            asks.put(a, ask);
            takes_bid = false;
        } else if b < a {
            bids.put(b.min(max_bid), bid);
            asks.put(a.max(min_ask), ask);
        } else if b > reference && a > reference {
            max_bid = max_bid.min(a - gap);
            bids.put(max_bid, bid);
            takes_ask = false;
        } else if b < reference && a < reference {
            min_ask = min_ask.max(b + gap);
            asks.put(min_ask, ask);
            takes_bid = false;
        } else {
            max_bid = max_bid.min(reference - gap);
            min_ask = min_ask.max(reference + gap);
            bids.put(max_bid, bid);
            asks.put(min_ask, ask);
        }
        i += usize::from(takes_bid);
        j += usize::from(takes_ask);
    }
    case.bids[i..].iter().for_each(|bid| bids.put(price(bid), bid));
    case.asks[j..].iter().for_each(|ask| asks.put(price(ask), ask));
    let mut bids = bids.ascending();
    bids.reverse();
    (bids, asks.ascending())
}

/// Levels in a narrow range of prices, so that they often cross or meet.
fn side(side: Side) -> impl Strategy<Value = Vec<SourcedLevel>> {
    let sizes = prop_oneof![Just([5, 0, 0]), Just([1, 7, 0]), Just([0, 0, 3])];
    proptest::collection::btree_map(1_u64..60, sizes, 0..12).prop_map(move |levels| {
        let level = |(price, sizes)| SourcedLevel { price: Price(price), sizes };
        let mut levels: Vec<_> = levels.into_iter().map(level).collect();
        if side == Side::Bid {
            levels.reverse();
        }
        levels
    })
}

prop_compose! {
    fn case()(
        bids in side(Side::Bid),
        asks in side(Side::Ask),
        reference in prop_oneof![8 => 0_i64..70, 1 => any::<i64>()],
        gap in prop_oneof![Just(1_u64), Just(2), Just(7), Just(80)],
        own in proptest::collection::vec((1_u64..60, any::<bool>()), 0..3),
    ) -> Case {
        let own_of = |is_bid: bool| {
            let own = own.iter().filter(move |(_, bid)| *bid == is_bid);
            own.map(|(price, _)| Price(*price)).collect()
        };
        Case { bids, asks, reference, gap, own_bids: own_of(true), own_asks: own_of(false) }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn it_equals_the_rules_over_whole_sides(case in case()) {
        prop_assert_eq!(case.uncrossed().0, by_the_rules(&case));
    }

    #[test]
    fn a_book_that_is_not_crossed_is_not_touched(case in case()) {
        let (bids, asks) = (case.bids.clone(), case.asks.clone());
        if bids.first().zip(asks.first()).is_none_or(|(bid, ask)| bid.price < ask.price) {
            prop_assert_eq!(case.uncrossed(), ((bids, asks), [0, 0]));
        }
    }
}

#[test]
fn levels_behind_the_crossing_are_not_taken() {
    let bids: Vec<_> = (1..=1_000).rev().map(|price| (price, 1)).collect();
    let asks: Vec<_> = (998..2_000).map(|price| (price, 1)).collect();
    let ((bids, asks), touched) = Case::of(&bids, &asks, 999).uncrossed();
    assert_eq!(touched, [3, 3]);
    assert_eq!(bids.first(), Some(&dlob((998, 3))));
    assert_eq!(asks.first(), Some(&dlob((1_000, 3))));
    assert_eq!((bids.len(), asks.len()), (998, 1_000));
}

#[test]
fn the_ends_of_the_number_range_do_not_overflow() {
    let top = u64::MAX;
    for reference in [i64::MIN, -1, 0, i64::MAX] {
        let case =
            Case { gap: top, ..Case::of(&[(top, 1), (0, 2)], &[(0, 3), (top, 4)], reference) };
        let (bids, asks) = case.uncrossed().0;
        let size =
            |levels: &[SourcedLevel]| levels.iter().map(|level| level.sizes[0]).sum::<u128>();
        assert_eq!((size(&bids), size(&asks)), (3, 7));
    }
}

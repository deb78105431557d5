//! Indicative quotes: shown rows, lifetime and prices.

use crate::common::{
    self, Bench, NOW, ORACLE, OrderBytes, SLOT, key, lazer, perp_market, user, with_byte,
};
use slotbook_book::limits::{INDICATIVE_MAKERS_MAX, INDICATIVE_QUOTES_MAX, QUOTE_LIFE_MS};
use slotbook_book::{
    INDICATIVE_MAKER, IndicativeError, IndicativePolicy, IndicativeQuote, MarketId, QuotedSide,
    Side,
};
use slotbook_protocol::model::enums::MarketType;
use slotbook_protocol::model::units::{Pubkey, Slot};

/// When the quotes of the tests are sent.
const SENT_MS: u64 = 1_700_000_000_000;

fn side(price: i64, size: u64) -> Option<QuotedSide> {
    Some(QuotedSide { price, size })
}

fn fixed(bid: Option<QuotedSide>, ask: Option<QuotedSide>) -> IndicativeQuote {
    IndicativeQuote { bid, ask, is_oracle_offset: false }
}

fn offset(bid: Option<QuotedSide>, ask: Option<QuotedSide>) -> IndicativeQuote {
    IndicativeQuote { bid, ask, is_oracle_offset: true }
}

struct Quoting {
    bench: Bench,
    ts_ms: u64,
}

impl Quoting {
    fn new() -> Self {
        Self { bench: Bench::new(), ts_ms: SENT_MS }
    }

    fn quote(&mut self, maker: Pubkey, quotes: &[IndicativeQuote]) -> Result<(), IndicativeError> {
        let id = self.bench.perp();
        self.bench.book.set_indicative(id, maker, quotes, self.ts_ms)?;
        self.bench.book.check_integrity().expect("every invariant holds");
        Ok(())
    }

    /// Ends a turn and returns whether the perp market changed.
    fn turn(&mut self) -> bool {
        let id = self.bench.perp();
        self.bench.book.end_turn(self.ts_ms).contains(&id)
    }

    fn turn_at(&mut self, ts_ms: u64) -> bool {
        self.ts_ms = ts_ms;
        self.turn()
    }

    fn levels(&mut self, side: Side) -> Vec<(u64, u128)> {
        let id = self.bench.perp();
        self.levels_of(id, side)
    }

    fn levels_of(&mut self, id: MarketId, side: Side) -> Vec<(u64, u128)> {
        self.turn();
        self.bench.book.refresh_quotes(id);
        self.bench.book.check_integrity().expect("every invariant holds");
        let levels = self.bench.book.indicative_levels(id, side);
        levels.iter().map(|level| (level.price.0, level.size)).collect()
    }

    /// Rows as (price, size, queue, id, slot).
    fn rows(&mut self, side: Side) -> Vec<(u64, u64, u128, u32, Slot)> {
        self.turn();
        let id = self.bench.perp();
        self.bench.book.refresh_quotes(id);
        let rows = self.bench.book.indicative_orders(id, side);
        assert!(rows.iter().all(|row| row.maker == INDICATIVE_MAKER && row.post_only));
        rows.iter()
            .map(|row| (row.price.0, row.size.0, row.queue, row.order_id, row.slot))
            .collect()
    }
}

#[test]
fn fixed_prices_are_kept_to_the_tick_bids_down_asks_up() {
    let mut quoting = Quoting::new();
    quoting.quote(key(1), &[fixed(side(1_009, 50), side(1_011, 70))]).unwrap();
    assert_eq!(quoting.levels(Side::Bid), [(1_000, 50)]);
    assert_eq!(quoting.levels(Side::Ask), [(1_020, 70)]);
}

#[test]
fn offsets_follow_the_one_oracle_reading_and_zero_is_the_oracle() {
    let mut quoting = Quoting::new();
    let quotes = [offset(side(0, 50), side(0, 60)), offset(side(-25, 70), side(25, 80))];
    quoting.quote(key(1), &quotes).unwrap();
    assert_eq!(quoting.levels(Side::Bid), [(1_000, 50), (970, 70)]);
    assert_eq!(quoting.levels(Side::Ask), [(1_000, 60), (1_030, 80)]);
    quoting.bench.put(ORACLE, &lazer(2_004, SLOT));
    assert_eq!(quoting.levels(Side::Bid), [(2_000, 50), (1_970, 70)]);
    assert_eq!(quoting.levels(Side::Ask), [(2_010, 60), (2_030, 80)]);
}

#[test]
fn an_offset_below_the_tick_shows_at_the_tick_and_a_fixed_bid_there_is_hidden() {
    let mut quoting = Quoting::new();
    quoting.quote(key(1), &[offset(side(-5_000, 50), None), fixed(side(9, 50), None)]).unwrap();
    assert_eq!(quoting.levels(Side::Bid), [(10, 50)]);
}

#[test]
fn quotes_of_a_maker_replace_each_other_and_none_withdraw_them() {
    let mut quoting = Quoting::new();
    quoting.quote(key(1), &[fixed(side(900, 50), side(1_100, 50))]).unwrap();
    quoting.quote(key(2), &[fixed(side(900, 5), None)]).unwrap();
    assert_eq!(quoting.levels(Side::Bid), [(900, 55)]);
    quoting.quote(key(1), &[fixed(side(910, 60), None)]).unwrap();
    assert_eq!(quoting.levels(Side::Bid), [(910, 60), (900, 5)]);
    assert_eq!(quoting.levels(Side::Ask), []);
    quoting.quote(key(1), &[fixed(None, None)]).unwrap();
    assert_eq!(quoting.levels(Side::Bid), [(900, 5)]);
    quoting.quote(key(2), &[]).unwrap();
    assert_eq!(quoting.levels(Side::Bid), []);
    assert_eq!(quoting.bench.book.indicative_counts().makers, 0);
}

#[test]
fn a_quote_lives_a_thousand_milliseconds_and_not_one_more() {
    let mut quoting = Quoting::new();
    quoting.quote(key(1), &[fixed(side(900, 50), None)]).unwrap();
    assert_eq!(quoting.bench.book.indicative_due_ms(), Some(SENT_MS + 1_000));
    assert!(quoting.turn());
    assert!(!quoting.turn_at(SENT_MS + QUOTE_LIFE_MS - 1), "nothing has changed");
    assert_eq!(quoting.levels(Side::Bid), [(900, 50)]);
    assert!(quoting.turn_at(SENT_MS + QUOTE_LIFE_MS), "the quote has gone");
    assert_eq!(quoting.levels(Side::Bid), []);
    assert_eq!(quoting.bench.book.indicative_due_ms(), None);
    assert!(!quoting.turn_at(SENT_MS + 2 * QUOTE_LIFE_MS));
}

#[test]
fn each_maker_expires_on_its_own() {
    let mut quoting = Quoting::new();
    quoting.quote(key(1), &[fixed(side(900, 50), None)]).unwrap();
    quoting.turn_at(SENT_MS + 600);
    quoting.quote(key(2), &[fixed(side(800, 50), None)]).unwrap();
    quoting.turn_at(SENT_MS + 1_000);
    assert_eq!(quoting.levels(Side::Bid), [(800, 50)]);
    assert_eq!(quoting.bench.book.indicative_due_ms(), Some(SENT_MS + 1_600));
    quoting.turn_at(SENT_MS + 1_600);
    assert_eq!(quoting.levels(Side::Bid), []);
}

#[test]
fn a_quote_sent_again_lives_on_and_changes_nothing() {
    let mut quoting = Quoting::new();
    let quotes = [fixed(side(900, 50), None)];
    quoting.quote(key(1), &quotes).unwrap();
    let before = quoting.rows(Side::Bid);
    quoting.bench.clock(SLOT + 1, NOW);
    quoting.turn_at(SENT_MS + 500);
    quoting.quote(key(1), &quotes).unwrap();
    assert!(!quoting.turn(), "the same quote again is no change");
    quoting.turn_at(SENT_MS + 1_499);
    assert_eq!(quoting.rows(Side::Bid), before);
    quoting.turn_at(SENT_MS + 1_500);
    assert_eq!(quoting.rows(Side::Bid), []);
}

#[test]
fn a_clock_put_back_lets_a_quote_live_a_second_more_at_most() {
    let mut quoting = Quoting::new();
    quoting.quote(key(1), &[fixed(side(900, 50), None)]).unwrap();
    quoting.turn_at(SENT_MS - 3_600_000);
    assert_eq!(quoting.levels(Side::Bid), [(900, 50)]);
    quoting.turn_at(SENT_MS - 3_600_000 + QUOTE_LIFE_MS);
    assert_eq!(quoting.levels(Side::Bid), []);
}

/// Orders of a maker at 900 and 1,100, and a quote better than both.
fn better_than_the_touch() -> Quoting {
    let mut quoting = Quoting::new();
    let orders =
        [OrderBytes::limit(Side::Bid, 900, 500, 1), OrderBytes::limit(Side::Ask, 1_100, 500, 2)];
    quoting.bench.put(key(50), &user(&orders));
    let quotes = [fixed(side(950, 50), side(1_050, 60)), fixed(side(800, 7), side(1_200, 7))];
    quoting.quote(key(1), &quotes).expect("quotes that can be taken");
    quoting
}

#[test]
fn by_default_a_quote_joins_the_touch_and_does_not_improve_it() {
    let mut quoting = better_than_the_touch();
    assert_eq!(quoting.levels(Side::Bid), [(900, 50), (800, 7)]);
    assert_eq!(quoting.levels(Side::Ask), [(1_100, 60), (1_200, 7)]);
    quoting.bench.put(key(50), &user(&[OrderBytes::limit(Side::Bid, 930, 500, 1)]));
    assert_eq!(quoting.levels(Side::Bid), [(930, 50), (800, 7)]);
    assert_eq!(quoting.levels(Side::Ask), [(1_050, 60), (1_200, 7)], "nothing else is there");
}

#[test]
fn a_quote_may_improve_the_touch_where_that_is_set() {
    let mut quoting = better_than_the_touch();
    assert_eq!(quoting.levels(Side::Bid)[0], (900, 50));
    quoting.bench.book.set_indicative_policy(IndicativePolicy::Improve);
    assert_eq!(quoting.levels(Side::Bid), [(950, 50), (800, 7)]);
    assert_eq!(quoting.levels(Side::Ask), [(1_050, 60), (1_200, 7)]);
}

#[test]
fn two_makers_at_one_price_are_one_level_and_two_rows_in_their_order() {
    let mut quoting = Quoting::new();
    quoting.quote(key(9), &[fixed(side(900, 50), None)]).unwrap();
    quoting.bench.clock(SLOT + 1, NOW);
    quoting.quote(key(1), &[fixed(side(905, 60), side(1_000, 5))]).unwrap();
    assert_eq!(quoting.levels(Side::Bid), [(900, 110)]);
    let (first, second) = ((900, 50, 0, 1, Slot(SLOT)), (900, 60, 50, 2, Slot(SLOT + 1)));
    assert_eq!(quoting.rows(Side::Bid), [first, second]);
    assert_eq!(quoting.rows(Side::Ask), [(1_000, 5, 0, 3, Slot(SLOT + 1))]);
}

#[test]
fn a_new_size_or_price_keeps_the_id_and_loses_the_place() {
    let mut quoting = Quoting::new();
    quoting.quote(key(1), &[fixed(side(900, 50), None)]).unwrap();
    quoting.quote(key(2), &[fixed(side(900, 60), None)]).unwrap();
    quoting.bench.clock(SLOT + 1, NOW);
    quoting.quote(key(1), &[fixed(side(900, 55), None)]).unwrap();
    let (first, second) = ((900, 60, 0, 2, Slot(SLOT)), (900, 55, 60, 1, Slot(SLOT + 1)));
    assert_eq!(quoting.rows(Side::Bid), [first, second]);
}

#[test]
fn offsets_without_a_usable_oracle_are_left_out() {
    let mut quoting = Quoting::new();
    quoting.quote(key(1), &[offset(side(0, 50), None), fixed(side(500, 60), None)]).unwrap();
    quoting.bench.put(ORACLE, &[]);
    assert_eq!(quoting.levels(Side::Bid), [(500, 60)]);
}

#[test]
fn a_market_that_shows_nothing_or_reduces_only_shows_no_quotes() {
    for status in [2, 3] {
        let mut quoting = Quoting::new();
        quoting.quote(key(1), &[fixed(side(900, 50), None)]).unwrap();
        assert_eq!(quoting.levels(Side::Bid), [(900, 50)]);
        quoting.bench.put(key(201), &with_byte(perp_market(), 1_162, status));
        assert_eq!(quoting.levels(Side::Bid), [], "status {status}");
    }
}

#[test]
fn sizes_below_a_step_are_hidden_and_a_size_of_zero_is_no_quote() {
    let mut quoting = Quoting::new();
    quoting.quote(key(1), &[fixed(side(900, 4), side(0, 0))]).unwrap();
    assert_eq!(quoting.levels(Side::Bid), []);
    assert_eq!(quoting.levels(Side::Ask), []);
    assert_eq!(quoting.bench.book.indicative_counts().quotes, 1);
}

#[test]
fn sizes_come_at_nine_decimals_and_are_held_in_those_of_the_market() {
    let mut quoting = Quoting::new();
    let spot = with_byte(common::spot_market(), 680, 6);
    quoting.bench.put(key(202), &spot);
    let id = quoting.bench.book.find_market(MarketType::Spot, 1).unwrap();
    let quotes = [fixed(side(900, 1_500_999), None)];
    quoting.bench.book.set_indicative(id, key(1), &quotes, SENT_MS).unwrap();
    assert_eq!(quoting.levels_of(id, Side::Bid), [(900, 1_500)]);
}

#[test]
fn what_cannot_be_a_quote_is_refused_and_the_old_quotes_stand() {
    let mut quoting = Quoting::new();
    quoting.quote(key(1), &[fixed(side(900, 50), None)]).unwrap();
    let refused = [
        (vec![fixed(side(0, 5), None)], IndicativeError::PriceOutOfRange),
        (vec![fixed(None, side(-1, 5))], IndicativeError::PriceOutOfRange),
        (vec![fixed(side(i64::MIN, 5), None)], IndicativeError::PriceOutOfRange),
        (vec![offset(side(1 << 31, 5), None)], IndicativeError::PriceOutOfRange),
        (vec![fixed(None, None); INDICATIVE_QUOTES_MAX + 1], IndicativeError::QuotesExceeded),
    ];
    for (quotes, error) in refused {
        assert_eq!(quoting.quote(key(1), &quotes), Err(error), "{quotes:?}");
    }
    let nowhere = quoting.bench.book.set_indicative(MarketId(99), key(1), &[], SENT_MS);
    assert_eq!(nowhere, Err(IndicativeError::UnknownMarket));
    assert_eq!(quoting.levels(Side::Bid), [(900, 50)]);
}

#[test]
fn the_greatest_numbers_are_shown_or_refused_and_never_panic() {
    let mut quoting = Quoting::new();
    let quotes = [
        fixed(side(i64::MAX, u64::MAX), side(i64::MAX, u64::MAX)),
        offset(side(i64::from(i32::MAX), u64::MAX), side(i64::from(i32::MIN), u64::MAX)),
    ];
    quoting.quote(key(1), &quotes).unwrap();
    quoting.quote(key(2), &quotes).unwrap();
    assert_eq!(quoting.levels(Side::Bid).len(), 2);
    assert_eq!(quoting.levels(Side::Ask)[0], (10, 2 * u128::from(u64::MAX)));
    let id = quoting.bench.book.find_market(MarketType::Spot, 1).unwrap();
    quoting.bench.put(key(202), &with_byte(common::spot_market(), 680, 12));
    let quotes = [fixed(side(900, u64::MAX), None)];
    let refused = quoting.bench.book.set_indicative(id, key(1), &quotes, SENT_MS);
    assert_eq!(refused, Err(IndicativeError::SizeOutOfRange));
    quoting.bench.book.set_indicative(id, key(1), &[fixed(side(5, 5), None)], u64::MAX).unwrap();
    quoting.turn_at(u64::MAX);
}

#[test]
fn the_makers_of_a_market_are_bounded_and_one_that_leaves_makes_room() {
    let mut quoting = Quoting::new();
    let maker = |number: usize| key(u8::try_from(number).unwrap());
    let quotes = [fixed(side(900, 50), None)];
    for number in 0..INDICATIVE_MAKERS_MAX {
        quoting.quote(maker(number), &quotes).unwrap();
    }
    let one_more = maker(INDICATIVE_MAKERS_MAX);
    assert_eq!(quoting.quote(one_more, &quotes), Err(IndicativeError::MakersExceeded));
    assert_eq!(quoting.quote(one_more, &[]), Ok(()), "withdrawing nothing needs no room");
    quoting.quote(maker(0), &quotes).unwrap();
    quoting.quote(maker(0), &[]).unwrap();
    quoting.quote(one_more, &quotes).unwrap();
}

#[test]
fn what_was_not_derived_since_the_last_change_is_not_shown() {
    let mut quoting = Quoting::new();
    quoting.quote(key(1), &[fixed(side(900, 50), None)]).unwrap();
    assert_eq!(quoting.levels(Side::Bid).len(), 1);
    let id = quoting.bench.perp();
    quoting.quote(key(1), &[]).unwrap();
    quoting.turn();
    assert_eq!(quoting.bench.book.indicative_levels(id, Side::Bid), []);
    assert_eq!(quoting.bench.book.indicative_levels(MarketId(99), Side::Bid), []);
}

#[test]
fn what_is_set_or_withdrawn_shows_with_the_next_turn_also_to_the_first_reader() {
    let mut quoting = Quoting::new();
    let id = quoting.bench.perp();
    let shown = |quoting: &mut Quoting| {
        quoting.bench.book.refresh_quotes(id);
        let rows = quoting.bench.book.indicative_orders(id, Side::Bid);
        rows.iter().map(|row| (row.price.0, row.size.0)).collect::<Vec<_>>()
    };
    quoting.turn();
    quoting.quote(key(1), &[fixed(side(900, 50), None)]).unwrap();
    assert_eq!(shown(&mut quoting), []);
    quoting.turn();
    quoting.quote(key(1), &[fixed(side(800, 60), None)]).unwrap();
    quoting.quote(key(2), &[fixed(side(700, 60), None)]).unwrap();
    assert_eq!(shown(&mut quoting), [(900, 50)]);
    quoting.turn();
    quoting.quote(key(1), &[]).unwrap();
    assert_eq!(shown(&mut quoting), [(800, 60), (700, 60)]);
    quoting.turn();
    assert_eq!(shown(&mut quoting), [(700, 60)]);
}

#[test]
fn another_policy_shows_with_the_next_turn_and_changes_the_markets_that_are_quoted() {
    let mut quoting = better_than_the_touch();
    let (perp, spot) = (quoting.bench.perp(), quoting.bench.spot());
    assert_eq!(quoting.levels(Side::Bid)[0], (900, 50));
    let seq = quoting.bench.book.seq(perp).unwrap();
    quoting.bench.book.set_indicative_policy(IndicativePolicy::Join);
    assert!(!quoting.turn(), "it was this one before");
    quoting.bench.book.set_indicative_policy(IndicativePolicy::Improve);
    quoting.bench.book.refresh_quotes(perp);
    let levels = quoting.bench.book.indicative_levels(perp, Side::Bid);
    assert_eq!(levels[0].price.0, 900, "a body of this sequence number stays as it is");
    assert!(quoting.turn());
    assert_eq!(quoting.bench.book.seq(perp), Some(seq + 1));
    assert!(!quoting.bench.book.changed_markets().contains(&spot));
    assert_eq!(quoting.levels(Side::Bid)[0], (950, 50));
}

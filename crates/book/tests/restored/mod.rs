//! A restored book shows the same as the captured one, now and after any updates.
//!
//! `cargo test -p slotbook-book --release --test all restored -- --nocapture` with `SEEDS=1000` for
//! the long form; `SEED=n` replays one seed, `STEPS=10000` makes each longer.
#![expect(clippy::unwrap_used, reason = "a test may panic")]

mod hostile;
mod judge;
mod shown;

use judge::Copies;
use slotbook_book::{FeedState, IndicativePolicy, IndicativeQuote, MarketId, QuotedSide};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::units::Pubkey;

use crate::differential::rng::Rng;

/// A life of books that are captured and restored.
type Life = crate::differential::life::Life<Copies>;

/// Seeds of a plain test run, and commands of one.
const SEEDS_DEFAULT: u64 = 40;
const STEPS_DEFAULT: u64 = 200;

/// Commands of the one long life of a plain test run.
const LONG_STEPS: u64 = 10_000;

fn number_from(variable: &str) -> Option<u64> {
    std::env::var(variable).ok().map(|text| text.parse().unwrap())
}

/// Random changes outside of accounts: the feed state, quotes and their policy, and the end of
/// turns.
fn happen(life: &mut Life, rng: &mut Rng, ts_ms: u64) {
    let books = &mut life.books;
    match rng.below(12) {
        0 => {
            let states = [FeedState::Live, FeedState::Live, FeedState::Lagging, FeedState::Stale];
            let state = rng.pick(&states);
            books.each(|book| book.set_state(state));
        }
        1 => {
            let policies = [IndicativePolicy::Join, IndicativePolicy::Improve];
            let policy = rng.pick(&policies);
            books.each(|book| book.set_indicative_policy(policy));
        }
        2..=5 => {
            let market = MarketId(u16::try_from(rng.below(7)).unwrap());
            let maker = Pubkey([u8::try_from(rng.below(5)).unwrap(); 32]);
            let quotes: Vec<_> = (0..rng.below(4)).map(|_| quote(rng)).collect();
            // A sender's clock differs from the clock of turns.
            let sent_ms = ts_ms.saturating_add_signed(rng.between(-900, 300));
            books.each(|book| {
                let _refused = book.set_indicative(market, maker, &quotes, sent_ms);
            });
        }
        _ => {}
    }
}

/// Odd seeds are lives of Drift v2.
fn life_of(seed: u64) -> Life {
    let program = if seed.is_multiple_of(2) { Program::Velocity } else { Program::Drift };
    Life::new(program, seed)
}

fn quote(rng: &mut Rng) -> IndicativeQuote {
    let is_oracle_offset = rng.one_in(2);
    let around = if is_oracle_offset { 0 } else { 1_000_000 };
    let side = |rng: &mut Rng| {
        let price = around + rng.between(-1_000, 1_000);
        (!rng.one_in(4)).then_some(QuotedSide { price, size: rng.below(5_000) })
    };
    IndicativeQuote { bid: side(rng), ask: side(rng), is_oracle_offset }
}

/// One run in which the book is captured and restored at random ends of turns. A few restored books
/// continue, and show the same as the first one. Returns the number of restored books, and of
/// updates that one of them took by the changes.
fn run(seed: u64, steps: u64) -> [usize; 2] {
    let mut life = life_of(seed);
    let mut rng = Rng::new(!seed);
    let mut restored = 0;
    let mut ts_ms = 1_700_000_000_000;
    // A long run keeps restored books for longer.
    let restores_each = 25.max(steps / 20);
    for step in 0..steps {
        life.step();
        happen(&mut life, &mut rng, ts_ms);
        if rng.one_in(3) {
            continue;
        }
        ts_ms = ts_ms.saturating_add_signed(rng.pick(&[1, 50, 400, 400, 1_500, -300]));
        life.books.end_turn(ts_ms);
        if rng.one_in(restores_each) {
            life.books.restore();
            restored += 1;
        }
        if rng.one_in(10.max(steps / 100)) {
            life.books.compare().unwrap_or_else(|text| panic!("seed {seed} step {step}: {text}"));
        }
    }
    life.books.end_turn(ts_ms + 1);
    life.books.compare().unwrap_or_else(|text| panic!("seed {seed} at the end: {text}"));
    let restored = restored + life.books.restored_within_snapshots;
    [restored, life.books.taken_by_changes]
}

#[test]
fn a_restored_book_shows_what_the_captured_one_does_now_and_later() {
    let steps = number_from("STEPS").unwrap_or(STEPS_DEFAULT);
    if let Some(seed) = number_from("SEED") {
        println!("seed {seed}");
        run(seed, steps);
        return;
    }
    let seeds = number_from("SEEDS").unwrap_or(SEEDS_DEFAULT);
    let runs = (1..=seeds).map(|seed| run(seed, steps));
    let [restored, by_changes] = runs.fold([0, 0], |sum, run| [sum[0] + run[0], sum[1] + run[1]]);
    println!("seeds 1 to {seeds}, {steps} commands each: {restored} books restored");
    println!("{by_changes} updates taken by their changes");
    assert!(restored > 0 && by_changes > 1_000);
}

#[test]
fn a_restored_book_is_right_ten_thousand_commands_later() {
    run(7, LONG_STEPS);
}

//! Compares the fast book with the naive one under seeded random commands.
//!
//! `cargo test -p slotbook-book --release --test all differential -- --nocapture` with
//! `SEEDS=10000` for the long form; `SEED=n` replays one seed and prints its commands.

pub(crate) mod judge;
pub(crate) mod life;
mod relaid;
pub(crate) mod rng;
mod versions;
pub(crate) mod world;

use judge::Pair;
use life::Life;
use slotbook_naive::Stamp;
use slotbook_protocol::model::Program;
use versions::{QuoteVersions, Versions};

/// Seeds of a plain test run.
const SEEDS_DEFAULT: u64 = 300;
/// Commands of one seed.
const STEPS: usize = 150;

fn number_from(variable: &str) -> Option<u64> {
    let text = std::env::var(variable).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{variable} was {text}, must be a number")))
}

/// Coverage of rare situations.
#[derive(Default)]
struct Met {
    amm_levels: usize,
    quote_turns: usize,
}

/// Runs one seed; `Err` names the first command after which the books differ.
fn run_seed(program: Program, seed: u64, is_replay: bool) -> Result<Met, String> {
    let mut life = Life::<Pair>::new(program, seed);
    life.books.compare().map_err(|text| format!("seed {seed} at the start: {text}"))?;
    if seed % 2 == 1 {
        // Enables the maintained hashes; each comparison recounts them.
        life.books.fast.market_hashes(&mut Vec::new());
    }
    let mut commands: Vec<String> = Vec::new();
    let mut versions = Versions::default();
    let mut quote_versions = QuoteVersions::default();
    let mut met = Met::default();
    for (step, turn) in (0..STEPS).zip(1..) {
        let command = life.step();
        if is_replay {
            println!("{step}: {command}");
        }
        commands.push(command);
        let mut same = life.books.compare();
        same = same.and_then(|()| versions.check(&mut life.books.fast, turn));
        // Readings between turns must not change the result.
        if turn % (1 + 2 * (seed % 3)) == 0 {
            same = same
                .and_then(|()| life.books.compare_quotes())
                .map(|levels| met.amm_levels += levels)
                .and_then(|()| quote_versions.check(&mut life.books.fast));
        }
        same.map_err(|text| {
            let last = commands[commands.len().saturating_sub(5)..].join("; ");
            format!("seed {seed} step {step}: {text}\n  after: {last}")
        })?;
    }
    met.quote_turns = versions.quote_turns;
    Ok(met)
}

// Specification: order-detected, order-rests, order-expired, order-fifo, limit-auction, does-4.
// Specification: order-filled, order-canceled, order-all, does-3-sorts, shape-order.
// Specification: does-7-price, does-7-moves.
#[test]
fn fast_book_equals_naive_book_after_every_random_command() {
    compare_books(Program::Drift);
}

#[test]
fn fast_book_equals_naive_book_after_every_random_command_of_velocity() {
    compare_books(Program::Velocity);
}

fn compare_books(program: Program) {
    if let Some(seed) = number_from("SEED") {
        println!("seed {seed}");
        run_seed(program, seed, true).unwrap_or_else(|text| panic!("{text}"));
        return;
    }
    let seeds = number_from("SEEDS").unwrap_or(SEEDS_DEFAULT);
    println!("seeds 1 to {seeds}, {STEPS} commands each");
    let (met, failures): (Vec<_>, Vec<_>) =
        (1..=seeds).map(|seed| run_seed(program, seed, false)).partition(Result::is_ok);
    let failures: Vec<String> = failures.into_iter().filter_map(Result::err).take(10).collect();
    assert!(failures.is_empty(), "the books differ; SEED=n replays:\n{}", failures.join("\n"));
    let met = met.into_iter().flatten().fold(Met::default(), |sum, one| Met {
        amm_levels: sum.amm_levels + one.amm_levels,
        quote_turns: sum.quote_turns + one.quote_turns,
    });
    println!("{} levels of AMMs, {} turns of quotes alone", met.amm_levels, met.quote_turns);
    assert!(met.amm_levels > 0 && met.quote_turns > 0, "AMMs never quoted, or never moved alone");
}

/// Seed 7042 sets `sqrtK` to 0 while the oracle's price is invalid, and then makes the price valid.
#[test]
fn an_amm_without_a_curve_has_no_levels() {
    run_seed(Program::Drift, 7042, false).unwrap_or_else(|text| panic!("{text}"));
}

#[test]
fn a_missed_update_is_noticed() {
    let mut life = Life::<Pair>::new(Program::Drift, 1);
    let market = world::market_key((1, 0));
    let mut settled = life.account(&market);
    settled[1162] = 7;
    life.books.naive.apply(&slotbook_naive::Update {
        pubkey: market,
        owner: world::PROGRAM,
        slot: 1_000,
        stamp: Stamp::Arrival,
        data: &settled,
    });
    assert!(life.books.compare().is_err());
}

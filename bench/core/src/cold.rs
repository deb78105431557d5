//! Cold start and audit: ten thousand accounts at once, whole and in the batches of a feed.

use std::hint::black_box;

use slotbook_book::{AccountUpdate, Book, BookConfig, Gate};
use slotbook_protocol::model::units::{Pubkey, Slot, UnixSeconds};

use crate::chain::{self, OWNER};
use crate::error::BenchError;
use crate::replay::Replay;
use crate::stopwatch::{Measured, Stopwatch};
use crate::workload::{Record, Workload};

/// Raw accounts to the first body of the first market.
pub(crate) fn cold(workload: &Workload, depth: usize) -> Result<String, BenchError> {
    let accounts = accounts(workload);
    let mut body = Vec::new();
    let watch = Stopwatch::start();
    let mut replay = Replay::new(workload.config.program);
    replay.open(workload)?;
    let slot = workload.config.slot;
    replay.book.begin_snapshot(slot);
    for (key, data) in &accounts {
        replay.update(*key, slot, Gate::Snapshot, data)?;
    }
    replay.book.end_snapshot();
    replay.go_live();
    replay.render(replay.market(0)?, depth, &mut body);
    let measured = watch.stop(1);
    black_box(&replay);
    Ok(format!("{{{},\"bytes\":{}}}", measured.json(), body.len()))
}

/// The book of a captured state and the same accounts as those of [`cold`], without a body.
pub(crate) fn restore(workload: &Workload) -> Result<String, BenchError> {
    let replay = Replay::loaded(workload)?;
    let config = workload.config;
    let mut shared = vec![(chain::STATE_KEY, chain::state(config.program))];
    for record in workload.load() {
        if let Record::Oracle { market: index, price: oracle, slot } = record {
            let (tick, step) = (config.tick, config.step);
            let market = chain::PerpMarket { index, tick, step, oracle };
            shared.push((chain::market_key(index), chain::perp_market(config.program, &market)));
            shared.push((chain::oracle_key(index), chain::lazer_oracle(oracle, slot, 1).to_vec()));
        }
    }
    let users = accounts(workload);
    let shared = shared.iter().map(|(key, data)| (*key, data.as_slice()));
    let updates = shared.chain(users.iter().copied()).map(|(pubkey, data)| AccountUpdate {
        pubkey,
        owner: OWNER,
        slot: config.slot,
        gate: Gate::Snapshot,
        data,
    });
    let mut state = Vec::new();
    let capturing = Stopwatch::start();
    replay.book.capture(&mut state);
    let captured = capturing.stop(1);
    drop(replay);
    let terms = BookConfig { program: OWNER, rules: config.program };
    let watch = Stopwatch::start();
    let book = Book::restore(terms, &state, updates)?;
    let measured = watch.stop(1);
    black_box(&book);
    let (bytes, users) = (state.len(), users.len());
    let capture = captured.json();
    Ok(format!(
        "{{{},\"capture\":{{{capture}}},\"stateBytes\":{bytes},\"users\":{users}}}",
        measured.json()
    ))
}

/// The longest calls of a cold start and of an audit that finds nothing, in batches of accounts.
pub(crate) fn blocks(workload: &Workload, batch: usize) -> Result<String, BenchError> {
    let mut longest = Longest::default();
    let accounts = accounts(workload);
    let slot = workload.config.slot;
    let mut replay = Replay::new(workload.config.program);
    longest.time("open", || replay.open(workload))?;
    let names = ["cold begin", "cold batch", "cold end"];
    let cold = Reading { accounts: &accounts, batch, slot, names };
    snapshot(&mut replay, &mut longest, cold)?;
    longest.time("first turn", || {
        replay.go_live();
        Ok(())
    })?;
    let names = ["audit begin", "audit batch", "audit end"];
    let audit = Reading { slot: Slot(slot.0 + 1), names, ..cold };
    snapshot(&mut replay, &mut longest, audit)?;
    time_turns(&mut replay, workload, &mut longest)?;
    Ok(longest.json())
}

/// The work of the clock and of readers on a full book.
fn time_turns(
    replay: &mut Replay,
    workload: &Workload,
    longest: &mut Longest,
) -> Result<(), BenchError> {
    let (slot, now) = (workload.config.slot, workload.config.now);
    longest.time("next slot", || {
        replay.book.set_clock(Slot(slot.0 + 1), UnixSeconds(now.0 + 1));
        replay.end_turn();
        Ok(())
    })?;
    longest.time("clock goes back", || {
        replay.book.set_clock(slot, now);
        replay.end_turn();
        Ok(())
    })?;
    let mut body = Vec::new();
    for index in 0..workload.config.markets {
        let market = replay.market(index)?;
        longest.time("body of depth 1000", || {
            replay.render(market, 1_000, &mut body);
            Ok(())
        })?;
    }
    Ok(())
}

/// One full reading of all accounts.
#[derive(Clone, Copy, Debug)]
struct Reading<'a> {
    accounts: &'a [(Pubkey, &'a [u8])],
    batch: usize,
    slot: Slot,
    /// The names of its first call, its batches and its last call.
    names: [&'static str; 3],
}

fn snapshot(
    replay: &mut Replay,
    longest: &mut Longest,
    reading: Reading<'_>,
) -> Result<(), BenchError> {
    let Reading { accounts, batch, slot, names: [begin, each, end] } = reading;
    longest.time(begin, || {
        replay.book.begin_snapshot(slot);
        Ok(())
    })?;
    for batch in accounts.chunks(batch.max(1)) {
        longest.time(each, || {
            for (key, data) in batch {
                replay.update(*key, slot, Gate::Snapshot, data)?;
            }
            Ok(())
        })?;
    }
    longest.time(end, || {
        black_box(replay.book.end_snapshot());
        Ok(())
    })
}

fn accounts(workload: &Workload) -> Vec<(Pubkey, &[u8])> {
    let account = |record| match record {
        Record::Account { key, data, .. } => Some((key, data)),
        _ => None,
    };
    workload.load().filter_map(account).collect()
}

/// The longest call of each kind, in wall-clock and CPU time: on a busy machine the wall clock also
/// counts other processes.
#[derive(Debug, Default)]
struct Longest {
    calls: Vec<(&'static str, Measured)>,
}

impl Longest {
    fn time(
        &mut self,
        name: &'static str,
        call: impl FnOnce() -> Result<(), BenchError>,
    ) -> Result<(), BenchError> {
        let watch = Stopwatch::start();
        call()?;
        let took = watch.stop(1);
        match self.calls.iter_mut().find(|known| known.0 == name) {
            Some((_, known)) => {
                known.wall = known.wall.max(took.wall);
                known.cpu = known.cpu.max(took.cpu);
            }
            None => self.calls.push((name, took)),
        }
        Ok(())
    }

    fn json(&self) -> String {
        let call = |(name, took): &(&str, Measured)| format!("\"{name}\":{{{}}}", took.json());
        let calls: Vec<String> = self.calls.iter().map(call).collect();
        format!("{{\"calls\":{{{}}}}}", calls.join(","))
    }
}

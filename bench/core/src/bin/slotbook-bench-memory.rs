//! Counts what the core allocates: `memory FILE` for the bytes that a loaded book holds,
//! `steady FILE` for the allocations of updates and of ticks once everything is warm.

use std::alloc::System;
use std::path::Path;

use slotbook_bench::error::BenchError;
use slotbook_bench::replay::{Replay, warm_book};
use slotbook_bench::workload::{Record, Workload};
use slotbook_book::Gate;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, Stats, StatsAlloc};

#[global_allocator]
static ALLOCATOR: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Bodies rendered before and while allocations are counted.
const BODIES: usize = 100;

fn main() -> Result<(), BenchError> {
    let words: Vec<String> = std::env::args().skip(1).collect();
    let answer = match words.iter().map(String::as_str).collect::<Vec<_>>().as_slice() {
        ["memory", file] => memory(&Workload::read(Path::new(file))?)?,
        ["steady", file] => steady(&Workload::read(Path::new(file))?)?,
        _ => return Err(BenchError::UnknownCommand(words.join(" "))),
    };
    println!("{answer}");
    Ok(())
}

/// The memory of a book after a cold start, including maps, tables, spare capacity, and the cached
/// texts of levels.
fn memory(workload: &Workload) -> Result<String, BenchError> {
    let region = Region::new(ALLOCATOR);
    let mut replay = Replay::new(workload.config.program);
    replay.open(workload)?;
    replay.book.begin_snapshot(workload.config.slot);
    for record in workload.load() {
        if let Record::Account { slot, key, data } = record {
            replay.update(key, slot, Gate::Snapshot, data)?;
        }
    }
    replay.book.end_snapshot();
    replay.go_live();
    replay.render(replay.market(0)?, 100, &mut Vec::new());
    let stats = region.change();
    let held = stats.bytes_allocated.saturating_sub(stats.bytes_deallocated);
    let counters = replay.book.counters();
    let (orders, users) = (counters.resting_orders, counters.users);
    Ok(format!("{{\"bytes\":{held},\"orders\":{orders},\"users\":{users}}}"))
}

fn steady(workload: &Workload) -> Result<String, BenchError> {
    let (mut replay, timed) = warm_book(workload)?;
    let updates = Region::new(ALLOCATOR);
    for record in &timed {
        replay.apply(*record)?;
    }
    let updates = calls(&updates.change());
    let market = replay.market(0)?;
    let mut body = Vec::new();
    for _ in 0..BODIES {
        replay.render(market, 100, &mut body);
    }
    let bodies = Region::new(ALLOCATOR);
    for _ in 0..BODIES {
        replay.end_turn();
        replay.render(market, 100, &mut body);
    }
    let (count, bodies) = (timed.len(), calls(&bodies.change()));
    Ok(format!("{{\"updates\":{count},\"updateCalls\":{updates},\"bodyCalls\":{bodies}}}"))
}

/// Calls that asked the allocator for memory.
fn calls(stats: &Stats) -> usize {
    stats.allocations + stats.reallocations
}

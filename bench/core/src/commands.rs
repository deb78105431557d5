//! The commands of the benchmark process: one a line on standard input, one JSON response a line on
//! standard output. `bench/peers/sdk-worker.mjs` takes the same ones.

use std::collections::HashMap;
use std::fmt::Write as _;
use std::hint::black_box;
use std::path::Path;

use slotbook_protocol::model::units::OraclePrice;

use crate::cold;
use crate::encode;
use crate::error::BenchError;
use crate::replay::{Replay, updates, warm_book};
use crate::stopwatch::Stopwatch;
use crate::tree_book::{TreeBook, TreeLevel};
use crate::vamm;
use crate::walks::{self, Takers};
use crate::workload::{Record, Workload};

/// The workloads by name.
#[derive(Debug, Default)]
pub struct Commands {
    workloads: HashMap<String, Workload>,
}

impl Commands {
    /// Runs one command and returns its response.
    ///
    /// # Errors
    /// When the command is not understood, or its workload cannot be read or applied.
    pub fn run(&mut self, line: &str) -> Result<String, BenchError> {
        let unknown = || BenchError::UnknownCommand(line.to_string());
        let mut words = line.split_whitespace();
        let (verb, name) = words.next().zip(words.next()).ok_or_else(unknown)?;
        if verb == "load" {
            return self.load(name, Path::new(words.next().ok_or_else(unknown)?));
        }
        match verb {
            "vamm" => return vamm::vamm(line),
            "vammtime" => return vamm::vammtime(line),
            _ => {}
        }
        if verb == "drop" {
            self.workloads.remove(name);
            return Ok("{}".to_string());
        }
        let workload = self.workloads.get(name).ok_or_else(unknown)?;
        if let "frames" | "encode" = verb {
            return encode::run(workload, line);
        }
        let numbers: Vec<usize> = words.map_while(|word| word.parse().ok()).collect();
        match (verb, numbers.as_slice()) {
            ("tops", &[events, ticks, depth]) => tops(workload, Span { events, ticks }, depth),
            ("treetops", &[events, ticks, depth]) => {
                Ok(tree_tops(workload, Span { events, ticks }, depth))
            }
            ("tick", &[depth, ticks, repeats]) => tick(workload, depth, Ticks { ticks, repeats }),
            ("apply", []) => apply(workload),
            ("hashedapply", []) => hashed_apply(workload),
            ("hashes", &[repeats]) => hashes(workload, repeats),
            ("treeapply", []) => Ok(tree_apply(workload)),
            ("cold", &[depth]) => cold::cold(workload, depth),
            ("restore", []) => cold::restore(workload),
            ("blocks", &[batch]) => cold::blocks(workload, batch),
            ("body", &[depth]) => body(workload, depth),
            ("render", &[depth, repeats]) => render(workload, depth, repeats),
            ("walks", sizes) => walks::walks(workload, &as_sizes(sizes)),
            ("walk", &[size, repeats]) => walks::walk(workload, takers(size, repeats)),
            ("firstwalk", &[size, repeats]) => walks::first_walk(workload, takers(size, repeats)),
            ("match", &[size, repeats]) => walks::match_body(workload, takers(size, repeats)),
            _ => Err(unknown()),
        }
    }

    fn load(&mut self, name: &str, path: &Path) -> Result<String, BenchError> {
        let workload = Workload::read(path)?;
        let records = workload.load().count() + workload.events().count();
        self.workloads.insert(name.to_string(), workload);
        Ok(format!("{{\"records\":{records}}}"))
    }
}

fn as_sizes(numbers: &[usize]) -> Vec<u64> {
    numbers.iter().map(|number| u64::try_from(*number).unwrap_or(u64::MAX)).collect()
}

fn takers(size: usize, repeats: usize) -> Takers {
    Takers { size: u64::try_from(size).unwrap_or(u64::MAX), repeats }
}

/// How much of the events a comparison replays.
#[derive(Clone, Copy, Debug)]
struct Span {
    events: usize,
    ticks: usize,
}

#[derive(Clone, Copy, Debug)]
struct Ticks {
    ticks: usize,
    repeats: usize,
}

/// The bodies after the first events, then after each of the next oracle ticks alone.
fn tops(workload: &Workload, span: Span, depth: usize) -> Result<String, BenchError> {
    let mut replay = Replay::loaded(workload)?;
    for record in workload.events().take(span.events) {
        replay.apply(record)?;
    }
    replay.end_turn();
    let mut bodies = Vec::new();
    let mut body = Vec::new();
    for index in 0..workload.config.markets {
        replay.render(replay.market(index)?, depth, &mut body);
        bodies.push(top(index, &body));
    }
    for (index, record) in oracle_ticks(workload.events().skip(span.events)).take(span.ticks) {
        replay.apply(record)?;
        replay.end_turn();
        replay.render(replay.market(index)?, depth, &mut body);
        bodies.push(top(index, &body));
    }
    Ok(format!("{{\"tops\":[{}]}}", bodies.join(",")))
}

fn top(index: u16, body: &[u8]) -> String {
    format!("{{\"market\":{index},\"body\":{}}}", String::from_utf8_lossy(body))
}

fn tree_tops(workload: &Workload, span: Span, depth: usize) -> String {
    let mut book = TreeBook::default();
    let mut prices = vec![OraclePrice(0); usize::from(workload.config.markets)];
    for record in workload.load().chain(workload.events().take(span.events)) {
        match record {
            Record::Account { slot, key, data } => book.apply(key, slot, data),
            Record::Oracle { market, price, .. } => prices[usize::from(market)] = price,
            Record::Clock { .. } => {}
        }
    }
    let mut rows = Vec::new();
    for index in 0..workload.config.markets {
        rows.push(tree_top(&book, index, prices[usize::from(index)], depth));
    }
    for (index, record) in oracle_ticks(workload.events().skip(span.events)).take(span.ticks) {
        if let Record::Oracle { price, .. } = record {
            rows.push(tree_top(&book, index, price, depth));
        }
    }
    format!("{{\"tops\":[{}]}}", rows.join(","))
}

fn tree_top(book: &TreeBook, index: u16, oracle: OraclePrice, depth: usize) -> String {
    let side = |side| pairs(&book.levels(index, side, oracle, depth));
    format!("{{\"market\":{index},\"bids\":[{}],\"asks\":[{}]}}", side(0), side(1))
}

fn pairs(levels: &[TreeLevel]) -> String {
    let pairs = levels.iter().map(|(price, size)| format!("[\"{price}\",\"{size}\"]"));
    pairs.collect::<Vec<_>>().join(",")
}

fn oracle_ticks<'a>(
    records: impl Iterator<Item = Record<'a>>,
) -> impl Iterator<Item = (u16, Record<'a>)> {
    records.filter_map(|record| match record {
        Record::Oracle { market, .. } => Some((market, record)),
        _ => None,
    })
}

/// Oracle account bytes to a finished body, for each tick. The chain's clock is constant, so prices
/// are published in the slot of the load.
fn tick(workload: &Workload, depth: usize, count: Ticks) -> Result<String, BenchError> {
    let mut replay = Replay::loaded(workload)?;
    let market = replay.market(0)?;
    let ticks: Vec<Record<'_>> = oracle_ticks(workload.events())
        .filter_map(|(market, record)| match record {
            Record::Oracle { price, .. } if market == 0 => {
                Some(Record::Oracle { market, price, slot: workload.config.slot })
            }
            _ => None,
        })
        .take(count.ticks)
        .collect();
    let mut body = Vec::new();
    let mut bytes = 0;
    let mut run = |repeats| -> Result<(), BenchError> {
        for _ in 0..repeats {
            for record in &ticks {
                replay.apply(*record)?;
                replay.end_turn();
                replay.render(market, depth, &mut body);
                bytes += black_box(&body).len();
            }
        }
        Ok(())
    };
    run(count.repeats.div_ceil(10))?;
    let watch = Stopwatch::start();
    run(count.repeats)?;
    let measured = watch.stop(ticks.len() * count.repeats);
    let runs = count.repeats + count.repeats.div_ceil(10);
    let bytes = bytes / (ticks.len() * runs).max(1);
    Ok(format!("{{{},\"bytes\":{bytes}}}", measured.json()))
}

fn apply(workload: &Workload) -> Result<String, BenchError> {
    let (replay, timed) = warm_book(workload)?;
    time_updates(replay, &timed)
}

/// The same in a book that keeps the hashes of its orders.
fn hashed_apply(workload: &Workload) -> Result<String, BenchError> {
    let (mut replay, timed) = warm_book(workload)?;
    replay.book.market_hashes(&mut Vec::new());
    time_updates(replay, &timed)
}

/// The hashes of all markets, once their orders' are kept.
fn hashes(workload: &Workload, repeats: usize) -> Result<String, BenchError> {
    let mut replay = Replay::loaded(workload)?;
    let mut hashes = Vec::new();
    let first = Stopwatch::start();
    replay.book.market_hashes(&mut hashes);
    let first = first.stop(1).json();
    let watch = Stopwatch::start();
    for _ in 0..repeats {
        hashes.clear();
        replay.book.market_hashes(black_box(&mut hashes));
    }
    let (json, markets) = (watch.stop(repeats).json(), hashes.len());
    Ok(format!("{{{json},\"first\":{{{first}}},\"markets\":{markets}}}"))
}

fn time_updates(mut replay: Replay, timed: &[Record<'_>]) -> Result<String, BenchError> {
    let watch = Stopwatch::start();
    for record in timed {
        replay.apply(*record)?;
    }
    let measured = watch.stop(timed.len());
    Ok(format!("{{{}}}", measured.json()))
}

fn tree_apply(workload: &Workload) -> String {
    let mut book = TreeBook::default();
    let (warm_up, timed) = updates(workload);
    let mut feed = |record: &Record<'_>| {
        if let Record::Account { slot, key, data } = *record {
            book.apply(key, slot, data);
        }
    };
    workload.load().for_each(|record| feed(&record));
    warm_up.iter().for_each(&mut feed);
    let watch = Stopwatch::start();
    timed.iter().for_each(&mut feed);
    let measured = watch.stop(timed.len());
    format!("{{{}}}", measured.json())
}

/// The body's text, itself as JSON text.
fn body(workload: &Workload, depth: usize) -> Result<String, BenchError> {
    let replay = Replay::loaded(workload)?;
    let mut body = Vec::new();
    replay.render(replay.market(0)?, depth, &mut body);
    let mut text = String::from("{\"body\":\"");
    for byte in body {
        let escape = if byte == b'"' || byte == b'\\' { "\\" } else { "" };
        // Writing to a string cannot fail.
        let _ = write!(text, "{escape}{}", char::from(byte));
    }
    text.push_str("\"}");
    Ok(text)
}

/// The same book rendered again and again, nothing cached.
fn render(workload: &Workload, depth: usize, repeats: usize) -> Result<String, BenchError> {
    let replay = Replay::loaded(workload)?;
    let market = replay.market(0)?;
    let mut body = Vec::new();
    replay.render(market, depth, &mut body);
    let watch = Stopwatch::start();
    for _ in 0..repeats {
        replay.render(black_box(market), depth, &mut body);
        black_box(&body);
    }
    let measured = watch.stop(repeats);
    Ok(format!("{{{},\"bytes\":{}}}", measured.json(), body.len()))
}

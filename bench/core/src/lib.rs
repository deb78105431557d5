//! Benchmarks of the core on workload files: the same bytes for slotbook and for its peers.
//!
//! `slotbook-bench` runs the commands of [`commands::Commands`] and measures time;
//! `slotbook-bench-memory` counts allocations, apart, so that counting slows nothing that is timed.
//! `bench/run.mjs` drives both and the peers.
//!
//! This room does not decide whether a result is good: bars and verdicts are in `bench/run.mjs`.
//!
//! ```
//! use slotbook_bench::commands::Commands;
//!
//! assert_eq!(Commands::default().run("drop none").expect("a known command"), "{}");
//! ```
#![forbid(unsafe_code)]

pub mod chain;
mod cold;
pub mod commands;
mod encode;
pub mod error;
pub mod makers;
pub mod replay;
#[cfg(test)]
mod same_bytes;
pub mod stopwatch;
pub mod tree_book;
pub mod vamm;
pub mod walks;
pub mod workload;

//! Benchmarks of the core on workload files: the same bytes for slotbook and for its peers.
//!
//! `slotbook-bench` answers the commands of [`commands::Commands`] and measures time;
//! `slotbook-bench-memory` counts allocations, apart, so that counting slows nothing that is timed.
//! `bench/run.mjs` drives both and the peers.
//!
//! This room judges nothing: bars and verdicts are in `bench/run.mjs`.
#![forbid(unsafe_code)]

pub mod chain;
mod cold;
pub mod commands;
pub mod error;
pub mod replay;
pub mod stopwatch;
pub mod tree_book;
pub mod vamm;
pub mod walks;
pub mod workload;

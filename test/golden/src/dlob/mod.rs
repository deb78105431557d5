//! Recorded books of the incumbent: the same orders go through our book as accounts.

mod chain;
mod check;
#[path = "../../../../crates/book/tests/differential/judge.rs"]
#[allow(dead_code, reason = "the differential test uses the rest")]
mod judge;
mod sourced;
mod vector;
mod views;

pub(crate) use check::check;

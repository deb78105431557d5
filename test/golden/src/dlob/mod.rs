//! Recorded books of the incumbent: the same orders go through our book as accounts.

mod chain;
mod check;
mod sourced;
mod vector;
mod views;

pub(crate) use check::check;

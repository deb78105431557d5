//! Drift v2: its accounts and its logs.

pub mod account;
pub mod event;
pub mod market;
pub mod state;
pub mod user;

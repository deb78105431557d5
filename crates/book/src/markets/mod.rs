//! The markets: their accounts and oracles, their AMMs and indicative quotes, and their changes in
//! the current turn.

pub(crate) mod account;
pub(crate) mod amm;
pub(crate) mod exchange;
pub(crate) mod market;
pub(crate) mod market_table;
pub(crate) mod pricing;
pub(crate) mod quotes;

//! The markets: what their accounts and oracles say, their AMMs and indicative quotes, and which of
//! them this turn has changed.

pub(crate) mod account;
pub(crate) mod amm;
pub(crate) mod exchange;
pub(crate) mod market;
pub(crate) mod market_table;
pub(crate) mod pricing;
pub(crate) mod quotes;

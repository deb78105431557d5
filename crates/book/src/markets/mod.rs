//! The markets: what their accounts and oracles say, their AMMs and indicative quotes.

pub(crate) mod amm;
pub(crate) mod exchange;
pub(crate) mod market;
pub(crate) mod pricing;
pub(crate) mod quotes;

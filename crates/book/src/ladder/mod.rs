//! The lists of order slots: their storage, the ladders of one market, and the levels that merge
//! both kinds of ladder.

pub(crate) mod arena;
pub(crate) mod chunks;
pub(crate) mod fixed;
pub(crate) mod ladders;
pub(crate) mod merged;
pub(crate) mod offset;
pub(crate) mod wide_size;

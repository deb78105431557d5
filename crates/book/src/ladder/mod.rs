//! The lists in which order slots stand: their memory, the ladders of one market, and the levels
//! that both kinds of ladder show together.

pub(crate) mod arena;
pub(crate) mod chunks;
pub(crate) mod fixed;
pub(crate) mod ladders;
pub(crate) mod merged;
pub(crate) mod offset;
pub(crate) mod wide_size;

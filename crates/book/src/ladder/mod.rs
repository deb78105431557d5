//! The lists in which order slots stand: their memory, and the ladders of one market.

pub(crate) mod arena;
pub(crate) mod chunks;
pub(crate) mod fixed;
pub(crate) mod offset;
pub(crate) mod wide_size;

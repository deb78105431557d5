//! Plain data that every other folder of this crate names. Nothing here imports another folder.

pub(crate) mod clock;
pub(crate) mod hash;
pub(crate) mod left_out;
pub(crate) mod market;
pub(crate) mod rows;
pub(crate) mod side;
pub(crate) mod update;

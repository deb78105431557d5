//! Plain data that every other folder of this crate names. Nothing here imports another folder.

pub mod hash;
pub(crate) mod side;
pub(crate) mod update;

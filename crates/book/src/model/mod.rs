//! Plain data of this crate. This folder imports no other folder.

pub(crate) mod clock;
pub(crate) mod hash;
pub(crate) mod left_out;
pub(crate) mod market;
pub(crate) mod rows;
pub(crate) mod side;
pub(crate) mod update;

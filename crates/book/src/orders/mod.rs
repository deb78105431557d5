//! The order slots of all users: their bytes, their places, and their timers.

pub(crate) mod changed_parts;
pub(crate) mod order_hashes;
pub(crate) mod order_store;
pub(crate) mod rules;
pub(crate) mod timers;
pub(crate) mod users;

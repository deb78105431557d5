//! The order slots of all users: what their accounts say, where the rules put each, and the timers
//! that move them.

pub(crate) mod order_hashes;
pub(crate) mod order_store;
pub(crate) mod rules;
pub(crate) mod timers;
pub(crate) mod users;

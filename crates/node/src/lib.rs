//! The addon: convert, call, convert back.
//!
//! [`core::Core`] holds a book and answers finished bodies; [`snapshot`] decodes whole answers of
//! an RPC on another thread; [`events`] reads the logs of transactions; [`codec`] packs what is kept. Expected failures are data: a code, never
//! an exception, and nothing here panics across the boundary.
//!
//! This room decides nothing about orders and prices, knows no URL and reads no clock.

pub mod codec;
pub mod core;
mod decode;
pub mod events;
mod external;
mod facts;
pub mod indicative;
mod limits;
pub mod matching;
mod problem;
mod record;
pub mod snapshot;
mod streams;
mod text;
mod topics;

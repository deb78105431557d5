//! The addon: converts arguments, calls the core, and converts the results.
//!
//! [`core::Core`] is the book of `slotbook_core` as a JavaScript object: batches of accounts come
//! in by `apply` and `endTurn`, finished bodies and frames go out into the caller's buffers.
//! [`snapshot`] decodes whole RPC responses on another thread, and [`events`] decodes transaction
//! logs. Expected failures are returned as codes and never thrown, and nothing panics across the
//! boundary.
//!
//! This room does not decide anything, know a URL or read a clock.
//!
//! `src/engine` in TypeScript loads the addon. `src/engine/engine.test.ts` is a running example:
//! the addon's functions exist only inside Node.js.

mod bodies;
mod convert;
pub mod core;
pub mod events;
mod facts;
pub mod hashes;
pub mod journal;
pub mod journal_reader;
pub mod journal_rows;
pub mod matching;
pub mod memory;
mod quotes;
pub mod snapshot;
mod streams;
mod users;

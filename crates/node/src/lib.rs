//! The addon: convert, call, convert back.
//!
//! [`core::Core`] is the book of `slotbook_core` as a JavaScript object: batches of accounts come in by `apply` and
//! `endTurn`, finished bodies and frames go out into the caller's buffers. [`snapshot`] decodes whole RPC responses on
//! another thread, and [`events`] reads the logs of transactions. Expected failures are data: a code, never an
//! exception, and nothing here panics across the boundary.
//!
//! This room does not decide anything, know a URL or read a clock.
//!
//! It is loaded by `src/engine` in TypeScript. An example that runs is `src/engine/engine.test.ts`:
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

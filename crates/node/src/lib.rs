//! The addon: convert, call, convert back.
//!
//! [`core::Core`] holds a book: batches of accounts come in by `apply` and `endTurn`, finished bodies
//! and frames go out into the caller's buffers. [`snapshot`] decodes whole RPC responses on another
//! thread; [`events`] reads the logs of transactions; Expected
//! failures are data: a code, never an exception, and nothing here panics across the boundary.
//!
//! This room does not decide anything about orders and prices, know a URL or read a clock.
//!
//! It is loaded by `src/engine` in TypeScript. An example that runs is `src/engine/engine.test.ts`:
//! the addon's functions exist only inside Node.js.

pub mod checkpoint;
pub mod core;
pub mod decode;
pub mod events;
mod external;
mod facts;
pub mod hashes;
pub mod indicative;
mod input_log;
mod intake;
pub mod journal;
pub mod journal_reader;
pub mod journal_rows;
mod limits;
pub mod matching;
pub mod memory;
pub mod problem;
pub mod record;
pub mod snapshot;
mod streams;
mod text;
mod topics;
mod turn;

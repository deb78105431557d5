//! One book with its outputs: batches of accounts go in, rendered bodies, frames and turn logs come
//! out.
//!
//! [`core::Core`] holds a book, its cached bodies, its streaming topics and the log of its inputs.
//! [`snapshot`] decodes whole RPC responses, [`record`] batches of notifications. [`reader`] reads
//! the segments of a journal into a core, turn by turn, and [`rows`] collects what each turn
//! changed. Expected failures are returned as codes, and nothing panics.
//!
//! This room does not decide anything about orders and prices, do I/O, know JavaScript or read a
//! clock.
#![forbid(unsafe_code)]

mod bodies;
mod checkpoint;
pub mod core;
pub mod decode;
mod external;
mod hashes;
mod indicative;
mod input_log;
mod intake;
pub mod journal;
mod leaf;
mod limits;
pub mod problem;
pub mod reader;
pub mod record;
pub mod rows;
pub mod snapshot;
pub mod streams;
pub mod text;
mod topics;
mod turn;
mod users;
mod watched;

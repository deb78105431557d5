//! A log of all inputs of a book.
//!
//! The thread of the book appends inputs to a turn log ([`turn_log::put_input`]): accounts, or the
//! parts of accounts that may have changed, as plain copies. A [`Writer`] on another thread
//! converts the log into segments: accounts are delta-encoded, and records are stored in compressed
//! blocks with a CRC-32. A [`Reader`] returns the inputs turn by turn. A segment begins with a
//! checkpoint (all accounts, and the book's other state), so it can be read alone.
//! `docs/journal.md` specifies the bytes.
//!
//! This room does no I/O, reads no clock, and does not interpret books or accounts.
//!
//! ```
//! use slotbook_journal::{Checkpoint, Found, Input, Reader, Writer, turn_log::put_input};
//! use slotbook_protocol::model::units::Pubkey;
//!
//! let mut log = Vec::new();
//! let (epoch, ts_ms, slot, unix_seconds) = ("e-1", 1_000, 7, 1);
//! let checkpoint = Checkpoint { epoch, ts_ms, slot, unix_seconds, seqs: &[], state: &[] };
//! put_input(&mut log, &Input::Checkpoint(checkpoint));
//! put_input(&mut log, &Input::Clock { slot: 8, unix_seconds: 1 });
//! put_input(&mut log, &Input::TurnEnd { ts_ms: 1_010, marks: &[], hash: &[] });
//!
//! let mut writer = Writer::new(Pubkey([7; 32]));
//! writer.append(&log, 1_000).unwrap();
//! writer.flush().unwrap();
//! let mut reader = Reader::new();
//! while let Some(piece) = writer.take_piece() {
//!     reader.push(&piece.bytes);
//! }
//! assert_eq!(reader.find(), Ok(Found::Checkpoint));
//! assert!(matches!(reader.find(), Ok(Found::Turn(moment)) if moment.slot == 8));
//! let mut inputs = 0;
//! reader.apply_turn(|_input| inputs += 1).unwrap();
//! assert_eq!((inputs, reader.find()), (2, Ok(Found::Nothing)));
//! ```
#![forbid(unsafe_code)]

mod error;
mod fields;
mod input;
pub mod limits;
mod patch;
mod reader;
mod record;
mod segment;
mod table;
mod taker;
mod tear;
pub mod turn_log;
mod writer;

pub use error::{Fault, JournalError};
pub use input::{Checkpoint, Gate, Input, Origin};
pub use patch::Patch;
pub use reader::{Found, Moment, Reader, StoredAccount};
pub use record::Head;
pub use segment::VERSION;
pub use taker::{AccountChanges, TakeInputs};
pub use writer::{Piece, TurnDigest, Writer, Written};

//! Events of the program, read out of transaction logs.
//!
//! [`logs::LogScanner`] finds them: it follows the invoke stack, so that an event counts only when
//! the program itself logged it. [`records::RECORDS`] describes every record field by field;
//! [`typed`] reads the records of the history from the same description; [`json`] writes any.
//!
//! The program has extended records over the years. A record that ends after any field reads as if
//! zeros followed, which is `None` for options; bytes after the last field are ignored; a record
//! that ends within a field is unreadable.
//!
//! This room does not know whether a transaction failed: the runtime prints the events of failed
//! ones as well, and the caller drops them.

pub mod field;
pub mod json;
pub mod logs;
pub mod pool_records;
pub mod records;
pub mod typed;

mod input;

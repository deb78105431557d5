//! Events of the programs, read out of transaction logs.
//!
//! [`logs::LogScanner`] finds them: it follows the invoke stack, so that an event counts only when
//! the program itself logged it. The tables of a program describe every record field by field
//! ([`crate::model::Program::events`]); [`typed`] reads the records of the history by them; [`json`] writes any.
//!
//! The programs have extended records over the years. A record that ends after any field reads as if
//! zeros followed, which is `None` for options; bytes after the last field are ignored; a record
//! that ends within a field is unreadable.
//!
//! This room does not know whether a transaction failed: the runtime prints the events of failed
//! ones as well, and the caller drops them.

pub mod field;
pub mod json;
pub mod logs;
pub mod typed;

mod input;

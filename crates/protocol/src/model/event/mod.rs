//! Reads the events of the programs from transaction logs.
//!
//! [`logs::LogScanner`] finds the events: it follows the stack of invocations, so that an event
//! counts only when the program itself logged it. The tables of a program describe every record
//! field by field ([`crate::model::Program::events`]). By these tables, [`values`] reads any record,
//! and [`head`] finds what a history needs of it.
//!
//! Upgrades of the programs have appended fields to records. A record that ends before a field is
//! read as if zeros followed, which is `None` for options; bytes after the last field are ignored;
//! a record that ends within a field is unreadable.
//!
//! This module does not know whether a transaction failed: the runtime also logs the events of
//! failed transactions, and the caller must drop them.

pub mod field;
pub mod head;
pub mod logs;
pub mod values;

mod input;

//! Events of the program, read out of transaction logs.
//!
//! [`logs::LogScanner`] finds them: it follows the invoke stack, so that an event counts only when
//! the program itself logged it. [`records::RECORDS`] describes every record field by field;
//! [`typed`] reads those that history is made of, from the same description; [`json`] writes any.
//!
//! Records grew over the years. One that ends where a field ends reads as if zeros followed, which
//! is `None` for options; bytes behind the last field are ignored; one that ends inside a field is
//! unreadable.
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

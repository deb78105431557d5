//! Accounts and records of the program as JSON text, field by field by the layout tables: for
//! comparisons with the texts of other decoders.
#![forbid(unsafe_code)]

mod account;
mod event;

pub use account::account_json;
pub use event::{Fit, event_json};

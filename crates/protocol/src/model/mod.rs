//! Users, orders, markets, oracles and their rules, the same for the accounts of all programs.

pub mod account;
pub mod amm;
pub mod clock;
pub mod enums;
pub mod error;
pub mod event;
pub mod fees;
pub mod fill;
pub mod margin;
pub mod market;
pub mod oracle;
pub mod order;
pub mod pauses;
pub mod price;
mod program;
mod programs;
pub mod state;
pub(crate) mod tables;
pub mod units;
pub mod user;
pub mod varint;

pub use account::{AccountKind, kind_of};
pub use error::ProtocolError;
pub use program::UserView;
pub use programs::Program;

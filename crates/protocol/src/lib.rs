//! What the exchange's program says: account layouts, units, rounding, prices and predicates.
//!
//! Principal types: [`order::OrderView`] over the 96 bytes of an order, [`user::UserView`],
//! [`market::PerpMarketView`], [`market::SpotMarketView`] and [`state::StateView`] over whole
//! accounts. Views borrow the bytes and read by offset; nothing is allocated.
//! [`event::logs::LogScanner`] finds what the program logged.
//! Every rule names its source in the program or its SDK.
//!
//! This crate holds no state, reads no clock, does no I/O, and knows nothing of books or feeds.
//!
//! ```
//! use slotbook_protocol::enums::Direction;
//! use slotbook_protocol::price::standardize_price;
//! use slotbook_protocol::units::Price;
//!
//! // Bids round down to the tick and asks round up.
//! assert_eq!(standardize_price(Price(1_050), Price(100), Direction::Long), Price(1_000));
//! assert_eq!(standardize_price(Price(1_050), Price(100), Direction::Short), Price(1_100));
//! ```
#![forbid(unsafe_code)]

pub mod account;
pub mod amm;
pub mod enums;
pub mod error;
pub mod event;
pub mod fees;
pub mod fill;
pub mod market;
pub mod oracle;
pub mod order;
pub mod price;
pub mod state;
pub mod units;
pub mod user;

mod bytes;
mod divide;

pub use error::ProtocolError;

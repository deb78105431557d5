//! The rules of the exchange's programs: account layouts, units, rounding, prices and predicates.
//!
//! [`model`] has the types that all programs share and that a book uses: users, orders, markets,
//! oracles, units and rules. [`drift`] and [`velocity`] have the tables of one program each.
//! [`event`] reads logs. Every rule names its source in the program or its SDK.
//!
//! This crate holds no state, reads no clock, does no I/O, and does not depend on the book or the
//! feeds.
//!
//! ```
//! use slotbook_protocol::model::enums::Direction;
//! use slotbook_protocol::model::price::standardize_price;
//! use slotbook_protocol::model::units::Price;
//!
//! // Bids round down to the tick and asks round up.
//! assert_eq!(standardize_price(Price(1_050), Price(100), Direction::Long), Price(1_000));
//! assert_eq!(standardize_price(Price(1_050), Price(100), Direction::Short), Price(1_100));
//! ```
#![forbid(unsafe_code)]

pub mod drift;
pub mod layout;
pub mod model;
pub mod velocity;

mod bytes;
mod divide;

//! Renders books as JSON and binary bodies and frames.
//!
//! The principal functions are [`render::render_l2`] and [`render::render_l3`]: they write a
//! finished JSON body of a market into the caller's buffer, digit by digit; [`auctions`] renders
//! the orders in auction, [`walk`] the fills of a simulated taker. [`frame`] wraps a body for
//! subscribers, [`stream`] writes deltas, [`uncross`] separates the sides of a crossed book,
//! [`group`] puts levels on a coarser grid, [`cache`] keeps rendered bodies while they are current.
//!
//! This room does not decide the contents or prices of a book, does no I/O, reads no clock and uses
//! no floating point.
//!
//! ```
//! use slotbook_protocol::model::units::Price;
//! use slotbook_wire::group::{Rounding, grouped};
//! use slotbook_wire::level::{Source, SourcedLevel};
//!
//! let bids = [29, 21, 19].map(|price| SourcedLevel::of(Source::Dlob, Price(price), 5));
//! let best = grouped(bids, Price(10), Rounding::Down).next();
//! assert_eq!(best, Some(SourcedLevel::of(Source::Dlob, Price(20), 10)));
//! ```
#![forbid(unsafe_code)]

pub mod account;
pub mod auctions;
pub mod cache;
mod digits;
mod form;
pub mod frame;
mod generated {
    pub(crate) mod record_tables;
}
pub mod group;
pub mod head;
mod key_texts;
pub mod l2;
pub mod l3;
pub mod level;
mod level_texts;
mod line;
pub mod open_orders;
mod order_lives;
pub mod record;
mod record_forms;
mod record_members;
pub mod render;
mod request;
pub mod sources;
pub mod stream;
pub mod top_of_book;
pub mod uncross;
pub mod walk;
pub mod writer;

//! Builds order books from accounts.
//!
//! The principal type is [`Book`]. It takes raw accounts ([`Book::apply`]) and the chain's time
//! ([`Book::set_clock`]), and returns each market's resting orders as levels ([`Book::levels`]) or
//! as orders ([`Book::orders`]), the orders in auction ([`Book::auctions`]), and the quotes of AMMs
//! and makers ([`Book::vamm_levels`], [`Book::indicative_levels`]). All calls between two calls of
//! [`Book::end_turn`] form one turn: a market whose visible content changed gets the next sequence
//! number.
//!
//! This room does not read a clock, do I/O or use randomness: the same calls give the same book. It
//! does not know takers, JSON or subscribers.
//!
//! ```
//! use slotbook_book::{Book, BookConfig};
//! use slotbook_protocol::model::Program;
//! use slotbook_protocol::model::units::{Slot, UnixSeconds};
//!
//! let rules = Program::Drift;
//! let mut book = Book::new(BookConfig { program: rules.id(), rules });
//! book.set_clock(Slot(300_000_000), UnixSeconds(1_700_000_000));
//! assert!(book.end_turn(1_700_000_000_000).is_empty());
//! assert!(book.find_market_by_name("SOL-PERP").is_none());
//! ```
#![forbid(unsafe_code)]

mod apply;
mod book;
mod checkpoint;
mod config;
mod ladder;
pub mod limits;
mod markets;
mod model;
mod orders;
#[cfg(any(test, feature = "testing"))]
mod testing;
mod view;

pub use apply::delta::AccountDelta;
pub use book::{Book, SnapshotReport};
pub use checkpoint::{Accounts, RestoreError};
pub use config::BookConfig;
pub use ladder::merged::Levels;
pub use markets::amm::{AmmCut, VammExclusion};
pub use markets::quotes::{
    INDICATIVE_MAKER, IndicativeCounts, IndicativeError, IndicativePolicy, IndicativeQuote,
    QuotedSide,
};
pub use model::clock::FeedState;
pub use model::hash::{CanonicalHash, HashParts, HashRow, MarketHash, OrderHash, hash_bytes};
pub use model::left_out::LeftOut;
pub use model::market::{
    EmptyReason, MarketId, MarketInfo, OffsetExclusion, OracleState, PerpStats, SpotStats,
};
pub use model::rows::{Level, OrderRow};
pub use model::side::Side;
pub use model::update::{AccountUpdate, Applied, BookError, Gate};
pub use orders::changed_parts::ChangedParts;
pub use view::account::AccountOrder;
pub use view::auctions::AuctionRow;
pub use view::facts::{Census, Counters, Header};
pub use view::integrity::Violation;
pub use view::lacking::LayoutSample;
pub use view::open_orders::OpenOrder;
pub use view::orders::OrdersQuery;
pub use view::places::Ahead;
pub use view::resting::Resting;
pub use view::scratch::QueueScratch;

//! What the market looks like: accounts in, books out.
//!
//! [`Book`] takes raw accounts ([`Book::apply`]) and the chain's time ([`Book::set_clock`]), and
//! shows each market's resting orders as levels ([`Book::levels`]) or as orders
//! ([`Book::orders`]), and the orders in auction ([`Book::auctions`]). Everything between two calls of [`Book::end_turn`] is one turn: a market in
//! which anything shown changed gets the next sequence number.
//!
//! This room reads no clock, does no I/O and uses no randomness: the same calls give the same
//! book. It knows nothing of the AMM, of takers, of JSON or of subscribers.
//!
//! ```
//! use slotbook_book::{Book, BookConfig, Side};
//! use slotbook_protocol::units::{Pubkey, Slot, UnixSeconds};
//!
//! let mut book = Book::new(BookConfig { program: Pubkey([7; 32]) });
//! book.set_clock(Slot(300_000_000), UnixSeconds(1_700_000_000));
//! assert!(book.end_turn(1_700_000_000_000).is_empty());
//! assert!(book.find_market_by_name("SOL-PERP").is_none());
//! ```
#![forbid(unsafe_code)]

mod accounts;
mod arena;
mod auctions;
mod book;
mod chunks;
mod error;
mod fees;
pub mod hash;
mod indicative;
mod integrity;
mod kept_queues;
mod ladder;
pub mod limits;
mod market;
mod offset_ladder;
mod orders;
mod place;
mod pricing;
mod resting;
mod side;
mod snapshot;
mod turn;
mod users;
mod vamm;
mod version;
mod view;
mod wheel;
mod wide;

pub use accounts::{AccountUpdate, Applied, Gate};
pub use auctions::AuctionRow;
pub use book::{Book, BookConfig, Counters};
pub use error::BookError;
pub use indicative::{
    INDICATIVE_MAKER, IndicativeCounts, IndicativeError, IndicativePolicy, IndicativeQuote,
    QuotedSide,
};
pub use integrity::Violation;
pub use market::{MarketId, MarketInfo, OffsetExclusion, OracleState, PerpFigures};
pub use place::{EmptyReason, LeftOut};
pub use resting::Resting;
pub use side::Side;
pub use snapshot::SnapshotReport;
pub use turn::FeedState;
pub use vamm::{AmmCut, VammExclusion};
pub use view::{Header, Level, Levels, OrderRow, QueueScratch};

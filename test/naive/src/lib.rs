//! The judge: a second order book that is too plain to be wrong in an interesting way.
//!
//! [`NaiveBook`] keeps the last bytes of every account and, at each question, decodes, filters,
//! prices and sorts everything again. It shares no price formula with the book it judges: it reads
//! account fields by offset and calculates in `i128`. From `slotbook_protocol` it takes only
//! addresses, the reading of oracle accounts, and the quote of an AMM, which has judges of its own:
//! here it is made again at each question, so that nothing of it can be out of date.
//!
//! [`ReadingBook`] answers recorded snapshots of the incumbent's book. It follows our rules until a
//! [`Readings`] switch turns one of the incumbent's readings on, so a difference between the two
//! books can be put down to the rule that causes it.
//!
//! This room is not fast, keeps no sequence numbers, and never leaves the tests.
//!
//! ```
//! use slotbook_naive::{Clock, NaiveBook};
//! let mut book = NaiveBook::new([1; 32]);
//! book.set_clock(Clock { slot: 5, unix_seconds: 1_700_000_000 });
//! assert!(book.market_ids().is_empty());
//! ```
#![forbid(unsafe_code)]

mod account;
mod amm;
mod auctions;
mod book;
mod oracle;
mod price;
mod reading;
mod rules;
mod slots;
mod taking;
mod view;

pub use account::{Account, Key, MarketKind, Order, PerpMarket, SpotMarket, State, User};
pub use auctions::AuctionRow;
pub use book::{Clock, NaiveBook, Outcome, SnapshotKind, Stamp, Update};
pub use price::{
    ProtectedParams, auction_price_sdk, protected_price_program, protected_price_sdk,
    resting_offset_price, round_to_tick,
};
pub use reading::{Answer, AnswerRow, MarketKey, ReadingBook, ReadingOrder, Readings, Snapshot};
pub use rules::{EmptyReason, MarketContext};
pub use slots::Slots;
pub use view::{Level, MarketView, Row, Side, best_makers, levels};

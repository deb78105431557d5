//! Simulates a taker order: the fills at present, and the remainder that rests. [`margin`] calculates
//! the margin of an account.
//!
//! The principal function is [`walk`]: it fills a [`Taker`] from the [`Liquidity`] of a market by
//! the rules of a [`Model`]. The result, a [`Walk`], lists each fill with source, price and fee,
//! and the remainder. The function is pure.
//!
//! This crate does not change a book, does not read orders from the chain, writes no JSON, does no
//! I/O and reads no clock.
//!
//! ```
//! use slotbook_matching::{Liquidity, Maker, MarketTerms, Model, Size, Taker, walk};
//! use slotbook_protocol::model::enums::Direction;
//! use slotbook_protocol::model::units::{BaseQty, Price, Pubkey, Slot};
//!
//! let ask = |price, size| Maker {
//!     key: Pubkey([1; 32]), order_id: 1, price: Price(price), size: BaseQty(size), slot: Slot(1),
//! };
//! // A buy of three walks the book: two at 100, then one at 101.
//! let market = MarketTerms::perp(Price(100), BaseQty(1_000), BaseQty(1_000));
//! let mut asks = [ask(100_000_000, 2_000_000_000), ask(101_000_000, 2_000_000_000)].into_iter();
//! let taker = Taker::market(Direction::Long, Size::Base(BaseQty(3_000_000_000)));
//! let walk = walk(&taker, Liquidity::of_makers(market, &mut asks), Model::Spec);
//! assert_eq!(walk.fills.len(), 2);
//! assert_eq!(walk.filled_quote.0, 301_000_000);
//! ```
#![forbid(unsafe_code)]

mod curve;
pub mod external;
mod fees;
mod fill;
pub mod limits;
mod liquidity;
pub mod margin;
mod money;
pub mod onchain;
mod spec;
mod taker;
mod tally;
mod terms;
mod walk;

pub use curve::AmmOffer;
pub use external::{ExternalBook, ExternalLevel};
pub use fees::Rate;
pub use fill::{Fill, FillSource, Reason, Rests};
pub use liquidity::{AmmMay, JitOffer, Liquidity, Maker, ProgramAmm};
pub use taker::{Auction, OrderKind, Size, Taker, TakerError};
pub use terms::MarketTerms;
pub use walk::{Model, Walk, walk};

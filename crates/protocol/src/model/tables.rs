//! The differences between programs: layout tables, and numbers with another meaning.

use super::account::{AccountKind, DISCRIMINATOR_BYTES};
use super::enums::MarketStatus;
use super::error::ProtocolError;
use super::order::{POSITIONS, RawOrder};
use super::programs::Program;
use super::units::Pubkey;
use crate::layout::Layout;
use crate::model::event::field::EventLayout;

/// The layouts of a program's accounts and records, and the rules that depend on the program.
pub(crate) trait Tables {
    const PROGRAM: Program;
    const ID: Pubkey;
    const USER: &'static Layout;
    const PERP_MARKET: &'static Layout;
    const SPOT_MARKET: &'static Layout;
    const STATE: &'static Layout;
    const PYTH_LAZER_ORACLE: &'static Layout;
    const PRELAUNCH_ORACLE: &'static Layout;
    /// The records that the program logs, the most frequent first.
    const EVENTS: &'static [&'static EventLayout];
    /// Whether pull feeds and Switchboard feeds are supported, and the version of a push feed is
    /// not checked.
    const HAS_OLD_ORACLES: bool;

    /// Returns the table of a kind of account; `None` when the program has no such account.
    fn layout(kind: AccountKind) -> Option<&'static Layout>;

    /// Returns whether an account with this number of bytes has every field of its table.
    fn fits(layout: &Layout, bytes: usize) -> bool;

    fn market_status(byte: u8) -> Result<MarketStatus, ProtocolError>;

    /// Returns the order in a slot of a user account whose length was checked.
    fn order(user: &[u8], slot: usize) -> RawOrder;

    /// Writes the fields of an order that a book holds into the bytes of a user account.
    fn put_order(user: &mut [u8], slot: usize, order: &RawOrder);

    /// See `UserView::order_counts`.
    #[inline]
    fn order_counts(_user: &[u8]) -> Option<[u8; POSITIONS]> {
        None
    }

    /// See `UserView::changed_orders`.
    fn changed_orders<'a>(
        user: &[u8],
        held: impl Fn(usize) -> Option<&'a RawOrder>,
    ) -> Result<u32, ProtocolError>;
}

/// Returns the bytes of an account after checks of its kind and length.
pub(crate) fn checked<T: Tables>(kind: AccountKind, data: &[u8]) -> Result<&[u8], ProtocolError> {
    let layout = T::layout(kind);
    let expected = layout.map_or(DISCRIMINATOR_BYTES, |layout| layout.size);
    let wrong_length = ProtocolError::WrongLength { expected, actual: data.len() };
    let discriminator = *data.first_chunk().ok_or(wrong_length)?;
    let layout = layout.filter(|_| discriminator == kind.discriminator());
    let layout = layout.ok_or(ProtocolError::WrongDiscriminator { discriminator })?;
    if T::fits(layout, data.len()) { Ok(data) } else { Err(wrong_length) }
}

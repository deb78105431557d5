//! The programs whose accounts are read, as one enum: what differs between them is matched once an account.

use super::account::{AccountKind, DISCRIMINATOR_BYTES};
use super::enums::MarketStatus;
use super::error::ProtocolError;
use super::market::{PerpMarket, SpotMarket};
use super::order::RawOrder;
use super::state::State;
use super::units::Pubkey;
use super::user::{ORDERS, UserShape, UserView};
use crate::layout::{Layout, decode_json};

/// A program that holds an exchange's accounts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Program {
    /// Drift v2.
    #[default]
    Drift,
}

/// The offsets of a program's account fields, and its own numbering of enums.
pub(crate) trait Tables {
    const ID: Pubkey;
    const USER: &'static Layout;
    const PERP_MARKET: &'static Layout;
    const SPOT_MARKET: &'static Layout;
    const STATE: &'static Layout;

    /// The table of a kind; `None` when the program has no such account.
    fn layout(kind: AccountKind) -> Option<&'static Layout>;

    /// Whether an account of so many bytes has every field of its table.
    fn fits(layout: &Layout, bytes: usize) -> bool;

    fn market_status(byte: u8) -> Result<MarketStatus, ProtocolError>;

    /// The order in a slot of a user account whose length was checked.
    fn order(user: &[u8], slot: usize) -> RawOrder;

    /// See [`UserView::changed_orders`].
    fn changed_orders(user: &[u8], held: &[RawOrder; ORDERS]) -> Result<u32, ProtocolError>;
}

/// An expression of the tables `T` of a program.
macro_rules! of_program {
    ($program:expr, $tables:ident => $value:expr) => {
        match $program {
            $crate::model::program::Program::Drift => {
                type $tables = $crate::drift::Drift;
                $value
            }
        }
    };
}
pub(crate) use of_program;

impl Program {
    /// The address at which the program is on every cluster.
    #[must_use]
    pub const fn id(self) -> Pubkey {
        of_program!(self, T => T::ID)
    }

    /// The program at an address: an exchange deployed elsewhere is taken for Drift v2.
    #[must_use]
    pub fn of(_id: &Pubkey) -> Self {
        Self::Drift
    }

    /// The layout table of a kind of account; `None` when the program has none.
    #[must_use]
    pub fn layout(self, kind: AccountKind) -> Option<&'static Layout> {
        of_program!(self, T => T::layout(kind))
    }

    /// Checks that bytes are an account of a kind: discriminator and length.
    ///
    /// # Errors
    /// [`ProtocolError::WrongDiscriminator`] or [`ProtocolError::WrongLength`].
    pub fn check(self, kind: AccountKind, data: &[u8]) -> Result<(), ProtocolError> {
        of_program!(self, T => checked::<T>(kind, data).map(|_| ()))
    }

    /// Appends an account as JSON: keys in camelCase in the account's order, integers of 64 bits and
    /// wider as decimal text, addresses in base58, enums by the program's names, padding included.
    /// When there is an error, what was appended before it is taken back.
    ///
    /// # Errors
    /// As [`Program::check`], or [`ProtocolError::InvalidEnum`].
    pub fn decode_json(
        self,
        kind: AccountKind,
        data: &[u8],
        out: &mut String,
    ) -> Result<(), ProtocolError> {
        self.check(kind, data)?;
        self.layout(kind).map_or(Ok(()), |layout| decode_json(layout, data, out))
    }

    /// A user account, read where it is.
    ///
    /// # Errors
    /// As [`Program::check`].
    #[inline]
    pub fn user(self, data: &[u8]) -> Result<UserView<'_>, ProtocolError> {
        UserView::parse(self, data)
    }

    /// Where a user account has what of it changes often.
    #[must_use]
    pub const fn user_shape(self) -> UserShape {
        of_program!(self, T => UserShape::of::<T>())
    }

    /// A perp market's account.
    ///
    /// # Errors
    /// As [`Program::check`], or [`ProtocolError::InvalidEnum`].
    pub fn perp_market(self, data: &[u8]) -> Result<PerpMarket, ProtocolError> {
        of_program!(self, T => PerpMarket::read::<T>(data))
    }

    /// A spot market's account.
    ///
    /// # Errors
    /// As [`Program::check`], or [`ProtocolError::InvalidEnum`].
    pub fn spot_market(self, data: &[u8]) -> Result<SpotMarket, ProtocolError> {
        of_program!(self, T => SpotMarket::read::<T>(data))
    }

    /// The exchange's state.
    ///
    /// # Errors
    /// As [`Program::check`].
    pub fn state(self, data: &[u8]) -> Result<State, ProtocolError> {
        of_program!(self, T => State::read::<T>(data))
    }
}

/// The bytes of an account, whose kind and length were checked.
pub(crate) fn checked<T: Tables>(kind: AccountKind, data: &[u8]) -> Result<&[u8], ProtocolError> {
    let layout = T::layout(kind);
    let expected = layout.map_or(DISCRIMINATOR_BYTES, |layout| layout.size);
    let wrong_length = ProtocolError::WrongLength { expected, actual: data.len() };
    let discriminator = *data.first_chunk().ok_or(wrong_length)?;
    let layout = layout.filter(|_| discriminator == kind.discriminator());
    let layout = layout.ok_or(ProtocolError::WrongDiscriminator { discriminator })?;
    if T::fits(layout, data.len()) { Ok(data) } else { Err(wrong_length) }
}

//! The programs whose accounts are read, as one enum: code that depends on the program is selected
//! once for each account.

use std::array;

use super::account::{AccountKind, kind_of};
use super::enums::{MarketType, OracleSource, OrderStatus};
use super::error::ProtocolError;
use super::margin::{PerpAmounts, SpotAmounts, UserHoldings};
use super::market::{PerpMarket, SpotMarket};
use super::oracle::{OracleReading, decode_oracle};
use super::order::{Order, RawOrder, bit_flags};
use super::programs::Program;
use super::state::State;
use super::tables::{Tables, checked};
use super::units::{Pubkey, Slot};
use super::user::{ORDERS, POSITIONS, Positions, UserShape};
use crate::drift::Drift;
use crate::layout::{Layout, leaf};
use crate::model::event::field::EventLayout;
use crate::velocity::Velocity;

/// Evaluates an expression with the tables `T` of a program.
macro_rules! of_program {
    ($program:expr, $tables:ident => $value:expr) => {
        match $program {
            Program::Drift => {
                type $tables = Drift;
                $value
            }
            Program::Velocity => {
                type $tables = Velocity;
                $value
            }
        }
    };
}
impl Program {
    /// Returns the program's address, the same on every cluster.
    #[must_use]
    pub const fn id(self) -> Pubkey {
        of_program!(self, T => T::ID)
    }

    /// Returns the program at an address: any unknown address is treated as Drift v2.
    #[must_use]
    pub fn of(id: &Pubkey) -> Self {
        if *id == Velocity::ID { Self::Velocity } else { Self::Drift }
    }

    /// Returns the program with this name in the settings; `None` for another name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        match name {
            "drift" => Some(Self::Drift),
            "velocity" => Some(Self::Velocity),
            _ => None,
        }
    }

    /// Returns the program by the length of its user accounts: those of Drift v2 have a fixed
    /// length, those of Velocity are longer.
    #[must_use]
    pub fn of_user(bytes: usize) -> Self {
        if bytes > Drift::USER.size { Self::Velocity } else { Self::Drift }
    }

    /// Returns the program whose layout a user, a market or the state has; `None` for any other
    /// account.
    #[must_use]
    pub fn of_account(data: &[u8]) -> Option<Self> {
        let kind = kind_of(data).ok().filter(|kind| {
            use AccountKind::{PerpMarket, SpotMarket, State, User};
            matches!(kind, User | PerpMarket | SpotMarket | State)
        })?;
        [Self::Drift, Self::Velocity].into_iter().find(|program| program.check(kind, data).is_ok())
    }

    /// Returns the layout table of a kind of account; `None` when the program has no such account.
    #[must_use]
    pub fn layout(self, kind: AccountKind) -> Option<&'static Layout> {
        of_program!(self, T => T::layout(kind))
    }

    /// Returns the records that the program logs, the most frequent first.
    #[must_use]
    pub const fn events(self) -> &'static [&'static EventLayout] {
        of_program!(self, T => T::EVENTS)
    }

    /// Whether an order rests in the account of a CLOB program in place of the slot that holds it.
    #[must_use]
    #[inline]
    pub const fn is_placed_on_clob(self, order: &Order) -> bool {
        matches!(self, Self::Velocity) && order.bit_flags & bit_flags::PLACED_ON_CLOB != 0
    }

    /// Checks that bytes are an account of a kind: discriminator and length.
    ///
    /// # Errors
    /// [`ProtocolError::WrongDiscriminator`] or [`ProtocolError::WrongLength`].
    pub fn check(self, kind: AccountKind, data: &[u8]) -> Result<(), ProtocolError> {
        of_program!(self, T => checked::<T>(kind, data).map(|_| ()))
    }

    /// Returns a view of a user account; the bytes are not copied.
    ///
    /// # Errors
    /// As [`Program::check`].
    #[inline]
    pub fn user(self, data: &[u8]) -> Result<UserView<'_>, ProtocolError> {
        UserView::parse(self, data)
    }

    /// Returns the positions of the parts of a user account that change often.
    #[must_use]
    pub const fn user_shape(self) -> UserShape {
        of_program!(self, T => const { UserShape::of::<T>() })
    }

    /// Returns the bytes of a user account that have fields.
    #[must_use]
    pub const fn user_bytes(self) -> usize {
        of_program!(self, T => T::USER.size)
    }

    /// Writes the fields of an order that a book holds into the bytes of a user account.
    pub fn put_order(self, user: &mut [u8], slot: usize, order: &RawOrder) {
        of_program!(self, T => T::put_order(user, slot, order));
    }

    /// A perp market's account.
    ///
    /// # Errors
    /// The errors of [`Program::check`], or [`ProtocolError::InvalidEnum`].
    pub fn perp_market(self, data: &[u8]) -> Result<PerpMarket, ProtocolError> {
        of_program!(self, T => PerpMarket::read::<T>(data))
    }

    /// A spot market's account.
    ///
    /// # Errors
    /// The errors of [`Program::check`], or [`ProtocolError::InvalidEnum`].
    pub fn spot_market(self, data: &[u8]) -> Result<SpotMarket, ProtocolError> {
        of_program!(self, T => SpotMarket::read::<T>(data))
    }

    /// The positions and amounts of a user account.
    ///
    /// # Errors
    /// As [`Program::check`].
    pub fn holdings(self, data: &[u8]) -> Result<UserHoldings, ProtocolError> {
        of_program!(self, T => UserHoldings::read::<T>(data))
    }

    /// The amounts of a perp market that margins depend on.
    ///
    /// # Errors
    /// As [`Program::check`].
    pub fn perp_amounts(self, data: &[u8]) -> Result<PerpAmounts, ProtocolError> {
        of_program!(self, T => PerpAmounts::of::<T>(data))
    }

    /// The amounts of a spot market that margins depend on.
    ///
    /// # Errors
    /// As [`Program::check`].
    pub fn spot_amounts(self, data: &[u8]) -> Result<SpotAmounts, ProtocolError> {
        of_program!(self, T => SpotAmounts::of::<T>(data))
    }

    /// The exchange's state.
    ///
    /// # Errors
    /// As [`Program::check`].
    pub fn state(self, data: &[u8]) -> Result<State, ProtocolError> {
        of_program!(self, T => State::read::<T>(data))
    }

    /// Reads an oracle's account.
    ///
    /// # Errors
    /// [`ProtocolError::WrongOwner`], [`ProtocolError::WrongDiscriminator`],
    /// [`ProtocolError::WrongLength`] or [`ProtocolError::InvalidEnum`] when the account is not of
    /// the oracle source; [`ProtocolError::OutOfRange`] when a number cannot be scaled to 1e6;
    /// [`ProtocolError::NoOracleAccount`] for the quote asset.
    pub fn oracle(
        self,
        source: OracleSource,
        owner: &Pubkey,
        data: &[u8],
    ) -> Result<OracleReading, ProtocolError> {
        of_program!(self, T => decode_oracle::<T>(source, owner, data))
    }

    /// Whether spot markets have orders.
    #[must_use]
    pub const fn trades_spot(self) -> bool {
        matches!(self, Self::Drift)
    }

    /// Returns whether in a reduce-only market every order fills up to its owner's position. If
    /// not, orders that are not reduce-only do not fill there. Source: velocity-v1
    /// programs/velocity/src/controller/orders.rs `fill_perp_order`.
    #[must_use]
    pub const fn reduces_every_order(self) -> bool {
        matches!(self, Self::Velocity)
    }

    /// Returns the slot from which the age of a reading counts at `slot`. A prelaunch oracle of
    /// Drift v2 counts as published in the current slot, because its program subtracts the current
    /// slot from the reading's slot. Source: programs/drift/src/state/oracle.rs
    /// `get_prelaunch_price`.
    #[must_use]
    pub const fn published(
        self,
        reading: &OracleReading,
        slot: Slot,
        source: OracleSource,
    ) -> Slot {
        match (self, source) {
            (Self::Drift, OracleSource::Prelaunch) => slot,
            _ => reading.slot,
        }
    }
}

/// A user account, read where it is.
#[derive(Clone, Copy, Debug)]
pub struct UserView<'a> {
    program: Program,
    bytes: &'a [u8],
}

impl<'a> UserView<'a> {
    #[inline]
    pub(super) fn parse(program: Program, data: &'a [u8]) -> Result<Self, ProtocolError> {
        let bytes = of_program!(program, T => checked::<T>(AccountKind::User, data)?);
        Ok(Self { program, bytes })
    }
}

impl UserView<'_> {
    /// The wallet that owns the account.
    #[must_use]
    #[inline]
    pub fn authority(&self) -> Pubkey {
        of_program!(self.program, T => leaf!(T::USER, self.bytes, publicKey "authority"))
    }

    /// The bytes before and after the order slots, as far as the table has fields.
    #[must_use]
    #[inline]
    pub fn beside_orders(&self) -> [&[u8]; 2] {
        let UserShape { orders, .. } = self.program.user_shape();
        let size = of_program!(self.program, T => T::USER.size).min(self.bytes.len());
        [&self.bytes[..orders.start], &self.bytes[orders.end..size]]
    }

    /// Flags, see [`super::user::user_status`].
    #[must_use]
    #[inline]
    pub fn status(&self) -> u8 {
        of_program!(self.program, T => leaf!(T::USER, self.bytes, u8 "status"))
    }

    /// Marked as idle by the program.
    #[must_use]
    #[inline]
    pub fn idle(&self) -> bool {
        of_program!(self.program, T => leaf!(T::USER, self.bytes, bool "idle")) != 0
    }

    /// Returns the positions in all slots of the account.
    ///
    /// # Errors
    /// [`ProtocolError::InvalidEnum`] when a balance is neither a deposit nor a borrow.
    #[inline]
    pub fn positions(&self) -> Result<Positions, ProtocolError> {
        of_program!(self.program, T => Positions::read::<T>(self.bytes))
    }

    /// Returns the open orders that the account counts in each perp position; `None` without any,
    /// and for a program whose orders all rest in user accounts.
    #[must_use]
    #[inline]
    pub fn order_counts(&self) -> Option<[u8; POSITIONS]> {
        of_program!(self.program, T => T::order_counts(self.bytes))
    }

    /// Returns the order in a slot of the account.
    ///
    /// # Panics
    /// When `slot` is not below [`ORDERS`].
    #[must_use]
    #[inline]
    pub fn order(&self, slot: usize) -> RawOrder {
        of_program!(self.program, T => T::order(self.bytes, slot))
    }

    /// Returns a mask of the slots whose orders differ from the held orders, after a check of each
    /// of these orders. `held` returns the order in a slot; `None` for [`RawOrder::EMPTY`].
    ///
    /// # Errors
    /// [`ProtocolError::InvalidEnum`] when a byte of such an order is invalid.
    #[inline]
    pub fn changed_orders<'h>(
        &self,
        held: impl Fn(usize) -> Option<&'h RawOrder>,
    ) -> Result<u32, ProtocolError> {
        of_program!(self.program, T => T::changed_orders(self.bytes, held))
    }

    /// Returns [`UserView::changed_orders`] among the slots of a mask, for few slots.
    ///
    /// # Errors
    /// Those of [`UserView::changed_orders`].
    pub fn changed_orders_among<'h>(
        &self,
        mut slots: u32,
        held: impl Fn(usize) -> Option<&'h RawOrder>,
    ) -> Result<u32, ProtocolError> {
        let mut changed = 0;
        while slots != 0 {
            let slot = slots.trailing_zeros();
            slots &= slots - 1;
            let order = self.order(slot as usize);
            if held(slot as usize).unwrap_or(&RawOrder::EMPTY) != &order {
                order.view().check()?;
                changed |= 1 << slot;
            }
        }
        Ok(changed)
    }

    /// Returns the seeds of the account's address: its kind, the wallet that owns it, and the
    /// account's number within the wallet. Source: programs/drift/src/instructions/user.rs
    /// `InitializeUser`.
    #[must_use]
    pub fn seeds(&self) -> Vec<u8> {
        let authority = self.authority();
        let number = of_program!(self.program, T => leaf!(T::USER, self.bytes, u16 "subAccountId"));
        [b"user", authority.0.as_slice(), &number.to_le_bytes()].concat()
    }

    /// Returns a description of a contradiction between the account and the layout; `None` without
    /// a contradiction. Bytes of another layout break most rules that the program obeys.
    /// `has_market` returns whether a market exists.
    ///
    /// # Errors
    /// [`ProtocolError::InvalidEnum`] when a byte of an order is invalid.
    pub fn contradiction(
        &self,
        has_market: impl Fn(MarketType, u16) -> bool,
    ) -> Result<Option<String>, ProtocolError> {
        let counted = of_program!(self.program, T => leaf!(T::USER, self.bytes, u8 "openOrders"));
        let counted = usize::from(counted);
        let elsewhere = self.has_orders_elsewhere()?;
        let next = of_program!(self.program, T => leaf!(T::USER, self.bytes, u32 "nextOrderId"));
        let has_padding = of_program!(self.program, T => T::USER.has_zero_padding(self.bytes));
        let orders = self.decoded_orders()?;
        let newest = orders.iter().map(|order| order.order_id).max().unwrap_or(0);
        let open = || orders.iter().filter(|order| order.status == OrderStatus::Open);
        let count = open().count();
        let is_unknown = |order: &&Order| !has_market(order.market_type, order.market_index);
        Ok(if newest >= next.max(1) {
            Some(format!("nextOrderId was {next}, must be above {newest} of an order"))
        } else if counted < count || (counted > count && !elsewhere) {
            Some(format!("openOrders was {counted}, must be {count} as its orders are counted"))
        } else if let Some(order) = open().find(is_unknown) {
            let (kind, index) = (order.market_type.name(), order.market_index);
            Some(format!("an order is of {kind} market {index}, which is unknown"))
        } else {
            (!has_padding).then(|| "its padding was not zero".to_owned())
        })
    }

    fn has_orders_elsewhere(&self) -> Result<bool, ProtocolError> {
        let mut positions = self.positions()?;
        let held = array::from_fn(|slot| self.order(slot).view().held_in());
        positions.mark_elsewhere(self.order_counts().unwrap_or_default(), &held);
        Ok(positions.perp.iter().any(|position| position.has_orders_elsewhere))
    }

    fn decoded_orders(&self) -> Result<Vec<Order>, ProtocolError> {
        (0..ORDERS).map(|slot| self.order(slot).view().decode()).collect()
    }
}

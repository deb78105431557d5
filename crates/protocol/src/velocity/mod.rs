//! Velocity: its accounts and its events.

pub mod layouts;

use crate::bytes::{i64_at, is_same};
use crate::layout::Layout;
use crate::model::Program;
use crate::model::account::AccountKind;
use crate::model::enums::MarketStatus;
use crate::model::error::ProtocolError;
use crate::model::event::field::EventLayout;
use crate::model::order::{ORDER_BYTES, ORDERS, RawOrder, is_held};
use crate::model::tables::Tables;
use crate::model::units::Pubkey;
use crate::model::user::POSITIONS;
use layouts::{
    EVENTS, ORDER, PERP_MARKET, PERP_POSITION, PRELAUNCH_ORACLE, PYTH_LAZER_ORACLE, SPOT_MARKET,
    STATE, USER,
};

/// The address of the program, the same on every cluster. Source: velocity-exchange/velocity-v1
/// programs/velocity/src/lib.rs `declare_id`.
pub const PROGRAM_ID: Pubkey = Pubkey::from_base58("vELoC1audYbSYVRXn1vPaV8Axoa9oU6BYmNGZZBDZ1P");

/// The tables of Velocity.
pub(crate) struct Velocity;

impl Tables for Velocity {
    const PROGRAM: Program = Program::Velocity;
    const ID: Pubkey = PROGRAM_ID;
    const USER: &'static Layout = &USER;
    const PERP_MARKET: &'static Layout = &PERP_MARKET;
    const SPOT_MARKET: &'static Layout = &SPOT_MARKET;
    const STATE: &'static Layout = &STATE;
    const PYTH_LAZER_ORACLE: &'static Layout = &PYTH_LAZER_ORACLE;
    const PRELAUNCH_ORACLE: &'static Layout = &PRELAUNCH_ORACLE;
    const EVENTS: &'static [&'static EventLayout] = EVENTS;
    /// Source: programs/velocity/src/state/oracle.rs `get_oracle_price`, `load_pyth_push_price`.
    const HAS_OLD_ORACLES: bool = false;

    fn layout(kind: AccountKind) -> Option<&'static Layout> {
        layouts::layout(kind)
    }

    /// An upgrade of the program may append zeros to accounts, and accounts made before an upgrade
    /// lack the padding at the end. Source: docs/DRIFT-TO-VELOCITY.md 5.1.
    #[inline]
    fn fits(layout: &Layout, bytes: usize) -> bool {
        bytes >= layout.covered()
    }

    /// Source: programs/velocity/src/state/perp_market.rs `MarketStatus`.
    #[inline]
    fn market_status(byte: u8) -> Result<MarketStatus, ProtocolError> {
        Ok(match byte {
            0 => MarketStatus::Initialized,
            1 => MarketStatus::Active,
            2 => MarketStatus::ReduceOnly,
            3 => MarketStatus::Settlement,
            4 => MarketStatus::Delisted,
            value => return Err(ProtocolError::InvalidEnum { field: "status", value }),
        })
    }

    #[inline]
    fn order(user: &[u8], slot: usize) -> RawOrder {
        raw_order(&orders(user)[slot])
    }

    #[inline]
    fn put_order(user: &mut [u8], slot: usize, order: &RawOrder) {
        let to = &mut user[ORDERS_AT + slot * ORDER.size..][..ORDER.size];
        to[..BEFORE_BYTES].copy_from_slice(&order.bytes[..BEFORE_BYTES]);
        to[OFFSET..OFFSET + size_of::<i64>()].copy_from_slice(&order.offset.to_le_bytes());
        to[AFTER..AFTER + AFTER_BYTES]
            .copy_from_slice(&order.bytes[BEFORE_BYTES..BEFORE_BYTES + AFTER_BYTES]);
    }

    #[inline]
    fn order_counts(user: &[u8]) -> Option<[u8; POSITIONS]> {
        const AT: usize = USER.at("perpPositions", "PerpPosition");
        const COUNT: usize = PERP_POSITION.at("openOrders", "u8");
        let (positions, _) = user[AT..].as_chunks::<{ PERP_POSITION.size }>();
        let positions: &[_; POSITIONS] =
            positions.first_chunk().expect("Invariant: they lie inside");
        let counts = positions.map(|position| position[COUNT]);
        (counts != [0; POSITIONS]).then_some(counts)
    }

    #[inline]
    fn changed_orders<'a>(
        user: &[u8],
        held: impl Fn(usize) -> Option<&'a RawOrder>,
    ) -> Result<u32, ProtocolError> {
        let mut changed = 0;
        for (slot, new) in orders(user).iter().enumerate() {
            let new = raw_order(new);
            let old = held(slot).unwrap_or(&RawOrder::EMPTY);
            if new.offset != old.offset || !is_same(&new.bytes, &old.bytes) {
                new.view().check()?;
                changed |= 1 << slot;
            }
        }
        Ok(changed)
    }
}

const ORDERS_AT: usize = USER.at("orders", "Order");

#[inline]
fn orders(user: &[u8]) -> &[[u8; ORDER.size]; ORDERS] {
    let (orders, _) = user[ORDERS_AT..].as_chunks();
    orders.first_chunk().expect("Invariant: the orders lie inside the account")
}

const OFFSET: usize = ORDER.at("oraclePriceOffset", "i64");
/// Bytes of an order that lie as books hold them: up to the upper half of the offset, and from the field after it on.
const BEFORE_BYTES: usize = OFFSET + size_of::<i32>();
const AFTER: usize = ORDER.at("orderId", "u32");
const AFTER_BYTES: usize = ORDER.at("padding", "u8") - AFTER;

/// The fields after the offset are copied apart, because its upper half precedes them.
#[inline]
fn raw_order(order: &[u8; ORDER.size]) -> RawOrder {
    const { assert!(is_held(&ORDER), "fields of an order lie as books hold them") }
    let mut bytes = [0; ORDER_BYTES];
    bytes[..BEFORE_BYTES].copy_from_slice(&order[..BEFORE_BYTES]);
    bytes[BEFORE_BYTES..BEFORE_BYTES + AFTER_BYTES]
        .copy_from_slice(&order[AFTER..AFTER + AFTER_BYTES]);
    RawOrder { bytes, offset: i64_at(order, OFFSET) }
}

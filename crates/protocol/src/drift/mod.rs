//! Drift v2: its accounts and its events.

pub mod layouts;

use crate::bytes::{is_same, is_zero};
use crate::layout::Layout;
use crate::model::Program;
use crate::model::account::AccountKind;
use crate::model::enums::MarketStatus;
use crate::model::error::ProtocolError;
use crate::model::event::field::EventLayout;
use crate::model::order::{ORDER_BYTES, ORDERS, RawOrder};
use crate::model::tables::Tables;
use crate::model::units::Pubkey;
use layouts::{EVENTS, PERP_MARKET, PRELAUNCH_ORACLE, PYTH_LAZER_ORACLE, SPOT_MARKET, STATE, USER};

/// The address of the program, the same on every cluster. Source: programs/drift/src/lib.rs
/// `declare_id`.
pub const PROGRAM_ID: Pubkey = Pubkey::from_base58("dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH");

/// The tables of Drift v2.
pub(crate) struct Drift;

impl Tables for Drift {
    const PROGRAM: Program = Program::Drift;
    const ID: Pubkey = PROGRAM_ID;
    const USER: &'static Layout = &USER;
    const PERP_MARKET: &'static Layout = &PERP_MARKET;
    const SPOT_MARKET: &'static Layout = &SPOT_MARKET;
    const STATE: &'static Layout = &STATE;
    const PYTH_LAZER_ORACLE: &'static Layout = &PYTH_LAZER_ORACLE;
    const PRELAUNCH_ORACLE: &'static Layout = &PRELAUNCH_ORACLE;
    const EVENTS: &'static [&'static EventLayout] = EVENTS;
    const HAS_OLD_ORACLES: bool = true;

    fn layout(kind: AccountKind) -> Option<&'static Layout> {
        layouts::layout(kind)
    }

    #[inline]
    fn fits(layout: &Layout, bytes: usize) -> bool {
        bytes == layout.size || (bytes > layout.size && !layout.has_fixed_length())
    }

    #[inline]
    fn market_status(byte: u8) -> Result<MarketStatus, ProtocolError> {
        MarketStatus::from_byte(byte)
    }

    #[inline]
    fn order(user: &[u8], slot: usize) -> RawOrder {
        RawOrder::from(orders(user)[slot])
    }

    #[inline]
    fn put_order(user: &mut [u8], slot: usize, order: &RawOrder) {
        user[ORDERS_AT + slot * ORDER_BYTES..][..ORDER_BYTES].copy_from_slice(&order.bytes);
    }

    #[inline]
    fn changed_orders<'a>(
        user: &[u8],
        held: impl Fn(usize) -> Option<&'a RawOrder>,
    ) -> Result<u32, ProtocolError> {
        let mut changed = 0;
        for (slot, new) in orders(user).iter().enumerate() {
            let is_held = held(slot).map_or_else(|| is_zero(new), |old| is_same(new, &old.bytes));
            if !is_held {
                RawOrder::from(*new).view().check()?;
                changed |= 1 << slot;
            }
        }
        Ok(changed)
    }
}

const ORDERS_AT: usize = USER.at("orders", "Order");

#[inline]
fn orders(user: &[u8]) -> &[[u8; ORDER_BYTES]; ORDERS] {
    let (orders, _) = user[ORDERS_AT..].as_chunks();
    orders.first_chunk().expect("Invariant: the orders lie inside the account")
}

//! The timers of orders: the ends of their auctions, and their expiries.

use slotbook_protocol::order::Order;

use super::rules::{auction_end, expiry};
use super::wheel::{Timer, Wheel};
use crate::limits::{AUCTION_WHEEL_BUCKETS, EXPIRY_WHEEL_BUCKETS};
use crate::model::clock::Clock;

/// Auctions end by the slot, orders expire by the second.
#[derive(Debug)]
pub(crate) struct Timers {
    auctions: Wheel,
    expiries: Wheel,
    /// Timers that fell due; the memory is used again.
    due: Vec<Timer>,
}

impl Timers {
    pub(crate) fn new() -> Self {
        Self {
            auctions: Wheel::new(AUCTION_WHEEL_BUCKETS),
            expiries: Wheel::new(EXPIRY_WHEEL_BUCKETS),
            due: Vec::new(),
        }
    }

    /// Timers of the fuller wheel, stale ones included.
    pub(crate) fn len(&self) -> usize {
        self.auctions.len().max(self.expiries.len())
    }

    /// Forgets every timer and starts again at this time.
    pub(crate) fn reset(&mut self, clock: Clock) {
        self.auctions.reset(slot_tick(clock));
        self.expiries.reset(clock.now.0);
    }

    /// Sets the timers of an open order. One that neither rests nor is in auction needs none.
    pub(crate) fn schedule(&mut self, order: &Order, timer: Timer, clock: Clock) {
        let in_auction = order.is_taking(clock.slot) && !order.is_auction_complete(clock.slot);
        if in_auction {
            self.auctions.schedule(auction_end(order), timer);
        } else if !order.is_limit() {
            return;
        }
        if let Some(due) = expiry(order).filter(|_| !order.is_expired(clock.now)) {
            self.expiries.schedule(due, timer);
        }
    }

    /// Moves time forward. What fell due follows by [`Timers::pop_due`].
    pub(crate) fn advance(&mut self, clock: Clock) {
        self.auctions.advance(slot_tick(clock), &mut self.due);
        self.expiries.advance(clock.now.0, &mut self.due);
    }

    /// A timer that fell due, in no particular order.
    pub(crate) fn pop_due(&mut self) -> Option<Timer> {
        self.due.pop()
    }
}

fn slot_tick(clock: Clock) -> i64 {
    i64::try_from(clock.slot.0).unwrap_or(i64::MAX)
}

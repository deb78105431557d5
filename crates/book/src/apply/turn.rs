//! Clock updates, and the end of a turn.

use slotbook_protocol::model::units::{Slot, UnixSeconds};

use crate::book::Book;
use crate::model::clock::FeedState;
use crate::model::market::MarketId;

impl Book {
    /// Moves the chain's time: ends auctions, expires orders and markets, ages oracles.
    ///
    /// When time moves back (another chain, a revert), or slots get another length, every
    /// time-dependent order is placed again.
    pub fn set_clock(&mut self, slot: Slot, now: UnixSeconds) {
        let exchange = &mut self.markets.exchange;
        let before = (exchange.clock.slot(), exchange.clock.now);
        (exchange.clock.slots.slot, exchange.clock.now) = (slot, now);
        if exchange.terms.slots.staged_ms != 0 && exchange.take_lengths() {
            self.time_again();
        } else if before == (slot, now) {
            return;
        } else if slot < before.0 || now < before.1 {
            self.orders.rewind(&mut self.markets);
        } else {
            self.orders.fire_timers(&mut self.markets);
        }
        self.markets.refresh_all();
    }

    /// Places every time-dependent order again, whose slots have other lengths.
    pub(crate) fn time_again(&mut self) {
        self.markets.list.iter_mut().for_each(|market| market.ladders.auctions.revise());
        self.orders.rewind(&mut self.markets);
    }

    /// Sets how fresh the source is.
    pub fn set_state(&mut self, state: FeedState) {
        self.state = state;
    }

    /// Ends a turn: every market whose visible book changed gets the next sequence number.
    ///
    /// `ts_ms` is the Unix time in milliseconds in the bodies of this turn. Returns the changed
    /// markets in the order of their ids; the slice is valid until the next turn ends.
    pub fn end_turn(&mut self, ts_ms: u64) -> &[MarketId] {
        self.expire_quotes(ts_ms);
        let turn = Some((self.markets.clock().slot(), self.state));
        let moved = self.last_turn != turn;
        self.last_turn = turn;
        self.markets.end_turn(ts_ms, moved);
        &self.markets.changed
    }

    /// The markets that the last turn changed.
    #[must_use]
    pub fn changed_markets(&self) -> &[MarketId] {
        &self.markets.changed
    }
}

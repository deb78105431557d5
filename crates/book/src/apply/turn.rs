//! Time and turns: what the clock makes due, and what a turn changed.

use slotbook_protocol::units::{Slot, UnixSeconds};

use crate::book::Book;
use crate::model::clock::FeedState;
use crate::model::market::MarketId;

impl Book {
    /// Moves the chain's time: ends auctions, expires orders and markets, ages oracles.
    ///
    /// Time that goes back (another chain, a revert) decides every order that depends on it again.
    pub fn set_clock(&mut self, slot: Slot, now: UnixSeconds) {
        if (slot, now) == (self.slot, self.now) {
            return;
        }
        let back = slot < self.slot || now < self.now;
        self.slot = slot;
        self.now = now;
        self.quotes_may_move = true;
        if back {
            self.reset_timers();
            self.for_each_order(|user| user.timed, Self::reposition);
        } else {
            self.fire_timers();
        }
        self.refresh_markets();
    }

    /// Says how fresh the source is.
    pub fn set_state(&mut self, state: FeedState) {
        self.state = state;
    }

    /// Ends a turn: every market in which anything shown changed gets the next sequence number.
    ///
    /// `ts_ms` is the Unix time in milliseconds that bodies of this turn carry. Returns the changed
    /// markets; the slice lives until the next turn ends.
    pub fn end_turn(&mut self, ts_ms: u64) -> &[MarketId] {
        self.expire_quotes(ts_ms);
        self.turn_quotes();
        let moved = self.turned_at != Some((self.slot, self.state));
        self.turned_at = Some((self.slot, self.state));
        std::mem::swap(&mut self.dirty, &mut self.turned);
        self.dirty.clear();
        for id in &self.turned {
            self.markets[id.index()].end_turn(ts_ms);
        }
        if moved {
            self.markets.iter_mut().for_each(|market| market.ts_ms = ts_ms);
        }
        &self.turned
    }

    /// The markets that the last turn changed.
    #[must_use]
    pub fn turned(&self) -> &[MarketId] {
        &self.turned
    }

    fn fire_timers(&mut self) {
        let mut due = std::mem::take(&mut self.due);
        self.auctions.advance(i64::try_from(self.slot.0).unwrap_or(i64::MAX), &mut due);
        self.expiries.advance(self.now.0, &mut due);
        for timer in due.drain(..) {
            if self.arena.node(timer.handle).generation == timer.generation {
                self.reposition(timer.handle);
            }
        }
        self.due = due;
    }
}

//! Timer wheels: auction ends by slot, expiries by second.
//!
//! A timer is never cancelled: it stores the generation of its order slot, and a timer with an old
//! generation is dropped when it fires. The book rebuilds a wheel with too many stale timers.

use std::collections::BTreeMap;

use slotbook_protocol::model::order::Order;
use slotbook_protocol::model::units::Slot;

use super::rules::{auction_end, expiry};
use crate::limits::{AUCTION_WHEEL_BUCKETS, EXPIRY_WHEEL_BUCKETS};
use crate::model::clock::Clock;

/// Auction ends by slot, and expiries by second.
#[derive(Debug)]
pub(crate) struct Timers {
    auctions: Wheel,
    expiries: Wheel,
    due: Vec<Timer>,
}

impl Default for Timers {
    fn default() -> Self {
        Self {
            auctions: Wheel::new(AUCTION_WHEEL_BUCKETS),
            expiries: Wheel::new(EXPIRY_WHEEL_BUCKETS),
            due: Vec::new(),
        }
    }
}

impl Timers {
    /// Returns the number of timers in the fuller wheel, including stale ones.
    pub(crate) fn len(&self) -> usize {
        self.auctions.len().max(self.expiries.len())
    }

    pub(crate) fn reset(&mut self, clock: &Clock) {
        self.auctions.reset(tick_of(clock.slot()));
        self.expiries.reset(clock.now.0);
    }

    /// Sets the timers of an open order. An order that neither rests nor is in auction needs none.
    pub(crate) fn schedule(&mut self, order: &Order, timer: Timer, clock: &Clock) {
        let in_auction = order.is_taking(&clock.slots) && !order.is_auction_complete(&clock.slots);
        if in_auction {
            self.auctions.schedule(tick_of(auction_end(order, &clock.slots)), timer);
        } else if !order.is_limit() {
            return;
        }
        if let Some(due) = expiry(order).filter(|_| !order.is_expired(clock.now)) {
            self.expiries.schedule(due, timer);
        }
    }

    /// Moves time forward. [`Timers::pop_due`] returns the due timers.
    pub(crate) fn advance(&mut self, clock: &Clock) {
        self.auctions.advance(tick_of(clock.slot()), &mut self.due);
        self.expiries.advance(clock.now.0, &mut self.due);
    }

    /// Returns the next due timer, in no particular order.
    pub(crate) fn pop_due(&mut self) -> Option<Timer> {
        self.due.pop()
    }
}

fn tick_of(slot: Slot) -> i64 {
    i64::try_from(slot.0).unwrap_or(i64::MAX)
}

/// One timer: the order slot, and the generation for which the timer was set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Timer {
    pub(crate) handle: u32,
    pub(crate) generation: u32,
}

/// Timers by due tick: near ticks in buckets (exact), later ticks in a map.
#[derive(Debug)]
struct Wheel {
    now: i64,
    buckets: Vec<Vec<Timer>>,
    far: BTreeMap<i64, Vec<Timer>>,
    len: usize,
}

impl Wheel {
    /// `bucket_count` is a power of two.
    fn new(bucket_count: usize) -> Self {
        debug_assert!(bucket_count.is_power_of_two(), "Invariant: buckets are a power of two");
        Self { now: 0, buckets: vec![Vec::new(); bucket_count], far: BTreeMap::new(), len: 0 }
    }

    fn len(&self) -> usize {
        self.len
    }

    /// Discards all timers and restarts at `now`.
    fn reset(&mut self, now: i64) {
        self.buckets.iter_mut().for_each(Vec::clear);
        self.far.clear();
        self.len = 0;
        self.now = now;
    }

    /// Sets a timer. An already due timer fires at the next advance.
    fn schedule(&mut self, due: i64, timer: Timer) {
        let due = due.max(self.now.saturating_add(1));
        if due.saturating_sub(self.now) < self.bucket_count() {
            let bucket = self.bucket(due);
            self.buckets[bucket].push(timer);
        } else {
            self.far.entry(due).or_default().push(timer);
        }
        self.len += 1;
    }

    /// Moves time forward to `now` and appends the due timers, in no particular order.
    fn advance(&mut self, now: i64, due: &mut Vec<Timer>) {
        if now <= self.now {
            return;
        }
        let before = due.len();
        self.drain_buckets(now, due);
        while let Some(entry) = self.far.first_entry() {
            if *entry.key() > now {
                break;
            }
            due.append(&mut entry.remove());
        }
        self.now = now;
        self.len -= due.len() - before;
    }

    fn drain_buckets(&mut self, now: i64, due: &mut Vec<Timer>) {
        let steps = now.saturating_sub(self.now).min(self.bucket_count());
        let first = self.now.saturating_add(1);
        for step in 0..steps {
            let bucket = self.bucket(first.saturating_add(step));
            due.append(&mut self.buckets[bucket]);
        }
    }

    fn bucket_count(&self) -> i64 {
        i64::try_from(self.buckets.len()).unwrap_or(i64::MAX)
    }

    fn bucket(&self, tick: i64) -> usize {
        usize::try_from(tick.rem_euclid(self.bucket_count())).unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fired(wheel: &mut Wheel, now: i64) -> Vec<u32> {
        let mut due = Vec::new();
        wheel.advance(now, &mut due);
        let mut handles: Vec<u32> = due.iter().map(|timer| timer.handle).collect();
        handles.sort_unstable();
        handles
    }

    fn timer(handle: u32) -> Timer {
        Timer { handle, generation: 0 }
    }

    #[test]
    fn fires_exactly_at_the_due_tick_near_and_far() {
        let mut wheel = Wheel::new(8);
        wheel.reset(1_000);
        for (handle, due) in [(1, 1_001), (2, 1_007), (3, 1_008), (4, 5_000), (5, 900)] {
            wheel.schedule(due, timer(handle));
        }
        assert_eq!(wheel.len(), 5);
        assert_eq!(fired(&mut wheel, 1_001), [1, 5]);
        assert_eq!(fired(&mut wheel, 1_006), []);
        assert_eq!(fired(&mut wheel, 1_007), [2]);
        assert_eq!(fired(&mut wheel, 4_999), [3]);
        assert_eq!(fired(&mut wheel, 5_000), [4]);
        assert_eq!(wheel.len(), 0);
    }

    #[test]
    fn a_jump_over_many_laps_fires_everything_once() {
        let mut wheel = Wheel::new(8);
        wheel.reset(0);
        for due in 1..100 {
            wheel.schedule(i64::from(due), timer(due));
        }
        assert_eq!(fired(&mut wheel, 1_000), (1..100).collect::<Vec<_>>());
    }

    #[test]
    fn time_that_stands_still_or_goes_back_fires_nothing() {
        let mut wheel = Wheel::new(8);
        wheel.reset(10);
        wheel.schedule(11, timer(1));
        assert_eq!(fired(&mut wheel, 10), []);
        assert_eq!(fired(&mut wheel, 3), []);
        assert_eq!(fired(&mut wheel, 11), [1]);
    }
}

//! The fixed-price levels of one side.
//!
//! Levels are ordered by rank, a number that grows towards the best price, so both sides share one
//! implementation. The orders of a level form an unordered list: readers sort it; updates do not.

use super::arena::{Arena, NONE};
use super::chunks::{Chunks, Cursor, Ranked};
use super::wide_size::WideSize;
use crate::Side;

/// One price on one side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FixedLevel {
    rank: u64,
    pub(crate) size: WideSize,
    pub(crate) head: u32,
    pub(crate) order_count: u32,
}

impl Ranked for FixedLevel {
    #[inline]
    fn rank(&self) -> u64 {
        self.rank
    }
}

impl FixedLevel {
    #[inline]
    pub(crate) fn price(&self, side: Side) -> u64 {
        rank_of(side, self.rank)
    }
}

/// All fixed-price levels of one side.
#[derive(Debug)]
pub(crate) struct FixedLadder {
    side: Side,
    levels: Chunks<FixedLevel>,
}

impl FixedLadder {
    pub(crate) fn new(side: Side) -> Self {
        Self { side, levels: Chunks::new() }
    }

    pub(crate) fn levels(&self) -> Cursor<'_, FixedLevel> {
        self.levels.best_first()
    }

    /// The levels from a price on, best first.
    pub(crate) fn levels_from(&self, price: u64) -> Cursor<'_, FixedLevel> {
        let rank = rank_of(self.side, price);
        self.levels.best_first_after(|level| level.rank > rank)
    }

    /// The best price.
    #[inline]
    pub(crate) fn best(&self) -> Option<u64> {
        self.levels.best().map(|level| level.price(self.side))
    }

    pub(crate) fn order_count(&self) -> usize {
        self.levels.iter().map(|level| level.order_count as usize).sum()
    }

    /// Checks the order of the levels; the caller checks the lists of their orders.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        self.levels.check()
    }

    /// Reserves memory for later changes.
    pub(crate) fn reserve(&mut self) {
        self.levels.reserve();
    }

    pub(crate) fn clear(&mut self) {
        self.levels.clear();
    }

    /// Adds an order whose node is in no list.
    pub(crate) fn insert(&mut self, arena: &mut Arena, handle: u32, price: u64, size: u64) {
        debug_assert!(size > 0, "Invariant: an order in a ladder has a size");
        let rank = rank_of(self.side, price);
        let spot = self.levels.find(rank).unwrap_or_else(|spot| {
            let empty = FixedLevel { rank, size: WideSize::default(), head: NONE, order_count: 0 };
            self.levels.insert(spot, empty)
        });
        let level = self.levels.get_mut(spot);
        level.head = arena.link(handle, level.head);
        level.size.add(size);
        level.order_count += 1;
    }

    /// Removes an order, and its level when the level becomes empty.
    pub(crate) fn remove(&mut self, arena: &mut Arena, handle: u32, price: u64, size: u64) {
        let found = self.levels.find(rank_of(self.side, price));
        let spot = found.expect("Invariant: an order's level exists");
        let level = self.levels.get_mut(spot);
        level.head = arena.unlink(handle, level.head);
        level.size.sub(size);
        level.order_count -= 1;
        if level.order_count == 0 {
            debug_assert!(level.head == NONE, "Invariant: an empty level has no list");
            debug_assert!(level.size.get() == 0, "Invariant: an empty level has no size");
            self.levels.remove(spot);
        }
    }

    /// Changes the size of an order that stays at its price.
    pub(crate) fn resize(&mut self, price: u64, old: u64, new: u64) {
        let found = self.levels.find(rank_of(self.side, price));
        let level = self.levels.get_mut(found.expect("Invariant: an order's level exists"));
        level.size.sub(old);
        level.size.add(new);
    }
}

/// Returns the rank of a price; the function is its own inverse.
#[inline]
fn rank_of(side: Side, price: u64) -> u64 {
    match side {
        Side::Bid => price,
        Side::Ask => !price,
    }
}

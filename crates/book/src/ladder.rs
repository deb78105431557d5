//! The levels of one side at fixed prices: a sorted vector with the best level at its end.
//!
//! Most changes are near the touch, so a change moves few levels and a read walks backwards over
//! contiguous memory. Levels are ordered by rank, a number that grows towards the best price, so
//! both sides share one piece of code. The orders of a level form an unordered list: who is first
//! is decided when somebody reads orders, never while updates arrive.

use crate::Side;
use crate::arena::{Arena, NONE};
use crate::wide::WideSize;

/// One price on one side.
#[derive(Clone, Copy, Debug)]
pub(crate) struct FixedLevel {
    rank: u64,
    pub(crate) size: WideSize,
    pub(crate) head: u32,
    pub(crate) order_count: u32,
}

/// Levels looked at one by one from the best end before a binary search starts.
const NEAR_TOUCH: usize = 8;

/// All fixed-price levels of one side.
#[derive(Debug)]
pub(crate) struct Ladder {
    side: Side,
    levels: Vec<FixedLevel>,
}

impl Ladder {
    pub(crate) fn new(side: Side) -> Self {
        Self { side, levels: Vec::new() }
    }

    /// Levels from the worst to the best.
    pub(crate) fn levels(&self) -> &[FixedLevel] {
        &self.levels
    }

    pub(crate) fn clear(&mut self) {
        self.levels.clear();
    }

    /// The price of a level of this side.
    #[inline]
    pub(crate) fn price(&self, level: &FixedLevel) -> u64 {
        rank_of(self.side, level.rank)
    }

    /// Adds an order whose node has no list yet.
    pub(crate) fn insert(&mut self, arena: &mut Arena, handle: u32, price: u64, size: u64) {
        debug_assert!(size > 0, "Invariant: an order in a ladder has a size");
        let rank = rank_of(self.side, price);
        let index = match self.find(rank) {
            Ok(index) => index,
            Err(index) => {
                let empty =
                    FixedLevel { rank, size: WideSize::default(), head: NONE, order_count: 0 };
                self.levels.insert(index, empty);
                index
            }
        };
        let level = &mut self.levels[index];
        level.head = arena.link(handle, level.head);
        level.size.add(size);
        level.order_count += 1;
    }

    /// Takes an order out, and its level with the last one.
    pub(crate) fn remove(&mut self, arena: &mut Arena, handle: u32, price: u64, size: u64) {
        let index = self.index(price);
        let level = &mut self.levels[index];
        level.head = arena.unlink(handle, level.head);
        level.size.sub(size);
        level.order_count -= 1;
        if level.order_count == 0 {
            debug_assert!(level.head == NONE, "Invariant: an empty level has no list");
            debug_assert!(level.size.get() == 0, "Invariant: an empty level has no size");
            self.levels.remove(index);
        }
    }

    /// Changes the size of an order that stays at its price.
    pub(crate) fn resize(&mut self, price: u64, old: u64, new: u64) {
        let index = self.index(price);
        let level = &mut self.levels[index];
        level.size.sub(old);
        level.size.add(new);
    }

    fn index(&self, price: u64) -> usize {
        self.find(rank_of(self.side, price)).expect("Invariant: an order's level exists")
    }

    #[inline]
    fn find(&self, rank: u64) -> Result<usize, usize> {
        find_from_best(&self.levels, rank, |level| level.rank)
    }
}

/// Finds a rank in levels sorted by rank: a short walk from the best end, then a binary search.
/// `Err` is where the rank would stand.
#[inline]
pub(crate) fn find_from_best<L>(
    levels: &[L],
    rank: u64,
    rank_of_level: impl Fn(&L) -> u64,
) -> Result<usize, usize> {
    let near = levels.len().saturating_sub(NEAR_TOUCH);
    for (index, level) in levels.iter().enumerate().skip(near).rev() {
        let found = rank_of_level(level);
        if found == rank {
            return Ok(index);
        }
        if found < rank {
            return Err(index + 1);
        }
    }
    levels[..near].binary_search_by_key(&rank, rank_of_level)
}

/// The rank of a price, which grows towards the best price of the side; its own inverse.
#[inline]
fn rank_of(side: Side, price: u64) -> u64 {
    match side {
        Side::Bid => price,
        Side::Ask => !price,
    }
}

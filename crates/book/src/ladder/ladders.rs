//! All lists of one market's orders: two ladders a side, and the orders in auction.

use slotbook_protocol::model::units::Price;

use super::arena::{Arena, NONE, Node, Place};
use super::fixed::FixedLadder;
use super::offset::{OffsetLadder, OffsetPricing};
use crate::Side;

/// The orders of one market that are in auction, linked through their nodes.
#[derive(Debug)]
pub(crate) struct AuctionList {
    pub(crate) head: u32,
    pub(crate) len: usize,
    /// Grows whenever an order joins or leaves the list, or its bytes change.
    pub(crate) revision: u64,
}

/// The lists of one market. The place of an order's node tells in which list it is.
#[derive(Debug)]
pub(crate) struct Ladders {
    pub(crate) fixed: [FixedLadder; 2],
    pub(crate) offset: [OffsetLadder; 2],
    /// The best visible price of each side, see `Market::find_best`.
    pub(crate) best: [Option<Price>; 2],
    /// Grows whenever an order of a side joins or leaves its list, or changes its place there.
    pub(crate) revisions: [u64; 2],
    pub(crate) auctions: AuctionList,
    /// Orders that are marked as placed on a CLOB program, and positions of users who have more orders than they hold.
    pub(crate) elsewhere: usize,
}

impl AuctionList {
    /// Records a change of the orders, or of the slot and time for which they were placed.
    pub(crate) const fn revise(&mut self) {
        self.revision = self.revision.wrapping_add(1);
    }
}

impl Ladders {
    pub(crate) fn new() -> Self {
        Self {
            fixed: Side::BOTH.map(FixedLadder::new),
            offset: Side::BOTH.map(OffsetLadder::new),
            best: [None; 2],
            revisions: [0; 2],
            auctions: AuctionList { head: NONE, len: 0, revision: 0 },
            elsewhere: 0,
        }
    }

    /// Empties all lists and sets the tick. The caller resets the nodes.
    pub(crate) fn reset(&mut self, tick: u64) {
        self.fixed.iter_mut().for_each(FixedLadder::clear);
        self.offset.iter_mut().for_each(|ladder| ladder.reset(tick));
        self.best = [None; 2];
        let revision = self.auctions.revision.wrapping_add(1);
        self.auctions = AuctionList { head: NONE, len: 0, revision };
    }

    /// Reserves memory for later changes.
    pub(crate) fn reserve(&mut self) {
        self.fixed.iter_mut().for_each(FixedLadder::reserve);
        self.offset.iter_mut().for_each(OffsetLadder::reserve);
    }

    /// The best price of a side; without an oracle price, of fixed prices alone.
    #[inline]
    pub(crate) fn find_best(&self, side: Side, pricing: Option<OffsetPricing>) -> Option<u64> {
        let fixed = self.fixed[side.index()].best();
        let offset = pricing.and_then(|pricing| self.offset[side.index()].best(pricing));
        match (fixed, offset) {
            (Some(fixed), Some(offset)) if side.is_better(offset, fixed) => Some(offset),
            _ => fixed.or(offset),
        }
    }

    pub(crate) fn fixed_orders(&self) -> usize {
        self.fixed.iter().map(FixedLadder::order_count).sum()
    }

    pub(crate) fn offset_orders(&self) -> usize {
        self.offset.iter().map(OffsetLadder::order_count).sum()
    }

    /// Adds an order slot to the list that its node's place names.
    #[inline]
    pub(crate) fn insert(&mut self, arena: &mut Arena, handle: u32) {
        let Node { place, key, size, .. } = *arena.node(handle);
        match place {
            Place::Out(_) => {}
            Place::Auction(_) => {
                self.auctions.head = arena.link(handle, self.auctions.head);
                self.auctions.len += 1;
            }
            Place::Fixed(side) => self.fixed[side.index()].insert(arena, handle, key, size),
            Place::Offset(side) => {
                self.offset[side.index()].insert(arena, handle, key.cast_signed(), size);
            }
        }
    }

    /// Removes an order slot from the list that its node's place names.
    #[inline]
    pub(crate) fn remove(&mut self, arena: &mut Arena, handle: u32) {
        let Node { place, key, size, .. } = *arena.node(handle);
        match place {
            Place::Out(_) => {}
            Place::Auction(_) => {
                self.auctions.head = arena.unlink(handle, self.auctions.head);
                self.auctions.len -= 1;
            }
            Place::Fixed(side) => self.fixed[side.index()].remove(arena, handle, key, size),
            Place::Offset(side) => {
                self.offset[side.index()].remove(arena, handle, key.cast_signed(), size);
            }
        }
    }

    /// Changes the size of an order slot that stays in its list.
    #[inline]
    pub(crate) fn resize(&mut self, node: &mut Node, size: u64) {
        match node.place {
            Place::Out(_) => unreachable!("Invariant: an order that is out has size 0"),
            Place::Auction(_) => {}
            Place::Fixed(side) => self.fixed[side.index()].resize(node.key, node.size, size),
            Place::Offset(side) => {
                self.offset[side.index()].resize(node.key.cast_signed(), node.size, size);
            }
        }
        node.size = size;
    }
}

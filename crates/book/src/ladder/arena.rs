//! Storage of order slots: `handle = user * 32 + slot`, so that an order is found without a map.

use slotbook_protocol::model::order::RawOrder;

use crate::limits::ORDERS_PER_USER;
use crate::{LeftOut, MarketId, Side};

/// No order: the end of a list.
pub(crate) const NONE: u32 = u32::MAX;

/// The list that contains an order slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Place {
    /// The order is in no ladder; the reason is for the counters.
    Out(LeftOut),
    /// The order is in no ladder, but in its market's list of running auctions.
    Auction(LeftOut),
    /// In the ladder of fixed prices.
    Fixed(Side),
    /// In the ladder of oracle offsets.
    Offset(Side),
}

/// Place, key and shown size of an order slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Standing {
    pub(crate) market: MarketId,
    pub(crate) place: Place,
    /// For a fixed order the price, for an offset order the oracle offset as the bits of an i64,
    /// otherwise 0.
    pub(crate) key: u64,
    /// Shown size in the market's base units.
    pub(crate) size: u64,
}

/// An order slot's place, shown size, and list neighbours.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// The fields of [`Standing`] are inlined, so that a node has 32 bytes.
    pub(crate) size: u64,
    pub(crate) key: u64,
    pub(crate) prev: u32,
    pub(crate) next: u32,
    /// Incremented when the account's bytes for this slot change, which makes older timers invalid.
    pub(crate) generation: u32,
    pub(crate) market: MarketId,
    pub(crate) place: Place,
}

impl Node {
    pub(crate) const EMPTY: Self = Self {
        size: 0,
        key: 0,
        prev: NONE,
        next: NONE,
        generation: 0,
        market: MarketId::NONE,
        place: Place::Out(LeftOut::NotOpen),
    };

    pub(crate) fn standing(&self) -> Standing {
        let Self { market, place, key, size, .. } = *self;
        Standing { market, place, key, size }
    }
}

const _: () = assert!(size_of::<Node>() <= 32, "memory of the core is counted per order");

/// A used order slot: the account's bytes, and the node.
#[derive(Debug)]
pub(crate) struct Entry {
    pub(crate) raw: RawOrder,
    pub(crate) node: Node,
}

/// A slot that was never used.
const UNUSED: Entry = Entry { raw: RawOrder::EMPTY, node: Node::EMPTY };

/// The order slots of one user, in pairs: only pairs that were used take memory.
#[derive(Debug, Default)]
pub(crate) struct Block {
    pairs: [Option<Box<[Entry; 2]>>; ORDERS_PER_USER / 2],
}

impl Block {
    /// Returns the entry of a slot; `None` for an unused slot.
    #[inline]
    pub(crate) fn used(&self, slot: usize) -> Option<&Entry> {
        self.pairs[slot / 2].as_ref().map(|pair| &pair[slot % 2])
    }

    /// Returns the entry of a slot, which is used from now on.
    #[inline]
    pub(crate) fn entry_mut(&mut self, slot: usize) -> &mut Entry {
        let pair = self.pairs[slot / 2].get_or_insert_with(|| Box::new([UNUSED; 2]));
        &mut pair[slot % 2]
    }

    /// The entries of the used slots, in the order of the slots.
    pub(crate) fn entries(&self) -> impl Iterator<Item = &Entry> {
        self.pairs.iter().flatten().flat_map(|pair| pair.iter())
    }
}

/// All order slots, one block for each user index.
#[derive(Debug, Default)]
pub(crate) struct Arena {
    blocks: Vec<Block>,
}

impl Arena {
    pub(crate) fn len(&self) -> usize {
        self.blocks.len()
    }

    /// Adds an empty block and returns its user index.
    pub(crate) fn grow(&mut self) -> usize {
        self.blocks.push(Block::default());
        self.blocks.len() - 1
    }

    /// Frees the slots of a user, none of which is in a list.
    pub(crate) fn clear(&mut self, user: usize) {
        self.blocks[user] = Block::default();
    }

    #[inline]
    pub(crate) fn block(&self, user: usize) -> &Block {
        &self.blocks[user]
    }

    #[inline]
    pub(crate) fn block_mut(&mut self, user: usize) -> &mut Block {
        &mut self.blocks[user]
    }

    #[inline]
    pub(crate) fn entry(&self, handle: u32) -> &Entry {
        self.blocks[user_of(handle)].used(slot_of(handle)).unwrap_or(&UNUSED)
    }

    #[inline]
    pub(crate) fn node(&self, handle: u32) -> &Node {
        &self.entry(handle).node
    }

    #[inline]
    pub(crate) fn node_mut(&mut self, handle: u32) -> &mut Node {
        &mut self.blocks[user_of(handle)].entry_mut(slot_of(handle)).node
    }

    #[inline]
    pub(crate) fn raw(&self, handle: u32) -> &RawOrder {
        &self.entry(handle).raw
    }

    /// Prepends a node to a list and returns the new head.
    #[inline]
    pub(crate) fn link(&mut self, handle: u32, head: u32) -> u32 {
        if head != NONE {
            self.node_mut(head).prev = handle;
        }
        let node = self.node_mut(handle);
        node.prev = NONE;
        node.next = head;
        handle
    }

    /// Removes a node from its list and returns the list's head.
    #[inline]
    pub(crate) fn unlink(&mut self, handle: u32, head: u32) -> u32 {
        let (prev, next) = {
            let node = self.node_mut(handle);
            let links = (node.prev, node.next);
            node.prev = NONE;
            node.next = NONE;
            links
        };
        if next != NONE {
            self.node_mut(next).prev = prev;
        }
        if prev == NONE {
            debug_assert!(head == handle, "Invariant: a node without a predecessor is the head");
            return next;
        }
        self.node_mut(prev).next = next;
        head
    }
}

#[inline]
pub(crate) fn handle_of(user: usize, slot: usize) -> u32 {
    debug_assert!(slot < ORDERS_PER_USER, "Invariant: an account has 32 order slots");
    u32::try_from(user * ORDERS_PER_USER + slot).expect("Invariant: USERS_MAX bounds the handles")
}

#[inline]
pub(crate) fn user_of(handle: u32) -> usize {
    handle as usize / ORDERS_PER_USER
}

#[inline]
pub(crate) fn slot_of(handle: u32) -> usize {
    handle as usize % ORDERS_PER_USER
}

//! Checks every invariant of the book by name. Only tests do so: it walks all orders.

use std::collections::HashMap;

use slotbook_protocol::model::enums::OrderStatus;

use crate::book::Book;
use crate::ladder::arena::{Entry, NONE, Node, Place, handle_of};
use crate::limits::ORDERS_PER_USER;
use crate::markets::market::Market;
use crate::model::hash::HashSum;
use crate::model::market::{MarketId, MarketKey};
use crate::orders::order_store::{bits, depends_on_time};
use crate::view::hashes::{account_hash, terms_hash};
use crate::view::integrity::ensure;
use crate::{LeftOut, Side, Violation};

impl Book {
    /// Checks every invariant of the book. Costs O(orders).
    ///
    /// # Errors
    /// The first [`Violation`] that is found.
    pub fn check_integrity(&self) -> Result<(), Violation> {
        self.check_counts()?;
        self.check_indicative()?;
        self.check_hashes()?;
        self.check_known_hashes()?;
        self.check_elsewhere()?;
        let (mut listed, mut auctioned) = (0, 0);
        for market in &self.markets.list {
            for side in Side::BOTH {
                listed += self.check_fixed(market, side)?;
                listed += self.check_offset(market, side)?;
                self.check_levels(market.info.id, side)?;
            }
            auctioned += self.check_auctions(market)?;
        }
        let placed = self.count_nodes(|node| matches!(node.place, Place::Auction(_)));
        ensure(auctioned == placed, "each order in auction is in its market's list")?;
        ensure(listed == self.orders.counts.resting, "each resting order is in exactly one ladder")
    }

    /// Checks that the sums of the accounts equal a recount of all open orders.
    fn check_hashes(&self) -> Result<(), Violation> {
        if !self.orders.is_hashed {
            return Ok(());
        }
        let mut sums: HashMap<MarketKey, HashSum> = HashMap::new();
        for index in 0..self.orders.users.len() {
            for slot in bits(self.orders.users.get(index).open) {
                if let Some((key, hash)) = self.orders.order_hash(index, slot) {
                    sums.entry(key).or_default().add(hash);
                }
            }
        }
        let mut markets = self.markets.list.iter();
        let is_sum = markets.all(|market| {
            market.hashes.orders == sums.get(&market.info.key()).copied().unwrap_or_default()
        });
        ensure(is_sum, "a market's hash is the sum of its orders")
    }

    /// The cached hashes equal fresh ones.
    fn check_known_hashes(&self) -> Result<(), Violation> {
        let is_made = |market: &Market| {
            let known = market.hashes.account;
            known.is_none_or(|known| known == account_hash(market, &mut Vec::new()))
        };
        ensure(self.markets.list.iter().all(is_made), "the hash of an account is of what it says")?;
        let exchange = &self.markets.exchange;
        let known = exchange.terms_hash;
        let is_made =
            known.is_none_or(|known| known == terms_hash(&exchange.terms, &mut Vec::new()));
        ensure(is_made, "the hash of the exchange's terms is of what it says")
    }

    fn check_counts(&self) -> Result<(), Violation> {
        let (mut open, mut resting, mut present) = (0, 0, 0);
        let mut left_out = [0usize; crate::LeftOut::COUNT];
        for index in 0..self.orders.users.len() {
            let user = self.orders.users.get(index);
            present += usize::from(user.present);
            open += user.open.count_ones() as usize;
            for slot in 0..ORDERS_PER_USER {
                let Entry { raw, node } = self.orders.arena.entry(handle_of(index, slot));
                let is_open = raw.view().status() == Ok(OrderStatus::Open);
                ensure(is_open == (user.open >> slot & 1 == 1), "open masks follow the bytes")?;
                let order = raw.view();
                let timed = is_open && depends_on_time(&order);
                ensure(timed == (user.timed >> slot & 1 == 1), "timed masks follow the bytes")?;
                let reduces = is_open && order.reduce_only();
                let marked = user.reduce_only >> slot & 1 == 1;
                ensure(reduces == marked, "reduce-only masks follow the bytes")?;
                self.check_place(handle_of(index, slot))?;
                match node.place {
                    Place::Out(reason) => left_out[reason as usize] += 1,
                    Place::Auction(reason) => {
                        left_out[reason as usize] += 1;
                        ensure(is_open, "only open orders are in auction")?;
                        ensure(node.size > 0, "an order in auction has a size")?;
                    }
                    Place::Fixed(_) | Place::Offset(_) => {
                        resting += 1;
                        ensure(is_open, "only open orders rest")?;
                        ensure(node.size > 0, "a resting order has a size")?;
                    }
                }
            }
        }
        left_out[crate::LeftOut::NotOpen as usize] = 0;
        let counts = &self.orders.counts;
        ensure(open == counts.open, "open orders are counted")?;
        ensure(present == self.orders.present_users, "present users are counted")?;
        ensure(resting == counts.resting, "resting orders are counted")?;
        ensure(left_out == counts.left_out, "orders left out are counted by reason")
    }

    fn check_elsewhere(&self) -> Result<(), Violation> {
        let mut counted = vec![0; self.markets.list.len()];
        let placed = Place::Out(LeftOut::PlacedOnClob);
        for index in 0..self.orders.users.len() {
            let nodes = self.orders.arena.block(index).entries().map(|entry| &entry.node);
            nodes
                .filter(|node| node.place == placed)
                .for_each(|node| counted[node.market.index()] += 1);
        }
        let is_counted = |market: &Market| {
            let positions = self.orders.counted_elsewhere(market.info.key());
            market.ladders.elsewhere == counted[market.info.id.index()] + positions
        };
        ensure(self.markets.list.iter().all(is_counted), "a market counts its orders elsewhere")
    }

    /// The place of every order equals the place that the rules give it.
    fn check_place(&self, handle: u32) -> Result<(), Violation> {
        let here = self.orders.arena.node(handle).standing();
        let decided = self.orders.decide(handle, &self.markets);
        ensure(here == decided, "every order stands where the rules put it now")
    }

    fn check_fixed(&self, market: &Market, side: Side) -> Result<usize, Violation> {
        let ladder = &market.ladders.fixed[side.index()];
        ladder.check().map_err(Violation)?;
        let mut listed = 0;
        for level in ladder.levels() {
            let (place, price) = (Place::Fixed(side), level.price(side));
            let (count, size) = self.check_list(level.head, market, place, price)?;
            ensure(count > 0, "no empty level")?;
            ensure(count == level.order_count as usize, "a level counts its orders")?;
            ensure(size == level.size.get(), "a level's size is the sum of its orders")?;
            listed += count;
        }
        Ok(listed)
    }

    fn check_offset(&self, market: &Market, side: Side) -> Result<usize, Violation> {
        let ladder = &market.ladders.offset[side.index()];
        ladder.check().map_err(Violation)?;
        let mut listed = 0;
        for (offset, part) in ladder.parts() {
            let (place, key) = (Place::Offset(side), offset.cast_unsigned());
            let (count, size) = self.check_list(part.head, market, place, key)?;
            let (part_count, part_size) = (part.order_count as usize, part.size.get());
            ensure(count == part_count, "an offset part counts its orders")?;
            ensure(size == part_size, "an offset part's size is the sum of its orders")?;
            listed += count;
        }
        Ok(listed)
    }

    fn check_auctions(&self, market: &Market) -> Result<usize, Violation> {
        let list = &market.ladders.auctions;
        let is_here = |node: &Node| {
            let is_auction = matches!(node.place, Place::Auction(_));
            node.market == market.info.id && node.key == 0 && is_auction
        };
        let (count, _) = self.check_nodes(list.head, is_here)?;
        ensure(count == list.len, "a market counts its orders in auction")?;
        Ok(count)
    }

    fn count_nodes(&self, is_counted: impl Fn(&Node) -> bool) -> usize {
        let blocks = (0..self.orders.users.len()).map(|index| self.orders.arena.block(index));
        blocks.map(|block| block.entries().filter(|entry| is_counted(&entry.node)).count()).sum()
    }

    fn check_list(
        &self,
        head: u32,
        market: &Market,
        place: Place,
        key: u64,
    ) -> Result<(usize, u128), Violation> {
        let here = (market.info.id, place, key);
        self.check_nodes(head, |node| (node.market, node.place, node.key) == here)
    }

    /// Walks a list and checks that links agree both ways, and that every node has this place.
    fn check_nodes(
        &self,
        head: u32,
        is_here: impl Fn(&Node) -> bool,
    ) -> Result<(usize, u128), Violation> {
        let (mut count, mut size) = (0, 0u128);
        let (mut handle, mut before) = (head, NONE);
        while handle != NONE {
            ensure(count <= self.orders.counts.open, "a list has no cycle")?;
            let node = self.orders.arena.node(handle);
            ensure(node.prev == before, "links agree both ways")?;
            ensure(is_here(node), "a node's place is the list it is in")?;
            count += 1;
            size += u128::from(node.size);
            before = handle;
            handle = node.next;
        }
        Ok((count, size))
    }

    /// Checks that the visible side is sorted, without empty or duplicate prices, and equal by
    /// level and by order.
    fn check_levels(&self, id: MarketId, side: Side) -> Result<(), Violation> {
        let levels: Vec<_> = self.levels(id, side).collect();
        let sorted = levels.is_sorted_by(|a, b| side.is_better(a.price.0, b.price.0));
        ensure(sorted, "shown bids descend and asks ascend")?;
        let first = levels.first().map(|level| level.price);
        ensure(self.best(id, side) == first, "the best price is the first level's")?;
        ensure(levels.iter().all(|level| level.size > 0), "no empty level is shown")?;
        let mut rows = Vec::new();
        self.orders(id, side, usize::MAX, &mut rows);
        let mut at = 0;
        for level in &levels {
            let end = at + level.order_count as usize;
            let orders = rows.get(at..end).ok_or(Violation("levels and orders agree"))?;
            let size: u128 = orders.iter().map(|row| u128::from(row.size.0)).sum();
            let priced = orders.iter().all(|row| row.price == level.price);
            ensure(priced && size == level.size, "a shown level is the sum of its shown orders")?;
            at = end;
        }
        ensure(at == rows.len(), "every shown order is in a shown level")
    }
}

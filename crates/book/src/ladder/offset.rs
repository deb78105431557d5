//! The orders with an oracle offset on one side, in buckets of one tick.
//!
//! The effective price of an order is `oracle + offset` rounded to the tick, so a moving oracle
//! changes no order and no bucket: it only decides which part of a bucket rounds to which price.
//! With `offset = q * tick + r` and `oracle = Q * tick + R`, the price is `(Q + q + n) * tick`,
//! where `n` depends only on `R + r`. A bucket stores its remainders sorted, with running sums, so
//! each part is summed by one binary search, however many offsets share the level.
//!
//! Source of the price: programs/drift/src/state/user.rs `Order::get_limit_price`.

use smallvec::SmallVec;

use super::arena::{Arena, NONE};
use super::chunks::{Chunks, Cursor, Ranked, Spot};
use super::wide_size::WideSize;
use crate::Side;

/// The orders of one exact offset within a bucket.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// Offset minus the bucket's offset, in `0..tick`.
    remainder: u64,
    pub(crate) head: u32,
    pub(crate) order_count: u32,
    pub(crate) size: WideSize,
    /// Total size of this part and of the parts with smaller remainders.
    running_size: WideSize,
    /// Number of orders of this part and of the parts with smaller remainders.
    running_count: u32,
}

#[derive(Clone, Debug)]
struct Bucket {
    rank: u64,
    /// The parts, sorted by remainder; one part when all offsets are multiples of the tick.
    parts: SmallVec<[Part; 1]>,
}

impl Ranked for Bucket {
    #[inline]
    fn rank(&self) -> u64 {
        self.rank
    }
}

/// All oracle-offset orders of one side.
#[derive(Debug)]
pub(crate) struct OffsetLadder {
    side: Side,
    tick: u64,
    buckets: Chunks<Bucket>,
}

/// The inputs of an offset's price: the oracle and the market's bounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct OffsetPricing {
    /// 1e6, positive.
    pub(crate) oracle: i64,
    /// Highest price, for prediction markets.
    pub(crate) price_max: Option<u64>,
}

/// The part of a bucket that rounds to one price.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Segment<'a> {
    pub(crate) price: u64,
    pub(crate) parts: &'a [Part],
}

impl OffsetLadder {
    pub(crate) fn new(side: Side) -> Self {
        Self { side, tick: 1, buckets: Chunks::new() }
    }

    /// Empties the ladder and sets the tick of its buckets.
    pub(crate) fn reset(&mut self, tick: u64) {
        self.buckets.clear();
        self.tick = tick.max(1);
    }

    /// Reserves memory for later changes.
    pub(crate) fn reserve(&mut self) {
        self.buckets.reserve();
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.buckets.is_empty()
    }

    pub(crate) fn order_count(&self) -> usize {
        let parts = self.buckets.iter().flat_map(|bucket| &bucket.parts);
        parts.map(|part| part.order_count as usize).sum()
    }

    /// Adds an order whose node is in no list.
    pub(crate) fn insert(&mut self, arena: &mut Arena, handle: u32, offset: i64, size: u64) {
        debug_assert!(size > 0, "Invariant: an order in a ladder has a size");
        let (rank, remainder) = self.split(offset);
        let spot = self.buckets.find(rank).unwrap_or_else(|spot| {
            self.buckets.insert(spot, Bucket { rank, parts: SmallVec::new() })
        });
        let parts = &mut self.buckets.get_mut(spot).parts;
        let at = part_index(parts, remainder).unwrap_or_else(|at| {
            parts.insert(at, Part::new(remainder, at.checked_sub(1).map(|i| &parts[i])));
            at
        });
        parts[at].head = arena.link(handle, parts[at].head);
        parts[at].order_count += 1;
        parts[at].size.add(size);
        for part in &mut parts[at..] {
            part.running_size.add(size);
            part.running_count += 1;
        }
    }

    /// Removes an order, and the part and the bucket that become empty.
    pub(crate) fn remove(&mut self, arena: &mut Arena, handle: u32, offset: i64, size: u64) {
        let (spot, at) = self.find(offset);
        let parts = &mut self.buckets.get_mut(spot).parts;
        parts[at].head = arena.unlink(handle, parts[at].head);
        parts[at].order_count -= 1;
        parts[at].size.sub(size);
        for part in &mut parts[at..] {
            part.running_size.sub(size);
            part.running_count -= 1;
        }
        if parts[at].order_count == 0 {
            debug_assert!(parts[at].head == NONE, "Invariant: an empty part has no list");
            parts.remove(at);
        }
        if parts.is_empty() {
            self.buckets.remove(spot);
        }
    }

    /// Changes the size of an order that stays at its offset.
    pub(crate) fn resize(&mut self, offset: i64, old: u64, new: u64) {
        let (spot, at) = self.find(offset);
        let parts = &mut self.buckets.get_mut(spot).parts;
        parts[at].size.sub(old);
        parts[at].size.add(new);
        for part in &mut parts[at..] {
            part.running_size.sub(old);
            part.running_size.add(new);
        }
    }

    /// Returns the segments from the best price to the worst; neighbouring segments may share a
    /// price.
    pub(crate) fn segments(&self, pricing: OffsetPricing) -> Segments<'_> {
        debug_assert!(pricing.oracle > 0, "Invariant: only a positive oracle prices orders");
        let oracle = pricing.oracle.unsigned_abs();
        Segments {
            side: self.side,
            tick: self.tick,
            price_max: pricing.price_max,
            quotient: (oracle / self.tick).cast_signed(),
            remainder: oracle % self.tick,
            buckets: self.buckets.best_first(),
            worse_half_of: None,
        }
    }

    /// Works like [`OffsetLadder::segments`], from a bucket on that has no better price than this.
    pub(crate) fn segments_from(&self, pricing: OffsetPricing, price: u64) -> Segments<'_> {
        let mut segments = self.segments(pricing);
        segments.buckets = self.buckets.best_first_after(|bucket| {
            let worst = match self.side {
                Side::Bid => bucket.parts.first(),
                Side::Ask => bucket.parts.last(),
            };
            let ticks_up = worst.map_or(0, |part| segments.ticks_up(part.remainder));
            self.side.is_better(segments.price(bucket.rank, ticks_up), price)
        });
        segments
    }

    pub(crate) fn price_of(&self, offset: i64, pricing: OffsetPricing) -> u64 {
        let (rank, remainder) = self.split(offset);
        let segments = self.segments(pricing);
        segments.price(rank, segments.ticks_up(remainder))
    }

    /// The best price: a better offset never has a worse price.
    #[inline]
    pub(crate) fn best(&self, pricing: OffsetPricing) -> Option<u64> {
        let (rank, part) = self.best_part()?;
        let segments = self.segments(pricing);
        Some(segments.price(rank, segments.ticks_up(part.remainder)))
    }

    /// Returns whether an order has a better offset.
    #[inline]
    pub(crate) fn has_better(&self, offset: i64) -> bool {
        let best = self.best_part().map(|(rank, part)| self.offset(rank, part));
        best.is_some_and(|best| match self.side {
            Side::Bid => best > offset,
            Side::Ask => best < offset,
        })
    }

    /// The rank and the part of the best offset.
    #[inline]
    fn best_part(&self) -> Option<(u64, &Part)> {
        let Bucket { rank, parts } = self.buckets.best()?;
        let part = match self.side {
            Side::Bid => parts.last(),
            Side::Ask => parts.first(),
        };
        Some((*rank, part?))
    }

    /// Wraps with a tick beyond i64 alone, to the offset that was split.
    #[inline]
    fn offset(&self, rank: u64, part: &Part) -> i64 {
        let base = quotient_of(self.side, rank).wrapping_mul(self.tick.cast_signed());
        base.wrapping_add(part.remainder.cast_signed())
    }

    /// Checks order, sums and counts; the caller checks the lists against the nodes.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        self.buckets.check()?;
        for bucket in self.buckets.iter() {
            if bucket.parts.is_empty() {
                return Err("no empty offset bucket");
            }
            if !bucket.parts.is_sorted_by(|a, b| a.remainder < b.remainder) {
                return Err("parts ascend by remainder");
            }
            let (mut size, mut count) = (0u128, 0u32);
            for part in &bucket.parts {
                size += part.size.get();
                count += part.order_count;
                if part.order_count == 0 || part.size.get() == 0 {
                    return Err("no empty part of an offset bucket");
                }
                if part.running_size.get() != size || part.running_count != count {
                    return Err("running sums of a bucket agree with its parts");
                }
            }
        }
        Ok(())
    }

    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn parts(&self) -> impl Iterator<Item = (i64, &Part)> {
        self.buckets.iter().flat_map(move |bucket| {
            bucket.parts.iter().map(move |part| (self.offset(bucket.rank, part), part))
        })
    }

    fn find(&mut self, offset: i64) -> (Spot, usize) {
        let (rank, remainder) = self.split(offset);
        let spot = self.buckets.find(rank).expect("Invariant: an offset order's bucket exists");
        let at = part_index(&self.buckets.get_mut(spot).parts, remainder);
        (spot, at.expect("Invariant: an offset order's part exists"))
    }

    #[inline]
    fn split(&self, offset: i64) -> (u64, u64) {
        let Ok(tick) = i64::try_from(self.tick) else {
            // A tick beyond i64 puts every offset into the two buckets around zero.
            let quotient = if offset < 0 { -1 } else { 0 };
            let remainder =
                if offset < 0 { self.tick - offset.unsigned_abs() } else { offset.unsigned_abs() };
            return (rank_of(self.side, quotient), remainder);
        };
        let remainder = offset.rem_euclid(tick).unsigned_abs();
        (rank_of(self.side, offset.div_euclid(tick)), remainder)
    }
}

impl Part {
    fn new(remainder: u64, before: Option<&Self>) -> Self {
        Self {
            remainder,
            head: NONE,
            order_count: 0,
            size: WideSize::default(),
            running_size: before.map_or(WideSize::default(), |part| part.running_size),
            running_count: before.map_or(0, |part| part.running_count),
        }
    }

    #[inline]
    pub(crate) fn size_of(parts: &[Self]) -> u128 {
        match parts {
            [] => 0,
            [only] => only.size.get(),
            [first, .., last] => {
                last.running_size.get() - first.running_size.get() + first.size.get()
            }
        }
    }

    #[inline]
    pub(crate) fn orders_of(parts: &[Self]) -> u32 {
        match parts {
            [] => 0,
            [only] => only.order_count,
            [first, .., last] => last.running_count - first.running_count + first.order_count,
        }
    }
}

/// See [`OffsetLadder::segments`].
#[derive(Clone, Debug)]
pub(crate) struct Segments<'a> {
    side: Side,
    tick: u64,
    price_max: Option<u64>,
    /// The oracle price in whole ticks, and the remainder.
    quotient: i64,
    remainder: u64,
    buckets: Cursor<'a, Bucket>,
    /// The bucket whose better half was the last returned segment; its worse half comes next.
    worse_half_of: Option<&'a Bucket>,
}

impl<'a> Iterator for Segments<'a> {
    type Item = Segment<'a>;

    #[inline]
    fn next(&mut self) -> Option<Segment<'a>> {
        loop {
            let segment = match self.worse_half_of.take() {
                Some(bucket) => self.half(bucket, false),
                None => {
                    let bucket = self.buckets.next()?;
                    if let [only] = bucket.parts.as_slice() {
                        return Some(self.whole(bucket, only));
                    }
                    self.worse_half_of = Some(bucket);
                    self.half(bucket, true)
                }
            };
            if !segment.parts.is_empty() {
                return Some(segment);
            }
        }
    }
}

impl<'a> Segments<'a> {
    /// Returns the segment of a bucket with a single offset, the common case, which rounds to one
    /// price.
    #[inline]
    fn whole(&self, bucket: &'a Bucket, only: &'a Part) -> Segment<'a> {
        Segment {
            price: self.price(bucket.rank, self.ticks_up(only.remainder)),
            parts: std::slice::from_ref(only),
        }
    }

    /// Returns the better or the worse half of a bucket: `R + r` crosses at most one tick boundary.
    #[inline]
    fn half(&self, bucket: &'a Bucket, better: bool) -> Segment<'a> {
        let parts = bucket.parts.as_slice();
        let to_next_tick = self.tick - self.remainder;
        // Bids round down: r >= T - R reaches the next tick. Asks round up: r > T - R passes it.
        let (split, ticks_up) = match (self.side, self.remainder == 0) {
            (Side::Bid, _) => (below(parts, to_next_tick), u8::from(better)),
            (Side::Ask, true) => (below(parts, 1), u8::from(!better)),
            (Side::Ask, false) => {
                (below(parts, to_next_tick.saturating_add(1)), 1 + u8::from(!better))
            }
        };
        let upper = match self.side {
            Side::Bid => better,
            Side::Ask => !better,
        };
        let range = if upper { split..parts.len() } else { 0..split };
        Segment { price: self.price(bucket.rank, ticks_up), parts: &parts[range] }
    }

    #[inline]
    fn ticks_up(&self, remainder: u64) -> u8 {
        let to_next_tick = self.tick - self.remainder;
        match self.side {
            Side::Bid => u8::from(remainder >= to_next_tick),
            Side::Ask => {
                u8::from(self.remainder | remainder != 0) + u8::from(remainder > to_next_tick)
            }
        }
    }

    /// Returns the price of a bucket plus some ticks: at least one tick; in prediction markets at
    /// most the rounded cap.
    #[inline]
    fn price(&self, rank: u64, ticks_up: u8) -> u64 {
        let tick = self.tick;
        let bucket_ticks = quotient_of(self.side, rank) + i64::from(ticks_up);
        let ticks = self.quotient.saturating_add(bucket_ticks).max(1);
        let price = ticks.unsigned_abs().saturating_mul(tick);
        let Some(cap) = self.price_max else { return price };
        let rounded_cap = match self.side {
            Side::Bid => cap - cap % tick,
            Side::Ask => cap.div_ceil(tick).saturating_mul(tick),
        };
        price.min(rounded_cap)
    }
}

/// Returns the number of parts with a remainder below `bound`.
#[inline]
fn below(parts: &[Part], bound: u64) -> usize {
    match parts {
        [only] => usize::from(only.remainder < bound),
        _ => parts.partition_point(|part| part.remainder < bound),
    }
}

#[inline]
fn part_index(parts: &[Part], remainder: u64) -> Result<usize, usize> {
    parts.binary_search_by_key(&remainder, |part| part.remainder)
}

/// Returns the rank of a bucket, which grows towards the best price of the side.
#[inline]
fn rank_of(side: Side, quotient: i64) -> u64 {
    let ascending = quotient.cast_unsigned() ^ (1 << 63);
    match side {
        Side::Bid => ascending,
        Side::Ask => !ascending,
    }
}

#[inline]
fn quotient_of(side: Side, rank: u64) -> i64 {
    let ascending = match side {
        Side::Bid => rank,
        Side::Ask => !rank,
    };
    (ascending ^ (1 << 63)).cast_signed()
}

#[cfg(test)]
mod tests {
    use super::*;
    use slotbook_protocol::model::units::{OraclePrice, Price, PriceOffset};

    /// Inserts offsets, prices them at many oracles and compares with the rule applied to each.
    fn check(side: Side, tick: u64, offsets: &[i32], price_max: Option<u64>) {
        let mut arena = Arena::default();
        let mut ladder = OffsetLadder::new(side);
        ladder.reset(tick);
        for (slot, offset) in offsets.iter().enumerate() {
            if slot % 32 == 0 {
                arena.grow();
            }
            let handle = u32::try_from(slot).expect("few offsets");
            ladder.insert(&mut arena, handle, i64::from(*offset), slot as u64 + 1);
        }
        for oracle in [1, 7, tick.cast_signed(), 995_000, 999_999, 1_000_000, 1_000_001, 1_000_049]
        {
            ladder.check().expect("sums agree");
            let pricing = OffsetPricing { oracle, price_max };
            let mut shown: Vec<(u64, u128)> = Vec::new();
            for Segment { price, parts } in ladder.segments(pricing) {
                match shown.last_mut() {
                    Some((last, size)) if *last == price => *size += Part::size_of(parts),
                    _ => shown.push((price, Part::size_of(parts))),
                }
            }
            assert_eq!(shown, expected(side, tick, offsets, oracle, price_max), "oracle {oracle}");
            for (price, size) in shown {
                let from = ladder.segments_from(pricing, price);
                let here = from
                    .skip_while(|segment| side.is_better(segment.price, price))
                    .take_while(|segment| segment.price == price);
                assert_eq!(here.map(|here| Part::size_of(here.parts)).sum::<u128>(), size);
            }
        }
    }

    fn expected(
        side: Side,
        tick: u64,
        offsets: &[i32],
        oracle: i64,
        price_max: Option<u64>,
    ) -> Vec<(u64, u128)> {
        let mut levels = std::collections::BTreeMap::<u64, u128>::new();
        for (slot, offset) in offsets.iter().enumerate() {
            let price = slotbook_protocol::model::price::resting_offset_price(
                OraclePrice(oracle),
                PriceOffset((*offset).into()),
                Price(tick),
                side.direction(),
                price_max.is_some(),
            );
            *levels.entry(price.0).or_default() += slot as u128 + 1;
        }
        let ascending: Vec<_> = levels.into_iter().collect();
        match side {
            Side::Ask => ascending,
            Side::Bid => ascending.into_iter().rev().collect(),
        }
    }

    const OFFSETS: [i32; 14] = [-250, -101, -100, -99, -51, -50, -1, 0, 1, 49, 50, 51, 100, 149];

    #[test]
    fn every_offset_shows_at_the_price_the_program_would_fill_it() {
        for side in Side::BOTH {
            for tick in [1, 2, 50, 100, 1_000_000, 3_000_000_000] {
                check(side, tick, &OFFSETS, None);
                check(side, tick, &[i32::MIN, i32::MAX, 0], None);
            }
        }
    }

    #[test]
    fn prediction_markets_are_capped() {
        for side in Side::BOTH {
            for tick in [1, 50, 100, 30_000] {
                check(side, tick, &OFFSETS, Some(1_000_000));
            }
        }
    }

    #[test]
    fn orders_leave_and_change_size_without_a_trace() {
        let mut arena = Arena::default();
        arena.grow();
        let mut ladder = OffsetLadder::new(Side::Ask);
        ladder.reset(10);
        for (handle, offset) in [(0, 3), (1, 3), (2, 7), (3, 25)] {
            ladder.insert(&mut arena, handle, offset, 5);
        }
        ladder.resize(3, 5, 9);
        ladder.check().expect("sums agree after a change of size");
        for (handle, offset, size) in [(2, 7, 5), (0, 3, 9), (3, 25, 5), (1, 3, 5)] {
            ladder.remove(&mut arena, handle, offset, size);
            ladder.check().expect("sums agree after a removal");
        }
        assert!(ladder.is_empty());
    }
}

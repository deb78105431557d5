//! A sorted sequence in short chunks, with the best element at its end.
//!
//! One flat vector would move half a deep side for a change far from the best price. A chunk holds
//! a few dozen elements, so a change moves at most a chunk, and a read still walks backwards over
//! contiguous memory. Emptied chunks are reused, so there are no allocations in steady state.

use crate::limits::CHUNK_MAX;

/// An element with a rank; ranks grow towards the best element.
pub(crate) trait Ranked {
    /// Unique within one sequence.
    fn rank(&self) -> u64;
}

/// A chunk with fewer elements merges with a neighbour, so that memory follows the number of
/// elements.
const CHUNK_MIN: usize = CHUNK_MAX / 4;

/// Maximum elements of a merged chunk, so that the next insert does not split it again.
const JOINED_MAX: usize = CHUNK_MAX / 4 * 3;

/// Minimum room of a neighbour to which a full chunk moves elements.
const ROOM_MIN: usize = CHUNK_MAX / 8;

/// Number of elements that are compared one by one from the best end before a binary search starts.
const NEAR_BEST: usize = 8;

/// Chunks in use for each spare chunk: churn fragments freshly loaded chunks by about a fifth.
const CHUNKS_PER_SPARE: usize = 4;

/// The position of an element: chunk, and index in the chunk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Spot {
    chunk: usize,
    at: usize,
}

/// The sequence. No chunk is ever empty.
#[derive(Debug)]
pub(crate) struct Chunks<T> {
    chunks: Vec<Vec<T>>,
    /// The rank of each chunk's first element, in contiguous memory so that a search stays in the
    /// cache.
    first_ranks: Vec<u64>,
    spare: Vec<Vec<T>>,
}

impl<T: Ranked> Chunks<T> {
    pub(crate) fn new() -> Self {
        Self { chunks: Vec::new(), first_ranks: Vec::new(), spare: Vec::new() }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.chunks.is_empty()
    }

    pub(crate) fn clear(&mut self) {
        while let Some(chunk) = self.chunks.pop() {
            self.recycle(chunk);
        }
        self.first_ranks.clear();
    }

    /// Elements from the worst to the best.
    pub(crate) fn iter(&self) -> impl Iterator<Item = &T> {
        self.chunks.iter().flatten()
    }

    pub(crate) fn best_first(&self) -> Cursor<'_, T> {
        Cursor { chunks: &self.chunks, current: &[] }
    }

    /// Like [`Chunks::best_first`], without the elements for which `is_better` is true; it is true
    /// for the best elements alone.
    pub(crate) fn best_first_after(&self, is_better: impl Fn(&T) -> bool) -> Cursor<'_, T> {
        let whole = self.chunks.partition_point(|chunk| !is_better(&chunk[0]));
        let Some((chunk, worse)) = self.chunks[..whole].split_last() else { return Cursor::NONE };
        let end = chunk.partition_point(|element| !is_better(element));
        Cursor { chunks: worse, current: &chunk[..end] }
    }

    #[inline]
    pub(crate) fn best(&self) -> Option<&T> {
        self.chunks.last()?.last()
    }

    pub(crate) fn get_mut(&mut self, spot: Spot) -> &mut T {
        &mut self.chunks[spot.chunk][spot.at]
    }

    /// Finds a rank; `Err` contains the position at which it would be inserted.
    #[inline]
    pub(crate) fn find(&self, rank: u64) -> Result<Spot, Spot> {
        let chunk = self.chunk_of(rank);
        let Some(elements) = self.chunks.get(chunk) else {
            return Err(Spot { chunk: 0, at: 0 });
        };
        match find_in(elements, rank) {
            Ok(at) => Ok(Spot { chunk, at }),
            Err(at) => Err(Spot { chunk, at }),
        }
    }

    /// Inserts an element at the position that `find` returned; returns its final position.
    pub(crate) fn insert(&mut self, spot: Spot, element: T) -> Spot {
        let rank = element.rank();
        if self.chunks.is_empty() {
            let chunk = self.fresh();
            self.chunks.push(chunk);
            self.first_ranks.push(rank);
        }
        let mut spot = spot;
        if self.chunks[spot.chunk].len() == CHUNK_MAX {
            if !self.share(spot.chunk) {
                self.split(spot.chunk);
            }
            spot = self.find(rank).unwrap_or_else(|spot| spot);
        }
        let Spot { chunk, at } = spot;
        self.chunks[chunk].insert(at, element);
        if at == 0 {
            self.first_ranks[chunk] = rank;
        }
        Spot { chunk, at }
    }

    pub(crate) fn remove(&mut self, spot: Spot) {
        let Spot { chunk, at } = spot;
        let elements = &mut self.chunks[chunk];
        elements.remove(at);
        match elements.first() {
            None => self.drop_chunk(chunk),
            Some(first) if at == 0 => self.first_ranks[chunk] = first.rank(),
            Some(_) => {}
        }
        self.join_if_small(chunk);
    }

    /// Checks the order and the first ranks.
    #[cfg(any(test, feature = "testing"))]
    pub(crate) fn check(&self) -> Result<(), &'static str> {
        if self.chunks.iter().any(|chunk| chunk.is_empty() || chunk.len() > CHUNK_MAX) {
            return Err("no chunk is empty or overfull");
        }
        let firsts = self.chunks.iter().map(|chunk| chunk[0].rank());
        if !firsts.eq(self.first_ranks.iter().copied()) {
            return Err("first ranks are those of the chunks");
        }
        if self.iter().is_sorted_by(|a, b| a.rank() < b.rank()) {
            Ok(())
        } else {
            Err("ranks ascend")
        }
    }

    /// Finds the chunk of a rank; most ranks are near the best end.
    #[inline]
    fn chunk_of(&self, rank: u64) -> usize {
        let last = self.first_ranks.len().saturating_sub(1);
        match self.first_ranks.last() {
            Some(first) if *first > rank => {
                self.first_ranks[..last].partition_point(|first| *first <= rank).saturating_sub(1)
            }
            _ => last,
        }
    }

    /// Moves elements of a full chunk to a neighbour with room, which keeps chunks full and avoids
    /// new ones.
    fn share(&mut self, chunk: usize) -> bool {
        let room = |index: usize| {
            self.chunks.get(index).map(|chunk| CHUNK_MAX - chunk.len()).filter(|n| *n >= ROOM_MIN)
        };
        if let Some(room) = room(chunk + 1) {
            let [full, next] = self.pair(chunk);
            next.splice(0..0, full.drain(CHUNK_MAX - room / 2..));
            self.first_ranks[chunk + 1] = self.chunks[chunk + 1][0].rank();
            return true;
        }
        let Some((before, room)) = chunk.checked_sub(1).and_then(|i| Some((i, room(i)?))) else {
            return false;
        };
        let [previous, full] = self.pair(before);
        previous.extend(full.drain(..room / 2));
        self.first_ranks[chunk] = self.chunks[chunk][0].rank();
        true
    }

    fn pair(&mut self, chunk: usize) -> [&mut Vec<T>; 2] {
        let (left, right) = self.chunks.split_at_mut(chunk + 1);
        [&mut left[chunk], &mut right[0]]
    }

    fn split(&mut self, chunk: usize) {
        let mut upper = self.fresh();
        upper.extend(self.chunks[chunk].drain(CHUNK_MAX / 2..));
        let rank = upper[0].rank();
        self.chunks.insert(chunk + 1, upper);
        self.first_ranks.insert(chunk + 1, rank);
    }

    fn join_if_small(&mut self, chunk: usize) {
        let Some(small) = self.chunks.get(chunk).filter(|chunk| chunk.len() < CHUNK_MIN) else {
            return;
        };
        let count = small.len();
        let fits = |index: usize| {
            self.chunks.get(index).is_some_and(|chunk| chunk.len() + count <= JOINED_MAX)
        };
        let lower = match chunk.checked_sub(1) {
            Some(before) if fits(before) => before,
            _ if fits(chunk + 1) => chunk,
            _ => return,
        };
        let mut upper = self.chunks.remove(lower + 1);
        self.first_ranks.remove(lower + 1);
        self.chunks[lower].append(&mut upper);
        self.recycle(upper);
    }

    fn drop_chunk(&mut self, chunk: usize) {
        let empty = self.chunks.remove(chunk);
        self.first_ranks.remove(chunk);
        self.recycle(empty);
    }

    /// Allocates spare chunks ahead of later changes.
    pub(crate) fn reserve(&mut self) {
        let wanted = self.spare_wanted();
        let missing = wanted.saturating_sub(self.spare.len());
        self.spare.extend(std::iter::repeat_with(|| Vec::with_capacity(CHUNK_MAX)).take(missing));
        self.spare.reserve(wanted);
        self.chunks.reserve(wanted);
        self.first_ranks.reserve(wanted);
    }

    fn fresh(&mut self) -> Vec<T> {
        if self.spare.is_empty() {
            self.reserve();
        }
        self.spare.pop().unwrap_or_default()
    }

    fn recycle(&mut self, mut chunk: Vec<T>) {
        chunk.clear();
        if self.spare.len() < 2 * self.spare_wanted() {
            self.spare.push(chunk);
        }
    }

    fn spare_wanted(&self) -> usize {
        self.chunks.len() / CHUNKS_PER_SPARE + 1
    }
}

/// Elements from the best to the worst. See [`Chunks::best_first`].
#[derive(Debug)]
pub(crate) struct Cursor<'a, T> {
    chunks: &'a [Vec<T>],
    current: &'a [T],
}

impl<T> Clone for Cursor<'_, T> {
    fn clone(&self) -> Self {
        Self { chunks: self.chunks, current: self.current }
    }
}

impl<T> Cursor<'_, T> {
    /// A cursor past the last element.
    pub(crate) const NONE: Self = Self { chunks: &[], current: &[] };
}

impl<'a, T> Iterator for Cursor<'a, T> {
    type Item = &'a T;

    #[inline]
    fn next(&mut self) -> Option<&'a T> {
        loop {
            if let Some((element, rest)) = self.current.split_last() {
                self.current = rest;
                return Some(element);
            }
            let (chunk, rest) = self.chunks.split_last()?;
            self.current = chunk;
            self.chunks = rest;
        }
    }
}

#[inline]
fn find_in<T: Ranked>(elements: &[T], rank: u64) -> Result<usize, usize> {
    let near = elements.len().saturating_sub(NEAR_BEST);
    for (index, element) in elements.iter().enumerate().skip(near).rev() {
        let found = element.rank();
        if found == rank {
            return Ok(index);
        }
        if found < rank {
            return Err(index + 1);
        }
    }
    elements[..near].binary_search_by_key(&rank, Ranked::rank)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    impl Ranked for u64 {
        fn rank(&self) -> u64 {
            *self
        }
    }

    fn step(chunks: &mut Chunks<u64>, model: &mut BTreeSet<u64>, rank: u64) {
        match chunks.find(rank) {
            Ok(spot) => {
                assert!(model.remove(&rank), "{rank} was found");
                assert_eq!(*chunks.get_mut(spot), rank);
                chunks.remove(spot);
            }
            Err(spot) => {
                assert!(model.insert(rank), "{rank} was not found");
                let spot = chunks.insert(spot, rank);
                assert_eq!(*chunks.get_mut(spot), rank);
            }
        }
        chunks.check().expect("the order holds");
    }

    #[test]
    fn stays_sorted_and_complete_under_any_mixture() {
        for (seed, span) in [(1u64, 40u64), (2, 400), (3, 4_000)] {
            let (mut chunks, mut model) = (Chunks::new(), BTreeSet::new());
            let mut state = seed;
            for _ in 0..6_000 {
                state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                step(&mut chunks, &mut model, (state >> 33) % span);
            }
            assert!(chunks.iter().eq(model.iter()));
            assert!(chunks.best_first().eq(model.iter().rev()));
            for bound in (0..=span).step_by(7) {
                let after = chunks.best_first_after(|rank| *rank > bound);
                assert!(after.eq(model.range(..=bound).rev()), "after {bound}");
            }
        }
    }

    #[test]
    fn grows_and_shrinks_at_either_end_and_keeps_its_memory_small() {
        let (mut chunks, mut model) = (Chunks::new(), BTreeSet::new());
        for rank in (0..1_000).chain(2_000..3_000).rev() {
            step(&mut chunks, &mut model, rank);
        }
        for rank in (0..1_000).chain(2_000..3_000).filter(|rank| rank % 50 != 0) {
            step(&mut chunks, &mut model, rank);
        }
        assert_eq!(model.len(), 40);
        assert!(chunks.chunks.len() <= 40 / CHUNK_MIN + 2, "{} chunks", chunks.chunks.len());
        chunks.clear();
        assert!(chunks.is_empty() && chunks.best_first().next().is_none());
        assert_eq!(chunks.find(7), Err(Spot { chunk: 0, at: 0 }));
    }
}

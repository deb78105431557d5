//! How long slots are, summed up regime by regime.
//!
//! Source: velocity-v1 programs/velocity/src/math/time.rs, docs/SLOT-DURATION.md.

/// Milliseconds of slots before the first change, and the unit of durations.
pub(crate) const UNIT_MS: i128 = 400;
/// Milliseconds of slots after each change.
const CHANGED_MS: [i128; 4] = [350, 300, 250, 200];

/// What the exchange's state says of the length of slots; all zero for 400 ms.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of the chain or of the report")]
pub struct Slots {
    pub changes: [u64; 4],
    pub length: u16,
    pub staged: u16,
    pub staged_from: u64,
}

impl Slots {
    /// Milliseconds between two slots by what is known at `now`; none when they are in reverse.
    pub(crate) fn between(&self, from: u64, to: u64, now: u64) -> i128 {
        let overlap =
            |start: u64, end: u64| (i128::from(end.min(to)) - i128::from(start.max(from))).max(0);
        let is_known = self.changes != [0; 4];
        let mut regime = (0, if is_known { UNIT_MS } else { self.staged_length(now) });
        let mut sum = 0;
        for (first, length) in self.changes.into_iter().zip(CHANGED_MS).filter(|(at, _)| *at != 0) {
            sum += overlap(regime.0, first) * regime.1;
            regime = (first, length);
        }
        sum + overlap(regime.0, u64::MAX) * regime.1
    }

    fn staged_length(&self, now: u64) -> i128 {
        let is_staged = self.staged != 0 && now >= self.staged_from;
        match if is_staged { self.staged } else { self.length } {
            0 => UNIT_MS,
            length => i128::from(length),
        }
    }

    /// The last slot that is no more than so many milliseconds after another.
    pub(crate) fn last_within(&self, ms: i128, from: u64, now: u64) -> u64 {
        let mut last = from;
        while last < u64::MAX && self.between(from, last + 1, now) <= ms {
            last += 1;
        }
        last
    }
}

/// A slot, and how long slots are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Moment {
    pub(crate) slot: u64,
    pub(crate) slots: Slots,
}

impl Moment {
    /// Milliseconds from a slot to this one.
    pub(crate) fn since(&self, from: u64) -> i128 {
        self.slots.between(from, self.slot, self.slot)
    }
}

impl From<u64> for Moment {
    /// A slot of a chain whose slots have 400 ms.
    fn from(slot: u64) -> Self {
        Self { slot, slots: Slots::default() }
    }
}

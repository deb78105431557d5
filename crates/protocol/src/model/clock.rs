//! The length of slots: the time since a slot, and the slot at which a time has passed.

use super::units::Slot;

/// Milliseconds of a slot before slots get shorter. Programs count the duration of an auction and
/// the age of a price in this unit, whatever the current length of slots.
pub const SLOT_UNIT_MS: u64 = 400;

/// Milliseconds by which each change shortens slots: to 350, 300, 250, 200.
const SHORTER_MS: u64 = 50;

/// Changes of the length of slots.
const CHANGES: usize = 4;

/// A slot that never comes: the slot of a change that is not known yet.
const NEVER: u64 = u64::MAX;

/// The lengths of slots in the exchange's state account; all zero when slots have 400 ms, as in
/// Drift v2.
///
/// Source: velocity-v1 programs/velocity/src/state/state.rs `State::slot_clock`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SlotSchedule {
    /// The first slots of 350, 300, 250 and 200 ms, in ascending order; 0 for a change that is not
    /// known, or that was skipped.
    pub changes: [u64; CHANGES],
    /// Milliseconds of a slot while no change is known; 0 for 400.
    pub length_ms: u16,
    /// Milliseconds of a slot from `staged_from` on, while no change is known; 0 for none.
    pub staged_ms: u16,
    /// The first slot of `staged_ms`.
    pub staged_from: Slot,
}

impl SlotSchedule {
    /// The clock at a slot.
    #[must_use]
    pub fn at(&self, slot: Slot) -> SlotClock {
        let mut shorter_from = self.changes;
        let mut next = NEVER;
        for first in shorter_from.iter_mut().rev() {
            // A change that was skipped takes effect with the next change.
            next = if *first == 0 { next } else { next.min(*first) };
            *first = next;
        }
        let is_staged = self.staged_ms != 0 && slot >= self.staged_from;
        let length_ms = match if is_staged { self.staged_ms } else { self.length_ms } {
            _ if shorter_from[0] != NEVER => SLOT_UNIT_MS,
            0 => SLOT_UNIT_MS,
            length_ms => length_ms.into(),
        };
        SlotClock { slot, length_ms, shorter_from }
    }
}

/// A slot, and the lengths of slots that are known at it.
///
/// Source: velocity-v1 programs/velocity/src/math/time.rs `SlotClock`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotClock {
    /// The slot that the clock shows.
    pub slot: Slot,
    /// Milliseconds of a slot before the first change.
    length_ms: u64,
    /// The first slots of the later lengths, each [`SHORTER_MS`] shorter than the length before.
    shorter_from: [u64; CHANGES],
}

impl From<Slot> for SlotClock {
    /// Creates a clock by which all slots have 400 ms.
    #[inline]
    fn from(slot: Slot) -> Self {
        Self { slot, length_ms: SLOT_UNIT_MS, shorter_from: [NEVER; CHANGES] }
    }
}

impl SlotClock {
    /// The same clock at another slot.
    #[must_use]
    pub const fn at(self, slot: Slot) -> Self {
        Self { slot, ..self }
    }

    /// Milliseconds from the start of a slot to the start of the clock's; 0 from a later one.
    #[must_use]
    #[inline]
    pub const fn ms_since(&self, from: Slot) -> u64 {
        let ms = self.slot.0.saturating_sub(from.0).saturating_mul(self.length_ms);
        if self.slot.0 < self.shorter_from[0] { ms } else { self.shortened(ms, from) }
    }

    /// The time since a slot in units of [`SLOT_UNIT_MS`], rounded up: it is above a whole number of units when the time is.
    #[must_use]
    #[inline]
    pub const fn units_since(&self, from: Slot) -> u64 {
        if self.length_ms == SLOT_UNIT_MS && self.slot.0 < self.shorter_from[0] {
            self.slot.0.saturating_sub(from.0)
        } else {
            self.ms_since(from).div_ceil(SLOT_UNIT_MS)
        }
    }

    const fn shortened(&self, ms: u64, from: Slot) -> u64 {
        let (mut shorter, mut change) = (0u64, 0);
        while change < CHANGES {
            let first = self.shorter_from[change];
            let start = if from.0 > first { from.0 } else { first };
            shorter = shorter.saturating_add(self.slot.0.saturating_sub(start));
            change += 1;
        }
        ms.saturating_sub(shorter.saturating_mul(SHORTER_MS))
    }

    /// Returns the first slot that starts more than `ms` milliseconds after the start of `from`.
    #[must_use]
    pub fn slot_after(&self, ms: u64, from: Slot) -> Slot {
        let past = self.shorter_from.iter().filter(|first| **first <= from.0).count() as u64;
        let (mut slot, mut left) = (from.0, ms);
        let mut length_ms = self.length_ms.saturating_sub(past.saturating_mul(SHORTER_MS)).max(1);
        for first in self.shorter_from.iter().filter(|first| **first > from.0) {
            let whole = (first - slot).saturating_mul(length_ms);
            if left <= whole {
                break;
            }
            (slot, left) = (*first, left - whole);
            length_ms = length_ms.saturating_sub(SHORTER_MS).max(1);
        }
        Slot(slot.saturating_add(left / length_ms).saturating_add(1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SCHEDULE: SlotSchedule = SlotSchedule {
        changes: [1_000, 2_000, 3_000, 4_000],
        length_ms: 350,
        staged_ms: 300,
        staged_from: Slot(0),
    };

    fn check_ms(schedule: SlotSchedule, [from, to]: [u64; 2], ms: u64) {
        let clock = schedule.at(Slot(to));
        assert_eq!(clock.ms_since(Slot(from)), ms, "from {from} to {to}");
        assert_eq!(clock.units_since(Slot(from)), ms.div_ceil(400), "from {from} to {to}");
    }

    #[test]
    fn without_a_change_all_slots_have_the_length_of_the_last() {
        let staged = SlotSchedule {
            changes: [0; 4],
            length_ms: 350,
            staged_ms: 300,
            staged_from: Slot(1_000),
        };
        check_ms(staged, [989, 999], 3_500);
        check_ms(staged, [990, 1_000], 3_000);
        check_ms(SlotSchedule { staged_ms: 0, ..staged }, [990, 1_000], 3_500);
        check_ms(SlotSchedule { length_ms: 0, ..staged }, [989, 999], 4_000);
        let [before, after] = [999, 1_000].map(|slot| staged.at(Slot(slot)));
        assert_ne!(before.at(after.slot), after);
        assert_eq!(after.at(Slot(5_000)), staged.at(Slot(5_000)));
    }

    #[test]
    fn the_slot_after_a_time_is_the_first_that_is_later() {
        let left_out = SlotSchedule { changes: [0, 2_000, 0, 0], ..SCHEDULE };
        let meeting = SlotSchedule { changes: [1_000, 1_000, 1_010, 1_010], ..SCHEDULE };
        let staged = SlotSchedule { changes: [0; 4], length_ms: 1, ..SCHEDULE };
        for schedule in [SlotSchedule::default(), SCHEDULE, left_out, meeting, staged] {
            for from in [0, 980, 999, 1_000, 1_001, 1_990, 2_000, 2_999, 3_999, 4_000, 9_000] {
                for ms in [0, 1, 349, 350, 399, 400, 4_000, 4_001, 12_000, 102_000, 2_000_000] {
                    let clock = schedule.at(Slot(from));
                    let slot = clock.slot_after(ms, Slot(from));
                    let passed = |slot| clock.at(Slot(slot)).ms_since(Slot(from));
                    assert!(passed(slot.0) > ms && passed(slot.0 - 1) <= ms, "{from} and {ms}");
                }
            }
        }
    }

    #[test]
    fn slots_beyond_all_time_are_no_error() {
        let mixed = SlotSchedule { changes: [4_000, 1, u64::MAX, 1_000], ..SCHEDULE };
        let short = SlotSchedule { changes: [0; 4], staged_ms: 1, ..SCHEDULE };
        for schedule in [SCHEDULE, mixed, short, SlotSchedule::default()] {
            for from in [0, 3_000, u64::MAX - 1, u64::MAX] {
                for slot in [0, 5_000, u64::MAX] {
                    let clock = schedule.at(Slot(slot));
                    assert!(slot > from || clock.ms_since(Slot(from)) == 0);
                    assert!(clock.slot_after(u64::MAX, Slot(from)).0 >= from);
                }
            }
        }
    }
}

//! Snapshots: a full reading of all accounts, which also tells which are gone.

use slotbook_protocol::units::Slot;

use crate::book::Book;
use crate::ladder::fixed::Ladder;
use crate::ladder::offset::OffsetLadder;
use crate::model::clock::FeedState;
use crate::model::update::{AccountUpdate, Gate};

/// What a snapshot found to differ from the book.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SnapshotReport {
    /// User accounts the snapshot held.
    pub seen: usize,
    /// Accounts the book did not have.
    pub added: usize,
    /// Accounts the book had in another, older state: what an audit counts as differences.
    pub changed: usize,
    /// Accounts the book had and the chain no longer has.
    pub removed: usize,
}

/// A snapshot that is being applied.
#[derive(Debug, Default)]
pub(crate) struct SnapshotProgress {
    /// Numbers snapshots, so that an account knows the last one that mentioned it.
    pub(crate) generation: u32,
    slot: Slot,
    /// The book was being rebuilt when the snapshot began: its word stands against all before it.
    pub(crate) replaces: bool,
    report: SnapshotReport,
}

impl Book {
    /// Starts a snapshot taken at `slot`. Its accounts follow with [`Gate::Snapshot`].
    ///
    /// While the state is [`FeedState::Rebuilding`] the snapshot replaces the book, whatever slots
    /// the book had: after a cut, a fork or a restarted chain only what is read now is true. In any
    /// other state it audits: an account that a live update has at the same slot or later stays.
    pub fn begin_snapshot(&mut self, slot: Slot) {
        let generation = self.snapshot.generation.wrapping_add(1);
        let replaces = self.state == FeedState::Rebuilding;
        let report = SnapshotReport::default();
        self.snapshot = SnapshotProgress { generation, slot, replaces, report };
    }

    /// Ends a snapshot: accounts it did not mention, and that no later update did, are gone.
    pub fn end_snapshot(&mut self) -> SnapshotReport {
        let SnapshotProgress { generation, slot, replaces, .. } = self.snapshot;
        for index in 0..self.users.len() {
            let user = self.users.get(index);
            let gone = user.seen != generation && (replaces || user.version.slot < slot.0);
            if !gone || !self.users.is_known(index) {
                continue;
            }
            if user.present {
                self.take_out(index);
                self.snapshot.report.removed += 1;
            }
            self.users.forget(index);
        }
        for market in &mut self.markets {
            market.fixed.iter_mut().for_each(Ladder::reserve);
            market.offset.iter_mut().for_each(OffsetLadder::reserve);
        }
        self.snapshot.replaces = false;
        self.snapshot.report.seen = self.seen_count(generation);
        self.snapshot.report
    }

    fn seen_count(&self, generation: u32) -> usize {
        self.users.present().filter(|index| self.users.get(*index).seen == generation).count()
    }

    /// Counts an account of a snapshot that the book did not have, or had otherwise.
    pub(crate) fn note_snapshot(&mut self, update: &AccountUpdate<'_>, was_present: bool) {
        if update.gate != Gate::Snapshot {
            return;
        }
        let report = &mut self.snapshot.report;
        match was_present {
            true => report.changed += 1,
            false => report.added += 1,
        }
    }
}

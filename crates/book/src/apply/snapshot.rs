//! Snapshots: all accounts read at once, so that those which are gone are found as well.

use slotbook_protocol::units::{Pubkey, Slot};

use crate::book::{Book, SnapshotProgress, SnapshotReport};
use crate::model::clock::FeedState;
use crate::model::update::{AccountUpdate, Gate};

impl Book {
    /// Starts a snapshot taken at `slot`. Its accounts follow with [`Gate::Snapshot`].
    ///
    /// While the state is [`FeedState::Rebuilding`] the snapshot replaces the book, whatever slots
    /// the book had: after a lost connection, a fork or a restarted chain only the snapshot is true. In any
    /// other state it audits: an account that a live update has at the same slot or later stays.
    pub fn begin_snapshot(&mut self, slot: Slot) {
        let generation = self.snapshot.generation.wrapping_add(1);
        let replaces = self.state == FeedState::Rebuilding;
        let report = SnapshotReport::default();
        self.snapshot = SnapshotProgress { generation, slot, is_open: true, replaces, report };
    }

    /// Ends a snapshot: accounts it did not mention, and that no later update did, are gone.
    pub fn end_snapshot(&mut self) -> SnapshotReport {
        let SnapshotProgress { generation, slot, replaces, .. } = self.snapshot;
        self.forgotten.clear();
        for index in 0..self.orders.users.len() {
            let user = self.orders.users.get(index);
            let gone = user.seen != generation && (replaces || user.version.slot < slot.0);
            if !gone || !self.orders.users.is_known(index) {
                continue;
            }
            if user.present {
                self.remove_user(index);
                self.snapshot.report.removed += 1;
            }
            self.forgotten.push(self.orders.users.get(index).key);
            self.orders.users.forget(index);
        }
        self.markets.list.iter_mut().for_each(|market| market.ladders.reserve());
        self.snapshot.replaces = false;
        self.snapshot.is_open = false;
        let present = self.orders.users.present();
        self.snapshot.report.seen = present.filter(|user| user.seen == generation).count();
        self.snapshot.report
    }

    /// The user accounts that the last snapshot that ended found gone, closed ones among them: the book
    /// knows nothing of them any more.
    #[must_use]
    pub fn forgotten(&self) -> &[Pubkey] {
        &self.forgotten
    }

    /// Counts an account of a snapshot that the book did not have, or had otherwise.
    pub(crate) fn count_in_snapshot(&mut self, update: &AccountUpdate<'_>, was_present: bool) {
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

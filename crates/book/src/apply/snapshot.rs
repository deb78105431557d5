//! Snapshots: full readings of the accounts, which also reveal closed accounts.

use slotbook_protocol::model::units::{Pubkey, Slot};

use crate::book::{Book, SnapshotProgress, SnapshotReport};
use crate::model::clock::FeedState;
use crate::model::update::{AccountUpdate, Gate};

impl Book {
    /// Starts a snapshot taken at `slot`. Its accounts follow with [`Gate::Snapshot`].
    ///
    /// While the state is [`FeedState::Rebuilding`], the snapshot replaces the book, whatever slots
    /// the book has: after a lost connection, a fork or a restarted chain, slots of before are not
    /// comparable. In any other state the snapshot is an audit: an account with a live update of
    /// the same slot or later stays.
    pub fn begin_snapshot(&mut self, slot: Slot) {
        let generation = self.snapshot.generation.wrapping_add(1);
        let replaces = self.state == FeedState::Rebuilding;
        let report = SnapshotReport::default();
        self.snapshot = SnapshotProgress { generation, slot, is_open: true, replaces, report };
    }

    /// Ends a snapshot and removes the accounts that neither the snapshot nor a later update
    /// contained.
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

    /// Returns the user accounts that the last completed snapshot removed, including closed
    /// accounts. The book stores no data of them.
    #[must_use]
    pub fn forgotten(&self) -> &[Pubkey] {
        &self.forgotten
    }

    /// Counts a snapshot account that the book lacked or had in a different state.
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

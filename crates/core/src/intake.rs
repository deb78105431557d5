//! Passes accounts to the book, to the counts of the turn and to the log.

use slotbook_book::{AccountUpdate, Applied, Book, BookError};

use crate::input_log::InputLog;
use crate::problem::{Fault, Problems};
use crate::watched::WatchedUsers;

/// Counters of one turn's updates.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TurnCounts {
    pub(crate) changed: u32,
    pub(crate) unchanged: u32,
    pub(crate) stale: u32,
    pub(crate) ignored: u32,
    pub(crate) closed: u32,
}

impl TurnCounts {
    fn note(&mut self, applied: Applied) {
        let count = match applied {
            Applied::Changed => &mut self.changed,
            Applied::Unchanged => &mut self.unchanged,
            Applied::Stale => &mut self.stale,
            Applied::Ignored => &mut self.ignored,
            Applied::Closed => &mut self.closed,
        };
        *count = count.saturating_add(1);
    }

    pub(crate) fn applied(&self) -> u32 {
        let rest = self.stale.saturating_add(self.ignored).saturating_add(self.closed);
        self.changed.saturating_add(self.unchanged).saturating_add(rest)
    }
}

/// The destinations of an account: the book, the counts of the turn and the log.
pub(crate) struct Intake<'a> {
    pub(crate) book: &'a mut Book,
    pub(crate) counts: &'a mut TurnCounts,
    pub(crate) problems: &'a mut Problems,
    pub(crate) log: &'a mut InputLog,
    pub(crate) users: &'a mut WatchedUsers,
}

impl Intake<'_> {
    pub(crate) fn apply(&mut self, update: AccountUpdate<'_>) {
        let outcome = self.book.apply(update);
        self.note(&update, outcome);
    }

    /// Counts and logs an account that the book has taken.
    pub(crate) fn note(&mut self, update: &AccountUpdate<'_>, outcome: Result<Applied, BookError>) {
        self.users.note(&update.pubkey);
        self.log.note_update(update, &outcome, self.book.changed_parts());
        match outcome {
            Ok(applied) => self.counts.note(applied),
            Err(error) => self.problems.note(Some(update.pubkey), Fault::Book(error)),
        }
    }

    /// Removes an account whose bytes arrived incompletely, because the book's state is outdated
    /// until they arrive.
    pub(crate) fn quarantine(&mut self, closed: AccountUpdate<'_>, fault: Fault) {
        self.users.note(&closed.pubkey);
        self.problems.note(Some(closed.pubkey), fault);
        // The problem that was just noted already says that the account is excluded.
        let outcome = self.book.quarantine_truncated(closed);
        self.log.note_damaged(&closed, &outcome);
    }
}

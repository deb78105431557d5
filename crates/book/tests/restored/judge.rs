//! Applies the same updates to a book, to books restored from it, and to a journal's copy of the
//! accounts, and compares the books. Restored books get accounts by their changes, where they can.

use std::collections::BTreeMap;
use std::ops::Range;

use slotbook_book::{
    AccountDelta, AccountUpdate, Applied, Book, BookConfig, BookError, FeedState, Gate,
};
use slotbook_naive::{Key, SnapshotKind};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::units::{Pubkey, Slot, UnixSeconds};

use super::shown::shown;
use crate::differential::judge::{Books, Delivery};
use crate::differential::rng::Rng;

/// Restored books that run in parallel.
const RESTORED_MAX: usize = 3;

/// The last accepted bytes of an account.
pub(crate) struct Kept {
    owner: Key,
    slot: u64,
    gate: Gate,
    data: Vec<u8>,
}

/// The ranges in which two states of an account differ.
fn runs_of(old: &[u8], new: &[u8]) -> Vec<Range<usize>> {
    let mut runs: Vec<Range<usize>> = Vec::new();
    for at in (0..new.len()).filter(|at| old[*at] != new[*at]) {
        match runs.last_mut() {
            Some(run) if run.end + 2 >= at => run.end = at + 1,
            _ => runs.push(at..at + 1),
        }
    }
    runs
}

/// The first book, and books that were restored from it.
pub(crate) struct Copies {
    pub(crate) config: BookConfig,
    pub(crate) first: Book,
    restored: Vec<Book>,
    pub(crate) kept: BTreeMap<Key, Kept>,
    /// The last delivery of each account, whether or not a book took it: its owner and its data.
    told: BTreeMap<Key, (Key, Vec<u8>)>,
    /// Updates that a book took by their changes.
    pub(crate) taken_by_changes: usize,
    rng: Rng,
    is_snapshot_open: bool,
    pub(crate) restored_within_snapshots: usize,
    ts_ms: u64,
}

impl Books for Copies {
    fn new(rules: Program) -> Self {
        let config = BookConfig::from(rules.id());
        Self {
            config,
            first: Book::new(config),
            restored: Vec::new(),
            kept: BTreeMap::new(),
            told: BTreeMap::new(),
            taken_by_changes: 0,
            rng: Rng::new(11),
            is_snapshot_open: false,
            restored_within_snapshots: 0,
            ts_ms: 1,
        }
    }

    fn set_clock(&mut self, slot: u64, unix_seconds: i64) {
        self.each(|book| book.set_clock(Slot(slot), UnixSeconds(unix_seconds)));
    }

    fn apply(&mut self, delivery: &Delivery<'_>) {
        let update = delivery.update();
        let applied = self.first.apply(update);
        // The source knows nothing of an update that has no number, and sends some as a whole.
        let (is_numbered, is_whole) = (!self.rng.one_in(20), self.rng.one_in(20));
        let told = (delivery.owner, delivery.data.to_vec());
        let before = is_numbered.then(|| self.told.insert(delivery.key, told)).flatten();
        let before = before.filter(|(owner, data)| {
            !is_whole
                && *owner == delivery.owner
                && data.len() == delivery.data.len()
                && !data.is_empty()
        });
        let runs = before.map(|(_, data)| runs_of(&data, delivery.data));
        let account = u32::from_le_bytes(*delivery.key.last_chunk().unwrap());
        for book in &mut self.restored {
            let by_changes = runs.as_ref().and_then(|runs| {
                let runs = runs.iter().map(|run| (run.start, &delivery.data[run.clone()]));
                let delta = AccountDelta { account, length: delivery.data.len(), runs };
                book.apply_delta(&AccountUpdate { data: &[], ..update }, &delta)
            });
            self.taken_by_changes += usize::from(by_changes.is_some());
            let other = by_changes
                .unwrap_or_else(|| book.apply_numbered(&update, is_numbered.then_some(account)));
            assert_eq!(other, applied, "an update does the same to a restored book");
            assert_eq!(
                book.user_account(&update.pubkey),
                self.first.user_account(&update.pubkey),
                "an update leaves the same bytes in a restored book"
            );
        }
        let took = match applied {
            Ok(Applied::Changed | Applied::Unchanged | Applied::Closed) => true,
            Ok(Applied::Stale | Applied::Ignored) | Err(BookError::LimitExceeded { .. }) => false,
            Err(BookError::Malformed { .. }) => true,
        };
        if took {
            let Delivery { key, owner, slot, data, .. } = *delivery;
            let gate = update.gate;
            self.kept.insert(key, Kept { owner, slot, gate, data: data.to_vec() });
        }
        if self.is_snapshot_open && self.rng.one_in(12) {
            self.end_turn(self.ts_ms);
            self.restore();
            self.restored_within_snapshots += 1;
        }
    }

    fn begin_snapshot(&mut self, slot: u64, kind: SnapshotKind) {
        let state = match kind {
            SnapshotKind::Audit => FeedState::Live,
            SnapshotKind::Replace => FeedState::Rebuilding,
        };
        self.each(|book| {
            book.set_state(state);
            book.begin_snapshot(Slot(slot));
        });
        self.is_snapshot_open = true;
    }

    fn end_snapshot(&mut self) {
        self.is_snapshot_open = false;
        let report = self.first.end_snapshot();
        for book in &mut self.restored {
            assert_eq!(book.end_snapshot(), report, "a snapshot finds the same");
        }
        for key in self.first.forgotten() {
            self.kept.remove(&key.0);
        }
    }
}

impl Copies {
    pub(crate) fn each(&mut self, mut happen: impl FnMut(&mut Book)) {
        happen(&mut self.first);
        self.restored.iter_mut().for_each(happen);
    }

    pub(crate) fn end_turn(&mut self, ts_ms: u64) {
        self.ts_ms = ts_ms;
        let changed = self.first.end_turn(ts_ms).to_vec();
        for book in &mut self.restored {
            assert_eq!(book.end_turn(ts_ms), changed, "a turn changes the same markets");
            for id in &changed {
                let only = [book.changed_quotes_only(*id), book.changed_indicative_only(*id)];
                let id = *id;
                let first = &self.first;
                assert_eq!(
                    only,
                    [first.changed_quotes_only(id), first.changed_indicative_only(id)]
                );
            }
        }
    }

    /// Restores the book at the end of a turn, and replaces an earlier restored book.
    pub(crate) fn restore(&mut self) {
        let state = captured(&self.first);
        let book = Book::restore(self.config, &state, self.updates()).unwrap();
        book.check_integrity().unwrap();
        if self.restored.len() == RESTORED_MAX {
            let oldest = self.rng.index(RESTORED_MAX);
            self.restored.remove(oldest);
        }
        self.restored.push(book);
    }

    pub(crate) fn updates(&self) -> impl Iterator<Item = AccountUpdate<'_>> + Clone {
        self.kept.iter().map(|(key, kept)| AccountUpdate {
            pubkey: Pubkey(*key),
            owner: Pubkey(kept.owner),
            slot: Slot(kept.slot),
            gate: kept.gate,
            data: &kept.data,
        })
    }

    /// Compares everything shown. `Err` describes the difference.
    pub(crate) fn compare(&mut self) -> Result<(), String> {
        let state = captured(&self.first);
        let bodies = shown(&mut self.first);
        for book in &mut self.restored {
            book.check_integrity().map_err(|violation| violation.to_string())?;
            if captured(book) != state {
                return Err("a restored book is captured as other bytes".to_owned());
            }
            let ours = shown(book);
            for (ours, first) in ours.iter().zip(&bodies) {
                if ours != first {
                    return Err(format!("restored {ours}\n, captured {first}"));
                }
            }
            assert_eq!(ours.len(), bodies.len());
        }
        Ok(())
    }
}

pub(crate) fn captured(book: &Book) -> Vec<u8> {
    let mut state = Vec::new();
    assert!(book.capture(&mut state), "a turn has ended");
    state
}

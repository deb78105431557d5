//! The turn log: the inputs of the book, unchanged, until another thread takes them.

use std::collections::VecDeque;

use slotbook_book::{AccountUpdate, Applied, BookError, ChangedParts, Gate};
use slotbook_journal::turn_log::{put_changed, put_input, put_turn_end};
use slotbook_journal::{Checkpoint, Gate as LoggedGate, Input, Origin};
use slotbook_protocol::model::{AccountKind, Program, ProtocolError, kind_of};

use crate::limits::{
    HASH_INTERVAL_MS, MALFORMED_BYTES_MAX, TURN_LOG_BYTES_MAX, TURN_LOG_CAPACITY_MAX,
    TURN_LOG_CUT_BYTES,
};

/// The additions to a turn that has ended; their memory is reused for each turn.
#[derive(Debug, Default)]
struct TurnEnding {
    marks: Vec<u8>,
    hash: Vec<u8>,
    /// The checkpoint after the turn, in the format of the log.
    checkpoint: Vec<u8>,
}

/// Whether inputs are logged.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum LogState {
    #[default]
    Off,
    On,
    /// Waiting turns exceeded their limit: accounts are missing, so nothing can follow.
    Lost,
}

/// The inputs that were not yet taken. When the log is off, each input costs a test of one byte.
#[derive(Debug, Default)]
pub(crate) struct InputLog {
    state: LogState,
    bytes: Vec<u8>,
    /// As far as they were taken.
    taken: usize,
    /// As far as whole turns go.
    whole: usize,
    /// Turn ends at which taking may stop: one for each MiB.
    cuts: VecDeque<usize>,
    /// Whether the last turn has ended and its end is not yet written.
    has_ended: bool,
    ending: TurnEnding,
    /// The time of the last turn.
    ts_ms: u64,
    /// The time of the last turn that has a hash.
    hashed_ms: u64,
    checkpoint_due: bool,
}

impl InputLog {
    pub(crate) fn state(&self) -> LogState {
        self.state
    }

    #[inline]
    pub(crate) fn is_on(&self) -> bool {
        self.state == LogState::On
    }

    /// Starts to log: first the accounts that the book already has, then its checkpoint.
    pub(crate) fn start(&mut self, accounts: Vec<u8>, checkpoint: &Checkpoint<'_>) {
        *self = Self { state: LogState::On, bytes: accounts, ..Self::default() };
        put_input(&mut self.bytes, &Input::Checkpoint(*checkpoint));
        self.whole = self.bytes.len();
        self.ts_ms = checkpoint.ts_ms;
    }

    /// Stops and forgets what waits.
    pub(crate) fn stop(&mut self) {
        *self = Self::default();
    }

    /// Requests a checkpoint after the end of the next turn.
    pub(crate) fn want_checkpoint(&mut self) {
        self.checkpoint_due = self.is_on();
    }

    /// Whether a checkpoint must follow the turn that has just ended.
    pub(crate) fn is_checkpoint_due(&self) -> bool {
        self.checkpoint_due
    }

    /// Logs an input of the present turn.
    #[inline]
    pub(crate) fn note(&mut self, input: &Input<'_>) {
        if self.is_on() {
            self.put(input);
        }
    }

    /// Logs an account by its effect on the book; for a known user only the changed parts.
    #[inline]
    pub(crate) fn note_update(
        &mut self,
        update: &AccountUpdate<'_>,
        outcome: &Result<Applied, BookError>,
        changed: Option<ChangedParts>,
    ) {
        if !self.is_on() {
            return;
        }
        match (changed, outcome) {
            (Some(parts), Ok(Applied::Changed)) => self.put_changed(update, parts),
            (Some(parts), Ok(Applied::Unchanged)) if update.gate != Gate::Snapshot => {
                self.put_changed(update, parts);
            }
            _ => self.put_update(update, outcome),
        }
    }

    /// Logs an account whose bytes arrived incompletely.
    pub(crate) fn note_damaged(
        &mut self,
        closed: &AccountUpdate<'_>,
        outcome: &Result<Applied, BookError>,
    ) {
        match outcome {
            Ok(Applied::Ignored) => {}
            // The book keeps a newer state, as in `put_update`.
            Ok(Applied::Stale) if closed.gate == Gate::Snapshot => {
                self.note(&Input::Stale(origin_of(closed)));
            }
            Ok(Applied::Stale) => {}
            _ => self.note(&Input::Damaged(origin_of(closed))),
        }
    }

    /// Logs a user that the book already holds; unchanged parts are omitted.
    fn put_changed(&mut self, update: &AccountUpdate<'_>, parts: ChangedParts) {
        self.close_turn();
        let length = update.data.len();
        let parts = parts.ranges(Program::of_user(length), length);
        put_changed(&mut self.bytes, &origin_of(update), update.data, parts);
    }

    fn put_update(&mut self, update: &AccountUpdate<'_>, outcome: &Result<Applied, BookError>) {
        let origin = origin_of(update);
        let is_mention = update.gate == Gate::Snapshot;
        match outcome {
            Ok(Applied::Ignored) | Err(BookError::LimitExceeded { .. }) => {}
            // A user that a snapshot mentions still exists, however old the mentioned state is.
            Ok(Applied::Stale) if is_mention => self.put(&Input::Stale(origin)),
            Ok(Applied::Stale) => {}
            Ok(Applied::Unchanged) if is_mention && is_user(update) => {
                self.put(&Input::Unchanged(origin));
            }
            Ok(Applied::Changed | Applied::Unchanged | Applied::Closed) => {
                let (owner, data) = (update.owner, update.data);
                self.put(&Input::Account { origin, owner, data });
            }
            Err(BookError::Malformed { cause, .. }) => {
                let (owner, data) = (update.owner, malformed_part(update.data, cause));
                self.put(&Input::Account { origin, owner, data });
            }
        }
    }

    fn put(&mut self, input: &Input<'_>) {
        self.close_turn();
        put_input(&mut self.bytes, input);
    }

    /// Ends the turn. A turn without input and without changed markets is not logged. Returns
    /// whether it was logged.
    pub(crate) fn end_turn(&mut self, ts_ms: u64, has_changed: bool) -> bool {
        if !self.is_on() {
            return false;
        }
        if self.bytes.len() - self.taken > TURN_LOG_BYTES_MAX {
            *self = Self { state: LogState::Lost, ..Self::default() };
            return false;
        }
        let has_inputs = !self.has_ended && self.bytes.len() > self.whole;
        if !(has_inputs || has_changed || self.checkpoint_due) {
            return false;
        }
        self.close_turn();
        self.ts_ms = ts_ms;
        self.has_ended = true;
        true
    }

    /// Records which changes of the last turn are published. When no turn has ended since, the mark
    /// becomes a turn of its own.
    pub(crate) fn mark(&mut self, marks: &[u8]) {
        if self.is_on() {
            self.has_ended = true;
            self.ending.marks.extend_from_slice(marks);
        }
    }

    /// Whether the turn that has just ended must have a hash: the first turn of each second. A
    /// clock that was set back begins another second.
    pub(crate) fn is_hash_due(&self) -> bool {
        self.ts_ms.abs_diff(self.hashed_ms) >= HASH_INTERVAL_MS
    }

    /// Adds the hash of all markets' content to the turn that ended last.
    pub(crate) fn add_hash(&mut self, hash: [u8; 8]) {
        self.hashed_ms = self.ts_ms;
        self.ending.hash.extend_from_slice(&hash);
    }

    /// The time of the last turn when it has a hash; `None` once the end of the turn is written.
    pub(crate) fn hash_ms(&self) -> Option<u64> {
        (self.has_ended && !self.ending.hash.is_empty()).then_some(self.ts_ms)
    }

    /// Adds a checkpoint after the last turn.
    pub(crate) fn add_checkpoint(&mut self, checkpoint: &Checkpoint<'_>) {
        put_input(&mut self.ending.checkpoint, &Input::Checkpoint(*checkpoint));
        self.checkpoint_due = false;
    }

    /// Writes the end of a turn that has ended; nothing can be added to it afterwards.
    #[inline]
    fn close_turn(&mut self) {
        if self.has_ended {
            self.write_ending();
        }
    }

    fn write_ending(&mut self) {
        self.has_ended = false;
        let Self { bytes, ts_ms, ending: TurnEnding { marks, hash, checkpoint }, .. } = self;
        put_turn_end(bytes, *ts_ms, marks, hash);
        bytes.extend_from_slice(checkpoint);
        for written in [marks, hash] {
            written.clear();
        }
        // It may be large, and is rare.
        *checkpoint = Vec::new();
        self.whole = bytes.len();
        let cut = self.cuts.back().copied().unwrap_or(self.taken);
        if self.whole - cut >= TURN_LOG_CUT_BYTES {
            self.cuts.push_back(self.whole);
        }
    }

    /// Bytes of whole turns that wait.
    pub(crate) fn whole_bytes(&mut self) -> usize {
        self.close_turn();
        self.whole - self.taken
    }

    /// Moves complete waiting turns into `out`, as many as fit; returns their bytes. `Err` contains
    /// the bytes that the first turns need when not even they fit.
    pub(crate) fn take(&mut self, out: &mut [u8]) -> Result<usize, usize> {
        let length = self.fitting_bytes(out.len())?;
        let end = self.taken + length;
        out[..length].copy_from_slice(&self.bytes[self.taken..end]);
        self.taken = end;
        while self.cuts.front().is_some_and(|cut| *cut <= end) {
            self.cuts.pop_front();
        }
        // The rest is moved only when it is smaller than the taken part.
        if self.taken >= self.bytes.len() - self.taken {
            self.drop_taken();
        }
        Ok(length)
    }

    /// Returns the bytes of the first complete turns that fit into `room` bytes.
    fn fitting_bytes(&mut self, room: usize) -> Result<usize, usize> {
        let whole = self.whole_bytes();
        if whole <= room {
            return Ok(whole);
        }
        let fitting = self.cuts.partition_point(|cut| cut - self.taken <= room);
        match fitting.checked_sub(1).and_then(|last| self.cuts.get(last)) {
            Some(cut) => Ok(cut - self.taken),
            None => Err(self.cuts.front().map_or(whole, |cut| cut - self.taken)),
        }
    }

    fn drop_taken(&mut self) {
        let taken = std::mem::take(&mut self.taken);
        self.bytes.drain(..taken);
        self.whole -= taken;
        self.cuts.iter_mut().for_each(|cut| *cut -= taken);
        if self.bytes.is_empty() && self.bytes.capacity() > TURN_LOG_CAPACITY_MAX {
            self.bytes = Vec::new();
        }
    }
}

fn origin_of(update: &AccountUpdate<'_>) -> Origin {
    let gate = match update.gate {
        Gate::Arrival => LoggedGate::Arrival,
        Gate::Snapshot => LoggedGate::Snapshot,
        Gate::WriteVersion(version) => LoggedGate::WriteVersion(version),
    };
    Origin { pubkey: update.pubkey, slot: update.slot.0, gate }
}

/// Returns the shortest prefix of a malformed account that causes the same error. Data that is not
/// an account of the book may have any length and is not logged; an account with the right length
/// is logged completely.
fn malformed_part<'a>(data: &'a [u8], cause: &ProtocolError) -> &'a [u8] {
    match cause {
        ProtocolError::WrongDiscriminator { .. } | ProtocolError::WrongLength { .. } => {
            data.get(..MALFORMED_BYTES_MAX).unwrap_or(data)
        }
        _ => data,
    }
}

fn is_user(update: &AccountUpdate<'_>) -> bool {
    matches!(kind_of(update.data), Ok(AccountKind::User))
}

#[cfg(test)]
mod tests {
    use std::ops::Range;

    use super::*;
    use slotbook_book::{Book, BookConfig};
    use slotbook_journal::{Found, Reader, Writer};
    use slotbook_protocol::model::units::{Pubkey, Slot};
    use slotbook_protocol::model::user::UserShape;

    const PROGRAM: Pubkey = Pubkey([9; 32]);
    const CONFIG: BookConfig = BookConfig { program: PROGRAM, rules: Program::Drift };
    /// The key of a perp market's oracle: the first field of its AMM, after discriminator and key.
    const MARKET_ORACLE: Range<usize> = 40..72;
    const USER: [u8; 8] = 0x9f75_5fe3_ef97_3aec_u64.to_be_bytes();
    const USER_KEY: Pubkey = Pubkey([1; 32]);

    #[test]
    fn of_a_malformed_account_a_part_is_logged_that_does_the_same() {
        let mut log = started();
        let (mut book, mut replayed) = (Book::new(CONFIG), Book::new(CONFIG));
        for (number, discriminator) in [(1, [0xee; 8]), (2, USER)] {
            let mut data = vec![0; 10 << 20];
            data[..8].copy_from_slice(&discriminator);
            let (pubkey, slot, gate) = (Pubkey([number; 32]), Slot(7), Gate::Arrival);
            let update = AccountUpdate { pubkey, owner: PROGRAM, slot, gate, data: &data };
            let outcome = book.apply(update);
            log.note_update(&update, &outcome, book.changed_parts());
        }
        log.end_turn(5, false);
        let mut lengths = Vec::new();
        let read = turn_of(&mut log).apply_turn(|input| {
            if let Input::Account { origin, owner, data } = input {
                let (pubkey, slot, gate) = (origin.pubkey, Slot(origin.slot), Gate::Arrival);
                let outcome = replayed.apply(AccountUpdate { pubkey, owner, slot, gate, data });
                assert!(matches!(outcome, Err(BookError::Malformed { .. })), "{outcome:?}");
                lengths.push(data.len());
            }
        });
        assert_eq!((read, lengths), (Ok(()), vec![8, 8]));
        assert_eq!(captured(&replayed), captured(&book));
    }

    #[test]
    fn many_turns_are_taken_in_pieces_that_fit() {
        let mut log = started();
        let data: Vec<u8> = (1..=255).cycle().take(300_000).collect();
        for ts_ms in 1..=40 {
            let origin = Origin { pubkey: PROGRAM, slot: ts_ms, gate: LoggedGate::Arrival };
            log.note(&Input::Account { origin, owner: PROGRAM, data: &data });
            log.end_turn(ts_ms, true);
        }
        let whole = log.whole_bytes();
        assert!(log.take(&mut [0; 1_000]).is_err_and(|needed| needed < 2 << 20));
        let (mut taken, mut pieces, mut out) = (Vec::new(), 0, vec![0; 4 << 20]);
        let mut expected = log.bytes.clone();
        while taken.len() < whole {
            let length = log.take(&mut out).unwrap();
            assert!(length > 2 << 20 || taken.len() + length == whole);
            taken.extend_from_slice(&out[..length]);
            pieces += 1;
            // Turns go on meanwhile.
            if pieces == 2 {
                log.note(&Input::SnapshotEnd);
            }
        }
        expected.truncate(whole);
        assert!(taken == expected && pieces >= 3);
        log.end_turn(50, true);
        assert_eq!(log.take(&mut out), Ok(log.bytes.len() + 26));
    }

    /// After a malformed state, the book's user differs from the journal's, so the next state is
    /// logged completely.
    #[test]
    fn every_state_of_a_user_comes_back_whole() {
        for (program, user_bytes) in [(Program::Drift, 4_376), (Program::Velocity, 4_496)] {
            check_states_come_back(program, user_bytes);
        }
    }

    fn check_states_come_back(program: Program, user_bytes: usize) {
        let UserShape { orders, order_bytes, .. } = program.user_shape();
        let state = |slots: &[(usize, u8)]| {
            let mut data = vec![0; user_bytes];
            data[..8].copy_from_slice(&USER);
            for (slot, byte) in slots {
                data[orders.start + slot * order_bytes..][..order_bytes].fill(*byte);
            }
            data
        };
        let states = [
            state(&[(3, 1), (31, 1)]),
            state(&[(3, 1), (30, 1), (31, 1)]),
            state(&[(5, 0xff)]),
            state(&[(3, 1)]),
            vec![],
            state(&[(0, 1), (31, 1)]),
            state(&[(31, 1)]),
            state(&[]),
        ];
        let written = states.iter().map(|data| (USER_KEY, data.clone()));
        let Logged { read, parts, malformed } = logged(program.id().into(), written);
        assert!(read == states);
        assert_eq!((parts.len(), malformed), (3, vec![3]));
    }

    /// An upgrade of Velocity may append bytes to users.
    #[test]
    fn a_user_of_any_length_comes_back_whole() {
        let program = Program::Velocity;
        let state = |length: usize, byte: u8| {
            let mut data = vec![byte; length];
            data[..8].copy_from_slice(&USER);
            data[program.user_shape().orders].fill(0);
            data[104..1_064].fill(0);
            data
        };
        let lengths = [4_496, 4_496, 5_000, 5_000, 4_500, 4_496];
        let states: Vec<_> = lengths.into_iter().zip(1..).map(|(n, byte)| state(n, byte)).collect();
        let written = states.iter().map(|data| (USER_KEY, data.clone()));
        let Logged { read, malformed, .. } = logged(program.id().into(), written);
        assert!(read == states && malformed.is_empty());
    }

    /// A faulty node gives bytes of another kind for the key of a user, and a market names it as its oracle for a while:
    /// the book has the user as new after it, and the journal the whole of its next state.
    #[test]
    fn a_user_whose_key_was_another_account_comes_back_whole() {
        let of_kind = |kind: AccountKind| {
            let mut data = vec![0; Program::Drift.layout(kind).expect("a kind of Drift").size];
            data[..8].copy_from_slice(&kind.discriminator());
            data
        };
        let user = |byte: u8| {
            let mut data = of_kind(AccountKind::User);
            data[Program::Drift.user_shape().orders.start..]
                [..Program::Drift.user_shape().order_bytes]
                .fill(byte);
            data
        };
        let market = |oracle: u8| {
            let mut data = of_kind(AccountKind::PerpMarket);
            data[MARKET_ORACLE].fill(oracle);
            data
        };
        let (maker, perp) = (USER_KEY, Pubkey([2; 32]));
        let states = [
            (maker, user(0)),
            (maker, of_kind(AccountKind::State)),
            (maker, user(1)),
            (perp, market(1)),
            (maker, user(0)),
            (perp, market(3)),
            (maker, user(1)),
            (maker, of_kind(AccountKind::SpotMarket)),
            (maker, user(0)),
            (maker, market(3)),
            (maker, user(1)),
            (maker, user(0)),
        ];
        let Logged { read, parts, malformed } = logged(CONFIG, states.iter().cloned());
        assert!(read == states.map(|(_, data)| data));
        assert_eq!((parts, malformed), (vec![12], vec![]));
    }

    /// An incomplete account older than the book's state is ignored.
    #[test]
    fn an_old_account_that_did_not_arrive_whole_is_not_damaged() {
        for gate in [Gate::Snapshot, Gate::WriteVersion(1)] {
            let mut states = vec![vec![0; 4_376]; 2];
            states.iter_mut().for_each(|data| data[..8].copy_from_slice(&USER));
            states[1][Program::Drift.user_shape().orders.start..]
                [..Program::Drift.user_shape().order_bytes]
                .fill(1);
            let (mut log, mut book) = (started(), Book::new(CONFIG));
            for (data, slot) in states.iter().zip([7, 8]) {
                let live = if gate == Gate::WriteVersion(1) {
                    Gate::WriteVersion(slot)
                } else {
                    Gate::Arrival
                };
                let (pubkey, slot) = (Pubkey([1; 32]), Slot(slot));
                let update = AccountUpdate { pubkey, owner: PROGRAM, slot, gate: live, data };
                let outcome = book.apply(update);
                log.note_update(&update, &outcome, book.changed_parts());
                let old = AccountUpdate { slot: Slot(5), gate, data: &[], ..update };
                let outcome = book.quarantine_truncated(old);
                assert_eq!(outcome, Ok(Applied::Stale));
                log.note_damaged(&old, &outcome);
            }
            log.end_turn(5, false);
            // A mention comes back as the state that the journal has.
            let mentions = if gate == Gate::Snapshot { 2 } else { 1 };
            let expected = states.iter().flat_map(|data| vec![data.clone(); mentions]);
            assert!(accounts_of(&mut log) == expected.collect::<Vec<_>>());
        }
    }

    /// What came of accounts that were written in one slot after the other.
    struct Logged {
        /// The bytes that their log has.
        read: Vec<Vec<u8>>,
        /// The slots of those of which the book knew the changed parts, and of those that it refused.
        parts: Vec<u64>,
        malformed: Vec<u64>,
    }

    fn logged(config: BookConfig, written: impl Iterator<Item = (Pubkey, Vec<u8>)>) -> Logged {
        let (mut log, mut book) = (started(), Book::new(config));
        let (mut parts, mut malformed) = (Vec::new(), Vec::new());
        for ((pubkey, data), slot) in written.zip(1..) {
            let (owner, gate) = (config.program, Gate::Arrival);
            let update = AccountUpdate { pubkey, owner, slot: Slot(slot), gate, data: &data };
            let outcome = book.apply(update);
            assert!(!matches!(outcome, Ok(Applied::Stale | Applied::Ignored)), "{outcome:?}");
            malformed.extend(outcome.is_err().then_some(slot));
            parts.extend(book.changed_parts().map(|_| slot));
            log.note_update(&update, &outcome, book.changed_parts());
        }
        log.end_turn(5, false);
        Logged { read: accounts_of(&mut log), parts, malformed }
    }

    /// The bytes of the accounts of the log's one turn.
    fn accounts_of(log: &mut InputLog) -> Vec<Vec<u8>> {
        let mut accounts = Vec::new();
        let applied = turn_of(log).apply_turn(|input| match input {
            Input::Account { data, .. } => accounts.push(data.to_vec()),
            Input::TurnEnd { .. } => {}
            other => panic!("{other:?} was not logged"),
        });
        assert_eq!(applied, Ok(()));
        accounts
    }

    fn started() -> InputLog {
        let mut log = InputLog::default();
        let (seqs, state, epoch) = (&[][..], &[][..], "epoch-1");
        log.start(
            Vec::new(),
            &Checkpoint { epoch, ts_ms: 0, slot: 0, unix_seconds: 0, seqs, state },
        );
        log
    }

    /// A reader of the log's one turn.
    fn turn_of(log: &mut InputLog) -> Reader {
        let whole = log.whole_bytes();
        let (mut writer, mut reader) = (Writer::new(PROGRAM), Reader::new());
        writer.append(&log.bytes[..whole], 3).unwrap();
        writer.flush().unwrap();
        while let Some(piece) = writer.take_piece() {
            reader.push(&piece.bytes);
        }
        while !matches!(reader.find().unwrap(), Found::Turn(_)) {}
        reader
    }

    fn captured(book: &Book) -> Vec<u8> {
        let mut state = Vec::new();
        assert!(book.capture(&mut state));
        state
    }
}

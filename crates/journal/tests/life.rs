//! Random inputs survive encoding and decoding, whatever the piece sizes; truncated and corrupted
//! files end after the last complete turn.

#![expect(clippy::unwrap_used, reason = "a test fails where it meets something else")]

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use proptest::prelude::*;
use slotbook_journal::turn_log::{put_changed, put_input};
use slotbook_journal::{
    AccountChanges, Checkpoint, Found, Gate, Input, JournalError, Origin, Reader, StoredAccount,
    TakeInputs, Writer,
};
use slotbook_protocol::model::units::Pubkey;

const PROGRAM: Pubkey = Pubkey([9; 32]);

/// An input that owns its bytes.
#[derive(Clone, Debug)]
enum Step {
    Account { origin: Origin, owner: u8, data: Vec<u8> },
    Unchanged(Origin),
    Stale(Origin),
    Damaged(Origin),
    Forgotten(Pubkey),
    Clock(u64, i64),
    FeedState(u8),
    Epoch(String),
    SnapshotBegin(u64),
    SnapshotEnd,
    QuotePolicy(bool),
    Quotes { market: u16, maker: u8, ts_ms: u64, quotes: Vec<u8> },
    External { market: u16, bids: Vec<u8>, asks: Vec<u8> },
    TurnEnd { ts_ms: u64, marks: Vec<u8>, hash: Vec<u8> },
}

impl Step {
    fn input(&self) -> Input<'_> {
        match self {
            Self::Account { origin, owner, data } => {
                Input::Account { origin: *origin, owner: Pubkey([*owner; 32]), data }
            }
            Self::Unchanged(origin) => Input::Unchanged(*origin),
            Self::Stale(origin) => Input::Stale(*origin),
            Self::Damaged(origin) => Input::Damaged(*origin),
            Self::Forgotten(pubkey) => Input::Forgotten(*pubkey),
            Self::Clock(slot, unix_seconds) => {
                Input::Clock { slot: *slot, unix_seconds: *unix_seconds }
            }
            Self::FeedState(state) => Input::FeedState(*state),
            Self::Epoch(epoch) => Input::Epoch(epoch),
            Self::SnapshotBegin(slot) => Input::SnapshotBegin { slot: *slot },
            Self::SnapshotEnd => Input::SnapshotEnd,
            Self::QuotePolicy(improve) => Input::QuotePolicy { improve: *improve },
            Self::Quotes { market, maker, ts_ms, quotes } => {
                let (market, ts_ms) = (*market, *ts_ms);
                Input::Quotes { market, maker: Pubkey([*maker; 32]), ts_ms, quotes }
            }
            Self::External { market, bids, asks } => {
                Input::External { market: *market, bids, asks }
            }
            Self::TurnEnd { ts_ms, marks, hash } => Input::TurnEnd { ts_ms: *ts_ms, marks, hash },
        }
    }

    /// The account, if only an earlier record can have introduced it.
    fn names(&self) -> Option<Pubkey> {
        match self {
            Self::Unchanged(origin) | Self::Stale(origin) | Self::Damaged(origin) => {
                Some(origin.pubkey)
            }
            Self::Forgotten(pubkey) => Some(*pubkey),
            _ => None,
        }
    }
}

fn key() -> impl Strategy<Value = Pubkey> {
    (0_u8..6).prop_map(|byte| Pubkey([byte; 32]))
}

fn origin() -> impl Strategy<Value = Origin> {
    let gate = prop_oneof![
        Just(Gate::Arrival),
        Just(Gate::Snapshot),
        any::<u64>().prop_map(Gate::WriteVersion),
    ];
    (key(), prop_oneof![0_u64..100, any::<u64>()], gate).prop_map(|(pubkey, slot, gate)| Origin {
        pubkey,
        slot,
        gate,
    })
}

fn data() -> impl Strategy<Value = Vec<u8>> {
    let sparse = (0_usize..600, prop::collection::vec((0_usize..600, any::<u8>()), 0..12));
    sparse.prop_map(|(length, bytes)| {
        let mut data = vec![0; length];
        for (at, byte) in bytes {
            if let Some(place) = data.get_mut(at) {
                *place = byte;
            }
        }
        data
    })
}

fn bytes(multiple: usize) -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(any::<u8>(), 0..5).prop_map(move |bytes| bytes.repeat(multiple))
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        8 => (origin(), 0_u8..3, data())
            .prop_map(|(origin, owner, data)| Step::Account { origin, owner, data }),
        2 => origin().prop_map(Step::Unchanged),
        1 => origin().prop_map(Step::Stale),
        1 => origin().prop_map(Step::Damaged),
        1 => key().prop_map(Step::Forgotten),
        1 => (any::<u64>(), any::<i64>()).prop_map(|(slot, now)| Step::Clock(slot, now)),
        1 => any::<u8>().prop_map(Step::FeedState),
        1 => "[!-~]{1,20}".prop_map(Step::Epoch),
        1 => any::<u64>().prop_map(Step::SnapshotBegin),
        1 => Just(Step::SnapshotEnd),
        1 => any::<bool>().prop_map(Step::QuotePolicy),
        1 => (any::<u16>(), 0_u8..9, any::<u64>(), bytes(33)).prop_map(
            |(market, maker, ts_ms, quotes)| Step::Quotes { market, maker, ts_ms, quotes }
        ),
        1 => (any::<u16>(), bytes(16), bytes(16))
            .prop_map(|(market, bids, asks)| Step::External { market, bids, asks }),
        6 => (any::<u64>(), bytes(3), bytes(8))
            .prop_map(|(ts_ms, marks, hash)| Step::TurnEnd { ts_ms, marks, hash }),
    ]
}

/// Random inputs whose every turn ends.
fn life() -> impl Strategy<Value = Vec<Step>> {
    prop::collection::vec(step(), 1..60).prop_map(|mut steps| {
        steps.push(Step::TurnEnd { ts_ms: 5, marks: vec![], hash: vec![] });
        steps
    })
}

fn checkpoint(state: &[u8]) -> Checkpoint<'_> {
    let (seqs, epoch) = (&[1, 0, 0, 0, 0, 0, 0, 0][..], "epoch-1");
    Checkpoint { epoch, ts_ms: 77, slot: 88, unix_seconds: -5, seqs, state }
}

/// The recorded accounts, each with its owner and last bytes.
type Known = HashMap<Pubkey, (Pubkey, Vec<u8>)>;

/// The expected inputs after decoding, as text: references to unknown accounts disappear, and
/// inputs without bytes get the account's last bytes.
fn held(steps: &[Step], known: &mut Known) -> Vec<String> {
    let mut held = Vec::new();
    for step in steps {
        let input = step.input();
        let last = step.names().map(|pubkey| known.get(&pubkey));
        match (last, input) {
            (Some(None), _) => {}
            (Some(Some((owner, data))), Input::Unchanged(origin) | Input::Stale(origin)) => {
                let input = Input::Account { origin, owner: *owner, data };
                held.push(format!("{input:?}"));
            }
            _ => held.push(format!("{input:?}")),
        }
        match input {
            Input::Account { origin, owner, data } => {
                known.insert(origin.pubkey, (owner, data.to_vec()));
            }
            Input::Damaged(origin) => {
                known.entry(origin.pubkey).and_modify(|(_, data)| data.clear());
            }
            Input::Forgotten(pubkey) => drop(known.remove(&pubkey)),
            _ => {}
        }
    }
    held
}

/// Appends an input; a known account of equal owner and length by its changed parts.
fn put(log: &mut Vec<u8>, step: &Step, known: &mut Known) {
    let input = step.input();
    if let Input::Account { origin, owner, data } = input {
        match known.get(&origin.pubkey) {
            Some((before, old)) if (*before, old.len()) == (owner, data.len()) => {
                put_changed(log, &origin, data, parts(old, data));
            }
            _ => put_input(log, &input),
        }
    } else {
        put_input(log, &input);
    }
    held(std::slice::from_ref(step), known);
}

/// Ranges of 32 bytes with a difference, and always the last bytes.
fn parts<'a>(old: &'a [u8], new: &'a [u8]) -> impl Iterator<Item = Range<usize>> + 'a {
    let starts = (0..new.len()).step_by(32);
    let ranges = starts.map(|start| start..new.len().min(start + 32));
    ranges.filter(|range| range.end == new.len() || old[range.clone()] != new[range.clone()])
}

/// The segment files of successive runs, each begun with a checkpoint.
fn written(lives: &[&[Step]], state: &[u8]) -> Vec<Vec<u8>> {
    let mut writer = Writer::new(PROGRAM);
    write(&mut writer, lives, state);
    let mut files = Vec::<Vec<u8>>::new();
    while let Some(piece) = writer.take_piece() {
        let index = usize::try_from(piece.segment).unwrap() - 1;
        files.resize(index + 1, Vec::new());
        files[index].extend(piece.bytes);
    }
    files
}

/// Writes successive runs, each begun with a checkpoint of the moment.
fn write(writer: &mut Writer, lives: &[&[Step]], state: &[u8]) {
    let (mut known, mut at) = (Known::new(), checkpoint(state));
    for life in lives {
        let mut log = Vec::new();
        put_input(&mut log, &Input::Checkpoint(at));
        for step in *life {
            match *step {
                Step::Clock(slot, seconds) => (at.slot, at.unix_seconds) = (slot, seconds),
                Step::TurnEnd { ts_ms, .. } => at.ts_ms = ts_ms,
                _ => {}
            }
            put(&mut log, step, &mut known);
            if matches!(step, Step::TurnEnd { ts_ms, .. } if ts_ms % 2 == 0) {
                writer.append(&log, 3).unwrap();
                writer.flush().unwrap();
                log.clear();
            }
        }
        writer.append(&log, 3).unwrap();
    }
    writer.flush().unwrap();
}

/// The checkpoint and the tail of each segment, separately.
fn written_apart(lives: &[&[Step]], state: &[u8]) -> Vec<[Vec<u8>; 2]> {
    let mut writer = Writer::new(PROGRAM);
    writer.separate_tails();
    write(&mut writer, lives, state);
    let mut segments = Vec::<[Vec<u8>; 2]>::new();
    while let Some(piece) = writer.take_piece() {
        let index = usize::try_from(piece.segment).unwrap() - 1;
        segments.resize(index + 1, <[Vec<u8>; 2]>::default());
        segments[index][usize::from(piece.is_tail)].extend(piece.bytes);
    }
    segments
}

/// The items that a reader finds in a file pushed in pieces of this size.
fn read(file: &[u8], piece_bytes: usize) -> (Reader, Vec<String>, Result<(), JournalError>) {
    let mut reader = Reader::new();
    let (inputs, result) = read_on(&mut reader, file, piece_bytes);
    (reader, inputs, result)
}

/// Takes inputs as text. An account that was taken before is taken by its changes.
#[derive(Default)]
struct Texts {
    texts: Vec<String>,
    accounts: HashMap<u32, (Pubkey, Vec<u8>)>,
}

impl TakeInputs for Texts {
    fn take(&mut self, input: Input<'_>, account: Option<u32>) {
        if let (Input::Account { owner, data, .. }, Some(account)) = (input, account) {
            self.accounts.insert(account, (owner, data.to_vec()));
        }
        self.texts.push(format!("{input:?}"));
    }

    fn take_changes(&mut self, changes: &AccountChanges<'_>) -> bool {
        let AccountChanges { number, origin, length, patch } = *changes;
        let Some((owner, data)) = self.accounts.get_mut(&number) else { return false };
        assert_eq!(data.len(), length);
        for (at, bytes) in patch.runs() {
            data[at..at + bytes.len()].copy_from_slice(bytes);
        }
        self.texts.push(format!("{:?}", Input::Account { origin, owner: *owner, data }));
        true
    }
}

/// The items that a reader finds in further bytes.
fn read_on(
    reader: &mut Reader,
    file: &[u8],
    piece_bytes: usize,
) -> (Vec<String>, Result<(), JournalError>) {
    let (mut inputs, mut taker) = (Vec::new(), Texts::default());
    let mut pieces = file.chunks(piece_bytes);
    let result = loop {
        match reader.find() {
            Ok(Found::Nothing) => match pieces.next() {
                Some(piece) => reader.push(piece),
                None => break Ok(()),
            },
            Ok(Found::Checkpoint) => {}
            Ok(Found::Turn(_)) => match reader.apply_turn_to(&mut taker) {
                Ok(()) => inputs.append(&mut taker.texts),
                Err(error) => break Err(error),
            },
            Err(error) => break Err(error),
        }
    };
    (inputs, result)
}

fn accounts_of(reader: &mut Reader) -> Vec<String> {
    let mut accounts = Vec::new();
    let put = |StoredAccount { origin, owner, data, .. }: StoredAccount<'_>| {
        accounts.push(format!("{origin:?} {owner:?} {data:?}"));
    };
    reader.each_account(|_| true, put).unwrap();
    accounts
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]

    #[test]
    fn a_life_comes_back_from_any_pieces(
        first in life(), second in life(), state: Vec<u8>, piece_bytes in 1_usize..5_000,
    ) {
        let files = written(&[&first, &second], &state);
        prop_assert_eq!(files.len(), 2);
        let mut known = Known::new();
        let (mut before, inputs, result) = read(&files[0], piece_bytes);
        prop_assert_eq!(result, Ok(()));
        prop_assert_eq!(inputs, held(&first, &mut known));
        prop_assert_eq!((before.position(), before.waiting()), (files[0].len() as u64, 0));
        prop_assert_eq!(before.head().unwrap().seqs.clone(), vec![1]);
        let accounts = accounts_of(&mut before);

        let mut reader = Reader::new();
        reader.push(&files[1]);
        prop_assert_eq!(reader.find(), Ok(Found::Checkpoint));
        prop_assert_eq!(reader.state(), Some(&state[..]));
        prop_assert_eq!(accounts_of(&mut reader), accounts);
        let (_, inputs, result) = read(&files[1], piece_bytes);
        prop_assert_eq!(result, Ok(()));
        prop_assert_eq!(inputs, held(&second, &mut known));
    }

    #[test]
    fn a_tail_apart_is_read_with_its_checkpoint_and_behind_the_tail_before(
        lives in prop::collection::vec(life(), 2..5), state: Vec<u8>, piece_bytes in 1_usize..5_000,
    ) {
        let lives: Vec<&[Step]> = lives.iter().map(Vec::as_slice).collect();
        let segments = written_apart(&lives, &state);
        let (mut follower, inputs, result) = read(&segments[0][0], piece_bytes);
        prop_assert_eq!((inputs, result), (vec![], Ok(())));
        let mut known = Known::new();
        for (life, [head, tail]) in lives.iter().zip(&segments) {
            let expected = held(life, &mut known);
            let (mut joined, _, _) = read(head, piece_bytes);
            for reader in [&mut follower, &mut joined] {
                reader.begin_tail().unwrap();
                let (inputs, result) = read_on(reader, tail, piece_bytes);
                prop_assert_eq!(result, Ok(()));
                prop_assert_eq!(&inputs, &expected);
                prop_assert_eq!(reader.waiting(), 0);
            }
            prop_assert_eq!(accounts_of(&mut follower), accounts_of(&mut joined));
        }
    }
}

fn file_of_turns() -> Vec<u8> {
    let origin = |slot| Origin { pubkey: Pubkey([1; 32]), slot, gate: Gate::Arrival };
    let mut life = Vec::new();
    for slot in 0..20_u64 {
        let data = slot.to_le_bytes().repeat(4);
        life.push(Step::Account { origin: origin(slot), owner: 2, data });
        life.push(Step::TurnEnd { ts_ms: slot * 2, marks: vec![1, 0, 3], hash: vec![] });
    }
    written(&[&life], b"state").remove(0)
}

/// A reader after the end of a file, with its items and the error code.
fn finished(file: &[u8], piece_bytes: usize) -> (Reader, Vec<String>, Option<&'static str>, bool) {
    let (mut reader, inputs, result) = read(file, piece_bytes);
    let tear = result.and_then(|()| reader.finish());
    let (is_damaged, code) = match tear {
        Ok(tear) => (false, tear.map(|tear| tear.fault.code())),
        Err(error) => (true, Some(error.fault.code())),
    };
    (reader, inputs, code, is_damaged)
}

#[test]
fn a_file_torn_at_any_byte_ends_behind_a_turn() {
    let file = file_of_turns();
    let (_, whole, _) = read(&file, file.len());
    let mut lengths = HashSet::new();
    for length in 0..file.len() {
        let (reader, inputs, code, is_damaged) = finished(&file[..length], 64);
        assert!(!is_damaged);
        assert_eq!(inputs, whole[..inputs.len()]);
        assert_eq!(inputs.len() % 2, 0, "{length}");
        assert_eq!(code, (reader.waiting() > 0).then_some("MALFORMED_JOURNAL"));
        assert!(usize::try_from(reader.position()).unwrap() + reader.waiting() == length);
        lengths.insert(inputs.len());
    }
    assert_eq!(lengths.len(), 20, "each block but the last is the end of some torn file");
}

#[test]
fn zeros_and_garbage_from_any_byte_on_are_a_tear() {
    let file = file_of_turns();
    let (_, whole, _) = read(&file, file.len());
    let garbage: Vec<u8> =
        (1_u32..).map(|at| at.wrapping_mul(2_654_435_761).to_be_bytes()[1]).take(9_000).collect();
    // A corrupted version number means another version.
    for at in (0..16).chain(20..file.len()) {
        let (_, good, _) = read(&file[..at], file.len());
        for tail in [&[0; 1][..], &[0; 9_000], &garbage] {
            let (reader, inputs, code, is_damaged) = finished(&[&file[..at], tail].concat(), 64);
            // An additional zero may be the last byte of a block.
            assert!(!is_damaged && code.is_some() == (reader.waiting() > 0), "{at}: {code:?}");
            assert!(inputs.len() >= good.len() && inputs == whole[..inputs.len()], "{at}");
            let end = usize::try_from(reader.position()).unwrap() + reader.waiting();
            assert_eq!(end, at + tail.len());
        }
    }
}

#[test]
fn a_spoilt_byte_is_damage_unless_it_is_in_the_last_block() {
    let file = file_of_turns();
    let last = usize::try_from(read(&file[..file.len() - 1], 64).0.position()).unwrap();
    for at in 0..file.len() {
        let mut spoilt = file.clone();
        spoilt[at] ^= 0x40;
        let (reader, _, code, is_damaged) = finished(&spoilt, 64);
        assert_eq!(is_damaged, at < last, "{at}: {code:?}");
        assert!(code.is_some() && reader.position() <= at as u64);
    }
}

#[test]
fn many_heads_without_a_good_block_are_damage() {
    let mut file = file_of_turns();
    let head = [&1_u32.to_le_bytes()[..], &[1; 4], &[1], &[0; 15]].concat();
    for heads in [10, 100] {
        file.extend([&head[..], &[0]].concat().repeat(heads));
        let (_, _, code, is_damaged) = finished(&file, 1_000);
        assert_eq!((code, is_damaged), (Some("JOURNAL_CRC_MISMATCH"), heads == 100));
    }
}

#[test]
fn a_lost_end_of_zeros_with_few_other_bytes_is_a_tear() {
    let mut file = file_of_turns();
    let length = file.len();
    for _ in 0..1_000 {
        file.extend([&[0; 40][..], &[1], &[0; 23]].concat());
    }
    let (reader, _, code, is_damaged) = finished(&file, 1_000);
    assert_eq!((code, is_damaged), (Some("MALFORMED_JOURNAL"), false));
    assert!(usize::try_from(reader.position()).unwrap() == length);
}

#[test]
fn a_tail_that_begins_within_a_turn_is_refused() {
    let mut reader = Reader::new();
    assert_eq!(reader.begin_tail().unwrap_err().fault.code(), "MALFORMED_JOURNAL");
    let file = file_of_turns();
    let (mut reader, _, _) = read(&file[..file.len() - 1], 4_096);
    let error = reader.begin_tail().unwrap_err();
    assert!(error.to_string().contains("a tail begins before"), "{error}");
    assert_eq!(reader.find().unwrap_err(), error);
}

#[test]
fn a_head_is_read_from_the_front_of_a_file() {
    let origin = Origin { pubkey: Pubkey([1; 32]), slot: 3, gate: Gate::Arrival };
    let data = (0..=255_u8).cycle().take(100_000).collect();
    let life = [Step::Account { origin, owner: 1, data }, Step::Epoch("other".to_owned())];
    let file = written(&[&life, &[]], b"state").remove(1);
    let mut reader = Reader::new();
    reader.push(&file[..200]);
    let head = reader.find_head().unwrap().unwrap();
    assert_eq!((head.program, head.created_ms, head.accounts), (PROGRAM, 3, 1));
    assert_eq!((head.epoch.as_str(), head.ts_ms, head.slot), ("epoch-1", 77, 88));
}

#[test]
fn other_files_and_other_versions_are_told_apart() {
    let mut file = written(&[&[]], b"").remove(0);
    file[16] += 1;
    let code = |file: &[u8]| {
        let (mut reader, _, result) = read(file, 1_000);
        result.and_then(|()| reader.finish()).map_err(|error| error.fault.code())
    };
    assert_eq!(code(&file), Err("JOURNAL_VERSION_MISMATCH"));
    file[0] = b'S';
    assert_eq!(code(&file), Err("MALFORMED_JOURNAL"));
    file = written(&[&[]], b"").remove(0);
    file[21] = 0xff;
    file[23] = 0xff;
    assert_eq!(code(&file), Err("JOURNAL_BYTES_EXCEEDED"));
    file = written(&[&[]], b"").remove(0);
    file[44] ^= 1;
    assert_eq!(code(&file), Err("JOURNAL_CRC_MISMATCH"));
}

#[test]
fn a_turn_of_endless_accounts_is_not_written_to_its_end() {
    let data = vec![0; 10 << 20];
    let mut writer = Writer::new(PROGRAM);
    let mut log = Vec::new();
    put_input(&mut log, &Input::Checkpoint(checkpoint(b"")));
    let mut write = |log: &mut Vec<u8>| {
        let written = writer.append(log, 3);
        log.clear();
        written
    };
    // 25 of 10 MiB fit, in a turn.
    for slot in 0..26 + 26 {
        let origin = Origin { pubkey: Pubkey([1; 32]), slot, gate: Gate::Arrival };
        if slot == 25 {
            put_input(&mut log, &Input::TurnEnd { ts_ms: 2, marks: &[], hash: &[] });
        }
        put_input(&mut log, &Input::Account { origin, owner: PROGRAM, data: &data });
        let written = write(&mut log);
        assert_eq!(written.is_err(), slot == 50, "{slot}");
        if let Err(fault) = written {
            assert_eq!(fault.code(), "JOURNAL_BYTES_EXCEEDED");
            assert!(fault.to_string().starts_with("TURN_BYTES_MAX was 272629760"), "{fault}");
            break;
        }
    }
    writer.flush().unwrap();
    let mut reader = Reader::new();
    while let Some(piece) = writer.take_piece() {
        reader.push(&piece.bytes);
    }
    let mut turns = 0;
    while !matches!(reader.find(), Ok(Found::Nothing)) {
        turns += usize::from(matches!(reader.find(), Ok(Found::Turn(_))));
        reader.apply_turn(|_input| ()).unwrap();
    }
    assert_eq!((turns, reader.finish()), (1, Ok(None)));
}

#[test]
fn accounts_that_together_pass_their_limit_are_refused_with_its_code() {
    let data = vec![0; 10 << 20];
    let mut writer = Writer::new(PROGRAM);
    let mut log = Vec::new();
    put_input(&mut log, &Input::Checkpoint(checkpoint(b"")));
    let mut written = Ok(());
    for number in 0..=204_u8 {
        written.unwrap();
        let origin = Origin { pubkey: Pubkey([number; 32]), slot: 1, gate: Gate::Arrival };
        put_input(&mut log, &Input::Account { origin, owner: PROGRAM, data: &data });
        put_input(&mut log, &Input::TurnEnd { ts_ms: 1, marks: &[], hash: &[] });
        written = writer.append(&log, 3);
        log.clear();
    }
    // 204 accounts of 10 MiB are 2,040 MiB; the last one makes it 2,050.
    let fault = written.unwrap_err();
    assert_eq!(fault.code(), "JOURNAL_BYTES_EXCEEDED");
    assert!(fault.to_string().starts_with("ACCOUNTS_BYTES_MAX was 2149580800"), "{fault}");
}

#[test]
fn an_error_says_where_and_stays() {
    let life: Vec<Step> = (0..9)
        .map(|turn| Step::TurnEnd { ts_ms: turn * 2, marks: vec![], hash: vec![7; 40] })
        .collect();
    let mut file = written(&[&life], b"").remove(0);
    let (before, ..) = read(&file[..file.len() - 1], 1_000);
    // In the block before the last one.
    file[usize::try_from(before.position()).unwrap() - 1] ^= 1;
    let (mut reader, inputs, _) = read(&file, 1_000);
    let error = reader.finish().unwrap_err();
    assert_eq!(inputs.len(), 7);
    assert_eq!(error.block_at, reader.position());
    assert_eq!(reader.find(), Err(error));
}

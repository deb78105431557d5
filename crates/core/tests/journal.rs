//! The books of a journal are those that were written, turn by turn.

#![expect(clippy::unwrap_used, reason = "a test fails where it meets something else")]

use std::fs::{read, read_to_string};
use std::path::PathBuf;

use serde_json::Value;
use slotbook_book::{BookConfig, MarketId, Side};
use slotbook_core::core::Core;
use slotbook_core::reader::{JournalReader, Step, Until};
use slotbook_journal::turn_log::put_input;
use slotbook_journal::{Checkpoint, Gate, Input, Origin, Writer};
use slotbook_protocol::model::units::{Pubkey, Slot};
use slotbook_protocol::model::{AccountKind, Program};

const PROGRAM: Pubkey = Pubkey([9; 32]);
const MARKET: Pubkey = Pubkey([1; 32]);
const TURNS: u64 = 40;
/// The turn behind which the second segment begins.
const CUT: u64 = 20;
/// Where an account of a perp market has its number of users, which is no part of the layout's front.
const CHANGED_BYTE: usize = 1_000;

/// What a core was after a turn.
struct Shown {
    ts_ms: u64,
    slot: u64,
    seq: u64,
    hashes: Vec<u8>,
    marks: Vec<u8>,
}

/// A core with its log, and what it was after each turn.
struct Life {
    core: Core,
    shown: Vec<Shown>,
    segments: Vec<Vec<u8>>,
}

fn account(kind: AccountKind, number: u64) -> Vec<u8> {
    let mut data = vec![0; Program::Drift.layout(kind).expect("a kind of Drift").size];
    data[..8].copy_from_slice(&kind.discriminator());
    let at = CHANGED_BYTE.min(data.len() - 8);
    data[at..at + 8].copy_from_slice(&number.to_le_bytes());
    data
}

/// A record of a batch, as the binary form has it.
fn record(pubkey: Pubkey, slot: u64, data: &[u8]) -> Vec<u8> {
    record_of(PROGRAM, pubkey, slot, data)
}

fn record_of(owner: Pubkey, pubkey: Pubkey, slot: u64, data: &[u8]) -> Vec<u8> {
    let slot = slot.to_le_bytes();
    let parts: [&[u8]; 5] = [&[0, 0, 32, 32], &slot, &pubkey.0, &owner.0, data];
    let body = parts.concat();
    [u32::try_from(body.len()).unwrap().to_le_bytes().to_vec(), body].concat()
}

fn hashes_of(core: &mut Core) -> Vec<u8> {
    let mut hashes = Vec::new();
    core.hashes(&mut hashes);
    hashes
}

/// Two turns a slot, and each a second after the one before, so that all of them have a hash. In the second turn of a slot a user
/// is told of as of the slot before.
fn live() -> Life {
    let mut core = Core::new(PROGRAM, "first".to_owned());
    assert!(core.start_journal());
    let mut life = Life { core, shown: Vec::new(), segments: Vec::new() };
    for turn in 1..=TURNS {
        life.turn(turn);
    }
    life.write();
    life
}

impl Life {
    fn turn(&mut self, turn: u64) {
        let (core, slot, ts_ms) = (&mut self.core, 100 + turn / 2, turn * 1_000);
        core.set_clock(slot, i64::try_from(turn).unwrap());
        core.set_state(1);
        core.apply(&record(MARKET, slot, &account(AccountKind::PerpMarket, turn)));
        let user = Pubkey([100 + u8::try_from(turn % 5).unwrap(); 32]);
        core.apply(&record(user, slot - turn % 2, &account(AccountKind::User, turn)));
        if turn == CUT {
            core.mark_checkpoint();
        }
        core.end_turn(ts_ms);
        let marks = vec![0, 0, u8::try_from(turn).unwrap()];
        core.mark_published(&marks);
        let seq = core.book().seq(MarketId(0)).unwrap();
        let hashes = hashes_of(core);
        self.shown.push(Shown { ts_ms, slot, seq, hashes, marks });
    }

    fn write(&mut self) {
        self.write_of(PROGRAM);
    }

    fn write_of(&mut self, program: Pubkey) {
        let mut log = vec![0; self.core.journal_bytes()];
        let length = self.core.take_journal(&mut log).unwrap();
        assert_eq!(length, log.len());
        let mut writer = Writer::new(program);
        writer.append(&log, 0).unwrap();
        writer.flush().unwrap();
        while let Some(piece) = writer.take_piece() {
            let at = usize::try_from(piece.segment).unwrap() - 1;
            self.segments.resize_with(self.segments.len().max(at + 1), Vec::new);
            self.segments[at].extend_from_slice(&piece.bytes);
        }
    }
}

fn reader_of(segment: &[u8]) -> JournalReader {
    let mut reader = JournalReader::new(PROGRAM);
    reader.push(segment);
    reader
}

fn empty() -> Core {
    Core::new(PROGRAM, "none".to_owned())
}

/// Reads all turns, each of which is one of these.
fn read_turns(reader: &mut JournalReader, core: &mut Core, shown: &[Shown]) {
    assert_eq!(reader.read_next(core, &Until::END), Step::Checkpoint);
    for turn in shown {
        assert_eq!(reader.read_next(core, &Until::END), Step::Turn);
        let last = reader.last();
        assert_eq!((last.moment.ts_ms, last.moment.slot), (turn.ts_ms, turn.slot));
        assert_eq!(last.marks, turn.marks);
        assert!(hashes_of(core) == turn.hashes);
    }
    assert_eq!(reader.read_next(core, &Until::END), Step::NeedsBytes);
    assert_eq!(reader.finish(), None);
}

#[test]
fn each_turn_makes_the_book_that_was_written_from_any_segment_on() {
    let life = live();
    let (before, after) = life.shown.split_at(usize::try_from(CUT).unwrap());
    let [first, second] = &life.segments[..] else { panic!("one checkpoint was marked") };
    let mut core = empty();
    read_turns(&mut reader_of(first), &mut core, before);
    let mut goes_on = reader_of(second);
    goes_on.go_on();
    read_turns(&mut goes_on, &mut core, after);
    assert_eq!(core.epoch(), "first");
    read_turns(&mut reader_of(second), &mut empty(), after);
}

/// The captured accounts of Velocity, and the converted users.
fn captured() -> Vec<(Pubkey, Vec<u8>)> {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../test/golden/velocity");
    let manifest = read_to_string(folder.join("manifest.json")).unwrap();
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    let mut accounts: Vec<_> = manifest["files"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(file, account)| {
            let address = account["address"].as_str().unwrap().parse().unwrap();
            (address, read(folder.join(file)).unwrap())
        })
        .collect();
    // The markets come before their oracles.
    accounts.sort_by_key(|(_, data)| data.len() == 48);
    let users = read_to_string(folder.join("relaid.jsonl")).unwrap();
    let users = users.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    for (user, number) in users.filter(|line| line["type"] == "User").zip(1..) {
        let data = base64_simd::STANDARD.decode_to_vec(user["data"].as_str().unwrap()).unwrap();
        accounts.push((Pubkey([number; 32]), data));
    }
    accounts
}

#[test]
fn a_journal_of_velocity_gives_its_captured_book_back() {
    check_captured(Program::Velocity.id());
}

#[test]
fn a_journal_of_velocity_at_an_address_of_its_own_gives_its_captured_book_back() {
    check_captured(Pubkey([77; 32]));
}

/// Plays a journal of the captured accounts, from its begin and from its second segment on, into cores that know the
/// address of the program alone.
fn check_captured(program: Pubkey) {
    let accounts = captured();
    let config = BookConfig { program, rules: Program::Velocity };
    let core = Core::new(config, "first".to_owned());
    let mut life = Life { core, shown: Vec::new(), segments: Vec::new() };
    assert!(life.core.start_journal());
    for turn in 0..4_u64 {
        let (core, slot, ts_ms) = (&mut life.core, 438_024_300 + turn, (turn + 1) * 1_000);
        core.set_clock(slot, 1_738_894_000);
        core.set_state(1);
        for (pubkey, mut data) in accounts.iter().cloned() {
            // In each turn another order of each user is filled by a part.
            if data.len() == 4_496 && turn > 0 {
                data[1_064 + 104 * usize::try_from(turn).unwrap() + 24] = 1;
            }
            core.apply(&record_of(program, pubkey, slot, &data));
        }
        if turn == 1 {
            core.mark_checkpoint();
        }
        core.end_turn(ts_ms);
        let (seq, hashes) = (core.book().seq(MarketId(0)).unwrap(), hashes_of(core));
        life.shown.push(Shown { ts_ms, slot, seq, hashes, marks: Vec::new() });
    }
    assert_eq!(life.core.take_problems(), "[]");
    assert_eq!(life.core.book().census().accounts, 9, "users and markets");
    life.write_of(program);
    let levels = |core: &Core| Side::BOTH.map(|side| core.book().levels(MarketId(0), side).count());
    for (segment, shown) in life.segments.iter().zip([&life.shown[..2], &life.shown[2..]]) {
        let mut reader = JournalReader::new(program);
        reader.push(segment);
        let mut read = Core::new(program, "none".to_owned());
        read_turns(&mut reader, &mut read, shown);
        assert_eq!((levels(&read), levels(&life.core)), ([4, 3], [4, 3]));
    }
}

#[test]
fn turns_that_make_another_book_are_refused() {
    let life = live();
    let (mut reader, mut other) = (reader_of(&life.segments[1]), empty());
    // A market more than the one of the checkpoint.
    let mut spot = account(AccountKind::SpotMarket, 0);
    (spot[680], spot[687], spot[688]) = (6, 2, 1);
    other.apply(&record(Pubkey([2; 32]), 1, &spot));
    other.end_turn(1);
    reader.go_on();
    assert_eq!(reader.read_to(&mut other, &Until::END), Step::Checkpoint);
    assert_eq!(reader.read_to(&mut other, &Until::END), Step::Failed);
    assert_eq!(reader.problem().unwrap().code, "JOURNAL_HASH_MISMATCH");
    assert_eq!(reader.read_next(&mut other, &Until::END), Step::Failed);
}

#[test]
fn a_segment_of_another_program_is_refused() {
    let life = live();
    let mut reader = JournalReader::new(Pubkey([8; 32]));
    reader.push(&life.segments[1]);
    assert_eq!(reader.read_next(&mut empty(), &Until::END), Step::Failed);
    assert_eq!(reader.problem().unwrap().code, "JOURNAL_PROGRAM_MISMATCH");
}

#[test]
fn a_journal_is_read_up_to_a_slot_a_time_a_sequence_number_or_a_count_of_turns() {
    let life = live();
    let at = &life.shown[7];
    let of_slot = life.shown.iter().rposition(|turn| turn.slot == at.slot).unwrap();
    let of_seq = life.shown.iter().position(|turn| turn.seq == at.seq).unwrap();
    let cases = [
        (Until { slot_max: at.slot, ..Until::END }, of_slot),
        (Until { ts_ms_max: at.ts_ms + 999, ..Until::END }, 7),
        (Until { seq: Some((MarketId(0), at.seq)), ..Until::END }, of_seq),
        (Until { turns_max: 8, ..Until::END }, 7),
    ];
    for (until, index) in cases {
        let (mut reader, mut core) = (reader_of(&life.segments[0]), empty());
        assert_eq!(reader.read_to(&mut core, &until), Step::Checkpoint);
        assert_eq!(reader.read_to(&mut core, &until), Step::Reached, "{until:?}");
        assert!(hashes_of(&mut core) == life.shown[index].hashes, "{until:?}");
    }
}

#[test]
fn of_the_slots_up_to_one_also_what_came_later_is_applied_and_nothing_else() {
    let life = live();
    let slot = life.shown[9].slot;
    let (mut reader, mut core) = (reader_of(&life.segments[0]), empty());
    reader.take_slots_to(Slot(slot));
    assert_eq!(reader.read_to(&mut core, &Until::END), Step::Checkpoint);
    assert_eq!(reader.read_to(&mut core, &Until::END), Step::NeedsBytes);
    // A core that was told of nothing else.
    let mut expected = empty();
    for turn in 1..=CUT {
        let of_turn = 100 + turn / 2;
        if of_turn <= slot {
            expected.set_clock(of_turn, i64::try_from(turn).unwrap());
            expected.set_state(1);
            expected.apply(&record(MARKET, of_turn, &account(AccountKind::PerpMarket, turn)));
        }
        if of_turn - turn % 2 <= slot {
            let user = Pubkey([100 + u8::try_from(turn % 5).unwrap(); 32]);
            let data = account(AccountKind::User, turn);
            expected.apply(&record(user, of_turn - turn % 2, &data));
        }
        expected.end_turn(1);
    }
    assert!(hashes_of(&mut core) == hashes_of(&mut expected));
    assert_eq!(core.book().slot(), Slot(slot));
    let written: Vec<_> = reader.written_from(Slot(slot)).map(|origin| origin.slot).collect();
    assert!(!written.is_empty() && written.iter().all(|of| *of >= slot));
}

#[test]
fn a_core_that_was_read_goes_on_with_a_journal_of_its_own() {
    let life = live();
    let mut reader = reader_of(&life.segments[1]);
    let mut core = empty();
    assert_eq!(reader.read_to(&mut core, &Until::END), Step::Checkpoint);
    assert_eq!(reader.read_to(&mut core, &Until::END), Step::NeedsBytes);
    assert!(reader.continue_in(&mut core));
    let mut next = Life { core, shown: Vec::new(), segments: Vec::new() };
    for turn in TURNS + 1..=TURNS + 10 {
        next.turn(turn);
    }
    next.write();
    read_turns(&mut reader_of(&next.segments[0]), &mut empty(), &next.shown);
    let accounts = reader.accounts(&[Some(MARKET), Some(Pubkey([7; 32])), None]);
    assert_eq!(accounts, [Some(account(AccountKind::PerpMarket, TURNS)), None, None]);
}

fn leaf_of(core: &mut Core) -> Vec<u8> {
    let mut leaf = Vec::new();
    core.take_leaf(&mut leaf);
    leaf
}

/// A leaf has the markets that changed since the one before, and a journal gives the same leaves
/// and the same digests as its writer had.
#[test]
fn the_leaves_and_digests_of_a_journal_are_those_of_its_core() {
    let mut core = Core::new(PROGRAM, "first".to_owned());
    assert!(core.start_journal());
    let mut life = Life { core, shown: Vec::new(), segments: Vec::new() };
    let mut leaves = Vec::new();
    for turn in 1..CUT {
        life.turn(turn);
        assert_eq!(life.core.leaf_due_ms(), Some(turn * 1_000));
        leaves.push(leaf_of(&mut life.core));
    }
    assert!(leaves.iter().all(|leaf| leaf.len() == 8 + 107));
    assert_eq!(leaf_of(&mut life.core).len(), 8);
    let mut log = vec![0; life.core.journal_bytes()];
    assert_eq!(life.core.leaf_due_ms(), None);
    life.core.take_journal(&mut log).unwrap();
    let mut writer = Writer::new(PROGRAM);
    writer.keep_digests();
    writer.append(&log, 0).unwrap();
    writer.flush().unwrap();
    let mut reader = JournalReader::new(PROGRAM);
    reader.keep_digest();
    while let Some(piece) = writer.take_piece() {
        reader.push(&piece.bytes);
    }
    let mut read = empty();
    assert_eq!(reader.read_next(&mut read, &Until::END), Step::Checkpoint);
    let mut seen = Vec::new();
    for (leaf, turn) in leaves.iter().zip(1..) {
        assert_eq!(reader.read_next(&mut read, &Until::END), Step::Turn);
        let digest = writer.take_digest().unwrap();
        assert_eq!((digest.ts_ms, Some(digest.sha256)), (turn * 1_000, reader.last().digest));
        assert!(leaf_of(&mut read) == *leaf);
        seen.push(digest.sha256);
    }
    assert_eq!(writer.take_digest(), None);
    seen.sort_unstable();
    seen.dedup();
    assert_eq!(seen.len(), leaves.len());
}

/// The tails of a writer that has these accounts, one for each log of turns.
fn tails(known: &[Input<'_>], logs: &[&[Input<'_>]]) -> Vec<Vec<u8>> {
    let mut state = Vec::new();
    assert!(empty().capture(&mut state));
    let (epoch, ts_ms, slot, unix_seconds, seqs) = ("first", 1, 1, 1, &[][..]);
    let checkpoint = Checkpoint { epoch, ts_ms, slot, unix_seconds, seqs, state: &state };
    let mut bytes = Vec::new();
    known.iter().for_each(|input| put_input(&mut bytes, input));
    for log in logs {
        put_input(&mut bytes, &Input::Checkpoint(checkpoint));
        log.iter().for_each(|input| put_input(&mut bytes, input));
        put_input(&mut bytes, &Input::TurnEnd { ts_ms: 2, marks: &[], hash: &[] });
    }
    let mut writer = Writer::new(PROGRAM);
    writer.separate_tails();
    writer.append(&bytes, 0).unwrap();
    writer.flush().unwrap();
    let mut tails = vec![Vec::new(); logs.len()];
    while let Some(piece) = writer.take_piece() {
        if piece.is_tail {
            tails[usize::try_from(piece.segment).unwrap() - 1].extend_from_slice(&piece.bytes);
        }
    }
    tails
}

/// Two accounts of one key, of which the second gets the number that the first had.
#[test]
fn numbers_of_a_tail_are_not_those_of_the_tail_before() {
    let mut core = empty();
    assert!(core.start_journal());
    let mut life = Life { core, shown: Vec::new(), segments: Vec::new() };
    life.write();
    let (mut reader, mut core) = (reader_of(&life.segments[0]), empty());
    assert_eq!(reader.read_next(&mut core, &Until::END), Step::Checkpoint);
    let account = |key: u8, data| {
        let origin = Origin { pubkey: Pubkey([key; 32]), slot: 1, gate: Gate::Arrival };
        Input::Account { origin, owner: PROGRAM, data }
    };
    let users = [1, 2, 1 << 40, 4].map(|number| self::account(AccountKind::User, number));
    let [first, second, third, fourth] = &users;
    let (other, twice) = (account(7, first), account(8, first));
    let writers = [
        tails(&[], &[&[other, twice]]),
        tails(
            &[other, account(9, first)],
            &[
                &[account(8, second), account(9, third), Input::Forgotten(Pubkey([7; 32]))],
                &[account(8, fourth)],
            ],
        ),
    ];
    for tail in writers.iter().flatten() {
        reader.begin_tail();
        reader.push(tail);
        assert_eq!(reader.read_to(&mut core, &Until::END), Step::NeedsBytes);
    }
    assert_eq!(core.book().user_account(&Pubkey([8; 32])).as_ref(), Some(fourth));
}

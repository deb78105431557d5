//! A segment of a journal that is read into a core: its checkpoint, and the turns behind it.

use std::io::Write;
use std::sync::LazyLock;

use slotbook_book::Gate;
use slotbook_core::core::Core;
use slotbook_core::reader::{JournalReader, Step, Until};
use slotbook_journal::turn_log::put_input;
use slotbook_journal::{Checkpoint, Gate as LoggedGate, Input as Logged, Origin, Writer};
use slotbook_protocol::drift::PROGRAM_ID;
use slotbook_protocol::model::units::Slot;
use zstd::stream::write::Decoder;

use crate::input::Input;
use crate::journal::{PREAMBLE_BYTES, is_too_large, sealed};
use crate::state::{captured_state, updates};

/// The epoch "e", and a market with levels of an external venue: one bid, one ask.
const CORE_HEAD: [u8; 42] = {
    let mut bytes = [0; 42];
    (bytes[0], bytes[1], bytes[3], bytes[4]) = (1, 1, b'e', 1);
    (bytes[8], bytes[9], bytes[10], bytes[18], bytes[26], bytes[34]) = (1, 1, 9, 5, 11, 5);
    bytes
};

/// Bytes before what is packed of a block.
const BLOCK_HEAD_BYTES: usize = 24;

/// The state of a core with the accounts of the target `state`.
static STATE: LazyLock<Vec<u8>> = LazyLock::new(|| [&CORE_HEAD[..], captured_state()].concat());

/// The records of a segment with that state.
static RECORDS: LazyLock<Vec<u8>> = LazyLock::new(|| {
    // One frame goes on from block to block, and has no end.
    let mut unpacked = Decoder::new(Vec::new()).unwrap();
    let file = segment(&STATE);
    let mut rest = &file[PREAMBLE_BYTES..];
    while let Some((length, _)) = rest.split_first_chunk() {
        let (block, behind) =
            rest.split_at(BLOCK_HEAD_BYTES + usize::try_from(u32::from_le_bytes(*length)).unwrap());
        unpacked.write_all(&block[BLOCK_HEAD_BYTES..]).unwrap();
        rest = behind;
    }
    unpacked.flush().unwrap();
    unpacked.into_inner()
});

/// The first byte says what the rest is: a state, what is written over a good one or over good records, or the
/// records of turns behind good ones.
pub(crate) fn run(input: &[u8]) {
    let mut input = Input::new(input);
    let mode = input.byte() % 4;
    let file = match mode {
        0 => segment(input.rest()),
        1 => segment(&overwritten(&STATE, input)),
        2 => sealed(&overwritten(&RECORDS, input)),
        _ => sealed(&[&RECORDS[..], input.rest()].concat()),
    };
    if is_too_large(&file) {
        return;
    }
    let whole = read(&file, file.len().max(1));
    let mut of_whole_accounts = reader();
    of_whole_accounts.take_slots_to(Slot(u64::MAX));
    let again = read_by(of_whole_accounts, &file, 61);
    assert_eq!(whole, again, "neither pieces nor changes of accounts make a difference");
    // Records may bring other accounts than those of a segment here.
    if mode < 2 && whole.problem.is_none() {
        let again = read(&segment(&whole.state), usize::MAX);
        assert_eq!(again, whole, "a core is captured as what makes it again");
    }
}

fn overwritten(bytes: &[u8], input: Input<'_>) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    input.write_over(&mut bytes);
    bytes
}

/// What comes of a file.
#[derive(Debug, PartialEq)]
struct Outcome {
    /// The hashes of the markets.
    hashes: Vec<u8>,
    /// The bytes of the users, beside their orders.
    users: Vec<Option<Vec<u8>>>,
    /// The state of the core; none within a turn.
    state: Vec<u8>,
    /// The code of what was wrong.
    problem: Option<&'static str>,
}

fn reader() -> JournalReader {
    JournalReader::new(PROGRAM_ID)
}

/// Reads a file into a core.
fn read(file: &[u8], piece_bytes: usize) -> Outcome {
    read_by(reader(), file, piece_bytes)
}

fn read_by(mut reader: JournalReader, file: &[u8], piece_bytes: usize) -> Outcome {
    let mut core = Core::new(PROGRAM_ID, "epoch".to_owned());
    let mut is_failed = false;
    for piece in file.chunks(piece_bytes) {
        reader.push(piece);
        is_failed = is_failed || !read_all(&mut reader, &mut core);
    }
    let problem = match is_failed {
        true => Some(reader.problem().unwrap().clone()),
        false => reader.finish(),
    };
    let is_known = |code: &str| code.contains("JOURNAL") || code.starts_with("STATE_");
    let problem = problem.map(|problem| problem.code);
    assert!(problem.is_none_or(is_known), "{problem:?}");
    let (mut hashes, mut state) = (Vec::new(), Vec::new());
    core.hashes(&mut hashes);
    core.capture(&mut state);
    let users = updates().map(|update| core.book().user_account(&update.pubkey)).collect();
    Outcome { hashes, users, state, problem }
}

/// Reads what is there; returns false when something is wrong.
fn read_all(reader: &mut JournalReader, core: &mut Core) -> bool {
    loop {
        match reader.read_to(core, &Until::END) {
            Step::Checkpoint => {
                assert!(core.capture(&mut Vec::new()), "a checkpoint is between two turns");
            }
            Step::Reached => {}
            step => return step == Step::NeedsBytes,
        }
    }
}

/// A segment of the accounts of the target `state`, with a core's state.
fn segment(state: &[u8]) -> Vec<u8> {
    let mut log = Vec::new();
    put_input(&mut log, &Logged::Checkpoint(checkpoint(&[])));
    for update in updates() {
        assert!(update.gate == Gate::Arrival, "as the accounts of the state are");
        let (pubkey, slot, gate) = (update.pubkey, update.slot.0, LoggedGate::Arrival);
        let (owner, data) = (update.owner, update.data);
        let origin = Origin { pubkey, slot, gate };
        put_input(&mut log, &Logged::Account { origin, owner, data });
    }
    put_input(&mut log, &Logged::TurnEnd { ts_ms: 1_001, marks: &[], hash: &[] });
    put_input(&mut log, &Logged::Checkpoint(checkpoint(state)));
    let mut writer = Writer::new(PROGRAM_ID);
    writer.append(&log, 0).unwrap();
    writer.flush().unwrap();
    let pieces = std::iter::from_fn(|| writer.take_piece());
    pieces.filter(|piece| piece.segment == 2).flat_map(|piece| piece.bytes).collect()
}

const fn checkpoint(state: &[u8]) -> Checkpoint<'_> {
    Checkpoint { epoch: "e", ts_ms: 1_001, slot: 9, unix_seconds: 7, seqs: &[], state }
}

#[test]
fn the_good_segment_is_restored_with_its_orders() {
    let good = read(&segment(&STATE), usize::MAX);
    assert_eq!(good.problem, None);
    assert_ne!(good.hashes, read(&segment(&[]), usize::MAX).hashes);
    assert_eq!(read(&sealed(&RECORDS), 61), good);
}

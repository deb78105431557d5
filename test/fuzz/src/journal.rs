//! A segment of a journal: the file, or records in a block of one.

use std::sync::LazyLock;

use slotbook_journal::turn_log::put_input;
use slotbook_journal::{
    Checkpoint, Found, Gate, Input as Logged, JournalError, Origin, Reader, VERSION, Writer,
};
use slotbook_protocol::drift::PROGRAM_ID;
use slotbook_protocol::model::units::Pubkey;

use crate::input::Input;

/// Turns of the file that inputs write over.
const WRITTEN_TURNS: usize = 4;

/// Bytes of accounts after which an input has shown enough.
const DATA_BYTES_MAX: usize = 32 << 20;

/// The head of a segment without accounts, and an empty state.
const EMPTY_CHECKPOINT: [u8; 43] = {
    let mut bytes = [0; 43];
    (bytes[0], bytes[34], bytes[35], bytes[41]) = (1, 1, b'e', 2);
    bytes
};

/// Bytes before the first block.
pub(crate) const PREAMBLE_BYTES: usize = 20;

/// What a reader finds in a file.
#[derive(Debug, PartialEq)]
struct Reading {
    /// The inputs, as bytes of a turn log.
    log: Vec<u8>,
    turns: usize,
    /// Of all accounts that were unpacked.
    data_bytes: usize,
    is_restored: bool,
    /// Why the last bytes are no whole block, if they are none.
    result: Result<Option<JournalError>, JournalError>,
}

/// An account twice and a bit of everything else, written.
static WRITTEN: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut log = Vec::new();
    let mut data = vec![0; 300];
    for slot in 1..4_u8 {
        data[usize::from(slot) * 50] = slot;
        for key in [1, 2] {
            let (pubkey, slot) = (Pubkey([key; 32]), u64::from(slot));
            let origin = Origin { pubkey, slot, gate: Gate::WriteVersion(5) };
            let account = Logged::Account { origin, owner: Pubkey([3; 32]), data: &data };
            let mentions = [Logged::Unchanged(origin), Logged::Stale(origin), account];
            mentions.iter().for_each(|input| put_input(&mut log, input));
        }
        let (market, maker, ts_ms, levels) = (7, Pubkey([4; 32]), 80, &[5; 33][..]);
        let plain = [
            Logged::Clock { slot: 7, unix_seconds: -9 },
            Logged::FeedState(1),
            Logged::Epoch("e2"),
            Logged::SnapshotBegin { slot: 6 },
            Logged::SnapshotEnd,
            Logged::QuotePolicy { improve: true },
            Logged::Quotes { market, maker, ts_ms, quotes: levels },
            Logged::External { market, bids: levels, asks: &[] },
            Logged::TurnEnd { ts_ms, marks: &[7, 0, 1], hash: levels },
            Logged::Forgotten(Pubkey([2; 32])),
        ];
        plain.iter().for_each(|input| put_input(&mut log, input));
    }
    let mut end = Vec::new();
    put_input(&mut end, &Logged::TurnEnd { ts_ms: 90, marks: &[], hash: &[] });
    written(&[&log, &end])
});

/// The first byte says what the rest is: a file, what is written over a good one, how a good one is torn, or records.
pub(crate) fn run(input: &[u8]) {
    let mut input = Input::new(input);
    let file = match input.byte() % 4 {
        0 => input.rest().to_vec(),
        1 => {
            let mut file = WRITTEN.clone();
            input.write_over(&mut file);
            file
        }
        3 => torn(&mut input),
        _ => sealed(&[&EMPTY_CHECKPOINT[..], input.rest()].concat()),
    };
    let reading = read(&file, file.len().max(1));
    if file.len() < 4_096 {
        assert_eq!(reading, read(&file, 7), "pieces make no difference");
    }
    if let Err(error) = &reading.result {
        assert!(error.fault.code().contains("JOURNAL"), "{error}");
        assert!(error.block_at <= file.len() as u64, "{error}");
    }
    if reading.is_restored && reading.turns > 0 {
        let again = read(&written(&[&reading.log]), usize::MAX);
        assert_eq!(again.result, Ok(None), "what was read can be written and read");
        assert_eq!((again.turns, again.log), (reading.turns, reading.log), "and is the same");
    }
}

/// A good file up to some byte, and zeros, as a loss of power leaves it: that is no damage.
fn torn(input: &mut Input<'_>) -> Vec<u8> {
    let [low, high, zeros] = input.take();
    let cut = PREAMBLE_BYTES + usize::from(u16::from_le_bytes([low, high]));
    let mut file = WRITTEN[..cut.min(WRITTEN.len())].to_vec();
    file.resize(file.len() + usize::from(zeros), 0);
    let reading = read(&file, usize::MAX);
    assert!(reading.result.is_ok(), "a torn file was taken as damaged: {:?}", reading.result);
    assert!(WRITTEN_TURNS >= reading.turns);
    file
}

/// Whether the accounts of a file are more than an input has to show.
pub(crate) fn is_too_large(file: &[u8]) -> bool {
    read(file, usize::MAX).data_bytes >= DATA_BYTES_MAX
}

/// A file of one block with these records.
pub(crate) fn sealed(plain: &[u8]) -> Vec<u8> {
    let packed = zstd::bulk::compress(plain, 1).unwrap();
    let length = u32::try_from(packed.len()).unwrap().to_le_bytes();
    let checked = [&[0; 16][..], &packed].concat();
    let crc = crc32fast::hash(&checked).to_le_bytes();
    [b"slotbook journal", &VERSION.to_le_bytes()[..], &length, &crc, &checked].concat()
}

/// The file of a segment of these turn logs, a block each behind that of the checkpoint.
fn written(logs: &[&[u8]]) -> Vec<u8> {
    let mut begin = Vec::new();
    let (epoch, ts_ms, slot, unix_seconds, seqs) = ("e", 0, 0, 0, &[][..]);
    let checkpoint = Checkpoint { epoch, ts_ms, slot, unix_seconds, seqs, state: &[] };
    put_input(&mut begin, &Logged::Checkpoint(checkpoint));
    let mut writer = Writer::new(PROGRAM_ID);
    writer.append(&begin, 0).unwrap();
    for log in logs {
        writer.append(log, 0).unwrap();
        writer.flush().unwrap();
    }
    std::iter::from_fn(|| writer.take_piece()).flat_map(|piece| piece.bytes).collect()
}

fn read(file: &[u8], piece_bytes: usize) -> Reading {
    let mut reader = Reader::new();
    let mut pieces = file.chunks(piece_bytes);
    let (log, result) = (Vec::new(), Ok(None));
    let mut reading = Reading { log, turns: 0, data_bytes: 0, is_restored: false, result };
    while reading.data_bytes < DATA_BYTES_MAX {
        let found = reader.find();
        let step = match found {
            Ok(Found::Nothing) => match pieces.next() {
                Some(piece) => {
                    reader.push(piece);
                    Ok(())
                }
                None => {
                    reading.result = reader.finish();
                    break;
                }
            },
            Ok(Found::Checkpoint) => {
                reading.is_restored = true;
                let Reading { log, data_bytes, .. } = &mut reading;
                reader.each_account(
                    |_| true,
                    |account| {
                        let (origin, owner, data) = (account.origin, account.owner, account.data);
                        *data_bytes += data.len();
                        put_input(log, &Logged::Account { origin, owner, data });
                    },
                )
            }
            Ok(Found::Turn(_)) => {
                let mut turn = Vec::new();
                let applied = reader.apply_turn(|input| {
                    if let Logged::Account { data, .. } = input {
                        reading.data_bytes += data.len();
                    }
                    // Two accounts of one key are one to a writer: it forgets both, or none.
                    if !matches!(input, Logged::Damaged(_) | Logged::Forgotten(_)) {
                        put_input(&mut turn, &input);
                    }
                });
                if applied.is_ok() {
                    reading.turns += 1;
                    reading.log.append(&mut turn);
                }
                applied
            }
            Err(error) => Err(error),
        };
        if let Err(error) = step {
            reading.result = Err(error);
            break;
        }
    }
    reading
}

#[test]
fn the_kept_records_are_read_to_their_last_turn() {
    let seeds = crate::corpora::file("seeds", "journal");
    assert_eq!(read(&WRITTEN, 7).turns, WRITTEN_TURNS);
    let readings: Vec<_> = crate::corpora::inputs_of(&seeds)
        .into_iter()
        .filter(|seed| seed.first() == Some(&2))
        .map(|seed| read(&sealed(&[&EMPTY_CHECKPOINT[..], &seed[1..]].concat()), usize::MAX))
        .map(|reading| (reading.turns, reading.result.is_ok()))
        .collect();
    assert_eq!(readings, [(1, true), (3, true)]);
}

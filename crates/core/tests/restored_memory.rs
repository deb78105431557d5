//! What restoring a checkpoint takes: a process of its own, as the peak of its memory is measured.

use slotbook_core::core::Core;
use slotbook_core::reader::{JournalReader, Step, Until};
use slotbook_journal::turn_log::put_input;
use slotbook_journal::{Checkpoint, Gate, Input, Origin, Writer};
use slotbook_protocol::model::units::Pubkey;

const PROGRAM: Pubkey = Pubkey([9; 32]);
/// As large as accounts may be, and 400 MiB together.
const ACCOUNT_BYTES: usize = 10 << 20;
const ACCOUNTS: u8 = 40;
/// What the process may take besides.
const PEAK_BYTES_MAX: usize = 200 << 20;

#[test]
fn the_accounts_of_a_checkpoint_are_never_in_memory_together() {
    let file = segment();
    assert!(file.len() < 1 << 20);
    let mut core = Core::new(PROGRAM, "e".to_owned());
    let mut reader = JournalReader::new(PROGRAM);
    reader.push(&file);
    assert_eq!(reader.read_to(&mut core, &Until::END), Step::Checkpoint);
    match peak_bytes() {
        Some(peak) => assert!(peak < PEAK_BYTES_MAX, "the peak was {peak} bytes"),
        None => println!("skipped: needs /proc"),
    }
}

/// A segment that begins with accounts of another program, all zeros.
fn segment() -> Vec<u8> {
    let mut state = Vec::new();
    let empty = Core::new(PROGRAM, "e".to_owned());
    assert!(empty.capture(&mut state));
    let (epoch, ts_ms, slot, unix_seconds, seqs, state) = ("e", 1, 2, 3, &[][..], &state[..]);
    let checkpoint =
        Input::Checkpoint(Checkpoint { epoch, ts_ms, slot, unix_seconds, seqs, state });
    let mut writer = Writer::new(PROGRAM);
    let mut append = |inputs: &[Input<'_>]| {
        let mut log = Vec::new();
        inputs.iter().for_each(|input| put_input(&mut log, input));
        writer.append(&log, 0).expect("a turn log");
    };
    append(&[checkpoint]);
    let data = vec![0; ACCOUNT_BYTES];
    for number in 0..ACCOUNTS {
        let origin = Origin { pubkey: Pubkey([number; 32]), slot, gate: Gate::Arrival };
        let account = Input::Account { origin, owner: Pubkey([7; 32]), data: &data };
        append(&[account, Input::TurnEnd { ts_ms: 2, marks: &[], hash: &[] }]);
    }
    append(&[checkpoint]);
    writer.flush().expect("a block");
    let pieces = std::iter::from_fn(|| writer.take_piece());
    pieces.filter(|piece| piece.segment == 2).flat_map(|piece| piece.bytes).collect()
}

/// The most memory that the process has had.
fn peak_bytes() -> Option<usize> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    Some(peak.trim().strip_suffix(" kB")?.parse::<usize>().ok()? << 10)
}

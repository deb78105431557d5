//! The batch of one turn: records one after the other, each with its length before it.

use slotbook_book::Gate;
use slotbook_core::core::Core;
use slotbook_core::decode::Decoder;
use slotbook_core::record::{Record, Records};
use slotbook_protocol::drift::PROGRAM_ID;

/// The batch as it is.
pub(crate) fn run(batch: &[u8]) {
    let mut again = Vec::new();
    let mut faults = 0_u32;
    let mut decoder = Decoder::default();
    let mut is_exact = true;
    for record in Records::new(batch) {
        let Ok(record) = record else {
            (faults, is_exact) = (faults + 1, false);
            continue;
        };
        push_record(&record, &mut again);
        let decoded = record.pubkey().and_then(|pubkey| {
            let update = record.decode(pubkey, &mut decoder)?;
            assert!(update.pubkey == pubkey && update.slot == record.slot);
            Ok(())
        });
        faults += u32::from(decoded.is_err());
    }
    assert!(!is_exact || again == batch, "records are the whole batch");
    check_core(batch, faults);
}

/// The core takes any batch, counts every fault, and goes on.
fn check_core(batch: &[u8], faults: u32) {
    let mut core = Core::new(PROGRAM_ID, "epoch".to_owned());
    core.apply(batch);
    let problems = core.take_problems();
    let problems: Vec<serde_json::Value> = serde_json::from_str(&problems).unwrap();
    let counted = u32::try_from(problems.len()).unwrap();
    assert!(counted >= faults.min(64), "every fault is a problem");
    assert_eq!(core.take_problems(), "[]", "problems are told once");
    core.apply(batch);
    core.apply(&batch[..batch.len() / 2]);
}

/// A record as the other side writes it.
fn push_record(record: &Record<'_>, out: &mut Vec<u8>) {
    let gate = match record.gate {
        Gate::Arrival => 0,
        Gate::Snapshot => 1,
        Gate::WriteVersion(_) => panic!("a batch has no write versions"),
    };
    let lengths = [record.key, record.owner].map(|part| u8::try_from(part.len()).unwrap());
    let slot = record.slot.0.to_le_bytes();
    let parts: [&[u8]; 6] =
        [&[record.form, gate], &lengths, &slot, record.key, record.owner, record.data];
    let body = parts.concat();
    out.extend(u32::try_from(body.len()).unwrap().to_le_bytes());
    out.extend(body);
}

//! The body of a scan: JSON of many accounts, decoded into blocks.

use base64_simd::STANDARD;
use serde_json::json;
use slotbook_core::snapshot::{PackedSnapshot, decode};
use slotbook_protocol::model::units::Pubkey;

use crate::input::Input;
use crate::text::packed;

/// Bytes that a snapshot may hold beside twice its accounts: one block.
const BLOCK_BYTES: usize = 1 << 20;

/// Accounts that an honest body has at most.
const ENTRIES_MAX: usize = 64;

/// The first byte is odd for a body that a node could send, and even for any text; it also says
/// whether the keys were named in the request.
pub(crate) fn run(input: &[u8]) {
    let mut input = Input::new(input);
    match input.byte() % 4 {
        0 => _ = checked(input.rest(), &[]),
        2 => _ = checked(input.rest(), &[Pubkey([1; 32]).to_string()]),
        form => check_honest(input, form == 1),
    }
}

fn checked(body: &[u8], keys: &[String]) -> PackedSnapshot {
    let snapshot = decode(body, keys);
    let count = snapshot.count();
    assert_eq!(snapshot.updates(0, usize::MAX).count(), count);
    assert_eq!(snapshot.updates(count, usize::MAX).count(), 0);
    let bytes: usize = snapshot.updates(0, usize::MAX).map(|update| update.data.len()).sum();
    let bytes_max = 2 * bytes + BLOCK_BYTES;
    assert!(snapshot.bytes_held() <= bytes_max, "memory is bounded by what was decoded");
    assert!(snapshot.failure().is_none() || count == 0, "a failure has no accounts");
    assert!(serde_json::from_str::<serde_json::Value>(&snapshot.problems()).is_ok());
    snapshot
}

/// A body of accounts as a node writes them: all of them come back, and none of a cut one.
fn check_honest(mut input: Input<'_>, is_keyed: bool) {
    let slot = input.word() >> 1;
    let (mut keys, mut values, mut expected) = (Vec::new(), Vec::new(), Vec::new());
    while !input.is_over() && keys.len() < ENTRIES_MAX {
        let (form, key, length) = (input.byte(), Pubkey([input.byte(); 32]), input.byte());
        let data = input.take_slice(length.into());
        let (bytes, encoding) = match form % 2 {
            0 => (data.to_vec(), "base64"),
            _ => (packed(data), "base64+zstd"),
        };
        let is_closed = is_keyed && form % 8 == 7;
        let is_spoilt = form % 8 == 6;
        let text = STANDARD.encode_to_string(bytes) + if is_spoilt { "!" } else { "" };
        let account = json!({ "data": [text, encoding], "owner": key.to_string(), "space": 1 });
        values.push(match (is_closed, is_keyed) {
            (true, _) => json!(null),
            (false, true) => account,
            (false, false) => json!({ "pubkey": key.to_string(), "account": account }),
        });
        keys.push(key.to_string());
        if !is_spoilt {
            let owner = if is_closed { Pubkey([0; 32]) } else { key };
            expected.push((key, owner, if is_closed { &[] } else { data }));
        }
    }
    let result = json!({ "context": { "slot": slot }, "value": values });
    let body = json!({ "jsonrpc": "2.0", "result": result, "id": 1 }).to_string();
    let asked = if is_keyed { &keys[..] } else { &[] };
    let snapshot = checked(body.as_bytes(), asked);
    let found: Vec<_> = snapshot
        .updates(0, usize::MAX)
        .map(|update| {
            assert_eq!(update.slot.0, slot, "accounts are as of the body's slot");
            (update.pubkey, update.owner, update.data)
        })
        .collect();
    assert!(found == expected, "every account comes back");
    let spoilt = keys.len() - expected.len();
    assert_eq!(usize::try_from(snapshot.problem_count()).unwrap(), spoilt, "and no other");
    for cut in [body.len() - 1, body.len() / 2, 1, 0] {
        let cut = checked(&body.as_bytes()[..cut], asked);
        assert_eq!(
            cut.failure().map(|failure| failure.code),
            Some("MALFORMED_SNAPSHOT"),
            "a cut body is none"
        );
    }
}

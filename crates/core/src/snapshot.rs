//! Decodes a whole RPC response into blocks, in which it is stored until it is applied.

use std::borrow::Cow;

use serde::Deserialize;
use slotbook_book::{AccountUpdate, Gate};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::units::{Pubkey, Slot};

use crate::decode::{Decoder, Encoding, key};
use crate::limits::{
    SNAPSHOT_ACCOUNT_BYTES_MAX, SNAPSHOT_ACCOUNTS_MAX, SNAPSHOT_BLOCK_BYTES, SNAPSHOT_BYTES_MAX,
};
use crate::problem::{Fault, Problems};

/// The members of an RPC response that a snapshot needs. The text is borrowed.
#[derive(Deserialize)]
struct Response<'a> {
    #[serde(borrow)]
    result: Option<AnswerResult<'a>>,
    error: Option<ResponseError>,
}

#[derive(Deserialize)]
struct ResponseError {
    code: i64,
    message: String,
}

#[derive(Deserialize)]
struct AnswerResult<'a> {
    context: Context,
    #[serde(borrow)]
    value: Vec<Option<Entry<'a>>>,
}

#[derive(Deserialize)]
struct Context {
    slot: u64,
}

/// An account of a response. getProgramAccounts returns `pubkey` and `account`, getMultipleAccounts
/// the members of `account` directly; one struct for both needs no intermediate tree.
#[derive(Deserialize)]
struct Entry<'a> {
    #[serde(borrow)]
    pubkey: Option<Text<'a>>,
    #[serde(borrow)]
    account: Option<Account<'a>>,
    #[serde(borrow)]
    owner: Option<Text<'a>>,
    #[serde(borrow)]
    data: Option<(Text<'a>, Text<'a>)>,
}

#[derive(Deserialize)]
struct Account<'a> {
    #[serde(borrow)]
    owner: Text<'a>,
    #[serde(borrow)]
    data: (Text<'a>, Text<'a>),
}

/// A text that is borrowed from the response unless it contains escapes. A bare `Cow` inside
/// another type would always be copied.
#[derive(Deserialize)]
struct Text<'a>(#[serde(borrow)] Cow<'a, str>);

impl<'a> Entry<'a> {
    fn into_parts(self) -> (Option<Text<'a>>, Option<Account<'a>>) {
        let account = self
            .account
            .or_else(|| self.owner.zip(self.data).map(|(owner, data)| Account { owner, data }));
        (self.pubkey, account)
    }
}

/// Where one account lies in the blocks.
#[derive(Debug)]
struct Packed {
    pubkey: Pubkey,
    owner: Pubkey,
    block: usize,
    start: usize,
    end: usize,
}

/// The reason why a snapshot could not be read at all.
#[derive(Debug, PartialEq, Eq)]
pub struct Failure {
    /// `MALFORMED_SNAPSHOT`, `RPC_ERROR`, `SNAPSHOT_KEYS_MISMATCH` or `SNAPSHOT_BYTES_EXCEEDED`.
    pub code: &'static str,
    /// What was wrong, for a log.
    pub message: String,
}

/// The accounts of one RPC response, decoded.
#[derive(Debug, Default)]
pub struct PackedSnapshot {
    slot: u64,
    accounts: Vec<Packed>,
    blocks: Vec<Vec<u8>>,
    bytes: usize,
    positions: u32,
    problems: Problems,
    failure: Option<Failure>,
}

impl PackedSnapshot {
    /// The slot at which the node read these accounts.
    #[must_use]
    pub fn slot(&self) -> u64 {
        self.slot
    }

    /// Returns the number of accounts in the snapshot; accounts with invalid text are excluded and
    /// counted as problems.
    #[must_use]
    pub fn count(&self) -> usize {
        self.accounts.len()
    }

    /// Returns the number of the users' perp positions, which the market accounts count as well.
    #[must_use]
    pub fn positions(&self) -> u32 {
        self.positions
    }

    /// Accounts that could not be decoded.
    #[must_use]
    pub fn problem_count(&self) -> u32 {
        self.problems.count()
    }

    /// The first problems as a JSON array of `{pubkey, code, message}`.
    #[must_use]
    pub fn problems(&self) -> String {
        self.problems.text()
    }

    /// Returns the reason why the response could not be read at all; `None` when it could.
    #[must_use]
    pub fn failure(&self) -> Option<&Failure> {
        self.failure.as_ref()
    }

    /// Frees the memory of the accounts: the snapshot is empty afterwards.
    pub fn release(&mut self) {
        self.accounts = Vec::new();
        self.blocks = Vec::new();
    }

    /// Returns the accounts from index `from` on, at most `count`, as updates of a snapshot.
    pub fn updates(&self, from: usize, count: usize) -> impl Iterator<Item = AccountUpdate<'_>> {
        self.accounts.iter().skip(from).take(count).map(|packed| AccountUpdate {
            pubkey: packed.pubkey,
            owner: packed.owner,
            slot: Slot(self.slot),
            gate: Gate::Snapshot,
            data: &self.blocks[packed.block][packed.start..packed.end],
        })
    }

    /// Bytes of memory that the accounts take.
    #[must_use]
    pub fn bytes_held(&self) -> usize {
        self.blocks.iter().map(Vec::capacity).sum()
    }

    fn push(&mut self, pubkey: Pubkey, owner: Pubkey, data: &[u8]) {
        let fits = |block: &Vec<u8>| block.capacity() - block.len() >= data.len();
        if !self.blocks.last().is_some_and(fits) {
            let bytes = self.bytes.min(SNAPSHOT_BLOCK_BYTES).max(data.len());
            self.blocks.push(Vec::with_capacity(bytes));
        }
        let block = self.blocks.len() - 1;
        let start = self.blocks[block].len();
        self.blocks[block].extend_from_slice(data);
        self.bytes += data.len();
        self.positions = self.positions.saturating_add(positions_of(data));
        self.accounts.push(Packed { pubkey, owner, block, start, end: start + data.len() });
    }

    fn is_full(&self) -> bool {
        self.accounts.len() >= SNAPSHOT_ACCOUNTS_MAX || self.bytes >= SNAPSHOT_BYTES_MAX
    }
}

/// Returns the number of perp positions of an account; 0 when it is not a user.
fn positions_of(data: &[u8]) -> u32 {
    let program = Program::of_user(data.len());
    let Ok(positions) = program.user(data).and_then(|user| user.positions()) else {
        return 0;
    };
    positions.perp.iter().map(|position| u32::from(position.base != 0)).sum()
}

/// Decodes a body of getProgramAccounts (with context), or of getMultipleAccounts with its keys.
#[must_use]
pub fn decode(body: &[u8], keys: &[String]) -> PackedSnapshot {
    read(body, keys).unwrap_or_else(|failure| PackedSnapshot {
        failure: Some(failure),
        ..PackedSnapshot::default()
    })
}

fn read(body: &[u8], keys: &[String]) -> Result<PackedSnapshot, Failure> {
    let malformed = |message: String| Failure { code: "MALFORMED_SNAPSHOT", message };
    let response: Response<'_> = serde_json::from_slice(body)
        .map_err(|error| malformed(format!("the answer is not a snapshot: {error}")))?;
    if let Some(ResponseError { code, message }) = response.error {
        let message = format!("the node answered error {code}: {message}");
        return Err(Failure { code: "RPC_ERROR", message });
    }
    let result = response.result.ok_or_else(|| malformed("the answer has no result".to_owned()))?;
    if !keys.is_empty() && keys.len() != result.value.len() {
        let counts = (keys.len(), result.value.len());
        let message = format!("{} keys were asked for, {} accounts answered", counts.0, counts.1);
        return Err(Failure { code: "SNAPSHOT_KEYS_MISMATCH", message });
    }
    pack(result, keys)
}

fn pack(result: AnswerResult<'_>, keys: &[String]) -> Result<PackedSnapshot, Failure> {
    let mut decoder = Decoder::of_accounts_up_to(SNAPSHOT_ACCOUNT_BYTES_MAX);
    let mut packed = PackedSnapshot { slot: result.context.slot, ..PackedSnapshot::default() };
    for (index, entry) in result.value.into_iter().enumerate() {
        if packed.is_full() {
            let message = format!("a snapshot is at most {SNAPSHOT_BYTES_MAX} bytes");
            return Err(Failure { code: "SNAPSHOT_BYTES_EXCEEDED", message });
        }
        let asked = keys.get(index).map(String::as_bytes);
        pack_entry(entry, asked, &mut decoder, &mut packed);
    }
    Ok(packed)
}

/// Packs an entry. A requested account that the node does not have is closed: no owner, no bytes.
fn pack_entry(
    entry: Option<Entry<'_>>,
    asked: Option<&[u8]>,
    decoder: &mut Decoder,
    packed: &mut PackedSnapshot,
) {
    let is_closed = entry.is_none();
    let (text, account) = entry.map_or((None, None), Entry::into_parts);
    let text = asked.or_else(|| text.as_ref().map(|text| text.0.as_bytes()));
    let pubkey = match text.ok_or(Fault::InvalidKey).and_then(key) {
        Ok(pubkey) => pubkey,
        Err(fault) => return packed.problems.note(None, fault),
    };
    if is_closed {
        return packed.push(pubkey, Pubkey([0; 32]), &[]);
    }
    match account.ok_or(Fault::MalformedRecord).and_then(|account| unpacked(&account, decoder)) {
        Ok((owner, data)) => packed.push(pubkey, owner, data),
        Err(fault) => packed.problems.note(Some(pubkey), fault),
    }
}

fn unpacked<'a>(
    account: &Account<'_>,
    decoder: &'a mut Decoder,
) -> Result<(Pubkey, &'a [u8]), Fault> {
    let encoding = match account.data.1.0.as_ref() {
        "base64" => Encoding::Base64,
        "base64+zstd" => Encoding::Base64Zstd,
        _ => return Err(Fault::InvalidBase64),
    };
    let owner = decoder.owner(account.owner.0.as_bytes())?;
    Ok((owner, decoder.data(account.data.0.0.as_bytes(), encoding)?))
}

#[cfg(test)]
mod tests {
    use super::*;
    use slotbook_protocol::model::AccountKind;

    const KEY: &str = "9JtczxrJjPM4J1xooxr2rFXmRivarb4BwjNiBgXDwe2p";

    fn account(data: &str, encoding: &str) -> String {
        format!(
            r#"{{"lamports":1,"data":["{data}","{encoding}"],"owner":"{KEY}","executable":false,
            "rentEpoch":18446744073709551615,"space":3}}"#
        )
    }

    fn answer(value: &str) -> String {
        format!(
            r#"{{"jsonrpc":"2.0","id":1,
            "result":{{"context":{{"apiVersion":"2.1","slot":42}},"value":[{value}]}}}}"#
        )
    }

    fn failure(body: &str, keys: &[String]) -> &'static str {
        decode(body.as_bytes(), keys).failure.unwrap().code
    }

    #[test]
    fn few_accounts_take_little_memory() {
        for (count, held_max) in [(1, 3_000), (100, 600_000)] {
            let keys = vec![KEY.to_owned(); count];
            let value = vec![account(&"YWJj".repeat(1_000), "base64"); count].join(",");
            let snapshot = decode(answer(&value).as_bytes(), &keys);
            assert_eq!(snapshot.count(), count);
            assert!(snapshot.bytes_held() <= held_max, "{}", snapshot.bytes_held());
        }
    }

    #[test]
    fn escaped_text_is_read_as_well() {
        let keyed =
            format!(r#"{{"pubkey":"{KEY}","account":{}}}"#, account("\\u0059WJj", "base64"));
        let snapshot = decode(answer(&keyed).as_bytes(), &[]);
        assert_eq!(snapshot.updates(0, 1).next().unwrap().data, b"abc");
    }

    #[test]
    fn a_bad_account_is_a_problem_and_the_rest_is_kept() {
        let entry = |key: &str, data: &str, encoding: &str| {
            format!(r#"{{"pubkey":"{key}","account":{}}}"#, account(data, encoding))
        };
        let value = [
            entry(KEY, "!!!!", "base64"),
            entry("0", "YWJj", "base64"),
            entry(KEY, "YWJj", "base64+zstd"),
            entry(KEY, "YWJj", "jsonParsed"),
            "null".to_owned(),
            entry(KEY, "YWJj", "base64"),
        ];
        let snapshot = decode(answer(&value.join(",")).as_bytes(), &[]);
        assert_eq!((snapshot.count(), snapshot.problem_count()), (1, 5));
        let codes = ["INVALID_BASE64", "INVALID_KEY", "INVALID_ZSTD"];
        assert!(codes.iter().all(|code| snapshot.problems().contains(code)));
    }

    #[test]
    fn an_account_larger_than_any_that_is_read_is_a_problem_packed_or_not() {
        let entry = |bytes: usize, packs: bool| {
            let plain = vec![0; bytes];
            let data = if packs { zstd::bulk::compress(&plain, 3).unwrap() } else { plain };
            let text = base64_simd::STANDARD.encode_to_string(data);
            let encoding = if packs { "base64+zstd" } else { "base64" };
            format!(r#"{{"pubkey":"{KEY}","account":{}}}"#, account(&text, encoding))
        };
        let max = SNAPSHOT_ACCOUNT_BYTES_MAX;
        let sizes = [(4_376, true), (max, true), (max, false), (max + 1, true), (max + 1, false)];
        let mut value: Vec<_> = sizes.iter().map(|&(size, packs)| entry(size, packs)).collect();
        value.extend((0..170).map(|_| entry(crate::limits::ACCOUNT_BYTES_MAX, true)));
        let snapshot = decode(answer(&value.join(",")).as_bytes(), &[]);
        assert_eq!((snapshot.count(), snapshot.problem_count()), (3, 172));
        assert!(snapshot.problems().contains("larger than 8192 bytes"));
        assert!(snapshot.bytes_held() <= 1 << 20, "170 frames of 10 MiB were 1.7 GB");
    }

    #[test]
    fn an_account_without_an_owner_is_a_problem_and_not_closed() {
        let account =
            account("YWJj", "base64").replace(&format!(r#""owner":"{KEY}""#), r#""owner":"""#);
        let body = answer(&format!(r#"{{"pubkey":"{KEY}","account":{account}}}"#));
        let snapshot = decode(body.as_bytes(), &[]);
        assert_eq!((snapshot.count(), snapshot.problem_count()), (0, 1));
        assert!(snapshot.problems().contains("INVALID_KEY"));
    }

    #[test]
    fn an_answer_that_is_no_snapshot_has_a_code() {
        assert_eq!(failure("", &[]), "MALFORMED_SNAPSHOT");
        assert_eq!(failure(r#"{"result":[]}"#, &[]), "MALFORMED_SNAPSHOT");
        assert_eq!(failure(r#"{"id":1}"#, &[]), "MALFORMED_SNAPSHOT");
        let error = r#"{"error":{"code":-32005,"message":"behind","data":{}},"id":1}"#;
        assert_eq!(failure(error, &[]), "RPC_ERROR");
        assert_eq!(
            failure(&answer("null"), &[KEY.to_owned(), KEY.to_owned()]),
            "SNAPSHOT_KEYS_MISMATCH"
        );
    }

    #[test]
    fn perp_positions_are_counted_by_the_layout_of_the_accounts_program() {
        for (program, bytes, first_base_at, position_bytes) in
            [(Program::Drift, 4_376, 432, 96), (Program::Velocity, 4_496, 432, 80)]
        {
            let mut user = vec![0; bytes];
            user[..8].copy_from_slice(&AccountKind::User.discriminator());
            for position in [0, 7] {
                user[first_base_at + position * position_bytes] = 1;
            }
            let mut snapshot = PackedSnapshot::default();
            snapshot.push(Pubkey([1; 32]), program.id(), &user);
            snapshot.push(Pubkey([2; 32]), program.id(), &user[..8]);
            assert_eq!(snapshot.positions(), 2, "{program:?}");
        }
    }

    #[test]
    fn accounts_larger_than_a_block_have_their_own() {
        let mut snapshot = PackedSnapshot::default();
        let large = vec![7; SNAPSHOT_BLOCK_BYTES + 1];
        for data in [&large[..2], &large, &large[..3]] {
            snapshot.push(Pubkey([1; 32]), Pubkey([2; 32]), data);
        }
        let lengths: Vec<_> = snapshot.updates(0, 3).map(|update| update.data.len()).collect();
        assert_eq!(lengths, [2, SNAPSHOT_BLOCK_BYTES + 1, 3]);
    }
}

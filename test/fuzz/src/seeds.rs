//! The first inputs of every target: made from the synthetic vectors of `test/golden/vectors`, never from
//! captures.

use std::collections::BTreeMap;
use std::fs::read_to_string;
use std::path::Path;

use base64_simd::STANDARD;
use serde_json::Value;
use slotbook_protocol::drift::layouts::USER;
use slotbook_protocol::layout::Shape;
use slotbook_protocol::model::Program;
use slotbook_protocol::model::account::{AccountKind, DISCRIMINATOR_BYTES, kind_of};
use slotbook_protocol::model::enums::OracleSource;
use slotbook_protocol::model::event::field::EventLayout;
use slotbook_protocol::model::order::ORDER_BYTES;
use slotbook_protocol::model::units::Pubkey;

use crate::TARGETS;
use crate::account::layout_of;
use crate::input::steps_of;

/// Where the orders of a user's account begin.
const ORDERS_AT: usize = USER.at("orders", "Order");

/// Bytes before the account of the targets `amm` and `fees`.
const AMM_HEAD_BYTES: usize = 57;
const FEES_HEAD_BYTES: usize = 45;

/// The inputs of each target by its name; every target has the empty one.
#[must_use]
pub fn all() -> BTreeMap<&'static str, Vec<Vec<u8>>> {
    let mut seeds = Seeds::default();
    seeds.add_accounts();
    seeds.add_oracles();
    seeds.add_events();
    seeds.add_transport();
    seeds.add_states();
    seeds.add_journals();
    seeds.add_checkpoints();
    for target in TARGETS {
        seeds.add(target.name, &[]);
    }
    seeds.of
}

#[derive(Default)]
struct Seeds {
    of: BTreeMap<&'static str, Vec<Vec<u8>>>,
}

impl Seeds {
    fn add(&mut self, target: &'static str, parts: &[&[u8]]) {
        self.of.entry(target).or_default().push(parts.concat());
    }

    /// Accounts of every kind, in the form of [`steps_of`], and what is read of each.
    fn add_accounts(&mut self) {
        for data in accounts() {
            let kind = kind_of(&data).unwrap();
            let steps = steps_of(&data[DISCRIMINATOR_BYTES..]);
            let account = [&more_than(kind, &data)[..], &steps].concat();
            self.add("account", &[&number_of(kind), &account]);
            self.add("text", &[&[3], &data]);
            match kind {
                AccountKind::User => {
                    let orders = data[ORDERS_AT..].chunks_exact(ORDER_BYTES).take(4);
                    orders.for_each(|order| self.add("order", &[order, &[7; 48]]));
                }
                AccountKind::PerpMarket => self.add("amm", &[&[1; AMM_HEAD_BYTES], &account]),
                AccountKind::State => self.add("fees", &[&[63; FEES_HEAD_BYTES], &account]),
                AccountKind::PythLazerOracle | AccountKind::PrelaunchOracle => {
                    self.add_oracle(4, &data);
                }
                _ => {}
            }
            self.add_to_books(kind, &account);
        }
        self.add("amm", &[&[&worked_head()[..], &[0], &worked_market()].concat()]);
    }

    /// An oracle's account under each source.
    fn add_oracle(&mut self, owner: u8, data: &[u8]) {
        let length = u16::try_from(data.len()).unwrap().to_le_bytes();
        for source in 0..u8::try_from(OracleSource::ALL.len()).unwrap() {
            let head = [source, owner];
            self.add("oracle", &[&head, &[1; 48], &length, &steps_of(data)]);
        }
    }

    /// Accounts of foreign oracles, with what each begins with.
    fn add_oracles(&mut self) {
        let push = 0xa1b2_c3d4_u32.to_le_bytes();
        let starts: [(&[u8], usize); 4] = [
            (&push, 240),
            (&0x22f1_2363_9d7e_f4cd_u64.to_be_bytes(), 134),
            (&0xd9e6_4165_c9a2_1b7d_u64.to_be_bytes(), 3_851),
            (&0xc41b_6cc4_0ad7_db28_u64.to_be_bytes(), 3_208),
        ];
        for (owner, (start, bytes)) in (0..).zip(starts) {
            let mut data = vec![0; bytes];
            data[..start.len()].copy_from_slice(start);
            if owner == 0 {
                data[8] = 3;
            }
            self.add_oracle(owner, &data);
        }
    }

    /// Steps that write an account into a book and end the turn.
    fn add_to_books(&mut self, kind: AccountKind, account: &[u8]) {
        const KINDS: [AccountKind; 4] = [
            AccountKind::User,
            AccountKind::PerpMarket,
            AccountKind::SpotMarket,
            AccountKind::State,
        ];
        let Some(number) = KINDS.iter().position(|known| *known == kind) else { return };
        let number = u8::try_from(number).unwrap();
        let length = u16::try_from(account.len()).unwrap().to_le_bytes();
        let market = [&[0][..], &worked_market()].concat();
        let market_length = u16::try_from(market.len()).unwrap().to_le_bytes();
        let write_market = [&[0, 1, 1, 9], &market_length[..], &market].concat();
        let write = [&[0, number, 2, 9], &length[..], account].concat();
        let clock_turn_scan = [4, 1, 0, 0, 0, 0, 0, 0, 0, 0, 5, 1, 7];
        self.add("book", &[&write_market, &write, &clock_turn_scan]);
    }

    /// A captured state whole, and with one byte after the other written over.
    fn add_states(&mut self) {
        let state = crate::state::captured_state();
        self.add("state", &[&[0], state]);
        for skipped in 0..u8::try_from(state.len() / 8).unwrap_or(u8::MAX) {
            self.add("state", &[&[1, skipped, 1, 1], &[0, 4, 1, 0x80, 2, 3]]);
        }
    }

    /// A file, changes of one, and records of most kinds.
    fn add_journals(&mut self) {
        let file = crate::journal::written_file();
        self.add("journal", &[&[0], file]);
        self.add("journal", &[&[1, 5, 1, 1, 3, 4, 1, 0x80, 2, 3]]);
        for at in (0..file.len()).step_by(16) {
            let [low, high] = u16::try_from(at).unwrap().to_le_bytes();
            self.add("journal", &[&[3, low, high, 40]]);
        }
        let account = [&[3, 1, 4][..], &[9; 64], &[20, 2, 3, 7, 8, 1, 1, 9, 0]].concat();
        let again = [3, 8, 0, 2, 1, 2, 5, 0];
        let mentions = [4, 8, 0, 2, 5, 8, 0, 0, 6, 0, 0, 4];
        let plain = [8, 2, 2, 9, 1, 10, 1, b'f', 11, 2, 12, 13, 1, 15, 3, 1, 7, 0];
        let end = [16, 4, 1, 7, 0, 1, 2, 8, 8];
        self.add(
            "journal",
            &[&[2], &account, &again, &end, &mentions, &plain, &end, &[7, 0], &end],
        );
        self.add("journal", &[&[2, 14, 3], &[8; 32], &[2, 1, 9], &end]);
    }

    /// States and records with one byte after the other written over, and turns behind good records.
    fn add_checkpoints(&mut self) {
        let [state, records] = [crate::checkpoint::good_state(), crate::checkpoint::good_records()];
        self.add("checkpoint", &[&[0], state]);
        for (mode, bytes) in [(1, state), (2, records)] {
            for skipped in 0..u8::try_from(bytes.len() / 8).unwrap_or(u8::MAX) {
                self.add("checkpoint", &[&[mode, skipped, 1, 1], &[0, 4, 1, 0x80, 2, 3]]);
            }
        }
        let turns = self.of["journal"].iter().filter(|seed| seed.first() == Some(&2));
        let behind: Vec<_> = turns.map(|seed| [&[3], &seed[1..]].concat()).collect();
        self.of.entry("checkpoint").or_default().extend(behind);
        // A price, and the status open, of the first order of the last accounts.
        let order = [2, 0xb0, 9, 7, 8, 1, 72, 1, 0];
        for back in 0..2 {
            self.add("checkpoint", &[&[3], &[3, 0, back, 0], &order, &[16, 4, 0, 0]]);
        }
    }

    /// Records as they are logged, by themselves and among the lines of a transaction.
    fn add_events(&mut self) {
        for line in synthetic("events.jsonl") {
            let text = line["log"].as_str().unwrap().strip_prefix("Program data: ").unwrap();
            let data = STANDARD.decode_to_vec(text).unwrap();
            let is_kind = |layout: &&EventLayout| data.starts_with(&layout.discriminator);
            let events = Program::Drift.events();
            let Some(number) = events.iter().position(is_kind) else { continue };
            let number = u8::try_from(number).unwrap();
            let fields = &data[DISCRIMINATOR_BYTES..];
            self.add("event", &[&[number], fields]);
            let length = u8::try_from(fields.len()).unwrap_or(u8::MAX);
            let event = [&[number, length], &fields[..length.into()]].concat();
            self.add("logs", &[&[1, 0, 2], &event, &[0, 1, 2], &event, &[1]]);
            self.add("logs", &[&[0, 0, 0, 1, 3], &event, &[1, 0, 5]]);
        }
    }

    /// Records of a batch, and entries of a snapshot, in every form.
    fn add_transport(&mut self) {
        let key = Pubkey([1; 32]).to_string();
        let texts = [STANDARD.encode_to_string(b"abc"), packed_text(b"abc")];
        let record = |form: u8, key: &[u8], data: &[u8]| {
            let length = u8::try_from(key.len()).unwrap();
            let body = [&[form, 0, length, length], &[1; 8][..], key, key, data].concat();
            [&u32::try_from(body.len()).unwrap().to_le_bytes()[..], &body].concat()
        };
        let binary = record(0, &[1; 32], b"abc");
        let plain = record(1, key.as_bytes(), texts[0].as_bytes());
        let packed = record(2, key.as_bytes(), texts[1].as_bytes());
        let closed = record(3, key.as_bytes(), b"");
        self.add("batch", &[&binary, &plain, &packed, &closed]);
        self.add("text", &[&[0], texts[0].as_bytes()]);
        self.add("text", &[&[1], texts[1].as_bytes()]);
        self.add("text", &[&[2], &zstd::bulk::compress(&[7; 5_000], 1).unwrap()]);
        self.add("text", &[&[4], key.as_bytes()]);
        let entries = [0, 1, 3, 0, 1, 2, 1, 2, 1, 9, 6, 3, 1, 9, 7, 4, 0];
        self.add("snapshot", &[&[1], &[3; 8], &entries]);
        self.add("snapshot", &[&[3], &[3; 8], &entries]);
        for data in [&texts[0], &texts[1]] {
            let body = format!(
                r#"{{"result":{{"context":{{"slot":1}},"value":[{{"pubkey":"{key}","account":{{"data":["{data}","base64"],"owner":"{key}"}}}},null]}},"error":null}}"#
            );
            self.add("snapshot", &[&[0], body.as_bytes()]);
            self.add("snapshot", &[&[2], body.as_bytes()]);
        }
        let error = r#"{"error":{"code":-32005,"message":"behind\u0021"},"id":1}"#;
        self.add("snapshot", &[&[0], error.as_bytes()]);
    }
}

fn packed_text(data: &[u8]) -> String {
    STANDARD.encode_to_string(zstd::bulk::compress(data, 1).unwrap())
}

/// The moment of [`worked_market`], and a taker.
fn worked_head() -> Vec<u8> {
    let words = [150_000_000_u64, 1_000, 100, 1_700_000_000, 101].map(u64::to_le_bytes);
    let taker = [20_000_000_000_u64, 160_000_000].map(u64::to_le_bytes);
    [words.as_flattened(), &[20], taker.as_flattened()].concat()
}

/// Steps that write a market whose AMM quotes.
fn worked_market() -> Vec<u8> {
    let layout = layout_of(AccountKind::PerpMarket);
    let mut data = vec![0; layout.size];
    let wide = [
        ("amm.baseAssetReserve", 2_056_415_459_102_385),
        ("amm.quoteAssetReserve", 3_513_713_488_272_842),
        ("amm.sqrtK", 2_688_057_800_000_000),
        ("amm.pegMultiplier", 87_861_779),
        ("amm.minBaseAssetReserve", 1_900_762_126_997_595),
        ("amm.maxBaseAssetReserve", 3_801_451_340_760_000_u128),
    ];
    for (path, value) in wide {
        let at = layout.at(path, "u128");
        data[at..at + 16].copy_from_slice(&value.to_le_bytes());
    }
    for (path, value) in [("amm.orderStepSize", 10_000_000_u64), ("amm.orderTickSize", 100)] {
        let at = layout.at(path, "u64");
        data[at..at + 8].copy_from_slice(&value.to_le_bytes());
    }
    data[layout.at("amm.maxFillReserveFraction", "u16")] = 100;
    data[layout.at("status", "enum")] = 1;
    steps_of(&data[DISCRIMINATOR_BYTES..])
}

/// The number of a kind, as the targets read it.
fn number_of(kind: AccountKind) -> [u8; 1] {
    let number = AccountKind::ALL.iter().position(|known| *known == kind).unwrap();
    [u8::try_from(number).unwrap()]
}

/// By how many eights an account is longer than its kind has to be.
fn more_than(kind: AccountKind, data: &[u8]) -> [u8; 1] {
    [u8::try_from((data.len() - layout_of(kind).size).div_ceil(8)).unwrap()]
}

fn synthetic(file: &str) -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../golden/vectors/synthetic");
    let text = read_to_string(folder.join(file)).unwrap();
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

/// An account with three elements in its first list, of ones and zeros, which every field takes.
fn with_list(kind: AccountKind) -> Option<Vec<u8>> {
    let fields = layout_of(kind).fields;
    let list = fields.iter().find(|field| field.shape == Shape::List)?;
    let bytes = layout_of(kind).size + 3 * list.element.size();
    let mut data: Vec<u8> = (0..bytes).map(|at| u8::from(at % 3 == 0)).collect();
    data[..DISCRIMINATOR_BYTES].copy_from_slice(&kind.discriminator());
    data[list.offset..list.offset + 4].copy_from_slice(&3_u32.to_le_bytes());
    for later in fields.iter().filter(|field| field.offset > list.offset) {
        let at = later.offset + 3 * list.element.size();
        if later.shape == Shape::List {
            data[at..at + 4].fill(0);
        }
    }
    Some(data)
}

/// The synthetic accounts, one of zeros of every kind, and those with lists.
fn accounts() -> Vec<Vec<u8>> {
    let lines = synthetic("accounts.jsonl").into_iter();
    let written = lines.map(|line| STANDARD.decode_to_vec(line["data"].as_str().unwrap()).unwrap());
    let zeros = AccountKind::ALL.iter().map(|kind| {
        let mut data = vec![0; layout_of(*kind).size];
        data[..DISCRIMINATOR_BYTES].copy_from_slice(&kind.discriminator());
        data
    });
    let lists = AccountKind::ALL.iter().filter_map(|kind| with_list(*kind));
    written.chain(zeros).chain(lists).collect()
}

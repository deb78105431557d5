//! The benchmark's own parts: a workload file is read whole or refused, and the book of the
//! comparison shows what slotbook shows.

use std::path::{Path, PathBuf};

use crate::commands::Commands;
use crate::error::BenchError;
use crate::replay::Replay;
use crate::tree_book::TreeBook;
use crate::workload::{Record, Workload};
use slotbook_protocol::model::units::OraclePrice;

const ORACLE: i64 = 150_000_000;
const USER_BYTES: usize = 4_376;
const SLOT: u64 = 300_000_000;

/// One resting order: its value is a price, or an offset when `floating`.
#[derive(Clone, Copy)]
struct Quote {
    bid: bool,
    floating: bool,
    worth: i32,
    id: u32,
}

fn bid(worth: i32, id: u32) -> Quote {
    Quote { bid: true, floating: false, worth, id }
}

fn user(key: u8, quotes: &[Quote]) -> Vec<u8> {
    let mut data = vec![0; USER_BYTES];
    data[..8].copy_from_slice(&[0x9f, 0x75, 0x5f, 0xe3, 0xef, 0x97, 0x3a, 0xec]);
    data[8..40].copy_from_slice(&[key; 32]);
    for (order, quote) in data[1_192..4_264].chunks_exact_mut(96).zip(quotes) {
        order[..8].copy_from_slice(&SLOT.to_le_bytes());
        match quote.floating {
            true => order[72..76].copy_from_slice(&quote.worth.to_le_bytes()),
            false => order[8..16].copy_from_slice(&i64::from(quote.worth).to_le_bytes()),
        }
        order[16..24].copy_from_slice(&10_000_000_u64.to_le_bytes());
        order[76..80].copy_from_slice(&quote.id.to_le_bytes());
        order[82..85].copy_from_slice(&[1, 1, 1]);
        order[87] = u8::from(!quote.bid);
        order[89] = 1;
    }
    data
}

fn account_record(key: u8, quotes: &[Quote]) -> Vec<u8> {
    let mut record = vec![1];
    record.extend(SLOT.to_le_bytes());
    record.extend([key; 32]);
    record.extend(u32::try_from(USER_BYTES).unwrap().to_le_bytes());
    record.extend(user(key, quotes));
    record
}

fn oracle_record(price: i64) -> Vec<u8> {
    let mut record = vec![2, 0, 0];
    record.extend(price.to_le_bytes());
    record.extend(SLOT.to_le_bytes());
    record
}

/// A workload of two users in one market, and one event.
fn workload_bytes() -> Vec<u8> {
    let header = format!(
        "{{\"program\":\"drift\",\"users\":2,\"orders\":2,\"markets\":1,\"tick\":100,\
         \"step\":10000000,\"slot\":{SLOT},\"ts\":1700000000}}"
    );
    let mut bytes = b"SBWL0001".to_vec();
    bytes.extend(u32::try_from(header.len()).unwrap().to_le_bytes());
    bytes.extend(header.as_bytes());
    let floating = Quote { floating: true, ..bid(-1_000, 2) };
    let ask = Quote { bid: false, ..bid(151_000_000, 1) };
    bytes.extend(account_record(1, &[bid(149_999_000, 1), floating]));
    bytes.extend(account_record(2, &[ask, bid(149_998_000, 2)]));
    bytes.extend(oracle_record(ORACLE));
    bytes.extend(account_record(1, &[bid(149_997_000, 3), floating]));
    bytes
}

fn write(name: &str, bytes: &[u8]) -> PathBuf {
    let file = format!("slotbook-bench-{name}-{}", std::process::id());
    let path = std::env::temp_dir().join(file);
    std::fs::write(&path, bytes).unwrap();
    path
}

fn read(name: &str, bytes: &[u8]) -> Result<Workload, BenchError> {
    let path = write(name, bytes);
    let workload = Workload::read(&path);
    std::fs::remove_file(&path).unwrap();
    workload
}

#[test]
fn a_workload_is_read_as_load_and_events() {
    let workload = read("whole", &workload_bytes()).unwrap();
    assert_eq!((workload.load().count(), workload.events().count()), (3, 1));
    assert_eq!((workload.config.tick, workload.config.slot.0), (100, SLOT));
}

#[test]
fn a_cut_off_workload_is_refused() {
    let whole = workload_bytes();
    for cut in [4, 11, 40, whole.len() - 1] {
        assert!(matches!(read("cut", &whole[..cut]), Err(BenchError::Malformed { .. })), "{cut}");
    }
}

#[test]
fn another_record_kind_is_refused() {
    let mut bytes = workload_bytes();
    bytes.push(9);
    assert!(matches!(read("kind", &bytes), Err(BenchError::Malformed { what: "record kind", .. })));
}

#[test]
fn the_book_of_the_comparison_shows_what_slotbook_shows() {
    let workload = read("compare", &workload_bytes()).unwrap();
    let mut replay = Replay::loaded(&workload).unwrap();
    let mut tree = TreeBook::default();
    for record in workload.load() {
        feed(&mut tree, record);
    }
    // Two orders of one price, fixed and floating, are one level.
    assert_eq!(tree_bids(&tree), [(149_999_000, 20_000_000), (149_998_000, 10_000_000)]);
    assert_eq!(tree_bids(&tree), book_bids(&replay));
    for record in workload.events() {
        replay.apply(record).unwrap();
        feed(&mut tree, record);
    }
    replay.end_turn();
    assert_eq!(tree_bids(&tree).len(), 3);
    assert_eq!(tree_bids(&tree), book_bids(&replay));
}

fn feed(tree: &mut TreeBook, record: Record<'_>) {
    if let Record::Account { slot, key, data } = record {
        tree.apply(key, slot, data);
    }
}

fn tree_bids(tree: &TreeBook) -> Vec<(i64, u128)> {
    tree.levels(0, 0, OraclePrice(ORACLE), 10)
}

fn book_bids(replay: &Replay) -> Vec<(i64, u128)> {
    let market = replay.market(0).unwrap();
    let levels = replay.book.levels(market, slotbook_book::Side::Bid);
    levels.map(|level| (i64::try_from(level.price.0).unwrap(), level.size)).collect()
}

#[test]
fn unknown_commands_and_missing_files_are_errors() {
    let mut commands = Commands::default();
    let refused = |result| matches!(result, Err(BenchError::UnknownCommand(_)));
    assert!(refused(commands.run("")));
    assert!(refused(commands.run("tick nothing 10 1 1")));
    let path = Path::new("/nowhere/at/all");
    assert!(matches!(Workload::read(path), Err(BenchError::Io(_))));
}

//! The state of a book beside its accounts, as a journal has it.

use std::sync::LazyLock;

use slotbook_book::{
    AccountUpdate, Book, BookConfig, FeedState, Gate, IndicativeQuote, MarketId, QuotedSide,
};
use slotbook_protocol::drift::PROGRAM_ID;
use slotbook_protocol::model::Program;
use slotbook_protocol::model::account::AccountKind;
use slotbook_protocol::model::units::{Pubkey, Slot, UnixSeconds};

use crate::account::account;
use crate::input::Input;

const CONFIG: BookConfig = BookConfig { program: PROGRAM_ID, rules: Program::Drift };

/// Accounts of each of these kinds, by the keys 1, 2 and so on.
const KINDS: [AccountKind; 5] = [
    AccountKind::State,
    AccountKind::PerpMarket,
    AccountKind::SpotMarket,
    AccountKind::User,
    AccountKind::User,
];

static ACCOUNTS: LazyLock<Vec<(Pubkey, Vec<u8>)>> = LazyLock::new(|| {
    let accounts = (1..).map(|key| Pubkey([key; 32]));
    accounts.zip(KINDS.map(|kind| account(kind, Input::new(&[])))).collect()
});

/// A book of all accounts, one of them closed, with quotes and within a snapshot.
static CAPTURED: LazyLock<Vec<u8>> = LazyLock::new(|| {
    let mut book = Book::new(CONFIG);
    book.set_clock(Slot(9), UnixSeconds(7));
    updates().for_each(|update| _ = book.apply(update));
    let closed = AccountUpdate { pubkey: Pubkey([77; 32]), ..updates().last().unwrap() };
    book.apply(closed).unwrap();
    book.apply(AccountUpdate { data: &[], ..closed }).unwrap();
    book.set_state(FeedState::Live);
    let side = Some(QuotedSide { price: 900, size: 5_000_000_000 });
    let quote = IndicativeQuote { bid: side, ask: side, is_oracle_offset: true };
    book.set_indicative(MarketId(0), Pubkey([5; 32]), &[quote; 3], 1_000).unwrap();
    book.begin_snapshot(Slot(10));
    book.apply(AccountUpdate { gate: Gate::Snapshot, ..updates().last().unwrap() }).unwrap();
    book.end_turn(1_001);
    captured(&book)
});

/// The state that inputs write over.
pub(crate) fn captured_state() -> &'static [u8] {
    &CAPTURED
}

pub(crate) fn updates() -> impl Iterator<Item = AccountUpdate<'static>> + Clone {
    let (owner, slot, gate) = (PROGRAM_ID, Slot(8), Gate::Arrival);
    let update = move |(pubkey, data): &'static (Pubkey, Vec<u8>)| AccountUpdate {
        pubkey: *pubkey,
        owner,
        slot,
        gate,
        data,
    };
    ACCOUNTS.iter().map(update)
}

fn captured(book: &Book) -> Vec<u8> {
    let mut state = Vec::new();
    assert!(book.capture(&mut state), "a turn has ended");
    state
}

/// An odd first byte writes the rest over a captured state, an even one has it as a state.
pub(crate) fn run(input: &[u8]) {
    let mut input = Input::new(input);
    let state = match input.byte() % 2 {
        0 => input.rest().to_vec(),
        _ => {
            let mut state = CAPTURED.clone();
            input.write_over(&mut state);
            state
        }
    };
    match Book::restore(CONFIG, &state, updates()) {
        Ok(book) => check_restored(book),
        Err(error) => assert!(error.code().starts_with("STATE_"), "{error}"),
    }
}

/// Whatever a state says, the book is sound, is captured as what makes it again, and goes on.
fn check_restored(mut book: Book) {
    book.check_integrity().unwrap();
    let state = captured(&book);
    let again = Book::restore(CONFIG, &state, updates()).unwrap();
    assert_eq!(captured(&again), state, "a state is captured as it was restored");
    let (mut hashes, mut of_again) = (Vec::new(), Vec::new());
    book.market_hashes(&mut hashes);
    let mut again = again;
    again.market_hashes(&mut of_again);
    assert_eq!(hashes, of_again, "and the book is the same");
    updates().for_each(|update| _ = book.apply(AccountUpdate { slot: Slot(11), ..update }));
    book.end_snapshot();
    book.set_clock(Slot(12), UnixSeconds(13));
    book.end_turn(5_000);
    book.check_integrity().unwrap();
}

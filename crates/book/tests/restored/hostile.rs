//! Restoring rejects invalid states and accounts.

use slotbook_book::{Book, RestoreError};
use slotbook_protocol::model::units::Pubkey;

use super::Life;
use super::judge::captured;
use crate::differential::judge::Books;
use crate::differential::rng::Rng;
use crate::differential::world::user_key;

/// A random book with quotes and a closed account, at the end of a turn.
fn life(seed: u64) -> Life {
    let mut life = super::life_of(seed);
    let mut rng = Rng::new(seed);
    for turn in 1..60 {
        life.step();
        super::happen(&mut life, &mut rng, turn * 100);
        life.books.end_turn(turn * 100);
    }
    life
}

fn restored(life: &Life, state: &[u8]) -> Result<Book, RestoreError> {
    Book::restore(life.books.config, state, life.books.updates())
}

#[test]
fn a_flipped_byte_is_refused_or_makes_a_sound_book() {
    let life = life(5);
    let state = captured(&life.books.first);
    for at in 0..state.len() {
        for flip in [1, 0x80, 0xff] {
            let mut other = state.clone();
            other[at] ^= flip;
            if let Ok(mut book) = restored(&life, &other) {
                book.check_integrity().unwrap_or_else(|broken| panic!("byte {at}: {broken}"));
                book.end_turn(1_000_000);
            }
        }
    }
}

#[test]
fn another_version_is_named() {
    let life = life(4);
    let mut state = captured(&life.books.first);
    state[0] = 99;
    assert_eq!(restored(&life, &state).unwrap_err(), RestoreError::Version(99));
}

#[test]
fn accounts_that_are_missing_or_too_many_are_named() {
    let mut life = life(6);
    let state = captured(&life.books.first);
    let market = life.books.first.markets().next().unwrap().account;
    let kept = life.books.kept.remove(&market.0).unwrap();
    assert_eq!(restored(&life, &state).unwrap_err(), RestoreError::AccountMissing(market));
    life.books.kept.insert(market.0, kept);
    assert!(restored(&life, &state).is_ok());
    let users: Vec<_> = (0..8).map(user_key).collect();
    let present = users.iter().find(|key| life.books.first.has_user(&Pubkey(**key)));
    let user = life.books.kept.remove(present.unwrap()).unwrap();
    assert_eq!(restored(&life, &state).unwrap_err().code(), "STATE_USERS_MISMATCH");
    life.books.kept.insert([0x55; 32], user);
    assert_eq!(restored(&life, &state).unwrap_err().code(), "STATE_USERS_MISMATCH");
}

#[test]
fn within_a_turn_nothing_is_captured() {
    let mut life = life(7);
    let mut state = Vec::new();
    life.books.set_clock(9_999_999, 9_999_999);
    assert!(!life.books.first.capture(&mut state));
    assert!(state.is_empty());
    life.books.end_turn(7_000);
    assert!(life.books.first.capture(&mut state));
}

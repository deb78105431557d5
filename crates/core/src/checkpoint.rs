//! Serialises a core's state that accounts do not contain, and restores a core from accounts and
//! state.
//!
//! The format, little-endian: `u8` version; `u16` length of the epoch and its text; `u16` number of
//! markets with levels of external venues, and for each of these markets `u16` id, `u8` number of
//! bids, `u8` number of asks, and for each level `u64` price and `u64` size; then the book's own
//! state.

use slotbook_book::{Accounts, Book, MarketId, RestoreError, Side};
use slotbook_matching::{ExternalBook, ExternalLevel};
use slotbook_protocol::model::units::{BaseQty, Price};
use slotbook_wire::cache::{BodyCache, CACHE_LIMITS};
use slotbook_wire::render::Rows;
use slotbook_wire::stream::user::UserScratch;
use slotbook_wire::walk::WalkScratch;

use crate::core::Core;
use crate::intake::TurnCounts;
use crate::topics::Topics;

/// The version of the format; other versions are refused.
const VERSION: u8 = 1;

impl Core {
    /// Frees the memory of the book; the core is then empty.
    pub fn release(&mut self) {
        self.book = Book::new(self.book.config());
        self.external = ExternalBook::default();
        self.bodies = BodyCache::new(CACHE_LIMITS);
        self.forget_derived();
    }

    /// Appends the core's state that the accounts' latest bytes do not contain, except topics and
    /// cached bodies. Returns false without writing within a turn.
    pub fn capture(&self, out: &mut Vec<u8>) -> bool {
        let start = out.len();
        out.push(VERSION);
        out.extend_from_slice(&length(self.epoch.len()).to_le_bytes());
        out.extend_from_slice(self.epoch.as_bytes());
        self.capture_external(out);
        let is_captured = self.book.capture(out);
        if !is_captured {
            out.truncate(start);
        }
        is_captured
    }

    fn capture_external(&self, out: &mut Vec<u8>) {
        let with_levels = (0..self.book.market_count())
            .filter_map(|index| u16::try_from(index).ok().map(MarketId))
            .map(|id| (id, Side::BOTH.map(|side| self.external.levels(id, side))))
            .filter(|(_, sides)| sides.iter().any(|levels| !levels.is_empty()));
        out.extend_from_slice(&length(with_levels.clone().count()).to_le_bytes());
        for (id, sides) in with_levels {
            out.extend_from_slice(&id.0.to_le_bytes());
            out.extend(sides.map(|levels| u8::try_from(levels.len()).unwrap_or(u8::MAX)));
            for level in sides.into_iter().flatten() {
                out.extend_from_slice(&level.price.0.to_le_bytes());
                out.extend_from_slice(&level.size.0.to_le_bytes());
            }
        }
    }

    /// Replaces the content of the core by a captured state and its accounts, see
    /// [`Book::restore`]. The market set gets a new number. In the same epoch, whose markets have
    /// the same ids, topics continue with a snapshot; otherwise they are closed.
    ///
    /// # Errors
    /// [`RestoreError`]; the core is then unchanged.
    pub fn restore(&mut self, state: &[u8], accounts: impl Accounts) -> Result<(), RestoreError> {
        let (epoch, external, state) =
            read(state).ok_or(RestoreError::Malformed("its epoch or external levels"))?;
        self.book = Book::restore(self.book.config(), state, accounts)?;
        self.external = external;
        if self.epoch == epoch {
            self.topics.begin_again();
        } else {
            self.topics = Topics::default();
        }
        self.epoch = epoch;
        self.forget_derived();
        Ok(())
    }

    /// Drops what was made of another book.
    fn forget_derived(&mut self) {
        self.epoch_number = self.epoch_number.wrapping_add(1);
        // Rows that are stored from one reading to the next belong to one book, so they are
        // dropped.
        self.rows = Rows::default();
        self.walk = WalkScratch::default();
        self.users.scratch = UserScratch::default();
        self.counts = TurnCounts::default();
        self.problems.clear();
        self.note_all_markets();
    }
}

fn length(length: usize) -> u16 {
    u16::try_from(length).unwrap_or(u16::MAX)
}

/// Reads the epoch, the levels of external venues, and the book's state.
fn read(state: &[u8]) -> Option<(String, ExternalBook, &[u8])> {
    let (version, rest) = state.split_first()?;
    if *version != VERSION {
        return None;
    }
    let (length, rest) = number(rest)?;
    let (epoch, rest) = rest.split_at_checked(usize::from(length))?;
    let epoch = String::from_utf8(epoch.to_vec()).ok()?;
    let (markets, mut rest) = number(rest)?;
    let mut external = ExternalBook::default();
    for _ in 0..markets {
        let (id, after) = number(rest)?;
        let ([bids, asks], after) = after.split_first_chunk()?;
        rest = after;
        for (side, count) in Side::BOTH.into_iter().zip([*bids, *asks]) {
            let (levels, after) = rest.split_at_checked(usize::from(count) * LEVEL_BYTES)?;
            let (levels, _) = levels.as_chunks::<LEVEL_BYTES>();
            external.set(MarketId(id), side, levels.iter().map(level));
            rest = after;
        }
    }
    Some((epoch, external, rest))
}

/// Bytes of an external level: price and size.
const LEVEL_BYTES: usize = 16;

fn level(bytes: &[u8; LEVEL_BYTES]) -> ExternalLevel {
    let (words, _) = bytes.as_chunks::<8>();
    let word = |at: usize| words.get(at).map_or(0, |word| u64::from_le_bytes(*word));
    ExternalLevel { price: Price(word(0)), size: BaseQty(word(1)) }
}

fn number(bytes: &[u8]) -> Option<(u16, &[u8])> {
    let (number, rest) = bytes.split_first_chunk()?;
    Some((u16::from_le_bytes(*number), rest))
}

#[cfg(test)]
mod tests {
    use super::*;
    use slotbook_book::{AccountUpdate, FeedState, Gate};
    use slotbook_protocol::model::units::{Pubkey, Slot, UnixSeconds};

    const PROGRAM: Pubkey = Pubkey([9; 32]);

    /// A spot market's account needs no more than this.
    fn market() -> Vec<u8> {
        let mut data = vec![0; 776];
        data[..8].copy_from_slice(&[0x64, 0xb1, 0x08, 0x6b, 0xa8, 0x41, 0x41, 0x27]);
        data[680] = 6;
        data[687] = 2;
        data[688] = 1;
        data
    }

    fn update(data: &[u8]) -> AccountUpdate<'_> {
        let (pubkey, slot) = (Pubkey([1; 32]), Slot(7));
        AccountUpdate { pubkey, owner: PROGRAM, slot, gate: Gate::Arrival, data }
    }

    fn core(epoch: &str) -> Core {
        Core::new(PROGRAM, epoch.to_owned())
    }

    /// A core with a market and levels of an external venue, at the end of a turn.
    fn captured(data: &[u8]) -> (Core, Vec<u8>) {
        let mut core = core("first");
        core.book.apply(update(data)).unwrap();
        core.book.set_state(FeedState::Live);
        core.book.set_clock(Slot(9), UnixSeconds(11));
        core.book.end_turn(13);
        let level = |price| ExternalLevel { price: Price(price), size: BaseQty(5) };
        core.external.set(MarketId(0), Side::Bid, [level(10), level(9)]);
        core.external.set(MarketId(0), Side::Ask, [level(11)]);
        let mut state = Vec::new();
        assert!(core.capture(&mut state));
        (core, state)
    }

    #[test]
    fn a_core_comes_back_with_its_epoch_and_external_levels() {
        let data = market();
        let (first, state) = captured(&data);
        let mut second = core("second");
        second.restore(&state, [update(&data)].into_iter()).unwrap();
        assert_eq!(second.epoch, "first");
        assert_eq!(second.book.header(MarketId(0)), first.book.header(MarketId(0)));
        for side in Side::BOTH {
            let levels = second.external.levels(MarketId(0), side);
            assert_eq!(levels, first.external.levels(MarketId(0), side));
        }
        assert_eq!(second.capture_state_bytes(), state);
    }

    #[test]
    fn a_core_that_cannot_be_restored_is_as_before() {
        let data = market();
        let (mut first, state) = captured(&data);
        for length in 0..state.len() {
            let error = first.restore(&state[..length], [update(&data)].into_iter()).unwrap_err();
            assert_eq!(error.code(), "STATE_MALFORMED");
        }
        let error = first.restore(&state, std::iter::empty()).unwrap_err();
        assert_eq!(error.code(), "STATE_ACCOUNT_MISSING");
        assert_eq!(first.capture_state_bytes(), state);
    }

    #[test]
    fn the_market_set_of_a_restored_core_is_new_and_then_stays() {
        let data = market();
        let (_, state) = captured(&data);
        let mut second = core("second");
        let before = second.market_set;
        second.restore(&state, [update(&data)].into_iter()).unwrap();
        assert_ne!(second.market_set, before);
        assert_eq!(second.known_markets.len(), 1);
    }

    impl Core {
        fn capture_state_bytes(&self) -> Vec<u8> {
            let mut state = Vec::new();
            assert!(self.capture(&mut state));
            state
        }
    }
}

//! A book under any accounts: users, markets, oracles and the exchange's state in any order.

use std::collections::BTreeMap;

use slotbook_book::{
    AccountUpdate, Book, BookConfig, FeedState, Gate, IndicativeQuote, MarketId, QuotedSide, Side,
};
use slotbook_protocol::drift::PROGRAM_ID;
use slotbook_protocol::model::Program;
use slotbook_protocol::model::account::AccountKind;
use slotbook_protocol::model::units::{Pubkey, Slot, UnixSeconds};
use slotbook_wire::render::{L2Request, L3Request, Rows, render_l2, render_l3};
use slotbook_wire::sources::Sources;
use slotbook_wire::uncross::Crossing;

use crate::account::account;
use crate::input::Input;

/// Steps of one input at most.
const STEPS_MAX: usize = 64;

/// Accounts that the steps write to.
const KEYS: u8 = 8;

/// Kinds that a book is made of.
const KINDS: [AccountKind; 6] = [
    AccountKind::User,
    AccountKind::PerpMarket,
    AccountKind::SpotMarket,
    AccountKind::State,
    AccountKind::PythLazerOracle,
    AccountKind::UserStats,
];

/// Steps one after the other, each a byte of what is done and its arguments.
pub(crate) fn run(input: &[u8]) {
    let mut input = Input::new(input);
    let mut life = Life::new();
    for _ in 0..STEPS_MAX {
        if input.is_over() {
            break;
        }
        life.step(&mut input);
    }
    life.book.check_integrity().unwrap();
    life.check_bodies();
}

struct Life {
    book: Book,
    slot: u64,
    /// The accounts as they were written last, in slots that only grow.
    accounts: BTreeMap<Pubkey, (Pubkey, Vec<u8>)>,
}

impl Life {
    fn new() -> Self {
        Self {
            book: Book::new(BookConfig { program: PROGRAM_ID, rules: Program::Drift }),
            slot: 1,
            accounts: BTreeMap::new(),
        }
    }

    fn step(&mut self, input: &mut Input<'_>) {
        match input.byte() % 8 {
            0..=3 => self.write(input),
            4 => {
                self.slot += u64::from(input.byte());
                let now = UnixSeconds(input.word().cast_signed());
                self.book.set_clock(Slot(self.slot), now);
            }
            5 => {
                let states =
                    [FeedState::Rebuilding, FeedState::Live, FeedState::Lagging, FeedState::Stale];
                self.book.set_state(states[usize::from(input.byte()) % states.len()]);
                self.book.end_turn(self.slot);
                self.book.check_integrity().unwrap();
            }
            6 => self.quote(input),
            _ => self.scan(),
        }
    }

    /// Writes an account, which may be cut, closed or of another program.
    fn write(&mut self, input: &mut Input<'_>) {
        let (kind, key, how) = (input.byte(), input.byte(), input.byte());
        let length = usize::from(u16::from_le_bytes(input.take()));
        let kind = KINDS[usize::from(kind) % KINDS.len()];
        let mut data = account(kind, Input::new(input.take_slice(length)));
        match how % 16 {
            0 => data.clear(),
            1 => data.truncate(data.len() / 2),
            _ => {}
        }
        let owner = if how % 16 == 2 { Pubkey([9; 32]) } else { PROGRAM_ID };
        let pubkey = Pubkey([key % KEYS; 32]);
        self.slot += 1;
        let update = AccountUpdate {
            pubkey,
            owner,
            slot: Slot(self.slot),
            gate: Gate::Arrival,
            data: &data,
        };
        let _ = self.book.apply(update);
        self.accounts.insert(pubkey, (owner, data));
    }

    fn quote(&mut self, input: &mut Input<'_>) {
        let market = MarketId(input.byte().into());
        let side = |input: &mut Input<'_>| QuotedSide {
            price: input.word().cast_signed(),
            size: input.word(),
        };
        let (bid, ask) = (Some(side(input)), Some(side(input)));
        let quote = IndicativeQuote { bid, ask, is_oracle_offset: input.byte() & 1 != 0 };
        let _ = self.book.set_indicative(market, Pubkey([7; 32]), &[quote], self.slot);
    }

    /// A scan of what was written repairs nothing: the book had it all.
    fn scan(&mut self) {
        self.book.begin_snapshot(Slot(self.slot));
        let before = self.book.state_hash();
        let is_live = self.book.state() == FeedState::Live;
        for (pubkey, (owner, data)) in &self.accounts {
            let gate = Gate::Snapshot;
            let (pubkey, owner, slot) = (*pubkey, *owner, Slot(self.slot));
            let _ = self.book.apply(AccountUpdate { pubkey, owner, slot, gate, data });
        }
        let report = self.book.end_snapshot();
        if is_live {
            assert_eq!(
                self.book.state_hash(),
                before,
                "a scan of the same accounts changes nothing"
            );
            assert_eq!((report.added, report.changed), (0, 0), "and finds no difference");
        }
        self.book.check_integrity().unwrap();
    }

    /// Every body is JSON, of sides in order.
    fn check_bodies(&mut self) {
        let ids: Vec<MarketId> = self.book.markets().map(|market| market.id).collect();
        for market in ids {
            self.book.refresh_quotes(market);
            for sources in [Sources::NONE, Sources { vamm: true, indicative: true }] {
                let plain = L2Request::plain(market, 16);
                let l2 = L2Request { grouping_ticks: 7, sources, ..plain };
                let mut body = Vec::new();
                let mut crossing = Crossing::default();
                assert!(render_l2(&self.book, &l2, "epoch", &mut crossing, &mut body));
                assert!(serde_json::from_slice::<serde_json::Value>(&body).is_ok(), "/l2 is JSON");
                let l3 = L3Request { sources, ..L3Request::plain(market, 64) };
                body.clear();
                let scratch = (&mut Rows::default(), &mut crossing);
                assert!(render_l3(&self.book, &l3, "epoch", scratch, &mut body));
                assert!(serde_json::from_slice::<serde_json::Value>(&body).is_ok(), "/l3 is JSON");
            }
            let bids: Vec<_> =
                self.book.levels(market, Side::Bid).map(|level| level.price).collect();
            let asks: Vec<_> =
                self.book.levels(market, Side::Ask).map(|level| level.price).collect();
            assert!(
                bids.is_sorted_by(|a, b| a > b) && asks.is_sorted_by(|a, b| a < b),
                "best first"
            );
        }
    }
}

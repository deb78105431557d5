//! Slotbook's own book, fed from a workload as a feed would feed it.

use slotbook_book::{AccountUpdate, Applied, Book, BookConfig, FeedState, Gate, MarketId};
use slotbook_protocol::model::Program;
use slotbook_protocol::model::enums::MarketType;
use slotbook_protocol::model::units::{Pubkey, Slot};
use slotbook_wire::render::{L2Request, render_l2};
use slotbook_wire::uncross::Crossing;

use crate::chain::{self, OWNER};
use crate::error::BenchError;
use crate::workload::{Record, Workload};

/// The name of the process run in the bodies; as long as a real one.
const EPOCH: &str = "1700000000000";

/// One part in this many of the events is applied before the clock starts.
const WARM_UP_PART: usize = 4;

/// A book and its inputs.
#[derive(Debug)]
pub struct Replay {
    /// The book.
    pub book: Book,
    /// Grows with every oracle price and every turn.
    sequence: u64,
}

impl Replay {
    /// An empty book of a program's accounts.
    #[must_use]
    pub fn new(rules: Program) -> Self {
        Self { book: Book::new(BookConfig { program: OWNER, rules }), sequence: 0 }
    }

    /// A book of the workload's load: read as a snapshot, as the feed reads it, then live, its
    /// first turn ended.
    ///
    /// # Errors
    /// When the book refuses an account.
    pub fn loaded(workload: &Workload) -> Result<Self, BenchError> {
        let mut replay = Self::new(workload.config.program);
        replay.open(workload)?;
        replay.book.begin_snapshot(workload.config.slot);
        for record in workload.load() {
            match record {
                Record::Account { slot, key, data } => {
                    replay.update(key, slot, Gate::Snapshot, data)?;
                }
                other => replay.apply(other)?,
            }
        }
        replay.book.end_snapshot();
        replay.go_live();
        Ok(replay)
    }

    /// Applies the clock, the state and the markets, which a feed reads before the users.
    ///
    /// # Errors
    /// When the book refuses an account.
    pub fn open(&mut self, workload: &Workload) -> Result<(), BenchError> {
        let config = workload.config;
        self.book.set_clock(config.slot, config.now);
        self.update(chain::STATE_KEY, config.slot, Gate::Snapshot, &chain::state(config.program))?;
        for record in workload.load() {
            if let Record::Oracle { market: index, price: oracle, .. } = record {
                let (tick, step) = (config.tick, config.step);
                let market = chain::PerpMarket { index, tick, step, oracle };
                let data = chain::perp_market(config.program, &market);
                self.update(chain::market_key(index), config.slot, Gate::Snapshot, &data)?;
                self.apply(record)?;
            }
        }
        Ok(())
    }

    /// Says that the book is complete, and ends a turn.
    pub fn go_live(&mut self) {
        self.book.set_state(FeedState::Live);
        self.end_turn();
    }

    /// Applies one record as the live socket would deliver it.
    ///
    /// # Errors
    /// When the book refuses an account.
    pub fn apply(&mut self, record: Record<'_>) -> Result<(), BenchError> {
        match record {
            Record::Account { slot, key, data } => {
                self.update(key, slot, Gate::Arrival, data)?;
            }
            Record::Oracle { market, price, slot } => {
                self.sequence += 1;
                let data = chain::lazer_oracle(price, slot, self.sequence);
                self.update(chain::oracle_key(market), slot, Gate::Arrival, &data)?;
            }
            Record::Clock { slot, now } => self.book.set_clock(slot, now),
        }
        Ok(())
    }

    /// Applies one account.
    ///
    /// # Errors
    /// When the book refuses it.
    #[inline]
    pub fn update(
        &mut self,
        pubkey: Pubkey,
        slot: Slot,
        gate: Gate,
        data: &[u8],
    ) -> Result<Applied, BenchError> {
        let update = AccountUpdate { pubkey, owner: OWNER, slot, gate, data };
        Ok(self.book.apply(update)?)
    }

    /// Ends a turn.
    pub fn end_turn(&mut self) {
        self.sequence += 1;
        self.book.end_turn(1_700_000_000_000 + self.sequence);
    }

    /// The number of a perp market in the book.
    ///
    /// # Errors
    /// When the book does not know it.
    pub fn market(&self, index: u16) -> Result<MarketId, BenchError> {
        let found = self.book.find_market(MarketType::Perp, index);
        found.ok_or(BenchError::UnknownMarket(index))
    }

    /// Writes the /l2 body of a market into `out`, without any cache.
    #[inline]
    pub fn render(&self, market: MarketId, depth_levels: usize, out: &mut Vec<u8>) {
        out.clear();
        let request = L2Request::plain(market, depth_levels);
        render_l2(&self.book, &request, EPOCH, &mut Crossing::default(), out);
    }
}

/// The account updates of the events, without ticks and slots between them.
pub(crate) fn updates(workload: &Workload) -> (Vec<Record<'_>>, Vec<Record<'_>>) {
    let accounts = workload.events().filter(|record| matches!(record, Record::Account { .. }));
    let mut warm_up: Vec<Record<'_>> = accounts.collect();
    let timed = warm_up.split_off(warm_up.len() / WARM_UP_PART);
    (warm_up, timed)
}

/// A loaded book that has seen the first updates, and the updates that follow.
///
/// # Errors
/// When the book refuses an account.
pub fn warm_book(workload: &Workload) -> Result<(Replay, Vec<Record<'_>>), BenchError> {
    let mut replay = Replay::loaded(workload)?;
    let (warm_up, timed) = updates(workload);
    let (slot, now) = workload.end();
    replay.book.set_clock(slot, now);
    for record in warm_up {
        replay.apply(record)?;
    }
    Ok((replay, timed))
}

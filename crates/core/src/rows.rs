//! The book of one market as rows of numbers, column by column, while a journal is read.

use std::collections::HashMap;
use std::mem::take;

use slotbook_book::{Book, FeedState, MarketId, Side};
use slotbook_journal::Moment;
use slotbook_protocol::model::enums::MarketType;
use slotbook_protocol::model::units::{Price, Pubkey};
use slotbook_wire::l3::OrderLine;
use slotbook_wire::level::SourcedLevel;
use slotbook_wire::stream::changes::{Difference, LevelChanges, OrderRowChanges};

use crate::core::Core;
use crate::limits::JOURNAL_ROWS_AT_ONCE;
use crate::reader::{JournalReader, Step, Until};

/// Bits of the column `kind`: 1 for a row of a snapshot, 2 for an ask; higher bits for the change.
const SNAPSHOT: i64 = 1;
const ASK: i64 = 2;
const CAME: i64 = 0;
const BECAME: i64 = 4;
const WENT: i64 = 8;

/// What a turn changes of a market.
enum Changes {
    Levels(Box<LevelChanges>),
    Orders(Box<OrderRowChanges>),
}

impl Changes {
    fn begin(&mut self, market: Option<MarketId>) {
        match self {
            Self::Levels(levels) => levels.begin(market),
            Self::Orders(orders) => orders.begin(market),
        }
    }

    fn note_changes(&mut self, book: &Book, columns: &mut Columns) {
        match self {
            Self::Levels(levels) => {
                levels.read(book, |side, level| columns.put_level(side, &level));
            }
            Self::Orders(orders) => {
                orders.read(book, |side, order| columns.put_order(side, &order));
            }
        }
    }

    fn note_all(&self, columns: &mut Columns) {
        match self {
            Self::Levels(levels) => levels.each(|side, level| columns.put_level(side, &level)),
            Self::Orders(orders) => orders.each(|side, order| columns.put_order(side, &order)),
        }
    }
}

/// Collects the rows of one market while a journal is read into successive cores.
pub struct JournalRows {
    market: String,
    /// Type and index of the market, once a book had the name: later books may have it for another.
    key: Option<(MarketType, u16)>,
    changes: Changes,
    /// The id of the market in the current core, if it has the market.
    id: Option<MarketId>,
    /// The sequence number up to which the rows are.
    seq: Option<u64>,
    /// Whether the snapshot of the current core's book was not collected yet.
    is_whole_due: bool,
    has_rows: bool,
    columns: Columns,
}

impl JournalRows {
    /// Of a market by its key or its name, in any case: its best levels, or all of its orders when `depth_levels` is 0.
    #[must_use]
    pub fn new(market: String, depth_levels: usize) -> Self {
        let changes = match depth_levels {
            0 => Changes::Orders(Box::default()),
            depth => Changes::Levels(Box::new(LevelChanges::new(depth))),
        };
        let columns = Columns::default();
        Self {
            market,
            key: None,
            changes,
            id: None,
            seq: None,
            is_whole_due: true,
            has_rows: false,
            columns,
        }
    }

    /// Starts the book of the next core, which replaces the previous book: rows that the new book
    /// lacks are removed.
    pub fn begin_book(&mut self) {
        self.id = None;
        self.seq = None;
        self.is_whole_due = true;
        self.changes.begin(None);
    }

    /// Whether any of the books had the market.
    #[must_use]
    pub fn has_market(&self) -> bool {
        self.key.is_some()
    }

    /// Reads like `read_to` and collects the rows that each turn changes; for each core also a
    /// snapshot of the book, unless it is rebuilding or still empty. Returns the same as `read_to`,
    /// or [`Step::Full`].
    pub fn read(&mut self, reader: &mut JournalReader, core: &mut Core, until: &Until) -> Step {
        loop {
            self.columns.set_epoch(core.epoch());
            self.note_turn(&core.book, reader.last().moment);
            if self.columns.len() >= JOURNAL_ROWS_AT_ONCE {
                return Step::Full;
            }
            match reader.read_next(core, until) {
                Step::Turn => {}
                step => return step,
            }
        }
    }

    /// Takes the collected rows as columns of equal length: unix milliseconds, slot, sequence
    /// number, kind, price at 1e6, lower 64 bits of the size at 1e9, its upper bits, the epoch's
    /// number, and for orders the maker's number and the order's id. Prices and sizes are the bits of unsigned numbers.
    /// `kind` has 1 for a row of a snapshot, 2 for an ask, 4 for a changed row and 8 for a removed
    /// row: a removed level has size 0, a removed order its last price and size.
    pub fn take(&mut self) -> Vec<Vec<i64>> {
        let Columns { numbers, .. } = &mut self.columns;
        let count = match self.changes {
            Changes::Levels(_) => LEVEL_COLUMNS,
            Changes::Orders(_) => COLUMNS_MAX,
        };
        numbers[..count].iter_mut().map(take).collect()
    }

    /// The epochs by their numbers.
    #[must_use]
    pub fn epochs(&self) -> &[String] {
        &self.columns.epochs
    }

    /// The makers (base58) from this number on.
    #[must_use]
    pub fn makers(&self, first: usize) -> Vec<String> {
        let makers = self.columns.makers.get(first..).unwrap_or_default();
        makers.iter().map(Pubkey::to_string).collect()
    }
}

impl JournalRows {
    fn note_turn(&mut self, book: &Book, at: Moment) {
        if self.id.is_none() {
            self.find_market(book);
        }
        let header = self.id.and_then(|id| book.header(id));
        let turn = match header {
            Some(header) => [header.ts_ms, header.slot.0, header.seq],
            // The core of a new epoch has had no turn yet.
            None if at.ts_ms == 0 => return,
            None => [at.ts_ms, at.slot, 0],
        };
        let [.., seq] = turn;
        let notes_whole = self.is_whole_due && book.state() != FeedState::Rebuilding;
        if self.seq.replace(seq) == Some(seq) && !notes_whole {
            return;
        }
        self.columns.begin_turn(turn);
        self.changes.note_changes(book, &mut self.columns);
        if notes_whole {
            self.note_whole();
        }
        self.has_rows |= self.columns.len() > 0;
    }

    /// Collects a snapshot, after the changed rows that lead to the same book, because some readers
    /// limit a snapshot to the size of the first one. Without earlier rows, changes and snapshot
    /// are the same, so the changes are omitted.
    fn note_whole(&mut self) {
        if !self.has_rows {
            self.columns.clear();
        }
        let before = self.columns.len();
        self.columns.snapshot = SNAPSHOT;
        self.changes.note_all(&mut self.columns);
        self.is_whole_due = self.columns.len() == before;
    }

    fn find_market(&mut self, book: &Book) {
        let found = match self.key {
            Some((market_type, index)) => book.find_market(market_type, index),
            None => book.find_market_by_name(&self.market),
        };
        let Some(info) = found.and_then(|id| book.market(id)) else { return };
        self.key = Some((info.market_type, info.market_index));
        self.id = Some(info.id);
        self.seq = None;
        self.changes.begin(self.id);
    }
}

/// Columns of levels, and of orders.
const LEVEL_COLUMNS: usize = 8;
const COLUMNS_MAX: usize = 10;

/// The rows that were not taken yet.
#[derive(Default)]
struct Columns {
    numbers: [Vec<i64>; COLUMNS_MAX],
    /// The first columns of the rows of a turn: time, slot, sequence number.
    turn: [i64; 3],
    snapshot: i64,
    /// The epochs of rows, in the order of their numbers, and the number of the next rows.
    epochs: Vec<String>,
    epoch: i64,
    makers: Vec<Pubkey>,
    maker_numbers: HashMap<Pubkey, i64>,
}

impl Columns {
    fn len(&self) -> usize {
        self.numbers[0].len()
    }

    fn clear(&mut self) {
        self.numbers.iter_mut().for_each(Vec::clear);
    }

    fn set_epoch(&mut self, epoch: &str) {
        let known = self.epochs.iter().position(|known| known == epoch);
        self.epoch = signed(known.unwrap_or(self.epochs.len()));
        if known.is_none() {
            self.epochs.push(epoch.to_owned());
        }
    }

    fn begin_turn(&mut self, turn: [u64; 3]) {
        self.turn = turn.map(signed);
        self.snapshot = 0;
    }

    fn put_level(&mut self, side: Side, level: &Difference<'_, SourcedLevel>) {
        let (action, price, size) = match level {
            Difference::Came(level) => (CAME, level.price, level.size()),
            Difference::Became(level) => (BECAME, level.price, level.size()),
            Difference::Went(level) => (WENT, level.price, 0),
        };
        self.put_row(side, action, price, size);
    }

    fn put_order(&mut self, side: Side, order: &Difference<'_, OrderLine>) {
        let (action, order) = match order {
            Difference::Came(order) => (CAME, order),
            Difference::Became(order) => (BECAME, order),
            Difference::Went(order) => (WENT, order),
        };
        self.put_row(side, action, order.price, order.size);
        let maker = self.number_of(order.maker);
        let [.., makers, ids] = &mut self.numbers;
        makers.push(maker);
        ids.push(i64::from(order.order_id));
    }

    fn put_row(&mut self, side: Side, action: i64, price: Price, size: u128) {
        let [ts_ms, slot, seq] = self.turn;
        let asks = if side == Side::Ask { ASK } else { 0 };
        let kind = self.snapshot | asks | action;
        let [size_low, size_high] = [size, size >> u64::BITS].map(low_bits);
        let price = low_bits(price.0.into());
        let row = [ts_ms, slot, seq, kind, price, size_low, size_high, self.epoch];
        self.numbers.iter_mut().zip(row).for_each(|(column, number)| column.push(number));
    }

    fn number_of(&mut self, maker: Pubkey) -> i64 {
        let Self { makers, maker_numbers, .. } = self;
        *maker_numbers.entry(maker).or_insert_with(|| {
            makers.push(maker);
            signed(makers.len() as u64 - 1)
        })
    }
}

/// Converts to `i64`; a larger number becomes the maximum, which times, slots, sequence numbers and
/// counts never reach.
fn signed(number: impl TryInto<i64>) -> i64 {
    number.try_into().unwrap_or(i64::MAX)
}

/// Returns the lowest 64 bits unchanged. Prices have 64 bits; the size of a level may have more.
fn low_bits(number: u128) -> i64 {
    let [bytes @ .., _, _, _, _, _, _, _, _] = number.to_le_bytes();
    i64::from_le_bytes(bytes)
}

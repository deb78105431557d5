//! The inputs of a turn, and its end.

use slotbook_book::{Book, EmptyReason, MarketId};
use slotbook_protocol::model::units::Pubkey;

use crate::core::Core;
use crate::intake::{Intake, TurnCounts};
use crate::record::{Record, Records};

/// Bytes of a word of a report.
const WORD_BYTES: usize = 4;

/// Number of words of the turn report before the ids of the changed markets.
const REPORT_HEAD_WORDS: usize = 9;

/// Flag of a market id: the turn changed only quotes.
const QUOTES_ONLY: u32 = 1 << 31;

/// Flag of a market id, set in addition: only indicative quotes changed.
const INDICATIVE_ONLY: u32 = 1 << 30;

impl Core {
    /// Applies a batch of records. Invalid records are counted as problems; the rest of the batch
    /// is applied.
    pub fn apply(&mut self, batch: &[u8]) {
        for record in Records::new(batch) {
            match record.and_then(|record| Ok((record.pubkey()?, record))) {
                Ok((pubkey, record)) => self.apply_record(pubkey, &record),
                Err(fault) => self.problems.note(None, fault),
            }
        }
    }

    fn apply_record(&mut self, pubkey: Pubkey, record: &Record<'_>) {
        let Self { book, counts, problems, log, users, decoder, .. } = self;
        let mut intake = Intake { book, counts, problems, log, users };
        match record.decode(pubkey, decoder) {
            Ok(update) => intake.apply(update),
            Err(fault) => intake.quarantine(record.closed(pubkey), fault),
        }
    }

    pub(crate) fn intake(&mut self) -> Intake<'_> {
        let Self { book, counts, problems, log, users, .. } = self;
        Intake { book, counts, problems, log, users }
    }

    /// Ends the turn of the book and of the log; `ts_ms` is the time of the turn.
    pub fn end_turn(&mut self, ts_ms: u64) {
        self.book.end_turn(ts_ms);
        self.note_market_changes();
        if self.log.is_on() {
            self.log_turn(ts_ms);
        }
    }

    /// Returns the number of 32-bit words that a turn report may need.
    #[must_use]
    pub fn report_words_max(&self) -> usize {
        REPORT_HEAD_WORDS + self.book.market_count()
    }

    /// Writes the turn report, 32-bit words in the machine's byte order: changed, unchanged, stale,
    /// ignored, closed, applied, problems, the number of the market set and the count of changed
    /// markets, then the ids of the changed markets. The highest bit of an id means that only
    /// quotes changed, which only readers that request them get; the next bit, that only indicative
    /// quotes changed. Returns the number of words written: ids without room are omitted; it is 0
    /// when the other words do not fit.
    pub fn write_report(&mut self, report: &mut [u8]) -> usize {
        let (words, _) = report.as_chunks_mut::<WORD_BYTES>();
        let Some((head, ids)) = words.split_first_chunk_mut::<REPORT_HEAD_WORDS>() else {
            return 0;
        };
        let mut dirty = 0;
        for (id, word) in self.book.changed_markets().iter().zip(ids) {
            let mark = match self.book.changed_quotes_only(*id) {
                true if self.book.changed_indicative_only(*id) => QUOTES_ONLY | INDICATIVE_ONLY,
                true => QUOTES_ONLY,
                false => 0,
            };
            *word = (u32::from(id.0) | mark).to_ne_bytes();
            dirty += 1;
        }
        *head = self.report_head(dirty).map(u32::to_ne_bytes);
        REPORT_HEAD_WORDS + dirty
    }

    fn report_head(&mut self, dirty: usize) -> [u32; REPORT_HEAD_WORDS] {
        let counts = std::mem::take(&mut self.counts);
        let TurnCounts { changed, unchanged, stale, ignored, closed } = counts;
        let (applied, problems) = (counts.applied(), self.problems.count());
        let dirty = u32::try_from(dirty).unwrap_or(u32::MAX);
        [changed, unchanged, stale, ignored, closed, applied, problems, self.market_set, dirty]
    }

    /// Grows the number of the market set when the result of `markets` has changed, which is only
    /// possible for markets in which more than quotes changed.
    fn note_market_changes(&mut self) {
        let Self { book, known_markets, .. } = self;
        let mut changed = false;
        for id in book.changed_markets() {
            if book.changed_quotes_only(*id) {
                continue;
            }
            let Some(info) = book.market(*id) else { continue };
            let empty = empty_reason(book, *id);
            match known_markets.get_mut(usize::from(id.0)) {
                Some(known) if known.0 == *info && known.1 == empty => {}
                Some(known) => {
                    *known = (info.clone(), empty);
                    changed = true;
                }
                None => changed = true,
            }
        }
        self.know_new_markets();
        self.market_set = self.market_set.wrapping_add(u32::from(changed));
    }

    /// Notes that all markets may be others.
    pub(crate) fn note_all_markets(&mut self) {
        self.known_markets.clear();
        self.know_new_markets();
        self.market_set = self.market_set.wrapping_add(1);
    }

    fn know_new_markets(&mut self) {
        let rest = self.book.markets().skip(self.known_markets.len());
        let rest = rest.map(|info| (info.clone(), empty_reason(&self.book, info.id)));
        self.known_markets.extend(rest);
    }
}

fn empty_reason(book: &Book, id: MarketId) -> Option<EmptyReason> {
    book.header(id)?.empty_reason
}

//! One market: what its account says, what its oracle says, its ladders, and what turns change.

use slotbook_protocol::enums::MarketStatus;
use slotbook_protocol::units::{OraclePrice, Price, Slot};

use super::account::{Interest, MarketAccount, OracleFields};
use super::amm::{QuoteInputs, Vamm};
use super::quotes::{IndicativePolicy, MarketQuotes, QuoteTerms};
use crate::Side;
use crate::ladder::ladders::Ladders;
use crate::ladder::merged::Merged;
use crate::ladder::offset::OffsetPricing;
use crate::model::hash::HashSum;
use crate::model::market::{EmptyReason, MarketId, MarketInfo, OracleState, PerpStats, SpotStats};
use crate::model::update::Version;

/// What of a market a turn changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Change {
    /// Nothing that is shown.
    Nothing,
    /// Indicative quotes, to readers that request them.
    Indicative,
    /// What the AMM shows to readers that request it, and indicative quotes, which may join it.
    Quotes,
    /// What every reader is shown.
    Book,
}

/// Hashes that follow what a market holds.
#[derive(Debug, Default)]
pub(crate) struct KnownHashes {
    /// Of all open orders of the market, shown or not; while they are kept.
    pub(crate) orders: HashSum,
    /// Of what the account says; `None` when that may have changed since it was made.
    pub(crate) account: Option<u64>,
}

#[derive(Debug)]
pub(crate) struct Market {
    pub(crate) info: MarketInfo,
    pub(crate) oracle_fields: OracleFields,
    pub(crate) interest: Interest,
    /// Of a perp market.
    pub(crate) perp_stats: Option<PerpStats>,
    /// Of a spot market.
    pub(crate) spot_stats: Option<SpotStats>,
    /// Set while the account itself is closed or malformed.
    pub(crate) unusable: Option<EmptyReason>,
    pub(crate) version: Version,
    /// The last good bytes of the account.
    pub(crate) data: Vec<u8>,
    pub(crate) empty: Option<EmptyReason>,
    pub(crate) oracle: OracleState,
    pub(crate) pricing: Option<OffsetPricing>,
    pub(crate) ladders: Ladders,
    pub(crate) hashes: KnownHashes,
    pub(crate) seq: u64,
    pub(crate) ts_ms: u64,
    pub(crate) vamm: Vamm,
    /// What this turn has changed so far.
    pub(crate) dirty: Change,
    /// What the last turn that changed anything changed.
    pub(crate) last_change: Change,
    /// The sides of which this turn has changed orders, or may have.
    pub(crate) dirty_sides: [bool; 2],
    /// By side, the sequence number of the last such turn.
    pub(crate) side_seqs: [u64; 2],
    pub(crate) quotes: MarketQuotes,
}

/// What a new state of a market account changes besides the facts that it shows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccountChange {
    /// Orders may stand in other places.
    pub(crate) places: bool,
    /// Positions may hold other amounts.
    pub(crate) interest: bool,
    /// Another oracle account prices the market.
    pub(crate) oracle: bool,
}

impl Market {
    pub(crate) fn new(info: MarketInfo) -> Self {
        Self {
            info,
            oracle_fields: OracleFields::default(),
            interest: Interest::default(),
            perp_stats: None,
            spot_stats: None,
            unusable: None,
            version: Version::default(),
            data: Vec::new(),
            empty: None,
            oracle: OracleState::MISSING,
            pricing: None,
            ladders: Ladders::new(),
            hashes: KnownHashes::default(),
            seq: 0,
            ts_ms: 0,
            vamm: Vamm::default(),
            dirty: Change::Nothing,
            last_change: Change::Nothing,
            dirty_sides: [false; 2],
            side_seqs: [0; 2],
            quotes: MarketQuotes::default(),
        }
    }

    /// Replaces what the market's account says.
    pub(crate) fn set_account(&mut self, account: MarketAccount) -> AccountChange {
        let MarketAccount { mut info, oracle_fields, interest, amm, perp_stats, spot_stats } =
            account;
        let old = &self.info;
        info.id = old.id;
        let was_reduce_only = self.is_reduce_only();
        let change = AccountChange {
            places: (old.tick, old.step, old.decimals) != (info.tick, info.step, info.decimals)
                || was_reduce_only != (info.status == MarketStatus::ReduceOnly),
            interest: self.interest != interest,
            oracle: (old.oracle, old.oracle_source) != (info.oracle, info.oracle_source),
        };
        self.hashes.account = None;
        self.unusable = None;
        self.info = info;
        self.oracle_fields = oracle_fields;
        self.interest = interest;
        self.perp_stats = perp_stats;
        self.spot_stats = spot_stats;
        if let Some(amm) = amm {
            self.vamm.set_next(amm);
        }
        change
    }

    /// Notes why the account is of no use.
    pub(crate) fn set_unusable(&mut self, reason: Option<EmptyReason>) {
        self.hashes.account = None;
        self.unusable = reason;
    }

    /// Replaces what the AMM is quoted from, and its account by the one of this turn.
    pub(crate) fn replace_quote_inputs(&mut self, inputs: QuoteInputs) {
        if self.vamm.replace_inputs(inputs) {
            self.hashes.account = None;
        }
    }

    /// Copies the bytes that the market's facts were read from.
    pub(crate) fn set_data(&mut self, data: &[u8]) {
        self.data.clear();
        self.data.extend_from_slice(data);
    }

    /// Ends a turn that has changed something shown.
    pub(crate) fn end_turn(&mut self, ts_ms: u64) {
        self.last_change = std::mem::replace(&mut self.dirty, Change::Nothing);
        self.seq += 1;
        self.ts_ms = ts_ms;
        let sides = std::mem::take(&mut self.dirty_sides);
        for (seq, _) in self.side_seqs.iter_mut().zip(sides).filter(|(_, dirty)| *dirty) {
            *seq = self.seq;
        }
    }

    /// What the shown part of a side consists of, best first; nothing while the book is empty by
    /// rule.
    pub(crate) fn merged(&self, side: Side) -> Merged<'_> {
        Merged::new(self.empty.is_none().then_some(&self.ladders), self.pricing, side)
    }

    /// Orders in the ladders that are not shown: all of them while the book is empty by rule, and
    /// those at an oracle offset while there is no price for them.
    pub(crate) fn hidden_orders(&self) -> [usize; 2] {
        match (self.empty, self.pricing) {
            (Some(_), _) => [self.ladders.fixed_orders() + self.ladders.offset_orders(), 0],
            (None, None) => [0, self.ladders.offset_orders()],
            (None, Some(_)) => [0, 0],
        }
    }

    /// Orders that the book shows: those in the ladders that are not hidden.
    pub(crate) fn shown_orders(&self) -> usize {
        let [empty, unpriced] = self.hidden_orders();
        self.ladders.fixed_orders() + self.ladders.offset_orders() - empty - unpriced
    }

    /// Only reduce-only orders show.
    pub(crate) fn is_reduce_only(&self) -> bool {
        self.info.status == MarketStatus::ReduceOnly
    }

    /// The slot of the market account's newest state.
    pub(crate) fn market_slot(&self) -> Slot {
        Slot(self.version.slot)
    }

    /// The price of oracle offsets, while there is one.
    pub(crate) fn oracle_price(&self) -> Option<OraclePrice> {
        self.pricing.map(|pricing| OraclePrice(pricing.oracle))
    }

    /// Makes the levels of the AMM and what is shown of indicative quotes, unless they are made.
    pub(crate) fn make_quotes(&mut self, policy: IndicativePolicy) {
        self.vamm.make_levels(self.info.market_index);
        if self.quotes.derived_at == Some(self.seq) {
            return;
        }
        let best = match policy {
            IndicativePolicy::Join => Side::BOTH.map(|side| self.best_without_quotes(side)),
            IndicativePolicy::Improve => [None, None],
        };
        let terms = QuoteTerms {
            info: &self.info,
            oracle: self.oracle_price(),
            best,
            are_shown: self.empty.is_none() && !self.is_reduce_only(),
        };
        self.quotes.derive(self.seq, &terms);
    }

    fn best_without_quotes(&self, side: Side) -> Option<Price> {
        let vamm = self.vamm.levels(side).first().map(|level| level.price);
        let orders = self.merged(side).first().map(|(price, _)| Price(price));
        let better = |a: Price, b: Price| if side.is_better(b.0, a.0) { b } else { a };
        [orders, vamm].into_iter().flatten().reduce(better)
    }
}

/// The markets that this turn has changed so far, each once.
#[derive(Debug, Default)]
pub(crate) struct DirtyMarkets(pub(crate) Vec<MarketId>);

impl DirtyMarkets {
    /// Notes a change of a market in this turn.
    pub(crate) fn mark(&mut self, market: &mut Market, change: Change) {
        if market.dirty == Change::Nothing {
            self.0.push(market.info.id);
        }
        market.dirty = market.dirty.max(change);
    }

    /// Notes that orders of one side changed.
    pub(crate) fn mark_side(&mut self, market: &mut Market, side: Side) {
        market.dirty_sides[side.index()] = true;
        self.mark(market, Change::Book);
    }

    /// Notes that something shown changed, on whichever side.
    pub(crate) fn mark_book(&mut self, market: &mut Market) {
        market.dirty_sides = [true; 2];
        self.mark(market, Change::Book);
    }
}

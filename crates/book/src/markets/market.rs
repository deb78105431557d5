//! One market: its account, its oracle, its ladders, and its changes in the current turn.

use std::mem::take;

use slotbook_protocol::model::enums::MarketStatus;
use slotbook_protocol::model::units::{OraclePrice, Price, Slot};

use super::account::{Interest, MarketAccount, OracleFields};
use super::amm::{QuoteInputs, Vamm};
use super::quotes::{IndicativePolicy, MarketQuotes, QuoteTerms};
use crate::Side;
use crate::ladder::arena::Place;
use crate::ladder::ladders::Ladders;
use crate::ladder::merged::Merged;
use crate::ladder::offset::OffsetPricing;
use crate::model::hash::HashSum;
use crate::model::market::{EmptyReason, MarketId, MarketInfo, OracleState, PerpStats, SpotStats};
use crate::model::update::Version;

/// How much of a market a turn changes, in ascending order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Change {
    /// No shown value.
    Nothing,
    /// Indicative quotes.
    Indicative,
    /// AMM quotes changed, and possibly indicative quotes, whose prices may depend on them.
    Quotes,
    /// The book.
    Book,
}

/// Cached hashes of a market's contents.
#[derive(Debug, Default)]
pub(crate) struct KnownHashes {
    /// Sum over all open orders of the market, visible or not; maintained once hashing is enabled.
    pub(crate) orders: HashSum,
    /// Hash of the account; `None` when the account may have changed since the hash was computed.
    pub(crate) account: Option<u64>,
}

#[derive(Debug)]
pub(crate) struct Market {
    pub(crate) info: MarketInfo,
    pub(crate) oracle_fields: OracleFields,
    pub(crate) interest: Interest,
    pub(crate) perp_stats: Option<PerpStats>,
    pub(crate) spot_stats: Option<SpotStats>,
    /// The reason why the account is unusable; set while it is closed or malformed.
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
    /// The changes of this turn so far.
    pub(crate) dirty: Change,
    pub(crate) last_change: Change,
    /// For each side, whether this turn may have changed orders.
    pub(crate) dirty_sides: [bool; 2],
    /// For each side, the sequence number of the last turn that may have changed orders.
    pub(crate) side_seqs: [u64; 2],
    pub(crate) quotes: MarketQuotes,
}

/// The consequences of a new market account, in addition to changed facts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccountChange {
    /// Orders may change their places.
    pub(crate) places: bool,
    /// Positions may change their amounts.
    pub(crate) interest: bool,
    /// The oracle account is another one.
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

    /// Replaces the decoded account.
    pub(crate) fn set_account(&mut self, account: MarketAccount) -> AccountChange {
        let MarketAccount { mut info, oracle_fields, interest, amm, perp_stats, spot_stats } =
            account;
        info.id = self.info.id;
        info.symbol = take(&mut self.info.symbol);
        let old = &self.info;
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

    pub(crate) fn set_unusable(&mut self, reason: Option<EmptyReason>) {
        self.hashes.account = None;
        self.unusable = reason;
    }

    /// Replaces the inputs of the AMM quote, and the AMM's account by this turn's account.
    pub(crate) fn replace_quote_inputs(&mut self, inputs: QuoteInputs) {
        if self.vamm.replace_inputs(inputs) {
            self.hashes.account = None;
        }
    }

    /// Copies the bytes that the decoded account was read from.
    pub(crate) fn set_data(&mut self, data: &[u8]) {
        self.data.clear();
        self.data.extend_from_slice(data);
    }

    pub(crate) fn end_turn(&mut self, ts_ms: u64) {
        self.last_change = std::mem::replace(&mut self.dirty, Change::Nothing);
        self.seq += 1;
        self.ts_ms = ts_ms;
        let sides = take(&mut self.dirty_sides);
        for (seq, _) in self.side_seqs.iter_mut().zip(sides).filter(|(_, dirty)| *dirty) {
            *seq = self.seq;
        }
    }

    /// Returns the visible pieces of a side, best first; empty while a rule empties the book.
    pub(crate) fn merged(&self, side: Side) -> Merged<'_> {
        Merged::new(self.empty.is_none().then_some(&self.ladders), self.pricing, side)
    }

    /// Finds the best price of a side again, after a change of its pricing, or of its rule.
    pub(crate) fn find_best(&mut self, side: Side) {
        let ladders = Some(&self.ladders).filter(|_| self.empty.is_none());
        let best = ladders.and_then(|ladders| ladders.find_best(side, self.pricing));
        self.ladders.best[side.index()] = best.map(Price);
    }

    /// Finds the best price again after an order joined or left a ladder, unless the order is worse
    /// than the best one.
    #[inline]
    pub(crate) fn find_best_after(&mut self, place: Place, key: u64) {
        let (side, is_worse) = match place {
            Place::Out(_) | Place::Auction(_) => return,
            Place::Fixed(side) => {
                let best = self.ladders.best[side.index()];
                (side, best.is_some_and(|best| side.is_better(best.0, key)))
            }
            Place::Offset(side) => {
                (side, self.ladders.offset[side.index()].has_better(key.cast_signed()))
            }
        };
        if !is_worse {
            self.find_best(side);
        }
    }

    /// Returns the numbers of hidden orders in the ladders: all orders while a rule empties the
    /// book, and offset orders while there is no oracle price.
    pub(crate) fn hidden_orders(&self) -> [usize; 2] {
        match (self.empty, self.pricing) {
            (Some(_), _) => [self.ladders.fixed_orders() + self.ladders.offset_orders(), 0],
            (None, None) => [0, self.ladders.offset_orders()],
            (None, Some(_)) => [0, 0],
        }
    }

    /// Orders in the ladders that are not hidden.
    pub(crate) fn shown_orders(&self) -> usize {
        let [empty, unpriced] = self.hidden_orders();
        self.ladders.fixed_orders() + self.ladders.offset_orders() - empty - unpriced
    }

    /// Whether only reduce-only orders are shown.
    pub(crate) fn is_reduce_only(&self) -> bool {
        self.info.status == MarketStatus::ReduceOnly
    }

    /// The slot of the market account's newest state.
    pub(crate) fn market_slot(&self) -> Slot {
        Slot(self.version.slot)
    }

    pub(crate) fn oracle_price(&self) -> Option<OraclePrice> {
        self.pricing.map(|pricing| OraclePrice(pricing.oracle))
    }

    /// Computes the AMM levels and the indicative rows, unless they are current.
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
        let better = |a: Price, b: Price| if side.is_better(b.0, a.0) { b } else { a };
        [self.ladders.best[side.index()], vamm].into_iter().flatten().reduce(better)
    }
}

/// The markets that this turn has changed so far, without duplicates.
#[derive(Debug, Default)]
pub(crate) struct DirtyMarkets(pub(crate) Vec<MarketId>);

impl DirtyMarkets {
    pub(crate) fn mark(&mut self, market: &mut Market, change: Change) {
        if market.dirty == Change::Nothing {
            self.0.push(market.info.id);
        }
        market.dirty = market.dirty.max(change);
    }

    /// Records a change of orders on one side.
    pub(crate) fn mark_side(&mut self, market: &mut Market, side: Side) {
        market.dirty_sides[side.index()] = true;
        self.mark(market, Change::Book);
    }

    /// Records a change of the book that may affect both sides.
    pub(crate) fn mark_book(&mut self, market: &mut Market) {
        market.dirty_sides = [true; 2];
        self.mark(market, Change::Book);
    }
}

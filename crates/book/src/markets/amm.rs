//! The levels of a perp market's own automated maker, the AMM.
//!
//! They are a pure function of the market's account, the oracle's reading, the slot and the time as
//! the last turn left them; whether and when anybody reads them changes nothing. A turn that
//! changes a market anyway only notes what it is to be quoted from. A turn in which the time moved
//! quotes the other markets before and after, without their levels, and so finds those that are
//! shown otherwise now. Levels are made when they are asked for, once.

use slotbook_protocol::amm::{
    AmmError, AmmInputs, AmmLevel, AmmQuote, AmmSide, PerpAmm, top_of_book_amounts,
};
use slotbook_protocol::enums::{MarketType, OracleSource};
use slotbook_protocol::market::perp_operation;
use slotbook_protocol::state::exchange_status;

use crate::Side;
use crate::book::Book;
use crate::limits::{VAMM_LEVELS, VAMM_ORACLE_SLOTS_MAX};
use crate::markets::market::Market;
use crate::model::market::EmptyReason;
use crate::model::market::MarketId;
use crate::model::rows::Level;

/// Why the AMM of a perp market is not in the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum VammExclusion {
    /// The market's AMM does not fill.
    AmmFillPaused,
    /// No AMM of the exchange fills.
    ExchangeAmmPaused,
    /// Nothing fills in the market or on the exchange.
    FillsPaused,
    /// The market's status, its expiry or its account lets nothing fill.
    MarketNotFillable,
    /// The oracle's price is older than [`VAMM_ORACLE_SLOTS_MAX`].
    OracleStale,
    /// There is no oracle's price.
    OracleMissing,
    /// The account has no curve.
    NoCurve,
    /// The account's numbers have no quote.
    Failed,
}

impl VammExclusion {
    /// The name used in answers.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::AmmFillPaused => "ammFillPaused",
            Self::ExchangeAmmPaused => "exchangeAmmPaused",
            Self::FillsPaused => "fillsPaused",
            Self::MarketNotFillable => "marketNotFillable",
            Self::OracleStale => "oracleStale",
            Self::OracleMissing => "oracleMissing",
            Self::NoCurve => "noCurve",
            Self::Failed => "failed",
        }
    }
}

/// What of a market a turn changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Change {
    /// Nothing that is shown.
    Nothing,
    /// Indicative quotes, to those who ask for them.
    Indicative,
    /// What the AMM shows to those who ask for it, and indicative quotes, which may join it.
    Quotes,
    /// What everybody is shown.
    Book,
}

impl Book {
    /// Makes a market's quotes as of the last turn, unless they are made. To be called before they
    /// are read.
    pub fn refresh_quotes(&mut self, id: MarketId) {
        let Some(market) = self.markets.get_mut(id.index()) else { return };
        market.vamm.make_levels(market.info.market_index);
        self.refresh_indicative(id);
    }

    /// The levels of the market's AMM on a side, best first, as of the last turn. Nothing until
    /// [`Book::refresh_quotes`], for spot markets, and while the AMM is not in the book.
    #[must_use]
    pub fn vamm_levels(&self, id: MarketId, side: Side) -> &[Level] {
        self.markets.get(id.index()).map_or(&[], |market| market.vamm.levels(side))
    }

    /// Whether the AMM of a perp market is in the book as of the last turn, and why not: its levels
    /// are made for it, because not every quote has some. `None` for a spot market, which has no
    /// AMM, and an unknown one.
    pub fn vamm_state(&mut self, id: MarketId) -> Option<Result<(), VammExclusion>> {
        let market = self.markets.get_mut(id.index())?;
        market.vamm.make_levels(market.info.market_index);
        market.vamm.made
    }

    /// The quote of a perp market's AMM as of the last turn. `None` for a spot market and an unknown
    /// one.
    #[must_use]
    pub fn vamm_quote(&self, id: MarketId) -> Option<Result<AmmQuote, VammExclusion>> {
        let vamm = &self.markets.get(id.index())?.vamm;
        vamm.amm.as_ref().map(|_| vamm.quote())
    }

    /// The AMM of a perp market as its account stores it, and what it is quoted from as of the last
    /// turn, or why it is not. `None` for a spot market and an unknown one.
    #[must_use]
    pub fn vamm_account(
        &self,
        id: MarketId,
    ) -> Option<(&PerpAmm, Result<AmmInputs, VammExclusion>)> {
        let vamm = &self.markets.get(id.index())?.vamm;
        Some((vamm.amm.as_deref()?, vamm.moment))
    }

    /// Whether the turn that changed this market last changed nothing of it but its quotes, of
    /// whichever kind.
    #[must_use]
    pub fn changed_quotes_only(&self, id: MarketId) -> bool {
        self.changed_indicative_only(id)
            || self.markets.get(id.index()).is_some_and(|market| market.turned == Change::Quotes)
    }

    /// Whether the turn that changed this market last changed nothing of it but its indicative
    /// quotes.
    #[must_use]
    pub fn changed_indicative_only(&self, id: MarketId) -> bool {
        self.markets.get(id.index()).is_some_and(|market| market.turned == Change::Indicative)
    }

    /// Notes that the AMM of a market is shown otherwise from this turn on.
    fn touch_vamm(&mut self, id: MarketId) {
        self.note(id, Change::Quotes);
    }

    /// Notes that indicative quotes of a market changed in this turn.
    pub(crate) fn touch_indicative(&mut self, id: MarketId) {
        self.note(id, Change::Indicative);
    }

    fn note(&mut self, id: MarketId, change: Change) {
        let market = &mut self.markets[id.index()];
        if market.dirty == Change::Nothing {
            self.dirty.push(id);
        }
        market.dirty = market.dirty.max(change);
    }

    /// Quotes all markets from what this turn left. Those that the turn changes for everybody are
    /// only told what to be quoted from.
    pub(crate) fn turn_quotes(&mut self) {
        if std::mem::take(&mut self.quotes_may_move) {
            for number in 0..self.markets.len() {
                let market = &self.markets[number];
                if market.vamm.amm.is_none() || market.dirty == Change::Book {
                    continue;
                }
                let moment = self.vamm_moment(market);
                let market = &mut self.markets[number];
                if market.vamm.move_to(moment) {
                    let id = market.info.id;
                    self.touch_vamm(id);
                }
            }
        }
        for at in 0..self.dirty.len() {
            let number = self.dirty[at].index();
            let market = &self.markets[number];
            if market.dirty == Change::Book && market.info.market_type == MarketType::Perp {
                let moment = self.vamm_moment(market);
                self.markets[number].vamm.begin(moment);
            }
        }
    }

    /// What the market's AMM is quoted from now. The reading that prices the AMM is the one that
    /// prices the orders.
    fn vamm_moment(&self, market: &Market) -> Moment {
        if let Some(reason) = market.empty {
            return Err(of_empty(reason));
        }
        if self.exchange_status & exchange_status::AMM_PAUSED != 0 {
            return Err(VammExclusion::ExchangeAmmPaused);
        }
        if market.info.paused_operations & perp_operation::AMM_FILL != 0 {
            return Err(VammExclusion::AmmFillPaused);
        }
        let oracle = market.oracle.mm.ok_or(VammExclusion::OracleMissing)?;
        let is_prelaunch = market.info.oracle_source == OracleSource::Prelaunch;
        let age_slots = self.slot.0.saturating_sub(oracle.slot.0);
        if age_slots > VAMM_ORACLE_SLOTS_MAX && !is_prelaunch {
            return Err(VammExclusion::OracleStale);
        }
        Ok(AmmInputs {
            oracle_price: oracle.price.0,
            oracle_confidence: oracle.confidence,
            oracle_slot: oracle.slot.0,
            now: self.now.0,
            slot: self.slot.0,
        })
    }
}

fn of_empty(reason: EmptyReason) -> VammExclusion {
    match reason {
        EmptyReason::MarketFillPaused | EmptyReason::ExchangeFillPaused => {
            VammExclusion::FillsPaused
        }
        EmptyReason::MarketStatus
        | EmptyReason::MarketExpired
        | EmptyReason::MarketMalformed
        | EmptyReason::MarketClosed => VammExclusion::MarketNotFillable,
    }
}

/// What an AMM is quoted from beside its account, or why it is not.
type Moment = Result<AmmInputs, VammExclusion>;

/// A quote, or why there is none.
type Quote = Result<AmmQuote, VammExclusion>;

/// The AMM of one market.
#[derive(Debug)]
pub(crate) struct Vamm {
    /// As of the last turn; `None` in a spot market.
    amm: Option<Box<PerpAmm>>,
    /// What an account said since.
    next: Option<Box<PerpAmm>>,
    moment: Moment,
    /// The quote of the moment, once it was needed.
    quote: Option<Quote>,
    /// Whether there are levels of the moment, once they were asked for. What is made for a reader
    /// must not decide what a turn changes: that is why this is no part of the quote.
    made: Option<Result<(), VammExclusion>>,
    levels: [Vec<Level>; 2],
    chunks: Vec<AmmLevel>,
}

impl Default for Vamm {
    fn default() -> Self {
        Self {
            amm: None,
            next: None,
            moment: Err(VammExclusion::OracleMissing),
            quote: None,
            made: None,
            levels: Default::default(),
            chunks: Vec::new(),
        }
    }
}

impl Vamm {
    /// Takes over what an account says, from the end of this turn on.
    pub(crate) fn set(&mut self, amm: PerpAmm) {
        match &mut self.next {
            Some(next) => **next = amm,
            None => self.next = Some(Box::new(amm)),
        }
    }

    /// Begins a moment that is another for everybody. What was made stays where nothing is other that
    /// it is made from: most of these turns are of orders.
    fn begin(&mut self, moment: Moment) {
        let next = self.next.take();
        if self.moment == moment && next.as_ref().is_none_or(|next| Some(next) == self.amm.as_ref())
        {
            return;
        }
        if next.is_some() {
            self.amm = next;
        }
        self.moment = moment;
        self.quote = None;
        self.made = None;
    }

    /// Goes on to the next moment; answers whether that shows other levels.
    fn move_to(&mut self, moment: Moment) -> bool {
        if self.moment == moment {
            return false;
        }
        let before = self.quote();
        self.moment = moment;
        self.quote = None;
        let after = self.quote();
        self.quote = Some(after);
        let is_same = match (&before, &after) {
            (Ok(before), Ok(after)) => same_levels(before, after),
            (Err(before), Err(after)) => before == after,
            _ => false,
        };
        if !is_same {
            self.made = None;
        }
        !is_same
    }

    fn quote(&self) -> Quote {
        if let Some(quote) = self.quote {
            return quote;
        }
        let (amm, inputs) = (self.amm.as_deref(), self.moment?);
        quote_of(amm.ok_or(VammExclusion::NoCurve)?, &inputs)
    }

    fn levels(&self, side: Side) -> &[Level] {
        match self.made {
            Some(Ok(())) => &self.levels[side.index()],
            _ => &[],
        }
    }

    fn make_levels(&mut self, market_index: u16) {
        if self.made.is_some() || self.amm.is_none() {
            return;
        }
        let quote = self.quote();
        self.quote = Some(quote);
        let made = quote.and_then(|quote| {
            let sides = Side::BOTH.into_iter().zip(&mut self.levels);
            for (side, levels) in sides {
                let top_of_book = &top_of_book_amounts(market_index);
                let cut = AmmCut { chunks_max: VAMM_LEVELS, top_of_book };
                let made = cut.levels(&quote, side, (&mut self.chunks, levels));
                made.map_err(|_| VammExclusion::Failed)?;
            }
            Ok(())
        });
        self.made = Some(made);
    }
}

fn quote_of(amm: &PerpAmm, inputs: &AmmInputs) -> Quote {
    let curve = [amm.base_asset_reserve, amm.quote_asset_reserve, amm.sqrt_k, amm.peg_multiplier];
    if curve.contains(&0) {
        return Err(VammExclusion::NoCurve);
    }
    AmmQuote::of(amm, inputs).map_err(|error| match error {
        AmmError::OraclePrice => VammExclusion::OracleMissing,
        AmmError::Overflow | AmmError::DivisionByZero => VammExclusion::Failed,
    })
}

/// Whether two quotes of one account at one oracle's price have the same levels.
fn same_levels(a: &AmmQuote, b: &AmmQuote) -> bool {
    let of = |quote: &AmmQuote| {
        [AmmSide::Bid, AmmSide::Ask].map(|side| (*quote.reserves(side), quote.liquidity(side)))
    };
    of(a) == of(b)
}

/// How an AMM's liquidity is cut up.
#[derive(Clone, Copy, Debug)]
pub struct AmmCut<'a> {
    /// Chunks of a side at most.
    pub chunks_max: usize,
    /// What the first chunks are worth, in quote at 1e6.
    pub top_of_book: &'a [u64],
}

impl AmmCut<'_> {
    /// Replaces `levels` by those of a side of a quote, best first; equal prices are one level.
    ///
    /// # Errors
    /// As [`AmmQuote::levels`].
    pub fn levels(
        &self,
        quote: &AmmQuote,
        side: Side,
        (chunks, levels): (&mut Vec<AmmLevel>, &mut Vec<Level>),
    ) -> Result<(), AmmError> {
        quote.levels(amm_side(side), self.chunks_max, self.top_of_book, chunks)?;
        merge(side, chunks, levels);
        Ok(())
    }
}

fn amm_side(side: Side) -> AmmSide {
    match side {
        Side::Bid => AmmSide::Bid,
        Side::Ask => AmmSide::Ask,
    }
}

/// Makes levels of chunks: best first, equal prices are one. The curve makes later chunks worse, but
/// the price of one of very few units is rounded so much that it may stand out of its place. A
/// price of 0 is none.
fn merge(side: Side, chunks: &mut [AmmLevel], levels: &mut Vec<Level>) {
    levels.clear();
    let is_sorted = chunks.is_sorted_by(|a, b| !side.is_better(b.price.0, a.price.0));
    if !is_sorted {
        chunks.sort_by_key(|chunk| if side == Side::Bid { !chunk.price.0 } else { chunk.price.0 });
    }
    for AmmLevel { price, size } in chunks.iter().filter(|chunk| chunk.price.0 > 0) {
        let size = u128::from(*size);
        match levels.last_mut() {
            Some(last) if last.price == *price => last.size += size,
            _ => levels.push(Level { price: *price, size, order_count: 0 }),
        }
    }
}

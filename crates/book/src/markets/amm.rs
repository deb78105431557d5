//! The levels of a perp market's AMM.
//!
//! The levels are a pure function of the market's account, the oracle reading, the slot and the
//! time as of the last turn; reading them changes nothing. A turn that changes a market's book only
//! replaces the inputs of its quote. A turn that moves the time compares the quotes of the other
//! markets before and after, without computing levels, to find the markets whose levels differ.
//! Levels are computed on the first request.

use slotbook_protocol::model::amm::{
    AmmError, AmmInputs, AmmLevel, AmmQuote, AmmSide, PerpAmm, top_of_book_amounts,
};

use crate::limits::VAMM_LEVELS;
use crate::model::market::EmptyReason;
use crate::{Level, Side};

/// The reason why a perp market's AMM is excluded from the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum VammExclusion {
    /// AMM fills are paused in this market.
    AmmFillPaused,
    /// AMM fills are paused on the exchange.
    ExchangeAmmPaused,
    /// Fills are paused in the market or on the exchange.
    FillsPaused,
    /// The market's status, expiry or account prevents fills.
    MarketNotFillable,
    /// The oracle's price is older than [`crate::limits::VAMM_ORACLE_AGE_MS_MAX`].
    OracleStale,
    /// There is no oracle price.
    OracleMissing,
    /// The account has no liquidity curve.
    NoCurve,
    /// Computing the quote overflows or fails.
    Failed,
}

impl VammExclusion {
    /// The name in response bodies.
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

impl From<EmptyReason> for VammExclusion {
    fn from(reason: EmptyReason) -> Self {
        match reason {
            EmptyReason::MarketFillPaused | EmptyReason::ExchangeFillPaused => Self::FillsPaused,
            EmptyReason::MarketStatus
            | EmptyReason::MarketExpired
            | EmptyReason::MarketMalformed
            | EmptyReason::MarketClosed
            | EmptyReason::SpotNotTraded
            | EmptyReason::OrdersOnClob => Self::MarketNotFillable,
        }
    }
}

/// The inputs of an AMM quote in addition to its account, or the reason for its exclusion.
pub(crate) type QuoteInputs = Result<AmmInputs, VammExclusion>;

/// An AMM quote, or the reason why there is none.
pub(crate) type Quote = Result<AmmQuote, VammExclusion>;

/// The AMM of one market.
#[derive(Debug)]
pub(crate) struct Vamm {
    /// The account as of the last turn; `None` in a spot market.
    amm: Option<Box<PerpAmm>>,
    /// The newer state of the account, used from the end of this turn.
    next: Option<Box<PerpAmm>>,
    inputs: QuoteInputs,
    /// The quote for the inputs, computed on demand.
    quote: Option<Quote>,
    /// Whether the inputs give levels, computed on demand. Readers fill this cache, so it must not
    /// influence whether a turn changes the market: it is separate from the quote.
    made: Option<Result<(), VammExclusion>>,
    levels: [Vec<Level>; 2],
    chunks: Vec<AmmLevel>,
}

impl Default for Vamm {
    fn default() -> Self {
        Self {
            amm: None,
            next: None,
            inputs: Err(VammExclusion::OracleMissing),
            quote: None,
            made: None,
            levels: Default::default(),
            chunks: Vec::new(),
        }
    }
}

impl Vamm {
    /// Sets the account's state, used from the end of this turn.
    pub(crate) fn set_next(&mut self, amm: PerpAmm) {
        match &mut self.next {
            Some(next) => **next = amm,
            None => self.next = Some(Box::new(amm)),
        }
    }

    /// The account as of the last turn; `None` in a spot market.
    pub(crate) fn account(&self) -> Option<&PerpAmm> {
        self.amm.as_deref()
    }

    /// The inputs of the AMM quote as of the last turn.
    pub(crate) fn inputs(&self) -> QuoteInputs {
        self.inputs
    }

    /// Replaces account and inputs in a turn that changes the market's book. Levels stay when both
    /// are equal, because most of these turns only change orders. Returns whether the account
    /// differs.
    pub(crate) fn replace_inputs(&mut self, inputs: QuoteInputs) -> bool {
        let next = self.next.take().filter(|next| Some(next) != self.amm.as_ref());
        let has_next = next.is_some();
        if self.inputs == inputs && !has_next {
            return false;
        }
        if has_next {
            self.amm = next;
        }
        self.inputs = inputs;
        self.quote = None;
        self.made = None;
        has_next
    }

    /// Replaces the inputs of the quote; the account stays. Returns whether the levels changed.
    pub(crate) fn move_inputs(&mut self, inputs: QuoteInputs) -> bool {
        if self.inputs == inputs {
            return false;
        }
        let before = self.quote();
        self.inputs = inputs;
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

    pub(crate) fn quote(&self) -> Quote {
        if let Some(quote) = self.quote {
            return quote;
        }
        let inputs = self.inputs?;
        quote_of(self.account().ok_or(VammExclusion::NoCurve)?, &inputs)
    }

    pub(crate) fn levels(&self, side: Side) -> &[Level] {
        match self.made {
            Some(Ok(())) => &self.levels[side.index()],
            _ => &[],
        }
    }

    /// Computes the levels for the inputs on the first call; returns whether there are levels.
    /// `None` in a spot market.
    pub(crate) fn make_levels(&mut self, market_index: u16) -> Option<Result<(), VammExclusion>> {
        let Some(program) = self.amm.as_ref().map(|amm| amm.program) else { return self.made };
        if self.made.is_some() {
            return self.made;
        }
        let quote = self.quote();
        self.quote = Some(quote);
        let top_of_book = &top_of_book_amounts(program, market_index);
        let cut = AmmCut { chunks_max: VAMM_LEVELS, top_of_book };
        self.made = Some(quote.and_then(|quote| {
            for (side, levels) in Side::BOTH.into_iter().zip(&mut self.levels) {
                let made = cut.levels(&quote, side, &mut self.chunks, levels);
                made.map_err(|_| VammExclusion::Failed)?;
            }
            Ok(())
        }));
        self.made
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

/// Returns whether two quotes of one account at the same oracle price have the same levels.
fn same_levels(a: &AmmQuote, b: &AmmQuote) -> bool {
    let of = |quote: &AmmQuote| {
        [AmmSide::Bid, AmmSide::Ask].map(|side| (*quote.reserves(side), quote.liquidity(side)))
    };
    of(a) == of(b)
}

/// Parameters of the split of an AMM's liquidity into levels.
#[derive(Clone, Copy, Debug)]
pub struct AmmCut<'a> {
    /// Maximum chunks of a side.
    pub chunks_max: usize,
    /// Values of the first chunks, which are at the top of the book, in quote at 1e6.
    pub top_of_book: &'a [u64],
}

impl AmmCut<'_> {
    /// Replaces `levels` by one side of a quote, best first, with equal prices merged.
    ///
    /// # Errors
    /// As [`AmmQuote::levels`].
    pub fn levels(
        &self,
        quote: &AmmQuote,
        side: Side,
        chunks: &mut Vec<AmmLevel>,
        levels: &mut Vec<Level>,
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

/// Merges chunks to levels: best first, equal prices merged, price 0 omitted. Later chunks of the
/// curve have worse prices, except that rounding may misplace the price of a chunk of very few
/// units.
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

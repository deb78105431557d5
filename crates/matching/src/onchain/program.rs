//! The program's fill of one perp order, step by step, on plain values.
//!
//! Margin checks, open interest and rewards of fillers are not simulated.
//! [`Fills::is_within_bands`] checks the price of the whole fill.

use core::fmt;

use slotbook_protocol::model::Program;
use slotbook_protocol::model::amm::jit::JitMatch;
use slotbook_protocol::model::amm::{AmmError, PerpAmm};
use slotbook_protocol::model::enums::Direction;
use slotbook_protocol::model::error::ProtocolError;
use slotbook_protocol::model::fees::{
    FeeTier, FillFees, TakerTerms, builder_fee, fill_fees, maker_rebate,
};
use slotbook_protocol::model::fill::{match_fill, quote_for_maker};
use slotbook_protocol::model::order::Order;
use slotbook_protocol::model::price::{PriceError, limit_price_program, standardize_base};
use slotbook_protocol::model::units::{BaseQty, PRICE_PRECISION, Price, Pubkey, QuoteQty};

use super::makers::{MakerList, MakerOrder, Moment, Ranked};
use super::methods::{Method, Plan, is_better};

/// Decimals of a perp's base.
const PERP_DECIMALS: u32 = 9;

/// Units of a perp's base of one.
const BASE_UNITS: u128 = 1_000_000_000;

/// The ratio 1 in the unit of the margin ratio, which limits the distance between a fill's price
/// and the oracle price.
const MARGIN_PRECISION: u128 = 10_000;

/// Maximum distance between a fill's price and the oracle's five-minute average, 1e6: 50 %.
const TWAP_DIVERGENCE_MAX: u128 = 500_000;

/// The inputs of a perp fill.
#[derive(Clone, Copy, Debug)]
pub struct Request<'a> {
    /// The taker's user account.
    pub taker_key: Pubkey,
    /// The taker's order.
    pub taker: Order,
    /// The taker's signed position in the market, 1e9.
    pub taker_position: i64,
    /// The fee terms of the taker.
    pub terms: TakerTerms,
    /// The fee tier of makers.
    pub maker_tier: FeeTier,
    /// Orders of the makers, sorted by account address and slot.
    pub makers: &'a [MakerOrder],
    /// The AMM with its current spreads.
    pub amm: PerpAmm,
    /// Whether the AMM may fill on its own, in addition to its share of matches.
    pub is_amm_available: bool,
    /// Slot, clock, oracle and the market's grid.
    pub moment: Moment,
}

/// The source of a fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// The AMM, on its curve.
    Amm,
    /// The AMM's share of a match, at the maker's price.
    AmmJit,
    /// The order of a maker, by its index in the input.
    Maker(usize),
}

/// One fill.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ProgramFill {
    /// The source.
    pub source: Source,
    /// The maker's price, 1e6; `None` for the AMM's curve.
    pub price: Option<Price>,
    /// Base filled, 1e9.
    pub base: BaseQty,
    /// Quote filled, 1e6.
    pub quote: QuoteQty,
    /// The fees of each party. A post-only taker receives the rebate of the fill.
    pub fees: FillFees,
}

/// The result of a fill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fills {
    /// The taker's worst price; `None` for no limit.
    pub limit_price: Option<Price>,
    /// The makers' orders.
    pub makers: MakerList,
    /// The plan.
    pub methods: Vec<Method>,
    /// The fills, in order.
    pub fills: Vec<ProgramFill>,
    /// The AMM after the fills.
    pub amm: PerpAmm,
    /// The filled base of the taker's order, including earlier fills.
    pub taker_filled: BaseQty,
}

/// The reason why the whole fill fails on chain: a failed fill has no effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FillError {
    /// The taker's price is not defined.
    Price(PriceError),
    /// An AMM number overflows.
    Amm(AmmError),
    /// A fee or an amount overflows.
    Amount(ProtocolError),
    /// The price of a fill would be worse than the taker's limit.
    WorseThanLimit,
}

impl fmt::Display for FillError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Price(error) => error.fmt(out),
            Self::Amm(error) => error.fmt(out),
            Self::Amount(error) => error.fmt(out),
            Self::WorseThanLimit => out.write_str("a fill was worse than the order's limit"),
        }
    }
}

impl core::error::Error for FillError {}

impl From<PriceError> for FillError {
    fn from(error: PriceError) -> Self {
        Self::Price(error)
    }
}

impl From<AmmError> for FillError {
    fn from(error: AmmError) -> Self {
        Self::Amm(error)
    }
}

impl From<ProtocolError> for FillError {
    fn from(error: ProtocolError) -> Self {
        Self::Amount(error)
    }
}

/// Fills a perp order: ranks the makers, determines the steps, and executes them until the order is
/// full.
///
/// # Errors
/// [`FillError`] when a step fails, for which the transaction on chain fails too.
///
/// Source: programs/drift/src/controller/orders.rs `fulfill_perp_order`.
pub fn fill(request: &Request<'_>) -> Result<Fills, FillError> {
    let Request { taker, moment, amm, .. } = request;
    let limit_price = limit_price_program(
        taker,
        &moment.clock,
        moment.tick,
        Some(moment.oracle),
        None,
        moment.is_prediction,
        None,
    )?;
    let makers = MakerList::of(request.taker_key, taker, request.makers, moment);
    let reserve_price = amm.reserves().price();
    let amm_price = match request.is_amm_available {
        true => Some(amm.price_for(reserve_price?, taker.direction)?),
        false => None,
    };
    let methods = Plan {
        direction: taker.direction,
        post_only: taker.post_only,
        limit: limit_price,
        amm: amm_price,
        makers: &makers.ranked,
    }
    .methods();
    let mut run = Run::new(request, limit_price, reserve_price.ok());
    for method in &methods {
        if run.taker.unfilled() == BaseQty(0) {
            break;
        }
        match method {
            Method::Amm(cap) => run.fill_from_amm(*cap)?,
            Method::Match(maker) => run.fill_from_maker(*maker)?,
        }
    }
    let Run { fills, amm, taker, .. } = run;
    let taker_filled = taker.base_asset_amount_filled;
    Ok(Fills { limit_price, makers, methods, fills, amm, taker_filled })
}

/// State of a running fill.
struct Run<'a> {
    request: &'a Request<'a>,
    limit: Option<Price>,
    reserve_price: Option<Price>,
    taker: Order,
    taker_position: i64,
    amm: PerpAmm,
    /// Base filled so far, by input order.
    filled: Vec<u64>,
    fills: Vec<ProgramFill>,
}

impl<'a> Run<'a> {
    fn new(request: &'a Request<'a>, limit: Option<Price>, reserve_price: Option<Price>) -> Self {
        Self {
            request,
            limit,
            reserve_price,
            taker: request.taker,
            taker_position: request.taker_position,
            amm: request.amm,
            filled: vec![0; request.makers.len()],
            fills: Vec::new(),
        }
    }

    /// Returns the remaining fillable size of the taker's order, given the current position.
    fn taker_wants(&self) -> BaseQty {
        self.taker.unfilled_for_position(self.taker_position)
    }

    /// Fills from the AMM on its curve, up to a price. Source:
    /// programs/drift/src/controller/orders.rs `fulfill_perp_order_with_amm`,
    /// programs/drift/src/math/orders.rs `calculate_base_asset_amount_for_amm_to_fulfill`.
    fn fill_from_amm(&mut self, cap: Option<Price>) -> Result<(), FillError> {
        let direction = self.taker.direction;
        let limit = cap.or(self.limit);
        let mut base = self.taker_wants();
        if let Some(limit) = limit {
            base = base.min(self.amm.base_up_to(direction, self.with_rebate_buffer(limit)?)?);
        }
        let base = standardize_base(base, BaseQty(self.amm.order_step_size))
            .min(self.amm.available_liquidity(direction)?);
        let own_price = limit.filter(|_| self.taker.post_only);
        self.take_from_amm(base, limit, own_price, Source::Amm)
    }

    /// Returns a post-only taker's limit less the rebate: the AMM's price must leave the rebate as
    /// a margin. Source: programs/drift/src/math/orders.rs `calculate_limit_price_with_buffer`.
    fn with_rebate_buffer(&self, limit: Price) -> Result<Price, FillError> {
        if !self.taker.post_only {
            return Ok(limit);
        }
        let Request { terms, amm, .. } = self.request;
        let buffer = maker_rebate(QuoteQty(limit.0), &terms.tier, amm.fee_adjustment)?.0;
        let moved = match self.taker.direction {
            Direction::Long => limit.0.checked_sub(buffer),
            Direction::Short => limit.0.checked_add(buffer),
        };
        Ok(Price(moved.ok_or(AmmError::Overflow)?))
    }

    /// Takes base from the AMM within a limit, at the given price or at the curve's price. Amounts
    /// below the AMM's minimum are skipped.
    fn take_from_amm(
        &mut self,
        base: BaseQty,
        limit: Option<Price>,
        price: Option<Price>,
        source: Source,
    ) -> Result<(), FillError> {
        if base < self.least_from_amm() || base.0 == 0 {
            return Ok(());
        }
        let direction = self.taker.direction;
        let on_curve = QuoteQty(self.amm.fill(direction, base)?);
        let quote = match price {
            // The AMM keeps the price improvement over the curve, rounded down.
            Some(price) => quote_for_maker(base, price, PERP_DECIMALS, Direction::Long)?,
            None => on_curve,
        };
        if let Some(limit) = limit.filter(|_| !self.taker.post_only) {
            self.check_price(base, quote, limit)?;
        }
        let fees = if self.taker.post_only {
            self.own_rebate(quote)?
        } else {
            fill_fees(quote, &self.request.terms, None, self.amm.fee_adjustment, None)?
        };
        self.note(ProgramFill { source, price, base, quote, fees });
        Ok(())
    }

    /// The AMM's minimum fill: the minimum order size, or one step where the order may close a
    /// smaller position. Velocity has none.
    fn least_from_amm(&self) -> BaseQty {
        if self.amm.program == Program::Velocity {
            return BaseQty(0);
        }
        let is_large = self.taker_position.unsigned_abs() > self.amm.min_order_size;
        let least = match !self.taker.reduce_only && is_large {
            true => self.amm.min_order_size,
            false => self.amm.order_step_size,
        };
        BaseQty(least)
    }

    /// Returns the fees of a post-only taker, who pays no fee and gets the rebate. Source:
    /// programs/drift/src/math/fees.rs `calculate_fee_for_fulfillment_with_amm`.
    fn own_rebate(&self, quote: QuoteQty) -> Result<FillFees, FillError> {
        let terms = &self.request.terms;
        Ok(FillFees {
            maker_rebate: maker_rebate(quote, &terms.tier, self.amm.fee_adjustment)?,
            builder_fee: terms.builder_fee_tenth_bps.map(|tenths| builder_fee(quote, tenths)),
            ..FillFees::default()
        })
    }

    /// Matches a maker's order, after the AMM took its share of the match. Source:
    /// programs/drift/src/controller/orders.rs `fulfill_perp_order_with_match`.
    fn fill_from_maker(&mut self, maker: Ranked) -> Result<(), FillError> {
        let direction = self.taker.direction;
        let side = direction.opposite();
        let taker_price = self.taker_price()?;
        let taker_price = taker_price.unwrap_or(maker.price);
        if is_better(direction, taker_price, maker.price) {
            return Ok(());
        }
        let offered = self.offered(maker.index);
        if offered.min(self.taker_wants()) == BaseQty(0) {
            return Ok(());
        }
        let share = self.amm.jit_share(&JitMatch {
            taker: direction,
            taker_has_limit: self.taker.has_limit_price(&self.request.moment.clock),
            taker_base: self.taker_wants(),
            maker_base: offered,
            price: maker.price,
            oracle_price: self.request.moment.oracle.0,
        })?;
        self.take_from_amm(share, Some(maker.price), Some(maker.price), Source::AmmJit)?;
        let wanted = self.taker_wants();
        let (base, quote) = match_fill(offered, wanted, maker.price, PERP_DECIMALS, side)?;
        if base.0 == 0 {
            return Ok(());
        }
        self.check_price(base, quote, taker_price)?;
        let Request { terms, maker_tier, .. } = self.request;
        let fees = fill_fees(quote, terms, Some(maker_tier), self.amm.fee_adjustment, None)?;
        self.filled[maker.index] = self.filled[maker.index].saturating_add(base.0);
        let source = Source::Maker(maker.index);
        self.note(ProgramFill { source, price: Some(maker.price), base, quote, fees });
        Ok(())
    }

    /// Returns the taker's limit; without a limit, the program's fallback, a price slightly worse
    /// for the taker than the AMM's. `None` without a curve.
    fn taker_price(&self) -> Result<Option<Price>, FillError> {
        let (None, Some(reserve_price)) = (self.limit, self.reserve_price) else {
            return Ok(self.limit);
        };
        let moment = &self.request.moment;
        let seconds_left = self.taker.max_ts.0.saturating_sub(moment.now.0).max(0);
        let (direction, oracle) = (self.taker.direction, moment.oracle.0);
        Ok(Some(self.amm.fallback_price(direction, reserve_price, oracle, seconds_left)?))
    }

    /// Returns the remaining fillable size of a maker's order: all orders of one account share its
    /// position.
    fn offered(&self, index: usize) -> BaseQty {
        let maker = &self.request.makers[index];
        let position = self.position_of(maker);
        let filled = maker.order.base_asset_amount_filled.0.saturating_add(self.filled[index]);
        Order { base_asset_amount_filled: BaseQty(filled), ..maker.order }
            .unfilled_for_position(position)
    }

    fn position_of(&self, maker: &MakerOrder) -> i64 {
        let orders = self.request.makers.iter().zip(&self.filled);
        orders
            .filter(|(other, _)| other.key == maker.key)
            .fold(maker.position, |position, (other, filled)| {
                moved(position, other.order.direction, BaseQty(*filled))
            })
    }

    /// Checks that the quote per base is not worse than a price; a difference of one unit of quote
    /// is rounding. Source: programs/drift/src/math/orders.rs `validate_fill_price`.
    fn check_price(&self, base: BaseQty, quote: QuoteQty, limit: Price) -> Result<(), FillError> {
        let direction = self.taker.direction;
        let relaxed = match direction {
            Direction::Long => quote.0.saturating_sub(1),
            Direction::Short => quote.0.saturating_add(1),
        };
        let price = u128::from(relaxed) * BASE_UNITS / u128::from(base.0.max(1));
        let limit = u128::from(limit.0);
        let is_worse = match direction {
            Direction::Long => price > limit,
            Direction::Short => price < limit,
        };
        if is_worse { Err(FillError::WorseThanLimit) } else { Ok(()) }
    }

    fn note(&mut self, fill: ProgramFill) {
        let filled = self.taker.base_asset_amount_filled.0.saturating_add(fill.base.0);
        self.taker.base_asset_amount_filled = BaseQty(filled);
        self.taker_position = moved(self.taker_position, self.taker.direction, fill.base);
        self.fills.push(fill);
    }
}

/// Returns a position after a fill. Saturates; real positions never reach the bounds.
fn moved(position: i64, direction: Direction, base: BaseQty) -> i64 {
    match direction {
        Direction::Long => position.saturating_add_unsigned(base.0),
        Direction::Short => position.saturating_sub_unsigned(base.0),
    }
}

impl Fills {
    /// Returns base and quote of all fills, 1e9 and 1e6.
    #[must_use]
    pub fn totals(&self) -> (u128, u128) {
        self.fills.iter().fold((0, 0), |(base, quote), fill| {
            (base + u128::from(fill.base.0), quote + u128::from(fill.quote.0))
        })
    }

    /// Returns whether the average price is within the initial margin of the oracle price, and
    /// within 50 % of the oracle's five-minute average. Otherwise the whole fill fails on chain.
    /// True without a fill, and in a prediction market.
    ///
    /// Source: programs/drift/src/math/orders.rs `validate_fill_price_within_price_bands`;
    /// programs/drift/src/state/state.rs `max_oracle_twap_5min_percent_divergence`, whose minimum
    /// is 50 %.
    #[must_use]
    pub fn is_within_bands(&self, moment: &Moment) -> bool {
        let (base, quote) = self.totals();
        let Some(price) = quote.saturating_mul(BASE_UNITS).checked_div(base) else { return true };
        let Some(margin) = moment.margin_ratio_initial else { return true };
        if moment.is_prediction {
            return true;
        }
        let is_within = |from: i64, precision: u128, most: u128| {
            let from = u128::from(from.unsigned_abs());
            let part = price.abs_diff(from).saturating_mul(precision).checked_div(from);
            part.is_some_and(|part| part < most)
        };
        let twap = self.amm.last_oracle_price_twap_5min;
        is_within(moment.oracle.0, MARGIN_PRECISION, margin.into())
            && is_within(twap, PRICE_PRECISION.into(), TWAP_DIVERGENCE_MAX)
    }
}

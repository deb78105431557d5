//! Fills of a taker on the AMM's curve.

use slotbook_protocol::model::amm::curve::{PEG_PRECISION, Reserves, SwapAmount};
use slotbook_protocol::model::amm::{AmmQuote, AmmSide};
use slotbook_protocol::model::enums::Direction;
use slotbook_protocol::model::price::standardize_base;
use slotbook_protocol::model::units::{BaseQty, Price, QuoteQty};

/// The liquidity that the AMM offers to a taker of one direction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AmmOffer {
    /// The spread reserves of the opposite side: asks for a buy, bids for a sell.
    pub reserves: Reserves,
    /// Available base of the side, 1e9.
    pub available: u128,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Want {
    pub(crate) direction: Direction,
    pub(crate) base: BaseQty,
    pub(crate) quote: Option<QuoteQty>,
    pub(crate) limit: Option<Price>,
    pub(crate) step: BaseQty,
}

impl AmmOffer {
    /// Returns the offer of a quoted AMM to a taker of this direction.
    #[must_use]
    pub fn of(quote: &AmmQuote, taker: Direction) -> Self {
        let (reserves, side) = match taker {
            Direction::Long => (quote.ask, AmmSide::Ask),
            Direction::Short => (quote.bid, AmmSide::Bid),
        };
        Self { reserves, available: quote.liquidity(side) }
    }

    /// Returns the price of the first unit, 1e6; `None` without valid reserves or available base.
    pub(crate) fn price(&self) -> Option<Price> {
        let price = self.reserves.price().ok()?;
        (self.available > 0 && price.0 > 0).then_some(price)
    }

    /// Returns base and quote of the largest swap within the taker's size and limit, in whole
    /// steps. `None` when nothing fills, or the reserves define no curve.
    pub(crate) fn swap(&self, want: &Want) -> Option<(BaseQty, QuoteQty)> {
        self.price()?;
        let mut base = u128::from(want.base.0).min(self.available);
        if let Some(limit) = want.limit {
            base = base.min(self.base_up_to(limit, want.direction)?);
        }
        let base = BaseQty(u64::try_from(base).ok()?);
        let base = self.base_within_quote(standardize_base(base, want.step), want)?;
        let quote = self.quote(base, want.direction)?;
        (base.0 > 0 && quote.0 > 0).then_some((base, quote))
    }

    /// Returns whether the cost of one more step exceeds the remaining quote.
    pub(crate) fn is_too_dear(&self, want: &Want) -> bool {
        let step = self.quote(want.step, want.direction);
        want.quote.zip(step).is_some_and(|(left, step)| step > left)
    }

    /// Returns the base amount until the curve's price reaches the limit; the price is `k * peg /
    /// base^2`. Source: programs/drift/src/math/orders.rs
    /// `calculate_base_asset_amount_to_fill_up_to_limit_price`, which stops a tick earlier.
    fn base_up_to(&self, limit: Price, direction: Direction) -> Option<u128> {
        let reserves = &self.reserves;
        // Price and peg have the same precision, which cancels out.
        let square = reserves.invariant().times(reserves.peg).ok()?.over(limit.0.into()).ok()?;
        let at_limit = square.isqrt();
        Some(match direction {
            Direction::Long => reserves.base.saturating_sub(at_limit.checked_add(1)?),
            Direction::Short => at_limit.saturating_sub(reserves.base),
        })
    }

    /// Returns the largest number of whole steps, up to `most`, whose quote is within the remaining
    /// quote.
    fn base_within_quote(&self, most: BaseQty, want: &Want) -> Option<BaseQty> {
        let Some(left) = want.quote else { return Some(most) };
        let fits = |base| self.quote(base, want.direction).is_some_and(|quote| quote <= left);
        if fits(most) {
            return Some(most);
        }
        // The quote grows with the base, so a binary search finds the result.
        let step = want.step.0.max(1);
        let (mut fit, mut beyond) = (0, most.0 / step);
        while beyond > fit + 1 {
            let middle = fit + (beyond - fit) / 2;
            if fits(BaseQty(middle * step)) { fit = middle } else { beyond = middle }
        }
        Some(BaseQty(fit * step))
    }

    /// Returns the quote of a swap of this base amount; `None` when it exceeds the reserves, or on
    /// overflow.
    fn quote(&self, base: BaseQty, direction: Direction) -> Option<QuoteQty> {
        let amount = SwapAmount::Base(base.0.into());
        let swap = self.reserves.swap(amount, amount.direction_of(direction)).ok()?;
        u64::try_from(swap.quote_amount).ok().map(QuoteQty)
    }
}

const _: () = assert!(PEG_PRECISION == 1_000_000, "a peg has the precision of a price");

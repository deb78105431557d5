//! The steps by which the program fills a taker.

use slotbook_protocol::model::enums::Direction;
use slotbook_protocol::model::units::Price;

use super::makers::Ranked;

/// Maximum steps before the last step. Source: programs/drift/src/math/fulfillment.rs,
/// "fulfillment_methods.len() > 6".
const METHODS_MAX: usize = 6;

/// One step of a plan.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// A fill from the AMM, up to a maker's price if given.
    Amm(Option<Price>),
    /// Match a maker's order.
    Match(Ranked),
}

/// The inputs of a taker's plan.
#[derive(Clone, Copy, Debug)]
pub struct Plan<'a> {
    /// The taker's direction.
    pub direction: Direction,
    /// Whether the taker may only make.
    pub post_only: bool,
    /// The worst price; `None` for no limit.
    pub limit: Option<Price>,
    /// The AMM's price for the taker; `None` when the AMM may not fill.
    pub amm: Option<Price>,
    /// The makers in the order of attempts.
    pub makers: &'a [Ranked],
}

impl Plan<'_> {
    /// Returns the steps. A maker precedes the AMM at the same price.
    ///
    /// Source: programs/drift/src/math/fulfillment.rs `determine_perp_fulfillment_methods`.
    #[must_use]
    pub fn methods(&self) -> Vec<Method> {
        let mut methods = Vec::with_capacity(METHODS_MAX + 2);
        let mut amm = self.amm;
        let makers = if self.post_only { &[] } else { self.makers };
        for maker in makers {
            if !self.accepts(maker.price) {
                break;
            }
            if let Some(price) = &mut amm
                && is_better(self.direction, *price, maker.price)
            {
                methods.push(Method::Amm(Some(maker.price)));
                *price = maker.price;
            }
            methods.push(Method::Match(*maker));
            if methods.len() > METHODS_MAX {
                break;
            }
        }
        if amm.is_some_and(|price| self.accepts(price)) {
            methods.push(Method::Amm(None));
        }
        methods
    }

    fn accepts(&self, price: Price) -> bool {
        self.limit.is_none_or(|limit| !is_better(self.direction, limit, price))
    }
}

/// Returns whether `price` is better than `other` for the taker.
pub(super) fn is_better(taker: Direction, price: Price, other: Price) -> bool {
    match taker {
        Direction::Long => price < other,
        Direction::Short => price > other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranked(index: usize, price: u64) -> Ranked {
        Ranked { index, price: Price(price) }
    }

    fn plan(makers: &[Ranked], limit: Option<u64>, amm: Option<u64>) -> Vec<Method> {
        let (limit, amm) = (limit.map(Price), amm.map(Price));
        Plan { direction: Direction::Long, post_only: false, limit, amm, makers }.methods()
    }

    #[test]
    fn a_maker_wins_a_tie_with_the_amm() {
        let makers = [ranked(0, 100)];
        let methods = plan(&makers, Some(100), Some(100));
        assert_eq!(methods, [Method::Match(makers[0]), Method::Amm(None)]);
    }

    #[test]
    fn a_post_only_taker_meets_the_amm_alone() {
        let makers = [ranked(0, 100)];
        let plan = Plan {
            direction: Direction::Short,
            post_only: true,
            limit: Some(Price(100)),
            amm: Some(Price(100)),
            makers: &makers,
        };
        assert_eq!(plan.methods(), [Method::Amm(None)]);
        assert_eq!(Plan { amm: Some(Price(99)), ..plan }.methods(), []);
    }
}

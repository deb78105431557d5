//! Uncrosses a book, for readers that expect bids below asks.
//!
//! Sizes stay unchanged: a crossing level moves to the near side of the level that it crosses, away
//! from the market's reference price. Levels beyond the crossing stay and are not read. The result
//! may still be crossed, when one side has no more levels.
//!
//! Source: `facts/dlob-semantics.md` 4.8 (sdk/src/dlob/orderBookLevels.ts `uncrossL2`).

use std::iter::Peekable;
use std::slice;

use slotbook_book::Side;
use slotbook_protocol::model::units::{OraclePrice, Price};

use crate::level::SourcedLevel;

/// The parameters of uncrossing.
#[derive(Clone, Copy, Debug)]
pub struct UncrossRules<'a> {
    /// The market's price, oracle plus premium, 1e6. Levels on the wrong side of it are moved.
    pub reference: OraclePrice,
    /// The distance between a moved level and the level that it crossed, 1e6.
    pub gap: Price,
    /// Prices of bids that are never moved: the reader's own orders.
    pub own_bids: &'a [Price],
    /// Prices of asks that never move.
    pub own_asks: &'a [Price],
}

/// A crossing level, and its new price.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Moved {
    /// The original price.
    pub from: Price,
    /// The level at its new price, which may equal its old price.
    pub level: SourcedLevel,
}

/// The crossing levels of both sides, in reused buffers.
#[derive(Debug, Default)]
pub struct Crossing {
    bids: Vec<Moved>,
    asks: Vec<Moved>,
}

impl Crossing {
    /// Removes the crossing levels from both sides, which come best first. Removes nothing when a
    /// side is empty or bids are below asks.
    pub fn move_crossing<B, A>(
        &mut self,
        bids: &mut Peekable<B>,
        asks: &mut Peekable<A>,
        rules: &UncrossRules<'_>,
    ) where
        B: Iterator<Item = SourcedLevel>,
        A: Iterator<Item = SourcedLevel>,
    {
        self.bids.clear();
        self.asks.clear();
        let mut bounds = Bounds::default();
        while let (Some(bid), Some(ask)) = (bids.peek(), asks.peek()) {
            let (bid, ask) = (bid.price, ask.price);
            if bounds.pass(bid, ask) {
                break;
            }
            let (bid, ask) = rules.step(&mut bounds, bid, ask);
            bid.into_iter().for_each(|price| move_first(bids, price, &mut self.bids));
            ask.into_iter().for_each(|price| move_first(asks, price, &mut self.asks));
        }
    }

    /// Returns the crossing levels of a side, best first by original price.
    #[must_use]
    pub fn moved(&self, side: Side) -> &[Moved] {
        match side {
            Side::Bid => &self.bids,
            Side::Ask => &self.asks,
        }
    }

    /// Returns both sides of the uncrossed book, best first: the moved levels merged with the
    /// remaining levels.
    pub fn merged<B, A>(
        &mut self,
        bids: Peekable<B>,
        asks: Peekable<A>,
    ) -> (Merged<'_, B>, Merged<'_, A>)
    where
        B: Iterator<Item = SourcedLevel>,
        A: Iterator<Item = SourcedLevel>,
    {
        self.bids.sort_by_key(|moved| std::cmp::Reverse(moved.level.price));
        self.asks.sort_by_key(|moved| moved.level.price);
        (Merged::new(Side::Bid, &self.bids, bids), Merged::new(Side::Ask, &self.asks, asks))
    }
}

fn move_first<I>(levels: &mut Peekable<I>, price: Price, moved: &mut Vec<Moved>)
where
    I: Iterator<Item = SourcedLevel>,
{
    if let Some(level) = levels.next() {
        moved.push(Moved { from: level.price, level: SourcedLevel { price, ..level } });
    }
}

impl UncrossRules<'_> {
    /// Returns the new prices of the best remaining bid and ask; `None` for a level that is not
    /// moved in this step.
    fn step(&self, bounds: &mut Bounds, bid: Price, ask: Price) -> (Option<Price>, Option<Price>) {
        if self.own_bids.contains(&bid) {
            return (Some(bid), None);
        }
        if self.own_asks.contains(&ask) {
            return (None, Some(ask));
        }
        if bid < ask {
            return (Some(bounds.at_most_max(bid)), Some(bounds.at_least_min(ask)));
        }
        let reference = i128::from(self.reference.0);
        let place = |price: Price| i128::from(price.0).cmp(&reference);
        if place(bid).is_gt() && place(ask).is_gt() {
            return (Some(bounds.lower_bid(self.below(i128::from(ask.0)))), None);
        }
        if place(bid).is_lt() && place(ask).is_lt() {
            return (None, Some(bounds.raise_ask(self.above(i128::from(bid.0)))));
        }
        let bid = bounds.lower_bid(self.below(reference));
        (Some(bid), Some(bounds.raise_ask(self.above(reference))))
    }

    /// One gap below, at least 0.
    fn below(&self, price: i128) -> Price {
        let below = price - i128::from(self.gap.0);
        Price(u64::try_from(below.max(0)).unwrap_or(u64::MAX))
    }

    /// Returns the price one gap above, between 0 and the maximum price.
    fn above(&self, price: i128) -> Price {
        let above = price + i128::from(self.gap.0);
        Price(u64::try_from(above.max(0)).unwrap_or(u64::MAX))
    }
}

/// Bounds that later levels must respect once a level has moved.
#[derive(Clone, Copy, Debug, Default)]
struct Bounds {
    max_bid: Option<Price>,
    min_ask: Option<Price>,
}

impl Bounds {
    /// Returns whether these two levels, and so all later ones, stay: later bids are lower and
    /// later asks higher.
    fn pass(&self, bid: Price, ask: Price) -> bool {
        let bid_passes = self.max_bid.is_none_or(|max| bid < max);
        let ask_passes = self.min_ask.is_none_or(|min| ask > min);
        bid < ask && bid_passes && ask_passes
    }

    fn at_most_max(&self, bid: Price) -> Price {
        self.max_bid.map_or(bid, |max| bid.min(max))
    }

    fn at_least_min(&self, ask: Price) -> Price {
        self.min_ask.map_or(ask, |min| ask.max(min))
    }

    /// Updates the bound after a bid moved to `price`.
    fn lower_bid(&mut self, price: Price) -> Price {
        *self.max_bid.insert(self.at_most_max(price))
    }

    /// Updates the bound after an ask moved to `price`.
    fn raise_ask(&mut self, price: Price) -> Price {
        *self.min_ask.insert(self.at_least_min(price))
    }
}

/// One side of an uncrossed book, best first; equal prices merge.
#[derive(Debug)]
pub struct Merged<'a, I: Iterator<Item = SourcedLevel>> {
    side: Side,
    moved: Peekable<slice::Iter<'a, Moved>>,
    rest: Peekable<I>,
}

impl<'a, I: Iterator<Item = SourcedLevel>> Merged<'a, I> {
    fn new(side: Side, moved: &'a [Moved], rest: Peekable<I>) -> Self {
        Self { side, moved: moved.iter().peekable(), rest }
    }

    /// Returns the best level of moved and remaining levels, before equal prices merge.
    fn best(&mut self) -> Option<SourcedLevel> {
        let moved_first = match (self.moved.peek(), self.rest.peek()) {
            (Some(moved), Some(rest)) => !self.side.is_better(rest.price.0, moved.level.price.0),
            (moved, _) => moved.is_some(),
        };
        if moved_first { self.moved.next().map(|moved| moved.level) } else { self.rest.next() }
    }
}

impl<I: Iterator<Item = SourcedLevel>> Iterator for Merged<'_, I> {
    type Item = SourcedLevel;

    fn next(&mut self) -> Option<SourcedLevel> {
        let mut level = self.best()?;
        while let Some(same) = self.moved.next_if(|moved| moved.level.price == level.price) {
            level.merge(&same.level);
        }
        while let Some(same) = self.rest.next_if(|rest| rest.price == level.price) {
            level.merge(&same);
        }
        Some(level)
    }
}

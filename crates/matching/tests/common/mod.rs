//! A test market, and the invariants of every walk.

use slotbook_matching::{
    AmmOffer, ExternalLevel, Fill, FillSource, JitOffer, Liquidity, Maker, MarketTerms, Model,
    OrderKind, Size, Taker, Walk, walk,
};
use slotbook_protocol::model::amm::curve::Reserves;
use slotbook_protocol::model::enums::{Direction, MarketType};
use slotbook_protocol::model::units::{BaseQty, OraclePrice, Price, Pubkey, QuoteQty, Slot};

/// One base of a perp.
pub(crate) const BASE: u64 = 1_000_000_000;
/// One of a price or of the quote.
pub(crate) const ONE: u64 = 1_000_000;

/// A perp market with tick 100, step 0.001 and minimum order 0.01, and its liquidity. Prices are
/// whole, sizes in thousandths of a base, so that tests read naturally.
#[derive(Clone, Debug)]
pub(crate) struct Market {
    pub(crate) terms: MarketTerms,
    pub(crate) makers: Vec<Maker>,
    pub(crate) jit: Vec<JitOffer>,
    pub(crate) amm: Option<AmmOffer>,
    pub(crate) oracle: Option<OraclePrice>,
    pub(crate) external: Vec<ExternalLevel>,
}

pub(crate) fn perp() -> Market {
    Market {
        terms: MarketTerms::perp(Price(100), BaseQty(BASE / 1_000), BaseQty(BASE / 100)),
        makers: Vec::new(),
        jit: Vec::new(),
        amm: None,
        oracle: None,
        external: Vec::new(),
    }
}

/// The same as a spot market of six decimals.
pub(crate) fn spot() -> Market {
    let (step, least) = (BaseQty(1_000), BaseQty(10_000));
    let perp_terms = MarketTerms::perp(Price(100), step, least);
    let terms = MarketTerms { market_type: MarketType::Spot, decimals: 6, ..perp_terms };
    Market { terms, ..perp() }
}

impl Market {
    pub(crate) fn size(&self, thousandths: u64) -> BaseQty {
        BaseQty(thousandths * 10_u64.pow(self.terms.decimals - 3))
    }

    /// Resting orders (whole price, thousandths), in book order; their ids are 1, 2 and so on.
    pub(crate) fn resting(mut self, orders: &[(u64, u64)]) -> Self {
        let size = |thousandths| self.size(thousandths);
        let maker = |(id, (price, thousandths)): (u32, &(u64, u64))| Maker {
            key: Pubkey([1; 32]),
            order_id: id,
            price: Price(price * ONE),
            size: size(*thousandths),
            slot: Slot(10),
        };
        self.makers = (1..).zip(orders).map(maker).collect();
        self
    }

    pub(crate) fn offers(mut self, offers: &[(u64, u64)]) -> Self {
        let offer = |(price, thousandths): &(u64, u64)| JitOffer {
            maker: None,
            order_id: None,
            price: Price(price * ONE),
            size: self.size(*thousandths),
            is_quote: false,
        };
        self.jit = offers.iter().map(offer).collect();
        self
    }

    pub(crate) fn external(mut self, levels: &[(u64, u64)]) -> Self {
        let level = |(price, thousandths): &(u64, u64)| ExternalLevel {
            price: Price(price * ONE),
            size: self.size(*thousandths),
        };
        self.external = levels.iter().map(level).collect();
        self
    }

    /// An AMM at a whole price, with this many bases of reserves, all of them available.
    pub(crate) fn amm(mut self, price: u64, bases: u64) -> Self {
        let reserve = u128::from(bases * BASE);
        let peg = u128::from(price * ONE);
        let reserves = Reserves { base: reserve, quote: reserve, sqrt_k: reserve, peg };
        self.amm = Some(AmmOffer { reserves, available: reserve / 2 });
        self
    }

    pub(crate) fn oracle(mut self, price: u64) -> Self {
        self.oracle = Some(OraclePrice(i64::try_from(price * ONE).expect("a price of the tests")));
        self
    }

    pub(crate) fn buy(&self, thousandths: u64) -> Taker {
        Taker::market(Direction::Long, Size::Base(self.size(thousandths)))
    }

    pub(crate) fn sell(&self, thousandths: u64) -> Taker {
        Taker { direction: Direction::Short, ..self.buy(thousandths) }
    }

    /// Walks by the specification's model, and checks every invariant of a walk.
    pub(crate) fn walk(&self, taker: &Taker) -> Walk {
        self.walk_by(taker, Model::Spec)
    }

    pub(crate) fn walk_by(&self, taker: &Taker, model: Model) -> Walk {
        taker.check(&self.terms).expect("an order that the program takes");
        let mut makers = self.makers.iter().copied();
        let walk = walk(taker, self.liquidity(&mut makers), model);
        check(self, taker, &walk);
        walk
    }

    pub(crate) fn liquidity<'a>(
        &'a self,
        makers: &'a mut dyn Iterator<Item = Maker>,
    ) -> Liquidity<'a> {
        Liquidity {
            jit: &self.jit,
            amm: self.amm,
            oracle: self.oracle,
            external: &self.external,
            ..Liquidity::of_makers(self.terms, makers)
        }
    }

    pub(crate) fn fills(&self, taker: &Taker) -> Vec<(FillSource, u64, u64)> {
        let unit = self.size(1).0;
        let fill = |fill: &Fill| (fill.source, fill.price.0 / ONE, fill.size.0 / unit);
        self.walk(taker).fills.iter().map(fill).collect()
    }
}

/// A limit order at a whole price instead of a market order.
pub(crate) fn limited(taker: Taker, price: u64) -> Taker {
    Taker { kind: OrderKind::Limit, limit: Some(Price(price * ONE)), ..taker }
}

/// The invariants of every walk: sums equal the fills, size is conserved, no fill is worse than the
/// limit, no source fills more than its size.
pub(crate) fn check(market: &Market, taker: &Taker, walk: &Walk) {
    let base: u64 = walk.fills.iter().map(|fill| fill.size.0).sum();
    let quote: u64 = walk.fills.iter().map(|fill| fill.quote.0).sum();
    let fee: u64 = walk.fills.iter().map(|fill| fill.taker_fee.0).sum();
    assert_eq!((walk.filled_base.0, walk.filled_quote.0, walk.taker_fee.0), (base, quote, fee));
    match (taker.size, walk.unfilled) {
        (Size::Base(asked), Size::Base(left)) => assert_eq!(asked.0, base + left.0),
        (Size::Quote(asked), Size::Quote(left)) => assert_eq!(asked.0, quote + left.0),
        sizes => panic!("asked and unfilled in different units: {sizes:?}"),
    }
    let is_worse = |price: Price, than: Price| match taker.direction {
        Direction::Long => price > than,
        Direction::Short => price < than,
    };
    for fill in &walk.fills {
        assert!(fill.size.0 > 0, "an empty fill: {fill:?}");
        if let Some(limit) = taker.limit {
            assert!(!is_worse(fill.price, limit), "a fill worse than the limit: {fill:?}");
        }
        assert!(walk.worst_price.is_some_and(|worst| !is_worse(fill.price, worst)));
    }
    if let (Some(position), true) = (taker.reducible(), base > 0) {
        assert!(base <= position.0, "more filled than the position");
    }
    if let (Some(rests), Size::Base(left)) = (walk.rests, walk.unfilled) {
        assert!(rests.size <= left && rests.size.0 > 0);
    }
    let offered = |source| -> u128 {
        match source {
            FillSource::Jit => market.jit.iter().map(|offer| u128::from(offer.size.0)).sum(),
            FillSource::Dlob => market.makers.iter().map(|maker| u128::from(maker.size.0)).sum(),
            FillSource::Vamm => market.amm.map_or(0, |amm| amm.available),
            FillSource::External => {
                market.external.iter().map(|level| u128::from(level.size.0)).sum()
            }
        }
    };
    for source in [FillSource::Jit, FillSource::Dlob, FillSource::Vamm, FillSource::External] {
        let of_source = walk.fills.iter().filter(|fill| fill.source == source);
        assert!(of_source.map(|fill| u128::from(fill.size.0)).sum::<u128>() <= offered(source));
    }
}

/// A quote amount of so many whole units.
pub(crate) fn quote(whole: u64) -> Size {
    Size::Quote(QuoteQty(whole * ONE))
}

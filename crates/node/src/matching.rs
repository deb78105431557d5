//! The JavaScript interface of simulated fills.

use napi::bindgen_prelude::{BigInt, BufferSlice};
use napi_derive::napi;
use slotbook_matching::{
    Auction, JitOffer, MarketTerms, Model, OrderKind, Size, Taker, TakerError,
};
use slotbook_protocol::model::enums::Direction;
use slotbook_protocol::model::units::{Price, QuoteQty};
use slotbook_wire::level::SizeScale;
use slotbook_wire::sources::Sources;
use slotbook_wire::walk::WalkRequest;

use crate::convert::{copy_out, maker_of, market_of, whole};
use crate::core::Core;

/// An order that is sent now. Prices are at 1e6, sizes at 1e9 and quote amounts at 1e6. A size
/// beyond the market's range counts as the largest possible size, which no book can fill.
#[napi(object)]
pub struct MatchOptions {
    /// The number of the market.
    pub market: u32,
    /// 0 the specification's sequence, 1 the program's.
    pub model: u32,
    /// 0 buys, 1 sells.
    pub direction: u32,
    /// The kind of order: 0 market, 1 limit.
    pub kind: u32,
    /// The size, or the quote amount.
    pub amount: BigInt,
    /// Whether the amount is one of quote.
    pub in_quote: bool,
    /// The worst price; left out for none.
    pub limit_price: Option<BigInt>,
    /// Only makes.
    pub post_only: bool,
    /// The position that the order may only reduce; absent when the order may also increase it.
    pub position: Option<BigInt>,
    /// The order's auction; absent when it is unknown.
    pub auction: Option<AuctionOptions>,
    /// The user account that sends the order; empty for none.
    pub taker: String,
    /// Index of the fee tier.
    pub fee_tier: u32,
    /// Was referred.
    pub referred: bool,
    /// Offers in the auction: alternating prices and sizes.
    pub jit: Vec<BigInt>,
    /// Whether the market's AMM fills.
    pub vamm: bool,
    /// Whether indicative quotes compete in the auction.
    pub indicative: bool,
}

/// The auction of an order.
#[napi(object)]
pub struct AuctionOptions {
    /// The first price.
    pub start: BigInt,
    /// The last price.
    pub end: BigInt,
    /// Slots that it lasts, at most 255.
    pub duration: u32,
    /// Slots since the order was placed.
    pub elapsed: f64,
}

/// Why an order cannot be placed.
#[napi(object)]
pub struct TakerFault {
    /// The wrong parameter, by its name in /match.
    pub param: String,
    /// The error message.
    pub message: String,
}

#[napi]
impl Core {
    /// Renders the simulated fills of an order into `out`. Returns the length of the body; 0 for an
    /// unknown market, and for an order that cannot be placed, see `takerFault`; when `out` is too
    /// small, the negative of the length that it must have.
    #[napi]
    pub fn match_order(&mut self, options: MatchOptions, mut out: BufferSlice<'_>) -> i32 {
        let Some(market) = market_of(options.market) else { return 0 };
        let Some(info) = self.core.book().market(market) else { return 0 };
        let scale = SizeScale::from_decimals(info.decimals);
        let Ok(taker) = taker_of(&options, scale) else { return 0 };
        let jit = offers_of(&options.jit, scale);
        if check(&taker, &MarketTerms::of(info, None), &jit).is_err() {
            return 0;
        }
        let request = WalkRequest {
            market,
            model: if options.model == 0 { Model::Spec } else { Model::Onchain },
            taker,
            asked: unsigned(&options.amount),
            jit: &jit,
            sources: Sources { vamm: options.vamm, indicative: options.indicative },
            external: &[],
        };
        copy_out(self.core.match_order(&request), &mut out)
    }

    /// Why an order cannot be placed in its market; null when it can, and for an unknown market.
    #[napi]
    pub fn taker_fault(&self, options: MatchOptions) -> Option<TakerFault> {
        let fault = |param: &str, message: String| TakerFault { param: param.to_owned(), message };
        let market = market_of(options.market)?;
        let terms = MarketTerms::of(self.core.book().market(market)?, None);
        // Which sizes the order has is of no matter here.
        let scale = SizeScale::from_decimals(0);
        match taker_of(&options, scale) {
            Err(()) => Some(fault("taker", "taker was no base58 of 32 bytes".to_owned())),
            Ok(taker) => check(&taker, &terms, &offers_of(&options.jit, scale))
                .err()
                .map(|error| fault(param_of(error), error.to_string())),
        }
    }
}

fn check(taker: &Taker, market: &MarketTerms, jit: &[JitOffer]) -> Result<(), TakerError> {
    taker.check(market)?;
    jit.iter().try_for_each(|offer| taker.check_offer(market, offer.price))
}

/// Returns the parameter of /match that an error is about.
fn param_of(error: TakerError) -> &'static str {
    match error {
        TakerError::LimitWithoutPrice => "limitPrice",
        TakerError::BeyondTick(name) | TakerError::Prediction(name) => name,
        TakerError::MarketPostOnly => "postOnly",
        TakerError::PostOnlyAuction | TakerError::AuctionWithoutSlots => "auctionDuration",
        TakerError::AuctionWithoutPrice => "auctionStart",
        TakerError::AuctionImproves | TakerError::AuctionPassesLimit => "auctionEnd",
    }
}

/// Converts the options to an order. Returns an error when the sender's account is not a key.
fn taker_of(options: &MatchOptions, scale: SizeScale) -> Result<Taker, ()> {
    let amount = unsigned(&options.amount);
    Ok(Taker {
        key: maker_of(&options.taker).map_err(|_| ())?,
        direction: if options.direction == 0 { Direction::Long } else { Direction::Short },
        size: match options.in_quote {
            true => Size::Quote(QuoteQty(word(amount))),
            false => Size::Base(scale.to_market(amount)),
        },
        kind: if options.kind == 0 { OrderKind::Market } else { OrderKind::Limit },
        limit: options.limit_price.as_ref().map(price),
        post_only: options.post_only,
        reduce_only: options.position.as_ref().map(|position| signed(position, scale)),
        auction: options.auction.as_ref().map(auction_of),
        fee_tier: u8::try_from(options.fee_tier).unwrap_or(u8::MAX),
        referred: options.referred,
    })
}

fn auction_of(options: &AuctionOptions) -> Auction {
    Auction {
        start: price(&options.start),
        end: price(&options.end),
        duration_slots: u8::try_from(options.duration).unwrap_or(u8::MAX),
        elapsed_slots: whole(options.elapsed),
    }
}

fn offers_of(jit: &[BigInt], scale: SizeScale) -> Vec<JitOffer> {
    let (pairs, _) = jit.as_chunks::<2>();
    let offer = |[price_of, size]: &[BigInt; 2]| JitOffer {
        maker: None,
        order_id: None,
        price: price(price_of),
        size: scale.to_market(unsigned(size)),
        is_quote: false,
    };
    pairs.iter().map(offer).collect()
}

fn price(number: &BigInt) -> Price {
    Price(word(unsigned(number)))
}

/// Returns a big integer without its sign; beyond 128 bits, the largest number.
fn unsigned(number: &BigInt) -> u128 {
    let (_, value, is_exact) = number.get_u128();
    if is_exact { value } else { u128::MAX }
}

/// The nearest number of 64 bits.
fn word(number: u128) -> u64 {
    u64::try_from(number).unwrap_or(u64::MAX)
}

/// Converts a signed size to the market's base units; a size that does not fit becomes the largest.
fn signed(number: &BigInt, scale: SizeScale) -> i64 {
    let size = i64::try_from(scale.to_market(unsigned(number)).0).unwrap_or(i64::MAX);
    if number.sign_bit { -size } else { size }
}

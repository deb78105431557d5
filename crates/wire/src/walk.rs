//! The /match body: the simulated fills of a taker order.

use slotbook_book::{Book, Header, MarketId, MarketInfo, QueueScratch, Side};
use slotbook_matching::{
    AmmMay, AmmOffer, ExternalLevel, Fill, JitOffer, Liquidity, Maker, MarketTerms, Model,
    ProgramAmm, Rate, Reason, Rests, Size, Taker, Walk, walk,
};
use slotbook_protocol::model::amm::PerpAmm;
use slotbook_protocol::model::amm::gate::FillGate;
use slotbook_protocol::model::units::OraclePrice;

use crate::level::SizeScale;
use crate::sources::Sources;
use crate::writer::{JsonWriter, members};

/// A taker order, and its liquidity in addition to the book.
#[derive(Clone, Copy, Debug)]
pub struct WalkRequest<'a> {
    /// The market.
    pub market: MarketId,
    /// The matching model.
    pub model: Model,
    /// The order; its sizes are in the market's base units.
    pub taker: Taker,
    /// The requested base, at 1e9; ignored for an order by quote amount.
    pub asked: u128,
    /// Offers of the auction, in the market's base units.
    pub jit: &'a [JitOffer],
    /// Whether the AMM fills, and whether indicative quotes compete in the auction. The book's
    /// quotes must be refreshed for it.
    pub sources: Sources,
    /// The external levels on the opposite side, best first, in the market's base units.
    pub external: &'a [ExternalLevel],
}

/// Reused buffers of requests.
#[derive(Debug, Default)]
pub struct WalkScratch {
    queues: QueueScratch,
    offers: Vec<JitOffer>,
}

/// Appends the /match body to `out`. The taker must have passed [`Taker::check`].
///
/// Returns false, and writes nothing, for an unknown market.
pub fn render_walk(
    book: &Book,
    request: &WalkRequest<'_>,
    epoch: &str,
    scratch: &mut WalkScratch,
    out: &mut Vec<u8>,
) -> bool {
    let Some(info) = book.market(request.market) else { return false };
    let Some(header) = book.header(request.market) else { return false };
    let scale = SizeScale::from_decimals(info.decimals);
    let walk = walk_of(book, info, &header, request, scratch);
    let mut json = JsonWriter::new(out);
    write_fills(&mut json, &walk, scale);
    write_sums(&mut json, &walk, unfilled(request, &walk, scale));
    write_rests(&mut json, walk.rests, scale);
    write_version(&mut json, info, &header, request.model, epoch);
    if let Some(reason) = walk.reason {
        json.raw(b",\"reason\":");
        json.string(reason.name());
    }
    json.raw(b"}");
    true
}

fn walk_of(
    book: &Book,
    info: &MarketInfo,
    header: &Header,
    request: &WalkRequest<'_>,
    scratch: &mut WalkScratch,
) -> Walk {
    let side = Side::met_by(request.taker.direction);
    let WalkScratch { queues, offers, .. } = scratch;
    read_offers(book, request, side, offers);
    let is_onchain = request.model == Model::Onchain;
    let gate = is_onchain.then(|| book.fill_gate(info.id)).flatten();
    let matches = gate.is_none_or(|gate| gate.matches);
    if !matches {
        offers.clear();
    }
    let makers_max = if matches { usize::MAX } else { 0 };
    let mut makers = book.resting(info.id, side, queues).map(Maker::from).take(makers_max);
    let program = is_onchain.then(|| program_amm(book, request, gate)).flatten();
    let liquidity = Liquidity {
        market: MarketTerms::of(info, header.empty_reason),
        makers: &mut makers,
        fees: book.fees(info.market_type),
        jit: offers,
        amm: amm_of(book, request),
        program: program.as_ref().map(|(amm, may)| ProgramAmm { amm, may: *may }),
        oracle: oracle_of(header),
        external: request.external,
    };
    let mut found = walk(&request.taker, liquidity, request.model);
    if !matches && !request.taker.post_only {
        found.reason = found.reason.or(Some(Reason::OracleInvalid));
    }
    found
}

/// The AMM for the program's own sequence, with its permissions. When the AMM is excluded or cannot be
/// projected to this moment, the stored AMM, whose margin still counts.
fn program_amm(
    book: &Book,
    request: &WalkRequest<'_>,
    gate: Option<FillGate>,
) -> Option<(PerpAmm, AmmMay)> {
    let (stored, inputs) = book.vamm_account(request.market)?;
    let moved = inputs.ok().and_then(|inputs| stored.before_fill(&inputs).ok());
    let is_open = moved.is_some() && request.sources.vamm;
    let amm = moved.unwrap_or(*stored);
    let elapsed = request.taker.auction.map_or(0, |auction| auction.elapsed_slots);
    let lets_fill = |gate: FillGate| gate.lets_amm_fill(&amm, request.taker.direction, elapsed);
    let fill = is_open && gate.is_none_or(lets_fill);
    Some((amm, AmmMay { fill, share: is_open && gate.is_none_or(|gate| gate.amm) }))
}

/// Collects the offers of the request, then the competing indicative quotes.
fn read_offers(book: &Book, request: &WalkRequest<'_>, side: Side, offers: &mut Vec<JitOffer>) {
    offers.clear();
    offers.extend_from_slice(request.jit);
    if request.sources.indicative {
        offers.extend(book.indicative_orders(request.market, side).iter().map(JitOffer::from));
    }
}

/// Returns the AMM's offer to the taker; `None` when it is not requested or excluded.
fn amm_of(book: &Book, request: &WalkRequest<'_>) -> Option<AmmOffer> {
    let quote = book.vamm_quote(request.market).filter(|_| request.sources.vamm)?.ok()?;
    Some(AmmOffer::of(&quote, request.taker.direction))
}

/// Returns the oracle price if the program would accept it.
fn oracle_of(header: &Header) -> Option<OraclePrice> {
    let reading = header.oracle.mm.or(header.oracle.exchange);
    reading.filter(|_| header.oracle.excluded.is_none()).map(|reading| reading.price)
}

fn write_fills(json: &mut JsonWriter<'_>, walk: &Walk, scale: SizeScale) {
    json.raw(b"{\"fills\":[");
    json.list(&walk.fills, |json, fill| write_fill(json, fill, scale));
    json.raw(b"],\"filledBase\":\"");
    json.u128(scale.to_wire(walk.filled_base.0.into()));
    json.raw(b"\",\"filledQuote\":\"");
    json.u64(walk.filled_quote.0);
}

fn write_fill(json: &mut JsonWriter<'_>, fill: &Fill, scale: SizeScale) {
    json.raw(b"{\"source\":\"");
    json.raw(fill.source.name().as_bytes());
    match &fill.maker {
        Some(maker) => {
            json.raw(b"\",\"maker\":\"");
            json.key_text(maker);
            json.raw(b"\",\"orderId\":");
        }
        None => json.raw(b"\",\"maker\":null,\"orderId\":"),
    }
    json.or_null(fill.order_id, |json, order_id| json.u64(order_id.into()));
    members!(
        json,
        b",\"price\":\"" => u64(fill.price.0),
        b"\",\"size\":\"" => u128(scale.to_wire(fill.size.0.into())),
        b"\",\"quote\":\"" => u64(fill.quote.0),
        b"\",\"takerFee\":\"" => u64(fill.taker_fee.0),
        b"\",\"makerRebate\":\"" => u64(fill.maker_rebate.0),
        b"\"}",
    );
}

/// Writes the sums over the fills, after the digits of the filled quote amount.
fn write_sums(json: &mut JsonWriter<'_>, walk: &Walk, unfilled: u128) {
    json.raw(b"\",\"averagePrice\":");
    json.price_or_null(walk.average_price);
    json.raw(b",\"worstPrice\":");
    json.price_or_null(walk.worst_price);
    json.raw(b",\"priceImpact\":");
    json.or_null(walk.price_impact, |json, numerator| {
        write_fraction(json, Rate { numerator, denominator: IMPACT_PRECISION });
    });
    json.raw(b",\"takerFee\":\"");
    json.u64(walk.taker_fee.0);
    json.raw(b"\",\"unfilled\":\"");
    json.u128(unfilled);
    json.raw(b"\",\"rests\":");
}

/// Units of a price impact of one.
const IMPACT_PRECISION: u64 = 1_000_000;

fn write_rests(json: &mut JsonWriter<'_>, rests: Option<Rests>, scale: SizeScale) {
    let Some(rests) = rests else {
        json.raw(b"null");
        return;
    };
    json.raw(b"{\"price\":\"");
    json.u64(rests.price.0);
    json.raw(b"\",\"size\":\"");
    json.u128(scale.to_wire(rests.size.0.into()));
    json.raw(b"\",\"rebateRate\":");
    write_fraction(json, rests.rebate_rate);
    json.raw(b"}");
}

/// Writes the market and its book's version.
fn write_version(
    json: &mut JsonWriter<'_>,
    info: &MarketInfo,
    header: &Header,
    model: Model,
    epoch: &str,
) {
    members!(
        json,
        b",\"slot\":" => u64(header.slot.0),
        b",\"seq\":" => u64(header.seq),
        b",\"model\":\"" => raw(model.name().as_bytes()),
        b"\",\"marketName\":" => string(&info.symbol),
        b",\"marketType\":\"" => raw(info.market_type.name().as_bytes()),
        b"\",\"marketIndex\":" => u64(info.market_index.into()),
        b",\"ts\":" => u64(header.ts_ms),
        b",\"epoch\":" => string(epoch),
        b",\"state\":" => string(header.state.name()),
    );
}

/// Returns the unfilled remainder in the unit of the order's size: base at 1e9, or quote.
fn unfilled(request: &WalkRequest<'_>, walk: &Walk, scale: SizeScale) -> u128 {
    match request.taker.size {
        Size::Base(_) => request.asked.saturating_sub(scale.to_wire(walk.filled_base.0.into())),
        Size::Quote(quote) => u128::from(quote.0.saturating_sub(walk.filled_quote.0)),
    }
}

/// Maximum decimals of a fraction; further digits are truncated.
const FRACTION_DECIMALS: u32 = 9;

/// Writes a fraction as decimal text, without trailing zeros.
fn write_fraction(json: &mut JsonWriter<'_>, rate: Rate) {
    let (numerator, denominator) =
        (u128::from(rate.numerator), u128::from(rate.denominator.max(1)));
    json.raw(b"\"");
    json.u128(numerator / denominator);
    let mut rest = numerator % denominator;
    let mut opening: &[u8] = b".";
    for _ in 0..FRACTION_DECIMALS {
        if rest == 0 {
            break;
        }
        json.raw(opening);
        rest *= 10;
        json.u128(rest / denominator);
        rest %= denominator;
        opening = b"";
    }
    json.raw(b"\"");
}

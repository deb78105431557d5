//! Renders facts that are read rarely as JSON.

use slotbook_book::{Book, LayoutSample, LeftOut, MarketId, MarketInfo, PerpStats, SpotStats};
use slotbook_protocol::model::fees::{TakerTerms, maker_rebate, taker_fee};
use slotbook_protocol::model::units::{Pubkey, QuoteQty};
use slotbook_wire::writer::{JsonWriter, members};

/// Returns all markets as a JSON array, in the order of their ids. 64-bit values are texts.
#[must_use]
pub fn markets(book: &Book) -> String {
    text(|json| {
        json.raw(b"[");
        json.list(book.markets(), |json, info| {
            let empty = book.header(info.id).and_then(|header| header.empty_reason);
            market(json, info, empty.map(|reason| reason.name()));
        });
        json.raw(b"]");
    })
}

fn market(json: &mut JsonWriter<'_>, info: &MarketInfo, empty_reason: Option<&str>) {
    members!(
        json,
        b"{\"id\":" => u64(u64::from(info.id.0)),
        b",\"symbol\":" => string(&info.symbol),
        b",\"name\":" => string(&info.name),
        b",\"account\":" => key(&info.account),
        b",\"marketType\":" => string(info.market_type.name()),
        b",\"marketIndex\":" => u64(u64::from(info.market_index)),
        b",\"status\":" => string(info.status.name()),
        b",\"tickSize\":\"" => u64(info.tick.0),
        b"\",\"stepSize\":\"" => u64(info.step.0),
        b"\",\"minOrderSize\":\"" => u64(info.min_order_size.0),
        b"\",\"decimals\":" => u64(u64::from(info.decimals)),
        b",\"isPrediction\":" => bool(info.is_prediction),
        b",\"mint\":" => or_null(info.mint.as_ref(), JsonWriter::key),
        b",\"oracle\":" => key(&info.oracle),
        b",\"oracleSource\":" => string(info.oracle_source.name()),
        b",\"emptyReason\":" => or_null(empty_reason, JsonWriter::string),
        b"}",
    );
}

/// Returns the statistics of the markets from the book, as a JSON array in the order of their ids.
#[must_use]
pub fn chain_stats(book: &Book) -> String {
    text(|json| {
        json.raw(b"[");
        json.list(book.markets(), |json, info| {
            let (taker, rebate) = fee_rates(book, info);
            members!(
                json,
                b"{\"oraclePrice\":\"" => i64(oracle_price(book, info.id)),
                b"\",\"takerFee\":\"" => u64(taker),
                b"\",\"makerRebate\":\"" => u64(rebate),
                b"\",\"perp\":" => or_null(book.perp_stats(info.id), perp_stats),
                b",\"spot\":" => or_null(book.spot_stats(info.id), spot_stats),
                b"}",
            );
        });
        json.raw(b"]");
    })
}

/// Returns the taker fee and the maker rebate of the first fee tier for a quote amount of 1e9; 0
/// for a tier that is not set up.
fn fee_rates(book: &Book, info: &MarketInfo) -> (u64, u64) {
    let whole = QuoteQty(1_000_000_000);
    let tier = book.fees(info.market_type).tier(0);
    let terms = TakerTerms {
        tier,
        is_high_leverage: false,
        is_referred: false,
        builder_fee_tenth_bps: None,
        addon_tenth_bps: info.taker_fee_addon_tenth_bps,
    };
    let fee = taker_fee(whole, &terms, info.fee_adjustment).unwrap_or_default();
    let rebate = maker_rebate(whole, &tier, info.fee_adjustment).unwrap_or_default();
    (fee.0, rebate.0)
}

/// Returns the price in the oracle's account; when it cannot be read, the program's last price;
/// otherwise 0.
fn oracle_price(book: &Book, id: MarketId) -> i64 {
    book.header(id).map_or(0, |header| {
        header.oracle.exchange.map_or(header.last_oracle_price, |reading| reading.price.0)
    })
}

fn perp_stats(json: &mut JsonWriter<'_>, stats: PerpStats) {
    members!(
        json,
        b"{\"baseLong\":\"" => raw(stats.base_long.to_string().as_bytes()),
        b"\",\"baseShort\":\"" => raw(stats.base_short.to_string().as_bytes()),
        b"\",\"fundingRate\":\"" => i64(stats.funding_rate),
        b"\",\"fundingRate24h\":\"" => i64(stats.funding_rate_24h),
        b"\",\"fundingOracleTwap\":\"" => i64(stats.funding_oracle_twap),
        b"\",\"fundingTs\":\"" => i64(stats.funding_ts.0),
        b"\",\"marginRatioInitial\":\"" => u64(u64::from(stats.margin_ratio_initial)),
        b"\"}",
    );
}

fn spot_stats(json: &mut JsonWriter<'_>, stats: SpotStats) {
    members!(
        json,
        b"{\"deposits\":\"" => raw(stats.deposits.to_string().as_bytes()),
        b"\",\"borrows\":\"" => raw(stats.borrows.to_string().as_bytes()),
        b"\"}",
    );
}

/// Keys as a JSON array of base58 texts.
#[must_use]
pub fn keys(keys: &[Pubkey]) -> String {
    text(|json| write_keys(keys, json))
}

/// Renders user accounts for the check of the layout as a JSON array, with bytes in hex.
#[must_use]
pub fn layout_samples(samples: &[LayoutSample]) -> String {
    text(|json| {
        json.raw(b"[");
        json.list(samples, |json, sample| {
            members!(
                json,
                b"{\"pubkey\":" => key(&sample.pubkey),
                b",\"address\":" => string(&hex(&sample.pubkey.0)),
                b",\"seeds\":" => string(&hex(&sample.seeds)),
                b",\"end\":" => string(&hex(&sample.end)),
                b",\"contradiction\":" => or_null(sample.contradiction.as_deref(), JsonWriter::string),
                b"}",
            );
        });
        json.raw(b"]");
    })
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Writes keys as a JSON array of base58 texts.
pub(crate) fn write_keys(keys: &[Pubkey], json: &mut JsonWriter<'_>) {
    json.raw(b"[");
    json.list(keys, JsonWriter::key);
    json.raw(b"]");
}

/// Returns the counters of the book and of the body cache, as a JSON object.
pub(crate) fn stats(book: &mut Book, cache: CacheStats) -> String {
    let counters = book.counters();
    let quotes = book.indicative_counts();
    let ids: Vec<MarketId> = book.markets().map(|info| info.id).collect();
    let amms: Vec<_> = ids.iter().map(|id| book.vamm_state(*id)).collect();
    text(|json| {
        members!(
            json,
            b"{\"users\":" => u64(wide(counters.users)),
            b",\"orders\":" => u64(wide(counters.open_orders)),
            b",\"shown\":" => u64(wide(counters.shown_orders)),
            b",\"quarantined\":" => u64(wide(counters.quarantined)),
            b",\"quotingMakers\":" => u64(wide(quotes.makers)),
            b",\"quotes\":" => u64(wide(quotes.quotes)),
            b",\"bodies\":" => u64(wide(cache.bodies)),
            b",\"bodyBytes\":" => u64(wide(cache.bytes)),
            b",\"bodyUses\":" => u64(cache.uses),
            b",\"bodyHits\":" => u64(cache.hits),
            b",\"shownByMarket\":[",
        );
        json.list(book.markets(), |json, info| {
            json.u64(wide(book.shown_orders(info.id).unwrap_or(0)));
        });
        json.raw(b"],\"vammByMarket\":[");
        json.list(amms, |json, amm| {
            json.or_null(amm, |json, amm| json.string(amm.err().map_or(VAMM_SHOWN, |e| e.name())));
        });
        json.raw(b"],\"leftOut\":{");
        let reasons = LeftOut::ALL.into_iter().zip(counters.left_out);
        let reasons = reasons.filter(|(reason, _)| *reason != LeftOut::NotOpen);
        json.list(reasons, |json, (reason, left_out)| {
            json.string(reason.name());
            members!(json, b":" => u64(wide(left_out)));
        });
        json.raw(b"}}");
    })
}

/// The status of an AMM that the book contains; other AMMs have a reason instead.
const VAMM_SHOWN: &str = "shown";

/// What the body cache holds and did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CacheStats {
    pub(crate) bodies: usize,
    pub(crate) bytes: usize,
    pub(crate) uses: u64,
    pub(crate) hits: u64,
}

fn wide(count: usize) -> u64 {
    u64::try_from(count).unwrap_or(u64::MAX)
}

/// A JSON text.
pub fn text(write: impl FnOnce(&mut JsonWriter<'_>)) -> String {
    let mut out = Vec::new();
    write(&mut JsonWriter::new(&mut out));
    String::from_utf8(out).unwrap_or_default()
}

//! Facts that are read seldom, as JSON text.

use slotbook_book::{Book, LeftOut, MarketId, MarketInfo, PerpStats};
use slotbook_protocol::units::Pubkey;
use slotbook_wire::writer::JsonWriter;

/// All markets as a JSON array, in the order of their ids. 64-bit values are texts.
pub(crate) fn markets(book: &Book) -> String {
    text(|json| {
        json.raw(b"[");
        for (index, info) in book.markets().enumerate() {
            json.raw(if index == 0 { b"" } else { b"," });
            let empty = book.header(info.id).and_then(|header| header.empty_reason);
            market(json, info, empty.map(|reason| reason.name()));
        }
        json.raw(b"]");
    })
}

fn market(json: &mut JsonWriter<'_>, info: &MarketInfo, empty_reason: Option<&str>) {
    json.raw(b"{\"id\":");
    json.u64(u64::from(info.id.0));
    json.raw(b",\"symbol\":");
    json.string(&info.name);
    json.raw(b",\"account\":");
    json.key(&info.account);
    json.raw(b",\"marketType\":");
    json.string(info.market_type.name());
    json.raw(b",\"marketIndex\":");
    json.u64(u64::from(info.market_index));
    json.raw(b",\"status\":");
    json.string(info.status.name());
    json.raw(b",\"tickSize\":\"");
    json.u64(info.tick.0);
    json.raw(b"\",\"stepSize\":\"");
    json.u64(info.step.0);
    json.raw(b"\",\"minOrderSize\":\"");
    json.u64(info.min_order_size.0);
    json.raw(b"\",\"decimals\":");
    json.u64(u64::from(info.decimals));
    json.raw(b",\"mint\":");
    match &info.mint {
        Some(mint) => json.key(mint),
        None => json.raw(b"null"),
    }
    json.raw(b",\"oracle\":");
    json.key(&info.oracle);
    json.raw(b",\"oracleSource\":");
    json.string(info.oracle_source.name());
    json.raw(b",\"emptyReason\":");
    match empty_reason {
        Some(reason) => json.string(reason),
        None => json.raw(b"null"),
    }
    json.raw(b"}");
}

/// What statistics take from the book, market by market in the order of their ids.
pub(crate) fn market_figures(book: &Book) -> String {
    text(|json| {
        json.raw(b"[");
        for (index, info) in book.markets().enumerate() {
            json.raw(if index == 0 { b"" } else { b"," });
            json.raw(b"{\"oraclePrice\":\"");
            json.i64(oracle_price(book, info.id));
            json.raw(b"\",\"perp\":");
            match book.perp_stats(info.id) {
                Some(figures) => perp_figures(json, &figures),
                None => json.raw(b"null"),
            }
            json.raw(b"}");
        }
        json.raw(b"]");
    })
}

/// What the oracle's account says; while it cannot be read, what the program saw last; else 0.
fn oracle_price(book: &Book, id: MarketId) -> i64 {
    book.header(id).map_or(0, |header| {
        header.oracle.exchange.map_or(header.last_oracle_price, |reading| reading.price.0)
    })
}

fn perp_figures(json: &mut JsonWriter<'_>, figures: &PerpStats) {
    let wide = [figures.base_long, figures.base_short];
    for (name, number) in ["{\"baseLong\":\"", "\",\"baseShort\":\""].into_iter().zip(wide) {
        json.raw(name.as_bytes());
        json.raw(number.to_string().as_bytes());
    }
    for (name, number) in [
        ("\",\"fundingRate\":\"", figures.funding_rate),
        ("\",\"fundingRate24h\":\"", figures.funding_rate_24h),
        ("\",\"fundingOracleTwap\":\"", figures.funding_oracle_twap),
        ("\",\"fundingTs\":\"", figures.funding_ts.0),
    ] {
        json.raw(name.as_bytes());
        json.i64(number);
    }
    json.raw(b"\"}");
}

/// Keys as a JSON array of base58 texts.
pub(crate) fn keys(keys: &[Pubkey]) -> String {
    text(|json| write_keys(keys, json))
}

/// Writes keys as a JSON array of base58 texts.
pub(crate) fn write_keys(keys: &[Pubkey], json: &mut JsonWriter<'_>) {
    json.raw(b"[");
    for (index, key) in keys.iter().enumerate() {
        json.raw(if index == 0 { b"" } else { b"," });
        json.key(key);
    }
    json.raw(b"]");
}

/// What the book holds, and what the body cache did, as a JSON object.
pub(crate) fn stats(book: &mut Book, cache: CacheStats) -> String {
    let counters = book.counters();
    let ids: Vec<MarketId> = book.markets().map(|info| info.id).collect();
    let amms: Vec<_> = ids.iter().map(|id| book.vamm_state(*id)).collect();
    text(|json| {
        json.raw(b"{\"users\":");
        count(json, counters.users);
        json.raw(b",\"orders\":");
        count(json, counters.open_orders);
        json.raw(b",\"shown\":");
        count(json, counters.shown_orders);
        json.raw(b",\"quarantined\":");
        count(json, counters.quarantined);
        let quotes = book.indicative_counts();
        json.raw(b",\"quotingMakers\":");
        count(json, quotes.makers);
        json.raw(b",\"quotes\":");
        count(json, quotes.quotes);
        json.raw(b",\"bodies\":");
        count(json, cache.bodies);
        json.raw(b",\"bodyBytes\":");
        count(json, cache.bytes);
        json.raw(b",\"bodyUses\":");
        json.u64(cache.uses);
        json.raw(b",\"bodyHits\":");
        json.u64(cache.hits);
        json.raw(b",\"shownByMarket\":[");
        for (index, info) in book.markets().enumerate() {
            json.raw(if index == 0 { b"" } else { b"," });
            count(json, book.shown_orders(info.id).unwrap_or(0));
        }
        json.raw(b"],\"vammByMarket\":[");
        for (index, amm) in amms.iter().enumerate() {
            json.raw(if index == 0 { b"" } else { b"," });
            match amm {
                None => json.raw(b"null"),
                Some(Ok(())) => json.string(VAMM_SHOWN),
                Some(Err(reason)) => json.string(reason.name()),
            }
        }
        json.raw(b"],\"leftOut\":{");
        let reasons = LeftOut::ALL.into_iter().zip(counters.left_out);
        let reasons = reasons.filter(|(reason, _)| *reason != LeftOut::NotOpen);
        for (index, (reason, left_out)) in reasons.enumerate() {
            json.raw(if index == 0 { b"" } else { b"," });
            json.string(reason.name());
            json.raw(b":");
            count(json, left_out);
        }
        json.raw(b"}}");
    })
}

/// What is said of an AMM that is in the book, in the place of the reason why it is not.
const VAMM_SHOWN: &str = "shown";

/// What the body cache holds and did.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CacheStats {
    pub(crate) bodies: usize,
    pub(crate) bytes: usize,
    pub(crate) uses: u64,
    pub(crate) hits: u64,
}

fn count(json: &mut JsonWriter<'_>, count: usize) {
    json.u64(u64::try_from(count).unwrap_or(u64::MAX));
}

fn text(write: impl FnOnce(&mut JsonWriter<'_>)) -> String {
    let mut out = Vec::new();
    write(&mut JsonWriter::new(&mut out));
    String::from_utf8(out).unwrap_or_default()
}

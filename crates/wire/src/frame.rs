//! The frame of the compatible order book channel: a JSON object that contains a body as a string.

use slotbook_book::{Book, MarketInfo};
use slotbook_protocol::model::enums::MarketType;

use crate::render::{L2Request, write_body};
use crate::writer::JsonWriter;

/// Appends the frame `{"channel":NAME,"data":TEXT}` to `out`. TEXT is the /l2 body as a JSON
/// string, because existing clients parse twice. A grid of 0 ticks and a grid of 1 tick are two
/// channels.
///
/// Returns false, and writes nothing, for an unknown market.
pub fn render_frame(book: &Book, request: &L2Request, epoch: &str, out: &mut Vec<u8>) -> bool {
    let Some(info) = book.market(request.market) else { return false };
    let mut json = JsonWriter::new(out);
    json.raw(b"{\"channel\":\"");
    write_name(&mut json, info, request);
    json.raw(b"\",\"data\":\"");
    let is_known = write_body(book, request, epoch, &mut JsonWriter::nested(out));
    debug_assert!(is_known, "Invariant: a market with a name has a body");
    JsonWriter::new(out).raw(b"\"}");
    true
}

/// Source: the channel names of the Drift v2 dlob-server (`facts/dlob-server.md` 2.3); `_novamm` is
/// an extension.
fn write_name(json: &mut JsonWriter<'_>, info: &MarketInfo, request: &L2Request) {
    json.raw(match info.market_type {
        MarketType::Perp => b"orderbook_perp_",
        MarketType::Spot => b"orderbook_spot_",
    });
    json.u64(u64::from(info.market_index));
    if request.grouping_ticks > 0 {
        json.raw(b"_grouped_");
        json.u64(u64::from(request.grouping_ticks));
    }
    if request.sources.indicative {
        json.raw(b"_indicative");
    }
    if !request.sources.vamm {
        json.raw(b"_novamm");
    }
}

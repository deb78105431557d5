//! The frame of the compatible order book channel: a body that travels as a text inside JSON.

use slotbook_book::{Book, MarketId, MarketInfo};
use slotbook_protocol::enums::MarketType;

use crate::render::{L2Request, write_body};
use crate::sources::Sources;
use crate::writer::JsonWriter;

/// Which channel a frame is of. The name of the channel says all of it but the depth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameRequest {
    /// The market.
    pub market: MarketId,
    /// Levels a side at most; after grouping.
    pub depth_levels: usize,
    /// The grid in ticks; `None` shows every level, as 1 does, but is another channel.
    pub grouping_ticks: Option<u32>,
    /// What is shown beside orders. The book's quotes must be refreshed for it.
    pub sources: Sources,
}

/// Writes the frame `{"channel":NAME,"data":TEXT}` behind what `out` holds. TEXT is the /l2 body
/// as a JSON string: the clients in use parse twice.
///
/// Returns false, and writes nothing, when the market is not known.
pub fn render_frame(book: &Book, request: &FrameRequest, epoch: &str, out: &mut Vec<u8>) -> bool {
    let FrameRequest { market, depth_levels, grouping_ticks, sources } = *request;
    let Some(info) = book.market(market) else { return false };
    let mut json = JsonWriter::new(out);
    json.raw(b"{\"channel\":\"");
    write_name(&mut json, info, request);
    json.raw(b"\",\"data\":\"");
    let grouping_ticks = grouping_ticks.unwrap_or_default();
    let levels = L2Request { market, depth_levels, grouping_ticks, sources };
    let is_known = write_body(book, &levels, epoch, &mut JsonWriter::nested(out));
    debug_assert!(is_known, "Invariant: a market with a name has a body");
    JsonWriter::new(out).raw(b"\"}");
    true
}

/// Source: the incumbent's channel names (`facts/dlob-server.md` 2.3), `_novamm` being ours.
fn write_name(json: &mut JsonWriter<'_>, info: &MarketInfo, request: &FrameRequest) {
    json.raw(match info.market_type {
        MarketType::Perp => b"orderbook_perp_",
        MarketType::Spot => b"orderbook_spot_",
    });
    json.u64(u64::from(info.market_index));
    if let Some(ticks) = request.grouping_ticks {
        json.raw(b"_grouped_");
        json.u64(u64::from(ticks));
    }
    if request.sources.indicative {
        json.raw(b"_indicative");
    }
    if !request.sources.vamm {
        json.raw(b"_novamm");
    }
}

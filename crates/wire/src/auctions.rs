//! The /auctions body: one row for each order in auction.

use slotbook_book::{AuctionRow, Book, MarketId, Side};
use slotbook_protocol::model::units::BaseQty;

use crate::head::BodyHead;
use crate::level::SizeScale;
use crate::render::body_head;
use crate::top_of_book::TopOfBook;
use crate::writer::{JsonWriter, members};

/// Appends the /auctions body of a market to `out`; `rows` is a reused buffer.
///
/// Returns false, and writes nothing, for an unknown market.
pub fn render_auctions(
    book: &Book,
    market: MarketId,
    epoch: &str,
    rows: &mut Vec<AuctionRow>,
    out: &mut Vec<u8>,
) -> bool {
    let Some(info) = book.market(market) else { return false };
    let Some(header) = book.header(market) else { return false };
    let [bid, ask] = Side::BOTH.map(|side| book.best(market, side));
    let head = body_head(info, &header, TopOfBook { bid, ask }, epoch);
    rows.clear();
    book.auctions(market, rows);
    write_auctions(out, &head, SizeScale::from_decimals(info.decimals), rows);
    true
}

fn write_auctions(out: &mut Vec<u8>, head: &BodyHead<'_>, scale: SizeScale, rows: &[AuctionRow]) {
    let mut json = JsonWriter::new(out);
    json.raw(b"{\"auctions\":[");
    json.list(rows, |json, row| write_row(json, row, scale));
    json.raw(b"]");
    head.write_without_prices(&mut json);
}

fn write_row(json: &mut JsonWriter<'_>, row: &AuctionRow, scale: SizeScale) {
    let order = &row.order;
    let base = |size: BaseQty| scale.to_wire(u128::from(size.0));
    members!(
        json,
        b"{\"orderType\":" => string(order.order_type.name()),
        b",\"direction\":" => string(order.direction.name()),
        b",\"price\":\"" => u64(order.price.0),
        b"\",\"size\":\"" => u128(base(row.size)),
        b"\",\"baseAssetAmount\":\"" => u128(base(order.base_asset_amount)),
        b"\",\"baseAssetAmountFilled\":\"" => u128(base(order.base_asset_amount_filled)),
        b"\",\"oraclePriceOffset\":\"" => i64(order.oracle_price_offset.0),
        b"\",\"maker\":" => key(&row.maker),
        b",\"orderId\":" => u64(u64::from(order.order_id)),
        b",\"slot\":" => u64(order.slot.0),
        b",\"maxTs\":" => i64(order.max_ts.0),
        b",\"reduceOnly\":" => bool(order.reduce_only),
        b",\"postOnly\":" => bool(order.post_only),
        b",\"signedMsg\":" => bool(order.is_signed_msg()),
    );
    write_auction(json, row);
    json.raw(b"}");
}

fn write_auction(json: &mut JsonWriter<'_>, row: &AuctionRow) {
    let order = &row.order;
    members!(
        json,
        b",\"auctionStartPrice\":\"" => i64(order.auction_start_price),
        b"\",\"auctionEndPrice\":\"" => i64(order.auction_end_price),
        b"\",\"startPrice\":" => price_or_null(row.start),
        b",\"endPrice\":" => price_or_null(row.end),
        b",\"currentPrice\":" => price_or_null(row.current),
        b",\"auctionDuration\":" => u64(u64::from(order.auction_duration)),
        b",\"slotsLeft\":" => u64(row.slots_left),
    );
}

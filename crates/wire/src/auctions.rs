//! The /auctions body: orders in auction, one by one.

use slotbook_book::{AuctionRow, Book, MarketId, Side};
use slotbook_protocol::enums::{Direction, OrderType};

use crate::head::BodyHead;
use crate::level::SizeScale;
use crate::render::body_head;
use crate::top_of_book::TopOfBook;
use crate::writer::JsonWriter;

/// Writes the /auctions body of a market behind what `out` holds; the memory of `rows` is used again.
///
/// Returns false, and writes nothing, when the market is not known.
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
    let mut comma: &[u8] = b"";
    for row in rows {
        json.raw(comma);
        write_row(&mut json, row, scale);
        comma = b",";
    }
    json.raw(b"]");
    head.write_without_prices(&mut json);
}

fn write_row(json: &mut JsonWriter<'_>, row: &AuctionRow, scale: SizeScale) {
    let order = &row.order;
    json.raw(b"{\"orderType\":\"");
    json.raw(type_name(order.order_type));
    json.raw(b"\",\"direction\":\"");
    json.raw(match order.direction {
        Direction::Long => b"long",
        Direction::Short => b"short",
    });
    json.raw(b"\",\"price\":\"");
    json.u64(order.price.0);
    json.raw(b"\",\"size\":\"");
    json.u128(scale.to_wire(u128::from(row.size.0)));
    json.raw(b"\",\"baseAssetAmount\":\"");
    json.u128(scale.to_wire(u128::from(order.base_asset_amount.0)));
    json.raw(b"\",\"baseAssetAmountFilled\":\"");
    json.u128(scale.to_wire(u128::from(order.base_asset_amount_filled.0)));
    json.raw(b"\",\"oraclePriceOffset\":\"");
    json.i64(i64::from(order.oracle_price_offset.0));
    json.raw(b"\",\"maker\":");
    json.key(&row.maker);
    json.raw(b",\"orderId\":");
    json.u64(u64::from(order.order_id));
    json.raw(b",\"slot\":");
    json.u64(order.slot.0);
    json.raw(b",\"maxTs\":");
    json.i64(order.max_ts.0);
    json.raw(b",\"reduceOnly\":");
    json.bool(order.reduce_only);
    json.raw(b",\"postOnly\":");
    json.bool(order.post_only);
    json.raw(b",\"signedMsg\":");
    json.bool(order.is_signed_msg());
    write_auction(json, row);
    json.raw(b"}");
}

fn write_auction(json: &mut JsonWriter<'_>, row: &AuctionRow) {
    let order = &row.order;
    json.raw(b",\"auctionStartPrice\":\"");
    json.i64(order.auction_start_price);
    json.raw(b"\",\"auctionEndPrice\":\"");
    json.i64(order.auction_end_price);
    json.raw(b"\",\"startPrice\":");
    json.price_or_null(row.start);
    json.raw(b",\"endPrice\":");
    json.price_or_null(row.end);
    json.raw(b",\"currentPrice\":");
    json.price_or_null(row.current);
    json.raw(b",\"auctionDuration\":");
    json.u64(u64::from(order.auction_duration));
    json.raw(b",\"slotsLeft\":");
    json.u64(row.slots_left);
}

/// The names that the program's own interface has for them.
fn type_name(order_type: OrderType) -> &'static [u8] {
    match order_type {
        OrderType::Market => b"market",
        OrderType::Limit => b"limit",
        OrderType::TriggerMarket => b"triggerMarket",
        OrderType::TriggerLimit => b"triggerLimit",
        OrderType::Oracle => b"oracle",
    }
}

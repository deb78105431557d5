//! The /user/{account}/orders body: the open orders of one account.

use slotbook_book::{Book, OpenOrder};
use slotbook_protocol::model::order::Order;
use slotbook_protocol::model::units::{BaseQty, Pubkey};

use crate::level::SizeScale;
use crate::writer::{JsonWriter, members};

/// Appends the body of a user account to `out`.
pub fn render_open_orders(book: &Book, account: &Pubkey, epoch: &str, out: &mut Vec<u8>) {
    let mut rows = Vec::new();
    book.open_orders(account, &mut rows);
    let mut json = JsonWriter::new(out);
    members!(json, b"{\"account\":" => key(account), b",\"orders\":[");
    json.list(&rows, write_row);
    members!(
        json,
        b"],\"slot\":" => u64(book.slot().0),
        b",\"epoch\":" => string(epoch),
        b",\"state\":" => string(book.state().name()),
        b"}",
    );
}

fn write_row(json: &mut JsonWriter<'_>, row: &OpenOrder<'_>) {
    json.raw(b"{");
    write_order(json, row);
    json.raw(b"}");
}

/// Appends the members of an order.
pub(crate) fn write_order(json: &mut JsonWriter<'_>, row: &OpenOrder<'_>) {
    let OpenOrder { market, order, left_out, .. } = row;
    members!(
        json,
        b"\"marketName\":" => string(&market.symbol),
        b",\"marketType\":" => string(market.market_type.name()),
        b",\"marketIndex\":" => u64(u64::from(market.market_index)),
        b",\"orderId\":" => u64(u64::from(order.order_id)),
        b",\"userOrderId\":" => u64(u64::from(order.user_order_id)),
        b",\"orderType\":" => string(order.order_type.name()),
        b",\"direction\":" => string(order.direction.name()),
    );
    write_amounts(json, order, SizeScale::from_decimals(market.decimals));
    write_terms(json, order);
    json.raw(b",\"leftOut\":");
    json.or_null(left_out.map(|reason| reason.name()), JsonWriter::string);
}

fn write_amounts(json: &mut JsonWriter<'_>, order: &Order, scale: SizeScale) {
    let base = |size: BaseQty| scale.to_wire(u128::from(size.0));
    members!(
        json,
        b",\"price\":\"" => u64(order.price.0),
        b"\",\"baseAssetAmount\":\"" => u128(base(order.base_asset_amount)),
        b"\",\"baseAssetAmountFilled\":\"" => u128(base(order.base_asset_amount_filled)),
        b"\",\"quoteAssetAmountFilled\":\"" => u64(order.quote_asset_amount_filled.0),
        b"\",\"oraclePriceOffset\":\"" => i64(order.oracle_price_offset.0),
        b"\",\"triggerPrice\":\"" => u64(order.trigger_price.0),
        b"\",\"auctionStartPrice\":\"" => i64(order.auction_start_price),
        b"\",\"auctionEndPrice\":\"" => i64(order.auction_end_price),
        b"\"",
    );
}

fn write_terms(json: &mut JsonWriter<'_>, order: &Order) {
    members!(
        json,
        b",\"triggerCondition\":" => string(order.trigger_condition.name()),
        b",\"slot\":" => u64(order.slot.0),
        b",\"maxTs\":" => i64(order.max_ts.0),
        b",\"reduceOnly\":" => bool(order.reduce_only),
        b",\"postOnly\":" => bool(order.post_only),
        b",\"immediateOrCancel\":" => bool(order.immediate_or_cancel),
        b",\"signedMsg\":" => bool(order.is_signed_msg()),
        b",\"auctionDuration\":" => u64(u64::from(order.auction_duration)),
    );
}

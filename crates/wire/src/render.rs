//! From a book to a body: the only place where the two rooms meet.

use slotbook_book::{Book, Header, Level, MarketId, MarketInfo, OrderRow, Side};
use slotbook_protocol::units::{OraclePrice, Price, Pubkey};

use crate::group::{Rounding, grouped};
use crate::head::BodyHead;
use crate::l2::write_l2;
use crate::l3::{OrderLine, write_l3};
use crate::level::{SizeScale, Source, SourcedLevel};
use crate::mark::TopOfBook;

/// Which part of a book an /l2 body shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct L2Request {
    /// The market.
    pub market: MarketId,
    /// Levels a side at most; after grouping.
    pub depth_levels: usize,
    /// The grid in ticks; 0 and 1 show every level.
    pub grouping_ticks: u32,
}

/// Which part of a book an /l3 body shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct L3Request {
    /// The market.
    pub market: MarketId,
    /// Orders a side at most.
    pub depth_orders: usize,
    /// Only the orders of this user account; `None` shows all.
    pub maker: Option<Pubkey>,
}

/// The rows of both sides between the book and the text, kept to be used again.
#[derive(Debug, Default)]
pub struct Rows {
    bids: Vec<OrderRow>,
    asks: Vec<OrderRow>,
}

/// Writes the /l2 body of a market behind what `out` holds.
///
/// Answers false, and writes nothing, when the market is not known.
pub fn render_l2(book: &Book, request: &L2Request, epoch: &str, out: &mut Vec<u8>) -> bool {
    let Some(info) = book.market(request.market) else { return false };
    let Some(header) = book.header(request.market) else { return false };
    let mut bids = book.levels(request.market, Side::Bid).peekable();
    let mut asks = book.levels(request.market, Side::Ask).peekable();
    let top = TopOfBook {
        bid: bids.peek().map(|level| level.price),
        ask: asks.peek().map(|level| level.price),
    };
    let head = body_head(info, &header, top, epoch);
    let scale = SizeScale::from_decimals(info.decimals);
    let bids = bids.map(|level| on_wire(&level, scale));
    let asks = asks.map(|level| on_wire(&level, scale));
    let depth = request.depth_levels;
    if request.grouping_ticks <= 1 {
        write_l2(out, &head, bids.take(depth), asks.take(depth));
        return true;
    }
    let grouping = Price(info.tick.0.saturating_mul(u64::from(request.grouping_ticks)));
    let bids = grouped(bids, grouping, Rounding::Down).take(depth);
    let asks = grouped(asks, grouping, Rounding::Up).take(depth);
    write_l2(out, &head, bids, asks);
    true
}

/// Writes the /l3 body of a market behind what `out` holds.
///
/// Answers false, and writes nothing, when the market is not known. The queue of an order counts
/// every maker's orders, also where only one maker's are shown.
pub fn render_l3(
    book: &Book,
    request: &L3Request,
    epoch: &str,
    rows: &mut Rows,
    out: &mut Vec<u8>,
) -> bool {
    let Some(info) = book.market(request.market) else { return false };
    let Some(header) = book.header(request.market) else { return false };
    let best = Side::BOTH.map(|side| book.best(request.market, side));
    let head = body_head(info, &header, TopOfBook { bid: best[0], ask: best[1] }, epoch);
    let scale = SizeScale::from_decimals(info.decimals);
    read_side(book, request, Side::Bid, &mut rows.bids);
    read_side(book, request, Side::Ask, &mut rows.asks);
    let bids = rows.bids.iter().map(|row| line(row, scale));
    let asks = rows.asks.iter().map(|row| line(row, scale));
    write_l3(out, &head, bids, asks);
    true
}

fn read_side(book: &Book, request: &L3Request, side: Side, rows: &mut Vec<OrderRow>) {
    rows.clear();
    let Some(maker) = request.maker else {
        book.orders(request.market, side, request.depth_orders, rows);
        return;
    };
    book.orders(request.market, side, usize::MAX, rows);
    rows.retain(|row| row.maker == maker);
    rows.truncate(request.depth_orders);
}

fn on_wire(level: &Level, scale: SizeScale) -> SourcedLevel {
    SourcedLevel::of(Source::Dlob, level.price, scale.to_wire(level.size))
}

fn line(row: &OrderRow, scale: SizeScale) -> OrderLine {
    OrderLine {
        price: row.price,
        size: scale.to_wire(u128::from(row.size.0)),
        queue: scale.to_wire(row.queue),
        oracle_price_offset: i64::from(row.oracle_price_offset),
        maker: row.maker,
        order_id: row.order_id,
        slot: row.slot,
        max_ts: row.max_ts,
        reduce_only: row.reduce_only,
        post_only: row.post_only,
        signed_msg: row.signed_msg,
    }
}

fn body_head<'a>(
    info: &'a MarketInfo,
    header: &Header,
    top: TopOfBook,
    epoch: &'a str,
) -> BodyHead<'a> {
    BodyHead {
        market_name: &info.name,
        market_type: info.market_type,
        market_index: info.market_index,
        ts_ms: header.ts_ms,
        slot: header.slot,
        seq: header.seq,
        epoch,
        state: header.state.name(),
        top,
        oracle: header.oracle.exchange,
        last_oracle_price: OraclePrice(header.last_oracle_price),
        mm_oracle: header.oracle.mm,
        market_slot: header.market_slot,
        empty_reason: header.empty_reason.map(|reason| reason.name()),
        offset_orders_excluded: header.oracle.excluded.map(|reason| reason.name()),
    }
}

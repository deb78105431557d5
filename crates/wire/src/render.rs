//! Renders books as bodies. Only this module reads books and writes bodies.

use std::iter::Peekable;

use slotbook_book::{
    Book, Header, INDICATIVE_MAKER, MarketInfo, OrderRow, OrdersQuery, QueueScratch, Side,
};
use slotbook_protocol::model::units::{OraclePrice, Price};

use crate::form::{Form, Shown};
use crate::group::{Rounding, grouped};
use crate::head::BodyHead;
use crate::l3::{OrderLine, write_l3};
use crate::level::{SizeScale, SourcedLevel};
pub use crate::request::{L2Request, L3Request};
use crate::sources::{SideLevels, Sources, all_levels, order_levels};
use crate::stream::binary::body::BodyBytes;
use crate::stream::spec::Encoding;
use crate::top_of_book::TopOfBook;
use crate::uncross::{Crossing, Moved, UncrossRules};
use crate::writer::JsonWriter;

/// The rows of both sides, in reused buffers.
#[derive(Debug, Default)]
pub struct Rows {
    bids: Vec<OrderRow>,
    asks: Vec<OrderRow>,
    queues: QueueScratch,
}

impl Rows {
    fn side(&mut self, side: Side) -> (&mut QueueScratch, &mut Vec<OrderRow>) {
        let rows = match side {
            Side::Bid => &mut self.bids,
            Side::Ask => &mut self.asks,
        };
        (&mut self.queues, rows)
    }
}

/// Appends the /l2 body of a market to `out`. Of an uncrossed body the head describes the uncrossed
/// levels.
///
/// Returns false, and writes nothing, for an unknown market.
pub fn render_l2(
    book: &Book,
    request: &L2Request,
    epoch: &str,
    crossing: &mut Crossing,
    out: &mut Vec<u8>,
) -> bool {
    match (request.encoding, request.uncross) {
        (Encoding::Json, false) => write_body(book, request, epoch, &mut JsonWriter::new(out)),
        (Encoding::Binary, false) => write_body(book, request, epoch, &mut BodyBytes::new(out)),
        (Encoding::Json, true) => {
            write_uncrossed(book, request, epoch, crossing, &mut JsonWriter::new(out))
        }
        (Encoding::Binary, true) => {
            write_uncrossed(book, request, epoch, crossing, &mut BodyBytes::new(out))
        }
    }
}

/// Writes the /l2 body of a market in any form.
pub(crate) fn write_body(
    book: &Book,
    request: &L2Request,
    epoch: &str,
    form: &mut impl Form,
) -> bool {
    let Some(info) = book.market(request.market) else { return false };
    let Some(header) = book.header(request.market) else { return false };
    // Most requests show orders only and skip the merge.
    let sources = request.sources.with_levels(book, info.id);
    if sources.is_none() {
        let levels = |side| order_levels(book, info, side);
        let (mut bids, mut asks) = (levels(Side::Bid), levels(Side::Ask));
        write_sides(info, &header, request, epoch, (&mut bids, &mut asks), form);
    } else {
        let levels = |side| all_levels(book, info, side, sources).peekable();
        let (mut bids, mut asks) = (levels(Side::Bid), levels(Side::Ask));
        write_sides(info, &header, request, epoch, (&mut bids, &mut asks), form);
    }
    true
}

/// Uncrosses the book before grouping and limiting.
fn write_uncrossed(
    book: &Book,
    request: &L2Request,
    epoch: &str,
    crossing: &mut Crossing,
    form: &mut impl Form,
) -> bool {
    let Some(info) = book.market(request.market) else { return false };
    let Some(header) = book.header(request.market) else { return false };
    let [bids, asks] = uncross(book, info, &header, request.sources, crossing);
    let (bids, asks) = crossing.merged(bids, asks);
    write_sides(info, &header, request, epoch, (&mut bids.peekable(), &mut asks.peekable()), form);
    true
}

/// Writes both sides, grouped and limited; the head describes the written levels. The large
/// iterators are passed by reference.
#[inline]
fn write_sides<B, A>(
    info: &MarketInfo,
    header: &Header,
    request: &L2Request,
    epoch: &str,
    (bids, asks): (&mut B, &mut A),
    form: &mut impl Form,
) where
    B: SideLevels,
    A: SideLevels,
{
    let top = TopOfBook { bid: bids.best(), ask: asks.best() };
    let (head, depth) = (body_head(info, header, top, epoch), request.depth_levels);
    let shown = Shown { info, header, grouping_ticks: request.grouping_ticks };
    let Some(grid) = request.grid(info.tick) else {
        form.write_l2(shown, &head, (bids.take(depth), asks.take(depth)));
        return;
    };
    let bids = grouped(bids, grid, Rounding::of(Side::Bid)).take(depth);
    let asks = grouped(asks, grid, Rounding::of(Side::Ask)).take(depth);
    form.write_l2(shown, &head, (bids, asks));
}

/// Calls `each` with the rows of a side of the requested /l2 body, best first.
#[inline]
pub fn each_level(book: &Book, request: &L2Request, side: Side, each: impl FnMut(SourcedLevel)) {
    let Some(info) = book.market(request.market) else { return };
    let sources = request.sources.with_levels(book, info.id);
    if sources.is_none() {
        each_cut(order_levels(book, info, side), request, info, side, each);
    } else {
        each_cut(all_levels(book, info, side, sources), request, info, side, each);
    }
}

/// Calls `each` with the levels of a side, grouped and limited.
#[inline]
fn each_cut(
    levels: impl Iterator<Item = SourcedLevel>,
    request: &L2Request,
    info: &MarketInfo,
    side: Side,
    each: impl FnMut(SourcedLevel),
) {
    match request.grid(info.tick) {
        None => levels.take(request.depth_levels).for_each(each),
        Some(grid) => {
            let groups = grouped(levels, grid, Rounding::of(side));
            groups.take(request.depth_levels).for_each(each);
        }
    }
}

/// Calls `each` with the rows of a side of the requested /l3 body, in book order; `rows` is a
/// reused buffer.
pub fn each_order(
    book: &Book,
    request: &L3Request,
    side: Side,
    rows: &mut Rows,
    each: impl FnMut(OrderLine),
) {
    let Some(info) = book.market(request.market) else { return };
    let scale = SizeScale::from_decimals(info.decimals);
    read_side(book, request, side, rows);
    let (_, rows) = rows.side(side);
    lines(rows, scale).for_each(each);
}

/// Removes the crossing levels from both sides and returns the remaining levels.
fn uncross<'a>(
    book: &'a Book,
    info: &MarketInfo,
    header: &Header,
    sources: Sources,
    crossing: &mut Crossing,
) -> [Peekable<impl Iterator<Item = SourcedLevel> + use<'a>>; 2] {
    let levels = |side| all_levels(book, info, side, sources).peekable();
    let [mut bids, mut asks] = Side::BOTH.map(levels);
    let oracle = header.oracle.mm.or(header.oracle.exchange);
    let oracle = oracle.map_or(header.last_oracle_price, |reading| reading.price.0);
    let rules = UncrossRules {
        reference: OraclePrice(oracle.saturating_add(header.premium)),
        gap: info.tick,
        own_bids: &[],
        own_asks: &[],
    };
    crossing.move_crossing(&mut bids, &mut asks, &rules);
    [bids, asks]
}

/// Appends the /l3 body of a market to `out`.
///
/// Returns false, and writes nothing, for an unknown market. The queue of an order counts the
/// orders of all makers, even when the request names one maker.
pub fn render_l3(
    book: &Book,
    request: &L3Request,
    epoch: &str,
    (rows, crossing): (&mut Rows, &mut Crossing),
    out: &mut Vec<u8>,
) -> bool {
    let Some(info) = book.market(request.market) else { return false };
    let Some(header) = book.header(request.market) else { return false };
    let [bid, ask] = if request.uncross {
        // The levels that do not cross are read again, by order.
        let sources = Sources { vamm: false, ..request.sources };
        let _rest = uncross(book, info, &header, sources, crossing);
        Side::BOTH.map(|side| read_uncrossed_side(book, request, side, crossing.moved(side), rows))
    } else {
        Side::BOTH.into_iter().for_each(|side| read_side(book, request, side, rows));
        Side::BOTH.map(|side| best_shown(book, request, side))
    };
    let head = body_head(info, &header, TopOfBook { bid, ask }, epoch);
    write_rows((info, &header), &head, rows, (request.encoding, out));
    true
}

fn write_rows(
    (info, header): (&MarketInfo, &Header),
    head: &BodyHead<'_>,
    rows: &Rows,
    (encoding, out): (Encoding, &mut Vec<u8>),
) {
    let scale = SizeScale::from_decimals(info.decimals);
    let sides = (lines(&rows.bids, scale), lines(&rows.asks, scale));
    match encoding {
        Encoding::Json => write_l3(&mut JsonWriter::new(out), head, sides.0, sides.1),
        Encoding::Binary => {
            let mut body = BodyBytes::new(out);
            body.write_orders((info, header), sides);
            head.write_object_without_prices(body.members());
        }
    }
}

fn read_side(book: &Book, request: &L3Request, side: Side, rows: &mut Rows) {
    let (queues, rows) = rows.side(side);
    rows.clear();
    let quotes = quotes_of(book, request, side);
    let query = OrdersQuery { market: request.market, side, limit: request.depth_orders };
    match &request.maker {
        Some(maker) if quotes.is_empty() || *maker != INDICATIVE_MAKER => {
            book.orders_of_maker(maker, query, queues, rows);
            rows.iter_mut().for_each(|row| row.queue += base_ahead(quotes, row));
        }
        None if quotes.is_empty() => book.orders_with(query, queues, rows),
        maker => {
            // The queues of quotes count all orders, so all orders are read.
            let limit = if maker.is_some() { usize::MAX } else { query.limit };
            book.orders_with(OrdersQuery { limit, ..query }, queues, rows);
            rows.extend_from_slice(quotes);
            sort_by_price(side, rows);
            count_queues(rows);
            retain_requested(request, rows);
        }
    }
}

fn quotes_of<'a>(book: &'a Book, request: &L3Request, side: Side) -> &'a [OrderRow] {
    if request.sources.indicative { book.indicative_orders(request.market, side) } else { &[] }
}

fn base_ahead(quotes: &[OrderRow], row: &OrderRow) -> u128 {
    let ahead = quotes.iter().filter(|quote| quote.price == row.price);
    let ahead = ahead.filter(|quote| quote.compare_in_queue(row).is_lt());
    ahead.map(|quote| u128::from(quote.size.0)).sum()
}

/// Removes rows of other makers and rows beyond the depth.
fn retain_requested(request: &L3Request, rows: &mut Vec<OrderRow>) {
    rows.retain(|row| request.maker.is_none_or(|maker| row.maker == maker));
    rows.truncate(request.depth_orders);
}

fn best_shown(book: &Book, request: &L3Request, side: Side) -> Option<Price> {
    let quoted = quotes_of(book, request, side).first().map(|row| row.price);
    let better = |a: Price, b: Price| if side.is_better(b.0, a.0) { b } else { a };
    [book.best(request.market, side), quoted].into_iter().flatten().reduce(better)
}

/// Reads the rows of one side of the uncrossed book; returns the side's best price over all makers.
fn read_uncrossed_side(
    book: &Book,
    request: &L3Request,
    side: Side,
    moved: &[Moved],
    rows: &mut Rows,
) -> Option<Price> {
    let (queues, rows) = rows.side(side);
    rows.clear();
    let last = moved.last().map(|moved| moved.from);
    let is_moved = |price: Price| last.is_some_and(|last| !side.is_better(last.0, price.0));
    let crossing = book.levels(request.market, side).take_while(|level| is_moved(level.price));
    let crossing: usize = crossing.map(|level| level.order_count as usize).sum();
    // Non-crossing orders keep their order, so reading up to the depth is enough.
    let limit = match request.maker {
        Some(_) => usize::MAX,
        None => crossing.saturating_add(request.depth_orders.max(1)),
    };
    book.orders_with(OrdersQuery { market: request.market, side, limit }, queues, rows);
    let quotes = quotes_of(book, request, side);
    if !quotes.is_empty() {
        rows.extend_from_slice(quotes);
        sort_by_price(side, rows);
    }
    if !moved.is_empty() {
        let crossing = rows.partition_point(|row| is_moved(row.price));
        reprice(&mut rows[..crossing], moved);
        sort_by_price(side, rows);
    }
    if !moved.is_empty() || !quotes.is_empty() {
        count_queues(rows);
    }
    let best = rows.first().map(|row| row.price);
    retain_requested(request, rows);
    best
}

/// Sets the prices of the rows of moved levels; rows and levels are in the same order.
fn reprice(rows: &mut [OrderRow], moved: &[Moved]) {
    let mut levels = moved.iter().peekable();
    for row in rows {
        while levels.next_if(|moved| moved.from != row.price).is_some() {}
        let level =
            levels.peek().expect("Invariant: a row that crossed is of a level that crossed");
        row.price = level.level.price;
    }
}

fn sort_by_price(side: Side, rows: &mut [OrderRow]) {
    rows.sort_by(|a, b| {
        let price = match side {
            Side::Bid => b.price.cmp(&a.price),
            Side::Ask => a.price.cmp(&b.price),
        };
        price.then_with(|| a.compare_in_queue(b))
    });
}

/// Computes the size ahead of each row at its price.
fn count_queues(rows: &mut [OrderRow]) {
    let mut at = None;
    let mut ahead = 0;
    for row in rows {
        if at.replace(row.price) != Some(row.price) {
            ahead = 0;
        }
        row.queue = ahead;
        ahead += u128::from(row.size.0);
    }
}

/// Returns the rows in wire units, without rows whose size rounds to 0: in frames a size of 0 means
/// a removed order, and a level of such orders does not exist.
fn lines(rows: &[OrderRow], scale: SizeScale) -> impl Iterator<Item = OrderLine> + Clone {
    let size = move |row: &OrderRow| scale.to_wire(u128::from(row.size.0));
    let lines = rows.iter().map(move |row| row.resized(size(row), scale.to_wire(row.queue)));
    lines.filter(|line| line.size > 0)
}

pub(crate) fn body_head<'a>(
    info: &'a MarketInfo,
    header: &Header,
    top: TopOfBook,
    epoch: &'a str,
) -> BodyHead<'a> {
    BodyHead {
        market_name: &info.symbol,
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

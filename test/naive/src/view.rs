//! What a book shows: rows in book order, levels, makers.

use crate::account::Key;

/// A side of the book.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Side {
    /// Orders to buy, highest price first.
    Bid,
    /// Orders to sell, lowest price first.
    Ask,
}

/// One order as it is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of the chain or of the report")]
pub struct Row {
    pub side: Side,
    pub price: i128,
    pub size: i128,
    /// Base ahead of the order at its price.
    pub queue: i128,
    pub slot: u64,
    pub order_id: u32,
    pub maker: Key,
    pub max_ts: i64,
    pub oracle_price_offset: i64,
    pub reduce_only: bool,
    pub post_only: bool,
    pub signed_msg: bool,
}

/// One price of one side.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of the chain or of the report")]
pub struct Level {
    pub price: i128,
    pub size: i128,
    pub order_count: usize,
}

/// Both sides of one market in book order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of the chain or of the report")]
pub struct MarketView {
    pub bids: Vec<Row>,
    pub asks: Vec<Row>,
    /// Why the book is empty, when a rule about the market makes it so.
    pub empty_reason: Option<crate::EmptyReason>,
    /// Whether oracle-offset orders are left out for want of a usable oracle.
    pub offset_orders_excluded: bool,
}

impl MarketView {
    /// The rows of one side.
    pub fn side(&self, side: Side) -> &[Row] {
        match side {
            Side::Bid => &self.bids,
            Side::Ask => &self.asks,
        }
    }
}

/// Levels of rows in book order; rows of one price that are not neighbours make separate levels.
pub fn levels(rows: &[Row]) -> Vec<Level> {
    let mut levels: Vec<Level> = Vec::new();
    for row in rows {
        match levels.last_mut() {
            Some(last) if last.price == row.price => {
                last.size += row.size;
                last.order_count += 1;
            }
            _ => levels.push(Level { price: row.price, size: row.size, order_count: 1 }),
        }
    }
    levels
}

/// The first `limit` different makers of rows in book order.
pub fn best_makers(rows: &[Row], limit: usize) -> Vec<Key> {
    let mut makers = Vec::new();
    for row in rows {
        if makers.len() == limit {
            break;
        }
        if !makers.contains(&row.maker) {
            makers.push(row.maker);
        }
    }
    makers
}

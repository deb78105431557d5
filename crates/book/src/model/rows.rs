//! The rows that readers of a book get: levels and orders.

use std::cmp::Ordering;

use slotbook_protocol::model::units::{BaseQty, Price, Pubkey, Slot, UnixSeconds};

/// One price of one side, with the sizes of fixed and oracle-offset orders added.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Level {
    /// Effective price, 1e6.
    pub price: Price,
    /// Sum of the visible sizes, in the market's base units.
    pub size: u128,
    /// Orders at this price.
    pub order_count: u32,
}

/// One order as the book shows it: by default with sizes in the market's base units.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OrderRow<Size = BaseQty> {
    /// Effective price, 1e6.
    pub price: Price,
    /// Fillable size.
    pub size: Size,
    /// Base ahead of this order at its price, in the unit of `size`.
    pub queue: u128,
    /// The user account that placed it.
    pub maker: Pubkey,
    /// Its id, unique within the user account.
    pub order_id: u32,
    /// The slot at which it was placed.
    pub slot: Slot,
    /// Unix seconds after which the order expires; 0 for never.
    pub max_ts: UnixSeconds,
    /// Whether the order may only reduce the maker's position.
    pub reduce_only: bool,
    /// Whether it never takes liquidity.
    pub post_only: bool,
    /// Whether the order was placed by a signed message.
    pub signed_msg: bool,
    /// Offset from the oracle, 1e6; 0 for a fixed price.
    pub oracle_price_offset: i64,
}

impl OrderRow {
    /// The order with its size and its queue in another unit.
    #[must_use]
    pub const fn resized<Size>(&self, size: Size, queue: u128) -> OrderRow<Size> {
        OrderRow {
            price: self.price,
            size,
            queue,
            maker: self.maker,
            order_id: self.order_id,
            slot: self.slot,
            max_ts: self.max_ts,
            reduce_only: self.reduce_only,
            post_only: self.post_only,
            signed_msg: self.signed_msg,
            oracle_price_offset: self.oracle_price_offset,
        }
    }

    /// Compares by fill priority within one price: order slot, then order id, then maker.
    #[must_use]
    pub fn compare_in_queue(&self, other: &Self) -> Ordering {
        let key = |row: &Self| (row.slot, row.order_id, row.maker);
        key(self).cmp(&key(other))
    }
}

//! Orders in auction: which they are, and at which prices they fill.

use std::collections::BTreeMap;

use crate::account::{Key, MarketKind, Order, User};
use crate::book::NaiveBook;
use crate::price::{auction_price_program, resting_offset_price};
use crate::rules::{self, MarketContext};
use crate::slots::Moment;

/// One order in auction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs, reason = "the fields are those of the chain or of the report")]
pub struct AuctionRow {
    pub slot: u64,
    pub order_id: u32,
    pub maker: Key,
    pub size: i128,
    pub start: Option<i128>,
    pub end: Option<i128>,
    pub current: Option<i128>,
    pub slots_left: u64,
}

impl NaiveBook {
    /// The orders in auction of every market: by slot, then order id, then maker.
    pub fn auctions(&self) -> BTreeMap<(MarketKind, u16), Vec<AuctionRow>> {
        let decoded = self.decoded();
        let contexts = self.contexts(&decoded);
        let listed = contexts.iter().map(|(market, empty_reason)| {
            let users = decoded.users.iter().filter(|_| empty_reason.is_none());
            let mut rows: Vec<AuctionRow> =
                users.flat_map(|(maker, user)| self.auctions_of(*maker, user, market)).collect();
            rows.sort_by_key(|row| (row.slot, row.order_id, row.maker));
            ((market.kind, market.index), rows)
        });
        listed.collect()
    }

    fn auctions_of(&self, maker: Key, user: &User, market: &MarketContext) -> Vec<AuctionRow> {
        let (position, at) = (rules::position_of(user, market), self.moment());
        let rows = user.orders.iter().filter_map(|order| {
            let order = &rules::as_filled(order, market);
            let size = rules::shown_size(order, position);
            let is_listed = rules::user_is_shown(user)
                && is_in_auction(order, market, &at, self.now())
                && size >= market.step.max(1);
            is_listed.then(|| self.auction_row(order, maker, size, market)).flatten()
        });
        rows.collect()
    }

    fn auction_row(
        &self,
        order: &Order,
        maker: Key,
        size: i128,
        market: &MarketContext,
    ) -> Option<AuctionRow> {
        let has_prices = order.auction_start_price != 0 || order.auction_end_price != 0;
        let follows_oracle = match has_prices {
            true => order.auction_is_oracle_offset(),
            false => order.oracle_price_offset != 0,
        };
        if follows_oracle && market.oracle.is_none() {
            return None;
        }
        let Moment { slot: now, slots } = self.moment();
        let price = |slot| match has_prices {
            true => auction_price_program(order, slots.between(order.slot, slot, now), market),
            false if follows_oracle => market.oracle.map(|oracle| {
                resting_offset_price(oracle, order, market.tick, market.is_prediction)
            }),
            false => Some(i128::from(order.price)).filter(|price| *price != 0),
        };
        let last = slots.last_within(order.auction_ms(), order.slot, now);
        Some(AuctionRow {
            slot: order.slot,
            order_id: order.order_id,
            maker,
            size,
            start: price(order.slot),
            end: price(last),
            current: price(now.max(order.slot)),
            slots_left: last.saturating_sub(now),
        })
    }
}

/// Whether an order of the market takes at this time and its auction runs.
fn is_in_auction(order: &Order, market: &MarketContext, at: &Moment, now: i64) -> bool {
    let is_limit = matches!(order.order_type, 1 | 3);
    order.is_open()
        && order.is_on(market.kind, market.index)
        && (!order.must_be_triggered() || order.is_triggered())
        && !(is_limit && order.post_only)
        && !order.is_auction_complete(at)
        && !order.is_expired(now)
        && (order.reduce_only || !market.is_reduce_only)
}

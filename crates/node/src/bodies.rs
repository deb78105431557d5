//! Finished bodies, written into the caller's buffers.

use napi::bindgen_prelude::BufferSlice;
use napi_derive::napi;
use slotbook_book::Side;
use slotbook_wire::render::{L2Request, L3Request};

use crate::convert::{copy_out, index, maker_of, market_of};
use crate::core::Core;

#[napi]
impl Core {
    /// Renders /l2 into `out`: `depth` levels a side, on a grid of `grouping` ticks (0 for none).
    /// The bits of `options` are: 1 with the market's AMM, 2 with indicative quotes, 4 uncrossed, 8
    /// in binary instead of JSON. Returns the length of the body; 0 for an unknown market; when
    /// `out` is too small, the negative of the length that it must have.
    #[napi]
    pub fn l2(
        &mut self,
        market: u32,
        depth: u32,
        grouping: u32,
        options: u32,
        mut out: BufferSlice<'_>,
    ) -> i32 {
        let Some(request) = l2_request([market, depth, grouping, options]) else { return 0 };
        copy_out(self.core.l2(&request), &mut out)
    }

    /// Writes the levels of `l2` into `out` as words of 8 bytes, little-endian: the number of bids,
    /// then price (1e6) and size (1e9, the low word first) of each bid and each ask. Returns the
    /// same as `l2`.
    #[napi]
    pub fn levels(
        &mut self,
        market: u32,
        depth: u32,
        grouping: u32,
        options: u32,
        mut out: BufferSlice<'_>,
    ) -> i32 {
        let Some(request) = l2_request([market, depth, grouping, options]) else { return 0 };
        copy_out(self.core.levels(&request), &mut out)
    }

    /// Renders /l3 into `out`: `depth` orders a side (0 for all), only those of `maker` unless it
    /// is empty, with the options of `l2`. Returns the same as `l2`, and 0 also when `maker` is not
    /// a key.
    #[napi]
    pub fn l3(
        &mut self,
        market: u32,
        depth: u32,
        maker: String,
        options: u32,
        mut out: BufferSlice<'_>,
    ) -> i32 {
        let Some(request) = l3_request([market, depth, options], &maker) else { return 0 };
        copy_out(self.core.l3(&request), &mut out)
    }

    /// Renders /auctions into `out`: the orders of a market that are in auction. Returns the same
    /// as `l2`.
    #[napi]
    pub fn auctions(&mut self, market: u32, mut out: BufferSlice<'_>) -> i32 {
        let Some(market) = market_of(market) else { return 0 };
        copy_out(self.core.auctions(market), &mut out)
    }

    /// Renders a frame of the compatible order book channel into `out`: the /l2 body of `depth`
    /// levels a side, on a grid of `grouping` ticks (0 for none), with the sources of `options`, as a
    /// JSON string. Returns the same as `l2`.
    #[napi]
    pub fn orderbook_frame(
        &mut self,
        market: u32,
        depth: u32,
        grouping: u32,
        options: u32,
        mut out: BufferSlice<'_>,
    ) -> i32 {
        let Some(request) = l2_request([market, depth, grouping, options]) else { return 0 };
        copy_out(self.core.orderbook_frame(&request), &mut out)
    }

    /// Returns the user accounts of at most `limit` distinct makers of a side (0 bids, 1 asks),
    /// best order first, as a JSON array of base58 keys. Null for an unknown market or side.
    #[napi]
    pub fn top_makers(&mut self, market: u32, side: u32, limit: u32) -> Option<String> {
        let side = *Side::BOTH.get(index(side))?;
        let keys = self.core.top_makers(market_of(market)?, side, limit)?;
        Some(String::from_utf8_lossy(keys).into_owned())
    }
}

fn l2_request([market, depth, grouping_ticks, options]: [u32; 4]) -> Option<L2Request> {
    let plain = L2Request::plain(market_of(market)?, index(depth));
    Some(L2Request { grouping_ticks, ..plain.with_options(options) })
}

/// Returns `None` also when `maker` is not a key.
fn l3_request([market, depth, options]: [u32; 3], maker: &str) -> Option<L3Request> {
    let depth_orders = if depth == 0 { usize::MAX } else { index(depth) };
    let plain = L3Request::plain(market_of(market)?, depth_orders);
    Some(L3Request { maker: maker_of(maker).ok()?, ..plain.with_options(options) })
}

//! A topic of one account: the parts that its subscribers have, and the frames that update them.

use std::collections::VecDeque;

use slotbook_book::{Book, QueueScratch};
use slotbook_protocol::model::order::Order;
use slotbook_protocol::model::units::{BaseQty, Pubkey, QuoteQty};

use super::parts::{Reset, SnapshotReply, VersionStamp};
use crate::account::{AccountSource, AccountText, holdings_of, write_owner};
use crate::level::SizeScale;
use crate::writer::{JsonWriter, members};

/// The number of messages about fills that wait for a delta.
const TRADES_WAITING_MAX: usize = 1_000;

/// A published frame.
#[derive(Clone, Debug, Default)]
pub struct UserFrame {
    /// The frame as JSON.
    pub text: Vec<u8>,
    /// The number of the frame that it continues.
    pub prev: u64,
    /// The number of the frame.
    pub seq: u64,
    /// Whether it is a snapshot of another epoch.
    pub reset: Reset,
}

/// Buffers that all topics and bodies of accounts share.
#[derive(Debug, Default)]
pub struct UserScratch {
    /// The queues that were read.
    pub queue: QueueScratch,
    /// The text of the last account.
    pub fresh: AccountText,
    /// The last published frame of any topic.
    pub frame: UserFrame,
}

/// The state of one account's topic, which all its subscribers share.
#[derive(Debug)]
pub struct UserTopic {
    key: Pubkey,
    epoch: String,
    published: VersionStamp,
    /// The members that name the account.
    owner: Vec<u8>,
    /// Why the account has no parts; `None` for an account that is read.
    reason: Option<&'static str>,
    shown: AccountText,
    /// The orders of the account's slots at the last publication.
    orders: Vec<Order>,
    /// The smallest id that no order had by then.
    next_order_id: u32,
    /// What became of fills since the last delta, each as JSON.
    trades: VecDeque<String>,
    /// Whether messages were dropped since the last frame, which is a snapshot then.
    has_gap: bool,
}

impl UserTopic {
    /// Opens a topic with the account as it is; `None` for an account that neither the book nor the
    /// source has. `now_ms` are unix milliseconds, by which publications are numbered.
    pub fn open(
        book: &Book,
        source: AccountSource<'_>,
        (epoch, now_ms): (&str, u64),
        scratch: &mut UserScratch,
    ) -> Option<Self> {
        let mut topic = Self {
            key: *source.key,
            epoch: epoch.to_owned(),
            published: stamp(book, now_ms, now_ms),
            owner: Vec::new(),
            reason: None,
            shown: AccountText::default(),
            orders: Vec::new(),
            next_order_id: u32::MAX,
            trades: VecDeque::new(),
            has_gap: false,
        };
        topic.read(book, source.data, scratch);
        topic.take_fills(book);
        std::mem::swap(&mut topic.shown, &mut scratch.fresh);
        topic.reason.is_none().then_some(topic)
    }

    /// Adds what became of a fill, as JSON, to the next delta. Beyond their maximum the oldest is
    /// dropped, and the next frame is a snapshot.
    pub fn note_trade(&mut self, text: String) {
        if self.trades.len() == TRADES_WAITING_MAX {
            self.trades.pop_front();
            self.has_gap = true;
        }
        self.trades.push_back(text);
    }

    /// Publishes the changes since the last publication, as the scratch's frame; returns false when
    /// there are none. `data` are the bytes of an account that the book does not hold.
    pub fn publish(
        &mut self,
        book: &Book,
        data: Option<&[u8]>,
        (epoch, now_ms): (&str, u64),
        scratch: &mut UserScratch,
    ) -> bool {
        let before = (self.reason, self.published.state);
        self.read(book, data, scratch);
        let fills = self.take_fills(book);
        let is_reset = epoch != self.epoch || std::mem::take(&mut self.has_gap);
        let is_same =
            fills.is_empty() && self.trades.is_empty() && self.shown.is_same(&scratch.fresh);
        if is_same && !is_reset && before == (self.reason, book.state()) {
            return false;
        }
        let prev = self.published.seq;
        let seq = now_ms.max(prev + 1);
        self.published = stamp(book, seq, now_ms);
        self.write_next(book, (prev, is_reset.then_some(epoch)), &fills, scratch);
        let UserFrame { text, .. } = std::mem::take(&mut scratch.frame);
        scratch.frame = UserFrame { text, prev, seq, reset: Reset::from(is_reset) };
        true
    }

    /// Shows the fresh parts, and writes the delta to them; the snapshot of a new epoch.
    fn write_next(
        &mut self,
        book: &Book,
        (prev, epoch): (u64, Option<&str>),
        fills: &[Order],
        UserScratch { fresh, frame: UserFrame { text, .. }, .. }: &mut UserScratch,
    ) {
        text.clear();
        self.write_delta(book, prev, (fresh, fills), text);
        std::mem::swap(&mut self.shown, fresh);
        if let Some(epoch) = epoch {
            epoch.clone_into(&mut self.epoch);
            text.clear();
            self.write_snapshot(SnapshotReply { id: "", reset: Reset::Yes }, text);
        } else {
            self.trades.clear();
        }
    }

    /// Appends the last publication as a snapshot.
    pub fn write_snapshot(&self, reply: SnapshotReply<'_>, out: &mut Vec<u8>) {
        let mut json = JsonWriter::new(out);
        json.raw(b"{\"type\":\"snapshot\"");
        if !reply.id.is_empty() {
            json.raw(b",\"id\":");
            json.raw(reply.id.as_bytes());
        }
        self.write_head(&mut json);
        self.published.write(&mut json);
        members!(json, b",\"reset\":" => bool(reply.reset == Reset::Yes), b",");
        json.raw(&self.owner);
        json.raw(b",");
        self.shown.write(&mut json);
        self.write_reason(&mut json);
        json.raw(b"}");
    }

    /// Appends the slot and state of now, with the number of the last publication.
    pub fn write_heartbeat(&self, book: &Book, now_ms: u64, out: &mut Vec<u8>) {
        let mut json = JsonWriter::new(out);
        json.raw(b"{\"type\":\"heartbeat\"");
        self.write_head(&mut json);
        stamp(book, self.published.seq, now_ms).write(&mut json);
        json.raw(b"}");
    }

    fn write_delta(
        &self,
        book: &Book,
        prev: u64,
        (fresh, fills): (&AccountText, &[Order]),
        out: &mut Vec<u8>,
    ) {
        let mut json = JsonWriter::new(out);
        json.raw(b"{\"type\":\"delta\"");
        self.write_head(&mut json);
        members!(json, b",\"prev\":" => u64(prev));
        self.published.write(&mut json);
        fresh.write_changes(&self.shown, &mut json);
        json.raw(b",\"fills\":[");
        json.list(fills, |json, fill| write_fill(json, book, fill));
        json.raw(b"],\"trades\":[");
        json.list(&self.trades, |json, trade| json.raw(trade.as_bytes()));
        json.raw(b"]");
        self.write_reason(&mut json);
        json.raw(b"}");
    }

    fn write_head(&self, json: &mut JsonWriter<'_>) {
        json.raw(b",\"topic\":\"user:");
        json.key_text(&self.key);
        members!(json, b"\",\"channel\":\"user\",\"epoch\":" => string(&self.epoch));
    }

    fn write_reason(&self, json: &mut JsonWriter<'_>) {
        if let Some(reason) = self.reason {
            members!(json, b",\"reason\":" => string(reason));
        }
    }

    /// Reads the account as it is now into the scratch. An account of another name begins again.
    fn read(
        &mut self,
        book: &Book,
        data: Option<&[u8]>,
        UserScratch { queue, fresh, frame: UserFrame { text, .. } }: &mut UserScratch,
    ) {
        let holdings = holdings_of(book, AccountSource { key: &self.key, data });
        if let Ok(Some(user)) = holdings {
            self.reason = None;
            fresh.render(book, &self.key, &user, queue);
            text.clear();
            write_owner(&mut JsonWriter::new(text), &self.key, &user);
            if *text != self.owner {
                self.has_gap |= !self.owner.is_empty();
                self.owner.clone_from(text);
            }
        } else {
            self.reason = Some(if holdings.is_err() { "malformed" } else { "closed" });
            fresh.clear();
        }
    }

    /// Returns the orders that have filled since the last publication, each with the amounts that
    /// filled meanwhile. An order whose slot was used again by then is missing.
    fn take_fills(&mut self, book: &Book) -> Vec<Order> {
        let orders = book.order_slots(&self.key);
        let fills = orders.iter().filter_map(|order| self.fill_of(order)).collect();
        let newest = orders.iter().map(|order| order.order_id.saturating_add(1)).max().unwrap_or(0);
        let is_first = self.next_order_id == u32::MAX;
        self.next_order_id = if is_first { newest } else { newest.max(self.next_order_id) };
        self.orders = orders;
        fills
    }

    fn fill_of(&self, order: &Order) -> Option<Order> {
        let known = self.orders.iter().find(|known| known.order_id == order.order_id);
        let is_new = order.order_id >= self.next_order_id;
        let (base, quote) = known
            .map(|known| (known.base_asset_amount_filled.0, known.quote_asset_amount_filled.0))
            .or(is_new.then_some((0, 0)))?;
        let base = order.base_asset_amount_filled.0.checked_sub(base).filter(|base| *base > 0)?;
        Some(Order {
            base_asset_amount_filled: BaseQty(base),
            quote_asset_amount_filled: QuoteQty(
                order.quote_asset_amount_filled.0.saturating_sub(quote),
            ),
            ..*order
        })
    }
}

fn stamp(book: &Book, seq: u64, ts_ms: u64) -> VersionStamp {
    VersionStamp { seq, slot: book.slot(), ts_ms, state: book.state(), received_ns: 0 }
}

fn write_fill(json: &mut JsonWriter<'_>, book: &Book, fill: &Order) {
    let id = book.find_market(fill.market_type, fill.market_index);
    let market = id.and_then(|id| book.market(id));
    let scale = SizeScale::from_decimals(market.map_or(9, |market| market.decimals));
    members!(json, b"{\"orderId\":" => u64(fill.order_id.into()), b",\"marketName\":");
    json.or_null(market, |json, market| json.string(&market.symbol));
    members!(
        json,
        b",\"direction\":" => string(fill.direction.name()),
        b",\"base\":\"" => u128(scale.to_wire(fill.base_asset_amount_filled.0.into())),
        b"\",\"quote\":\"" => u64(fill.quote_asset_amount_filled.0),
        b"\"}",
    );
}

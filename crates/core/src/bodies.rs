//! Renders bodies, and caches those of the current version.

use slotbook_book::{MarketId, Side};
use slotbook_protocol::model::ProtocolError;
use slotbook_protocol::model::units::Pubkey;
use slotbook_wire::account::{AccountSource, holdings_of, render_account};
use slotbook_wire::auctions::render_auctions;
use slotbook_wire::cache::Version;
use slotbook_wire::frame::render_frame;
use slotbook_wire::open_orders::render_open_orders;
use slotbook_wire::render::{L2Request, L3Request, each_level, render_l2, render_l3};
use slotbook_wire::sources::Sources;
use slotbook_wire::walk::{WalkRequest, render_walk};
use slotbook_wire::writer::JsonWriter;

use crate::core::{BodyKey, Core};
use crate::text::{self, CacheStats};

/// A word of [`Core::levels`].
const WORD_BYTES: usize = 8;
/// A level of [`Core::levels`]: a price and a size of two words.
const LEVEL_BYTES: usize = 3 * WORD_BYTES;

impl Core {
    /// Returns the /l2 body. All functions for bodies of a market return `None` for an unknown
    /// market.
    pub fn l2(&mut self, request: &L2Request) -> Option<&[u8]> {
        let version = self.prepare(request.market, request.sources)?;
        let (book, epoch, crossing) = (&self.book, &self.epoch, &mut self.crossing);
        Some(self.bodies.body(BodyKey::L2(*request), version, |body| {
            render_l2(book, request, epoch, crossing, body);
        }))
    }

    /// Returns the levels of the /l2 body as words of 8 bytes, little-endian: the number of bids,
    /// then price (1e6) and size (1e9, the low word first) of each bid and each ask.
    pub fn levels(&mut self, request: &L2Request) -> Option<&[u8]> {
        self.prepare(request.market, request.sources)?;
        let rows = &mut self.level_rows;
        rows.clear();
        rows.extend([0; WORD_BYTES]);
        for side in Side::BOTH {
            each_level(&self.book, request, side, |level| {
                rows.extend(level.price.0.to_le_bytes());
                rows.extend(level.size().to_le_bytes());
            });
            if side == Side::Bid {
                let bids = (rows.len() - WORD_BYTES) / LEVEL_BYTES;
                rows[..WORD_BYTES].copy_from_slice(&(bids as u64).to_le_bytes());
            }
        }
        Some(rows)
    }

    /// The /l3 body.
    pub fn l3(&mut self, request: &L3Request) -> Option<&[u8]> {
        let version = self.prepare(request.market, request.sources)?;
        let (book, epoch) = (&self.book, &self.epoch);
        let scratch = (&mut self.rows, &mut self.crossing);
        Some(self.bodies.body(BodyKey::L3(*request), version, |body| {
            render_l3(book, request, epoch, scratch, body);
        }))
    }

    /// Returns the /auctions body: the orders of a market that are in auction.
    pub fn auctions(&mut self, id: MarketId) -> Option<&[u8]> {
        let version = self.version(id)?;
        let version = Version { revision: self.auctions_revision(id), ..version };
        let (book, epoch, rows) = (&self.book, &self.epoch, &mut self.auctions);
        Some(self.bodies.body(BodyKey::Auctions { market: id.0 }, version, |body| {
            render_auctions(book, id, epoch, rows, body);
        }))
    }

    /// Returns a frame of the compatible order book channel: the /l2 body as a JSON string.
    pub fn orderbook_frame(&mut self, request: &L2Request) -> Option<&[u8]> {
        let version = self.prepare(request.market, request.sources)?;
        let (book, epoch) = (&self.book, &self.epoch);
        Some(self.bodies.body(BodyKey::Frame(*request), version, |frame| {
            render_frame(book, request, epoch, frame);
        }))
    }

    /// Returns the user accounts of at most `limit` distinct makers of a side, best order first, as
    /// a JSON array of base58 keys. The result is cached like bodies, because thousands of orders
    /// may need sorting.
    pub fn top_makers(&mut self, id: MarketId, side: Side, limit: u32) -> Option<&[u8]> {
        let version = self.version(id)?;
        let book = &self.book;
        Some(self.bodies.body(BodyKey::Makers { market: id.0, side, limit }, version, |out| {
            let mut makers = Vec::new();
            let limit = usize::try_from(limit).unwrap_or(usize::MAX);
            book.top_makers(id, side, limit, &mut makers);
            text::write_keys(&makers, &mut JsonWriter::new(out));
        }))
    }

    /// Returns the /match body: the simulated fills of an order. `None` for an unknown market.
    pub fn match_order(&mut self, request: &WalkRequest<'_>) -> Option<&[u8]> {
        if !request.sources.is_none() {
            self.book.refresh_quotes(request.market);
        }
        self.match_body.clear();
        let side = Side::met_by(request.taker.direction);
        let external = self.external.levels(request.market, side);
        let request = WalkRequest { external, ..*request };
        let (book, epoch) = (&self.book, &self.epoch);
        render_walk(book, &request, epoch, &mut self.walk, &mut self.match_body)
            .then_some(&self.match_body[..])
    }

    /// Returns the /user/{account}/orders body: the open orders of a user account.
    #[must_use]
    pub fn open_orders(&self, account: &Pubkey) -> String {
        let mut body = Vec::new();
        render_open_orders(&self.book, account, &self.epoch, &mut body);
        String::from_utf8_lossy(&body).into_owned()
    }

    /// Returns the /accounts/{account} body, of the given bytes where the book does not hold the
    /// account; `None` for an account of neither.
    ///
    /// # Errors
    /// [`ProtocolError`] when the bytes are not of a user account of the program, or the book leaves
    /// the account out.
    pub fn account(
        &mut self,
        key: &Pubkey,
        data: Option<&[u8]>,
    ) -> Result<Option<String>, ProtocolError> {
        let Self { book, users, epoch, .. } = self;
        let Some(user) = holdings_of(book, AccountSource { key, data })? else { return Ok(None) };
        let mut body = Vec::new();
        let buffers = (&mut users.scratch.fresh, &mut users.scratch.queue);
        render_account(book, (key, &user), buffers, epoch, &mut body);
        Ok(Some(String::from_utf8_lossy(&body).into_owned()))
    }

    /// Returns the version of a market's bodies; `None` for an unknown market. The auctions
    /// revision is 0, because only /auctions contains auctions.
    #[must_use]
    pub fn version(&self, id: MarketId) -> Option<Version> {
        let seq = self.book.seq(id)?;
        let (slot, state) = (self.book.slot().0, self.book.state() as u8);
        Some(Version { seq, slot, state, epoch: self.epoch_number, revision: 0 })
    }

    /// Returns a number that changes whenever the market's /auctions body changes; 0 for an unknown
    /// market.
    #[must_use]
    pub fn auctions_revision(&self, id: MarketId) -> u64 {
        self.book.auctions_revision(id).unwrap_or_default()
    }

    /// Returns the sizes of the book and of the cache of bodies, as a JSON object.
    pub fn stats(&mut self) -> String {
        let (uses, hits) = self.bodies.uses_and_hits();
        let (bodies, bytes) = (self.bodies.len(), self.bodies.bytes());
        text::stats(&mut self.book, CacheStats { bodies, bytes, uses, hits })
    }

    /// Returns the version of a body with these sources, after refreshing the market's quotes for
    /// them.
    fn prepare(&mut self, id: MarketId, sources: Sources) -> Option<Version> {
        let version = self.version(id)?;
        if !sources.is_none() {
            self.book.refresh_quotes(id);
        }
        Some(version)
    }
}

//! Decodes untrusted frames, as a client does: invalid bytes are an error and never a book.
//!
//! ```
//! use slotbook_wire::stream::binary::decode::{DecodeError, decode};
//!
//! assert_eq!(decode(b"{}", |_| None), Err(DecodeError::NoFrame));
//! ```

use slotbook_book::Side;
use slotbook_protocol::model::units::{Price, Pubkey, Slot, UnixSeconds};
use slotbook_protocol::model::varint::unzigzag;

use super::bytes::ByteReader;
pub use super::error::DecodeError;
use super::keys::{Keys, read_order_id};
use super::{
    FIRST_BYTE, FLAG_TIMING, Kind, ORDER_EXACT_PRICE, ORDER_EXACT_SIZES, ORDER_EXPIRES,
    ORDER_HAS_OFFSET, ORDER_POST_ONLY, ORDER_REDUCE_ONLY, ORDER_SIGNED_MSG, ROW_KIND_BITS, RowKind,
    UNIT_MAX, Units,
};
use crate::l3::OrderLine;
use crate::level::{SOURCES, SourcedLevel};

/// Maximum bytes of a text. The longest texts are the name of a topic (a market name of 32 bytes,
/// each escaped to three, a maker and every flag) and the JSON text of an id of 64 characters.
pub const TEXT_BYTES_MAX: usize = 512;

/// Maximum rows of a side or of an order list: a delta may replace all 500 rows of a side.
pub const ROWS_MAX: usize = 1_000;

/// The facts about a stream that only snapshots contain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamIdentity {
    /// The name of the topic.
    pub topic: String,
    /// `book`, `bbo` or `l3`.
    pub channel: String,
    /// The market's name.
    pub market: String,
    /// The run of the book.
    pub epoch: String,
    /// Whether frames contain the time of their creation.
    pub has_timing: bool,
    /// The units of prices and sizes.
    pub units: Units,
}

/// A frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The stream id.
    pub id: u32,
    /// The state of the book: 0 rebuilding, 1 live, 2 lagging, 3 stale.
    pub state: u8,
    /// The sequence number of the market.
    pub seq: u64,
    /// The newest slot of the book.
    pub slot: u64,
    /// Receipt time of the last update, in Unix milliseconds.
    pub ts_ms: u64,
    /// The payload.
    pub body: Body,
}

/// The payload of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Body {
    /// All shown rows.
    Snapshot {
        /// The identity of the stream, valid from this frame on.
        identity: StreamIdentity,
        /// Whether this snapshot replaces a state from which the service could not continue.
        is_reset: bool,
        /// The JSON text of the request id; empty for none.
        request_id: String,
        /// The rows and their checksum.
        rows: CheckedRows,
    },
    /// The changes since another frame.
    Delta {
        /// The sequence number of the previous frame.
        prev: u64,
        /// The changes, and the checksum of the resulting book.
        rows: CheckedRows,
    },
    /// A sign of life without changes.
    Heartbeat,
}

/// Rows with the checksum of the resulting book.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CheckedRows {
    /// Receipt of the update and creation of the frame, in Unix nanoseconds.
    pub timing: Option<[u64; 2]>,
    /// Bids first.
    pub rows: Rows,
    /// CRC-32, as in JSON frames.
    pub crc: u32,
}

/// Rows of both sides, bids first.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Rows {
    /// Rows of `book` and `bbo`; a level with size 0 is removed.
    Levels([Vec<SourcedLevel>; 2]),
    /// Rows of an `l3` snapshot.
    Orders([Vec<OrderLine>; 2]),
    /// Rows of an `l3` delta.
    OrderChanges([OrderChange; 2]),
}

/// The changes of a side's orders.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OrderChange {
    /// New orders.
    pub add: Vec<OrderLine>,
    /// Changed orders.
    pub change: Vec<OrderLine>,
    /// Removed orders.
    pub remove: Vec<(Pubkey, u32)>,
}

/// Decodes one frame; `find` returns the identity in the last snapshot with a stream id.
///
/// # Errors
///
/// [`DecodeError`] for an invalid frame. The book of the stream is then unknown.
pub fn decode<'a>(
    bytes: &[u8],
    find: impl FnOnce(u32) -> Option<&'a StreamIdentity>,
) -> Result<Frame, DecodeError> {
    let mut reader = ByteReader::new(bytes);
    let first = reader.byte()?;
    if first & 0xf0 != FIRST_BYTE || kind_of(first) > Kind::Heartbeat as u8 {
        return Err(DecodeError::NoFrame);
    }
    let id = reader.u32()?;
    let frame = if kind_of(first) == Kind::Snapshot as u8 {
        let identity = read_identity(&mut reader, id)?;
        read_frame(&mut reader, (first, id), &identity)?
    } else {
        let identity = find(id).ok_or(DecodeError::UnknownStream(id))?;
        read_frame(&mut reader, (first, id), identity)?
    };
    if reader.rest().is_empty() { Ok(frame) } else { Err(DecodeError::Behind) }
}

const fn kind_of(first: u8) -> u8 {
    (first >> 2) & 3
}

fn read_frame(
    reader: &mut ByteReader<'_>,
    (first, id): (u8, u32),
    identity: &StreamIdentity,
) -> Result<Frame, DecodeError> {
    const SNAPSHOT: u8 = Kind::Snapshot as u8;
    const DELTA: u8 = Kind::Delta as u8;
    let seq = reader.varint()?;
    let back = if kind_of(first) == DELTA { reader.varint()? } else { 0 };
    let prev = seq.checked_sub(back).ok_or(DecodeError::TooLarge)?;
    let (slot, ts_ms) = (reader.varint()?, reader.varint()?);
    let body = match kind_of(first) {
        SNAPSHOT => read_snapshot(reader, identity, slot)?,
        DELTA => Body::Delta { prev, rows: read_rows(reader, identity, (slot, true))? },
        _ => Body::Heartbeat,
    };
    Ok(Frame { id, state: first & 3, seq, slot, ts_ms, body })
}

fn read_identity(reader: &mut ByteReader<'_>, id: u32) -> Result<StreamIdentity, DecodeError> {
    let block = reader.rest();
    let mut text = || reader.text(TEXT_BYTES_MAX).map(str::to_owned);
    let (topic, channel, market, epoch) = (text()?, text()?, text()?, text()?);
    if !["book", "bbo", "l3"].contains(&channel.as_str()) {
        return Err(DecodeError::NotText);
    }
    let flags = reader.byte()?;
    let units = Units { price: reader.varint()?, size: reader.varint()? };
    let is_unit = |unit| (1..=UNIT_MAX).contains(&unit);
    if flags > FLAG_TIMING || !is_unit(units.price) || !is_unit(units.size) {
        return Err(DecodeError::TooLarge);
    }
    if crc32fast::hash(&block[..block.len() - reader.rest().len()]) != id {
        return Err(DecodeError::WrongIdentity);
    }
    Ok(StreamIdentity { topic, channel, market, epoch, has_timing: flags == FLAG_TIMING, units })
}

fn read_snapshot(
    reader: &mut ByteReader<'_>,
    identity: &StreamIdentity,
    slot: u64,
) -> Result<Body, DecodeError> {
    let timing = read_timing(reader, identity)?;
    let is_reset = match reader.byte()? {
        0 => false,
        1 => true,
        _ => return Err(DecodeError::TooLarge),
    };
    let request_id = reader.text(TEXT_BYTES_MAX)?.to_owned();
    let mut rows = read_checked(reader, identity, (slot, false))?;
    rows.timing = timing;
    Ok(Body::Snapshot { identity: identity.clone(), is_reset, request_id, rows })
}

fn read_rows(
    reader: &mut ByteReader<'_>,
    identity: &StreamIdentity,
    moment: (u64, bool),
) -> Result<CheckedRows, DecodeError> {
    let timing = read_timing(reader, identity)?;
    let mut rows = read_checked(reader, identity, moment)?;
    rows.timing = timing;
    Ok(rows)
}

fn read_timing(
    reader: &mut ByteReader<'_>,
    identity: &StreamIdentity,
) -> Result<Option<[u64; 2]>, DecodeError> {
    if !identity.has_timing {
        return Ok(None);
    }
    Ok(Some([reader.long()?, reader.long()?]))
}

fn read_checked(
    reader: &mut ByteReader<'_>,
    identity: &StreamIdentity,
    (frame_slot, is_delta): (u64, bool),
) -> Result<CheckedRows, DecodeError> {
    let units = identity.units;
    let rows = if identity.channel == "l3" {
        let mut orders = OrderReader { reader, units, frame_slot, before: 0, makers: Keys::new() };
        if is_delta {
            Rows::OrderChanges([orders.read_change()?, orders.read_change()?])
        } else {
            Rows::Orders([orders.read_list()?, orders.read_list()?])
        }
    } else {
        let bids = read_levels(reader, (Side::Bid, units), 0)?;
        let first = bids.first().map_or(0, |level| level.price.0);
        let asks = read_levels(reader, (Side::Ask, units), first)?;
        if identity.channel == "bbo" && (bids.len() > 1 || asks.len() > 1) {
            return Err(DecodeError::TooLarge);
        }
        Rows::Levels([bids, asks])
    };
    Ok(CheckedRows { timing: None, rows, crc: reader.u32()? })
}

/// Reads a side up to its terminating 0.
fn read_levels(
    reader: &mut ByteReader<'_>,
    (side, units): (Side, Units),
    mut before: u64,
) -> Result<Vec<SourcedLevel>, DecodeError> {
    let mut levels = Vec::new();
    loop {
        let head = reader.varint()?;
        if head == 0 {
            return Ok(levels);
        }
        if levels.len() >= ROWS_MAX {
            return Err(DecodeError::TooLarge);
        }
        let price = read_price(reader, head, before, (side, units))?;
        let sizes = match head & 3 {
            0 => [0; SOURCES],
            1 => [read_lots(reader, units.size)?, 0, 0],
            kind => read_sources(reader, kind == RowKind::Exact as u64)?,
        };
        levels.push(SourcedLevel { price: Price(price), sizes });
        before = price;
    }
}

fn read_price(
    reader: &mut ByteReader<'_>,
    head: u64,
    before: u64,
    (side, units): (Side, Units),
) -> Result<u64, DecodeError> {
    let distance = head >> ROW_KIND_BITS;
    if head & 3 != RowKind::Exact as u64 {
        let away = i128::from(unzigzag(distance)) * i128::from(units.price);
        return moved(before, if side == Side::Bid { -away } else { away });
    }
    if distance == 0 { reader.long() } else { Err(DecodeError::TooLarge) }
}

fn read_lots(reader: &mut ByteReader<'_>, unit: u64) -> Result<u128, DecodeError> {
    let lots = reader.varint()?;
    if lots == 0 {
        return Err(DecodeError::TooLarge);
    }
    Ok(u128::from(lots) * u128::from(unit))
}

fn read_sources(
    reader: &mut ByteReader<'_>,
    may_be_gone: bool,
) -> Result<[u128; SOURCES], DecodeError> {
    let named = reader.byte()?;
    if named >= 1 << SOURCES || (named == 0 && !may_be_gone) {
        return Err(DecodeError::TooLarge);
    }
    let mut sizes = [0; SOURCES];
    for (bit, size) in sizes.iter_mut().enumerate() {
        if named >> bit & 1 == 1 {
            *size = reader.wide()?;
            if *size == 0 {
                return Err(DecodeError::TooLarge);
            }
        }
    }
    Ok(sizes)
}

fn moved(before: u64, away: i128) -> Result<u64, DecodeError> {
    u64::try_from(i128::from(before) + away).map_err(|_| DecodeError::TooLarge)
}

struct OrderReader<'r, 'a> {
    reader: &'r mut ByteReader<'a>,
    units: Units,
    frame_slot: u64,
    before: u64,
    makers: Keys,
}

impl OrderReader<'_, '_> {
    fn read_change(&mut self) -> Result<OrderChange, DecodeError> {
        let (add, change) = (self.read_list()?, self.read_list()?);
        let count = self.read_count()?;
        let mut remove = Vec::with_capacity(count);
        for _ in 0..count {
            remove.push((self.makers.read(self.reader)?, read_order_id(self.reader)?));
        }
        Ok(OrderChange { add, change, remove })
    }

    fn read_list(&mut self) -> Result<Vec<OrderLine>, DecodeError> {
        let count = self.read_count()?;
        let mut lines = Vec::with_capacity(count);
        for _ in 0..count {
            lines.push(self.read_order()?);
        }
        Ok(lines)
    }

    fn read_count(&mut self) -> Result<usize, DecodeError> {
        let count = self.reader.count()?;
        if count > ROWS_MAX { Err(DecodeError::TooLarge) } else { Ok(count) }
    }

    fn read_order(&mut self) -> Result<OrderLine, DecodeError> {
        let flags = self.reader.byte()?;
        if flags & 0x80 != 0 {
            return Err(DecodeError::TooLarge);
        }
        let has = |flag| flags & flag != 0;
        let price = self.read_price(has(ORDER_EXACT_PRICE))?;
        let (size, queue) = self.read_sizes(has(ORDER_EXACT_SIZES))?;
        let (maker, order_id) = (self.makers.read(self.reader)?, read_order_id(self.reader)?);
        let age = unzigzag(self.reader.varint()?);
        Ok(OrderLine {
            price: Price(price),
            size,
            queue,
            oracle_price_offset: self.read_signed(has(ORDER_HAS_OFFSET))?,
            maker,
            order_id,
            slot: Slot(self.frame_slot.wrapping_sub(age.cast_unsigned())),
            max_ts: UnixSeconds(self.read_signed(has(ORDER_EXPIRES))?),
            reduce_only: has(ORDER_REDUCE_ONLY),
            post_only: has(ORDER_POST_ONLY),
            signed_msg: has(ORDER_SIGNED_MSG),
        })
    }

    fn read_sizes(&mut self, is_exact: bool) -> Result<(u128, u128), DecodeError> {
        if is_exact {
            return Ok((self.reader.wide()?, self.reader.wide()?));
        }
        let unit = u128::from(self.units.size);
        let mut lots = || self.reader.varint().map(|lots| u128::from(lots) * unit);
        Ok((lots()?, lots()?))
    }

    fn read_signed(&mut self, is_there: bool) -> Result<i64, DecodeError> {
        if is_there { self.reader.long().map(unzigzag) } else { Ok(0) }
    }

    fn read_price(&mut self, is_exact: bool) -> Result<u64, DecodeError> {
        let price = if is_exact {
            self.reader.long()?
        } else {
            let away = unzigzag(self.reader.varint()?);
            moved(self.before, i128::from(away) * i128::from(self.units.price))?
        };
        self.before = price;
        Ok(price)
    }
}

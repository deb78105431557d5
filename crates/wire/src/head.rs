//! What a book body says beside its rows.

use slotbook_protocol::enums::MarketType;
use slotbook_protocol::oracle::OracleReading;
use slotbook_protocol::units::{OraclePrice, Slot};

use crate::top_of_book::{self, TopOfBook};
use crate::writer::{JsonWriter, literal, members};

/// Everything a body says about its market and its moment.
#[derive(Clone, Copy, Debug)]
pub struct BodyHead<'a> {
    /// The market's name, as on chain without its padding.
    pub market_name: &'a str,
    /// Perp or spot.
    pub market_type: MarketType,
    /// The index among the markets of its type.
    pub market_index: u16,
    /// When the turn ended that made this version, in unix milliseconds.
    pub ts_ms: u64,
    /// The slot the book stands at.
    pub slot: Slot,
    /// The number of the version within the epoch.
    pub seq: u64,
    /// The process run on a chain that `seq` counts in.
    pub epoch: &'a str,
    /// How fresh the feed is: `live`, `lagging`, `stale` or `rebuilding`.
    pub state: &'a str,
    /// Best bid and best ask of the whole book, whatever the depth and the grouping.
    pub top: TopOfBook,
    /// The oracle account as it is read; `None` when none has been read yet.
    pub oracle: Option<OracleReading>,
    /// The oracle price the program saw last: shown where no oracle account has been read.
    pub last_oracle_price: OraclePrice,
    /// The reading the book is priced with; `None` repeats `oracle`.
    pub mm_oracle: Option<OracleReading>,
    /// The slot of the last update of the market's own account.
    pub market_slot: Slot,
    /// Why the market shows no orders by rule; `None` when it may show them.
    pub empty_reason: Option<&'a str>,
    /// Why orders with an oracle offset are left out; `None` when they are in.
    pub offset_orders_excluded: Option<&'a str>,
}

impl BodyHead<'_> {
    /// Writes the members of /l2 that follow the rows.
    pub(crate) fn write_with_prices<const N: bool>(&self, json: &mut JsonWriter<'_, N>) {
        self.write_identity(json);
        self.write_prices(json);
        self.write_rest(json);
    }

    /// Writes the members of /l3 that follow the rows.
    pub(crate) fn write_without_prices<const N: bool>(&self, json: &mut JsonWriter<'_, N>) {
        self.write_identity(json);
        self.write_rest(json);
    }

    /// Writes an object of the members of /l2 that follow the rows.
    pub(crate) fn write_object_with_prices(&self, out: &mut Vec<u8>) {
        let start = out.len();
        self.write_with_prices(&mut JsonWriter::new(out));
        out[start] = b'{';
    }

    /// Writes an object of the members of /l3 that follow the rows.
    pub(crate) fn write_object_without_prices(&self, out: &mut Vec<u8>) {
        let start = out.len();
        self.write_without_prices(&mut JsonWriter::new(out));
        out[start] = b'{';
    }

    fn write_identity<const N: bool>(&self, json: &mut JsonWriter<'_, N>) {
        literal!(json, b",\"marketName\":");
        json.string(self.market_name);
        match self.market_type {
            MarketType::Spot => literal!(json, b",\"marketType\":\"spot\",\"marketIndex\":"),
            MarketType::Perp => literal!(json, b",\"marketType\":\"perp\",\"marketIndex\":"),
        }
        json.u64(u64::from(self.market_index));
        literal!(json, b",\"ts\":");
        json.u64(self.ts_ms);
        literal!(json, b",\"slot\":");
        json.u64(self.slot.0);
    }

    /// Source: facts of the incumbent's /l2 (`facts/dlob-server.md` 1.1), best and spread left out
    /// where a side is empty, because clients in use build big numbers of whatever is there.
    fn write_prices<const N: bool>(&self, json: &mut JsonWriter<'_, N>) {
        let Some((bid, ask)) = self.top.both() else {
            literal!(json, b",\"markPrice\":\"");
            json.i64(self.shown_oracle_price().0);
            literal!(json, b"\"");
            return;
        };
        let pricing = self.pricing_oracle().map(|reading| reading.price);
        let spread = top_of_book::spread(bid, ask, pricing);
        members!(
            json,
            b",\"markPrice\":\"" => i64(spread.mark.0),
            b"\",\"bestBidPrice\":\"" => u64(bid.0),
            b"\",\"bestAskPrice\":\"" => u64(ask.0),
            b"\",\"spreadPct\":\"" => u128(spread.percent),
            b"\",\"spreadQuote\":\"" => u64(spread.quote.0),
            b"\"",
        );
    }

    fn write_rest<const N: bool>(&self, json: &mut JsonWriter<'_, N>) {
        literal!(json, b",\"oracle\":");
        json.i64(self.shown_oracle_price().0);
        self.write_readings(json);
        members!(
            json,
            b",\"marketSlot\":" => u64(self.market_slot.0),
            b",\"seq\":" => u64(self.seq),
            b",\"epoch\":" => string(self.epoch),
            b",\"state\":" => string(self.state),
            b",\"crossed\":" => bool(self.top.crossed()),
        );
        if let Some(reason) = self.empty_reason {
            literal!(json, b",\"reason\":");
            json.string(reason);
        }
        if let Some(reason) = self.offset_orders_excluded {
            literal!(json, b",\"offsetOrdersExcluded\":");
            json.string(reason);
        }
        literal!(json, b"}");
    }

    fn write_readings<const N: bool>(&self, json: &mut JsonWriter<'_, N>) {
        literal!(json, b",\"oracleData\":");
        let start = json.len();
        write_reading(json, self.oracle);
        let end = json.len();
        literal!(json, b",\"mmOracleData\":");
        match self.pricing_oracle() {
            // Most markets have one reading.
            same if same == self.oracle => json.repeat(start..end),
            other => write_reading(json, other),
        }
    }

    fn shown_oracle_price(&self) -> OraclePrice {
        self.oracle.map_or(self.last_oracle_price, |reading| reading.price)
    }

    fn pricing_oracle(&self) -> Option<OracleReading> {
        self.mm_oracle.or(self.oracle)
    }
}

/// An oracle reading is always an object; without a reading it is an empty one.
fn write_reading<const N: bool>(json: &mut JsonWriter<'_, N>, reading: Option<OracleReading>) {
    let Some(reading) = reading else {
        literal!(json, b"{}");
        return;
    };
    members!(
        json,
        b"{\"price\":\"" => i64(reading.price.0),
        b"\",\"slot\":\"" => u64(reading.slot.0),
        b"\",\"confidence\":\"" => u64(reading.confidence),
        b"\",\"hasSufficientNumberOfDataPoints\":" => bool(reading.has_sufficient_data),
    );
    if let Some(average) = reading.average {
        members!(
            json,
            b",\"twap\":\"" => i64(average.price),
            b"\",\"twapConfidence\":\"" => i64(average.confidence),
            b"\"",
        );
    }
    literal!(json, b"}");
}

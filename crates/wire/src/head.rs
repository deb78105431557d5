//! The members of a book body in addition to its rows.

use slotbook_protocol::model::enums::MarketType;
use slotbook_protocol::model::oracle::OracleReading;
use slotbook_protocol::model::units::{OraclePrice, Slot};

use crate::top_of_book::{self, TopOfBook};
use crate::writer::{JsonWriter, literal, members};

/// The market and the moment of a body.
#[derive(Clone, Copy, Debug)]
pub struct BodyHead<'a> {
    /// The market's name, without the padding of its account.
    pub market_name: &'a str,
    /// Perp or spot.
    pub market_type: MarketType,
    /// The index among the markets of its type.
    pub market_index: u16,
    /// The time at which the turn of this version ended, in unix milliseconds.
    pub ts_ms: u64,
    /// The slot of the book.
    pub slot: Slot,
    /// The sequence number within the epoch.
    pub seq: u64,
    /// The epoch: identifies the run of the book within which `seq` counts.
    pub epoch: &'a str,
    /// The freshness of the feed: `live`, `lagging`, `stale` or `rebuilding`.
    pub state: &'a str,
    /// Best bid and best ask of the whole book, regardless of depth and grouping.
    pub top: TopOfBook,
    /// The oracle reading; `None` before the first.
    pub oracle: Option<OracleReading>,
    /// The last oracle price that the program stored, used when there is no oracle reading.
    pub last_oracle_price: OraclePrice,
    /// The reading that prices the book; `None` when it is the same as `oracle`.
    pub mm_oracle: Option<OracleReading>,
    /// The slot of the last update of the market's account.
    pub market_slot: Slot,
    /// The rule that empties the market's book; `None` when no rule does.
    pub empty_reason: Option<&'a str>,
    /// The reason why orders with an oracle offset are excluded; `None` when they are included.
    pub offset_orders_excluded: Option<&'a str>,
}

impl BodyHead<'_> {
    /// Writes the /l2 members after the rows.
    pub(crate) fn write_with_prices<const N: bool>(&self, json: &mut JsonWriter<'_, N>) {
        self.write_identity(json);
        self.write_prices(json);
        self.write_rest(json);
    }

    /// Writes the /l3 members after the rows.
    pub(crate) fn write_without_prices<const N: bool>(&self, json: &mut JsonWriter<'_, N>) {
        self.write_identity(json);
        self.write_rest(json);
    }

    /// Writes the /l2 members in addition to the rows, as an object.
    pub(crate) fn write_object_with_prices(&self, out: &mut Vec<u8>) {
        let start = out.len();
        self.write_with_prices(&mut JsonWriter::new(out));
        out[start] = b'{';
    }

    /// Writes the /l3 members in addition to the rows, as an object.
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

    /// Source: the /l2 body of the Drift v2 dlob-server (`facts/dlob-server.md` 1.1). An empty side
    /// omits its best price and the spread, because existing clients convert any present value to a
    /// big number.
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
            // In most markets both readings are equal.
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

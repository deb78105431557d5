//! Decodes untrusted messages of candles and trades. The history service encodes them, not this
//! crate.
//!
//! ```
//! use slotbook_wire::stream::binary::decode::DecodeError;
//! use slotbook_wire::stream::binary::market::decode_market;
//!
//! assert_eq!(decode_market(b"{}"), Err(DecodeError::NoFrame));
//! ```

use slotbook_book::Side;
use slotbook_protocol::model::units::Pubkey;

use super::bytes::ByteReader;
use super::decode::TEXT_BYTES_MAX;
use super::error::DecodeError;
use super::keys::{Keys, read_order_id};
use super::{FIRST_BYTE, Kind};

/// Maximum trades of a message; a service sends 200.
pub const TRADES_MAX: usize = 1_000;

/// Bytes of a signature.
pub const SIGNATURE_BYTES: usize = 64;

/// The first byte of a message.
const MESSAGE_BYTE: u8 = FIRST_BYTE | ((Kind::Body as u8) << 2);

/// Flag bits of a trade, followed by the flags of both sides.
const SAME_TRANSACTION: u64 = 1;
const HAS_FILL_RECORD_ID: u64 = 1 << 1;
const HAS_PRICE: u64 = 1 << 2;
const HAS_BASE: u64 = 1 << 3;
const HAS_FILLER: u64 = 1 << 4;
const HAS_QUOTE: u64 = 1 << 5;
const HAS_SURPLUS: u64 = 1 << 6;
const HAS_FILLER_REWARD: u64 = 1 << 7;
const HAS_REFERRER_REWARD: u64 = 1 << 8;
const HAS_SPOT_FEE: u64 = 1 << 9;
const TAKER_BIT: u32 = 10;
const MAKER_BIT: u32 = 18;
const FLAGS_END: u64 = 1 << 26;

/// Flag bits of a side.
const HAS_ACCOUNT: u64 = 1;
const HAS_DIRECTION: u64 = 1 << 1;
const IS_SHORT: u64 = 1 << 2;
const HAS_ORDER_ID: u64 = 1 << 3;
const HAS_FEE: u64 = 1 << 4;
const HAS_ORDER_BASE: u64 = 1 << 5;
const HAS_FILLED_BASE: u64 = 1 << 6;
const HAS_FILLED_QUOTE: u64 = 1 << 7;

/// The type of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MessageKind {
    /// The newest trades.
    TradesInit,
    /// New trades.
    TradesUpdate,
    /// The newest candle.
    CandleInit,
    /// A new candle.
    CandleCreate,
    /// A changed candle.
    CandleUpdate,
}

/// A message of candles or of trades.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MarketMessage {
    /// The type.
    pub kind: MessageKind,
    /// The market's name.
    pub symbol: String,
    /// Candle messages only.
    pub candle: Option<Candle>,
    /// New trades that the message omits.
    pub left_out: u64,
    /// Trades of the symbol's market.
    pub trades: Vec<Trade>,
}

/// A candle. Prices and quote are in 1e-6, base in 1e-9.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candle {
    /// The requested name of its length.
    pub resolution: String,
    /// Its start, in Unix seconds.
    pub ts: u64,
    /// Open, high, close and low of the fills.
    pub fills: [i128; 4],
    /// Open, high, close and low of the oracle prices recorded with them.
    pub oracles: [i128; 4],
    /// Traded quote.
    pub quote_volume: i128,
    /// Traded base.
    pub base_volume: i128,
    /// Time and number of its last trade.
    pub last_trade: Option<(u64, u64)>,
}

/// A trade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Trade {
    /// Whether the market is a spot market, and its number.
    pub market: (bool, u16),
    /// Its place on the chain.
    pub transaction: Transaction,
    /// Its index among the program's events of the transaction.
    pub index: u64,
    /// The program's flag bits.
    pub bit_flags: u8,
    /// The program's explanation of the fill.
    pub action_explanation: String,
    /// The filled amounts.
    pub fill: Fill,
    /// The taker's side.
    pub taker: TradeSide,
    /// The maker's side.
    pub maker: TradeSide,
}

/// The transaction of a trade.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transaction {
    /// Raw bytes; JSON uses base58.
    pub signature: [u8; SIGNATURE_BYTES],
    /// Slot.
    pub slot: u64,
    /// Unix seconds.
    pub ts: u64,
}

/// The amounts of a fill. Prices, quote and rewards are in 1e-6, base in 1e-9.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fill {
    /// The program's running number of the market's fills.
    pub record_id: Option<u64>,
    /// Quote per whole base.
    pub price: Option<i128>,
    /// Oracle price at the fill.
    pub oracle_price: i128,
    /// Filled base.
    pub base: Option<i128>,
    /// The sender of the fill.
    pub filler: Option<Pubkey>,
    /// Filled quote.
    pub quote: Option<i128>,
    /// The price improvement kept by the AMM.
    pub surplus: Option<i128>,
    /// Reward of the filler.
    pub filler_reward: Option<i128>,
    /// Reward of the taker's referrer.
    pub referrer_reward: Option<i128>,
    /// Fee of a fill by another spot market.
    pub spot_fee: Option<i128>,
}

/// One side of a trade.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TradeSide {
    /// The user account.
    pub account: Option<Pubkey>,
    /// Long is a bid.
    pub direction: Option<Side>,
    /// Order id.
    pub order_id: Option<u32>,
    /// Fee; negative for a rebate.
    pub fee: Option<i128>,
    /// Base size of the order.
    pub order_base: Option<i128>,
    /// Total filled base of the order.
    pub filled_base: Option<i128>,
    /// Total filled quote of the order.
    pub filled_quote: Option<i128>,
}

/// Decodes one message.
///
/// # Errors
///
/// [`DecodeError`] for an invalid message, which must be discarded whole.
pub fn decode_market(bytes: &[u8]) -> Result<MarketMessage, DecodeError> {
    let mut reader = ByteReader::new(bytes);
    if reader.byte()? != MESSAGE_BYTE {
        return Err(DecodeError::NoFrame);
    }
    let kind = read_kind(reader.byte()?)?;
    let symbol = reader.text(TEXT_BYTES_MAX)?.to_owned();
    let is_trades = matches!(kind, MessageKind::TradesInit | MessageKind::TradesUpdate);
    let candle = if is_trades { None } else { Some(read_candle(&mut reader)?) };
    let (left_out, trades) =
        if kind == MessageKind::CandleInit { (0, Vec::new()) } else { read_trades(&mut reader)? };
    let message = MarketMessage { kind, symbol, candle, left_out, trades };
    if reader.rest().is_empty() { Ok(message) } else { Err(DecodeError::Behind) }
}

const fn read_kind(byte: u8) -> Result<MessageKind, DecodeError> {
    Ok(match byte {
        2 => MessageKind::TradesInit,
        3 => MessageKind::TradesUpdate,
        4 => MessageKind::CandleInit,
        5 => MessageKind::CandleCreate,
        6 => MessageKind::CandleUpdate,
        _ => return Err(DecodeError::NoFrame),
    })
}

fn read_candle(reader: &mut ByteReader<'_>) -> Result<Candle, DecodeError> {
    let resolution = reader.text(TEXT_BYTES_MAX)?.to_owned();
    let flags = reader.byte()?;
    if flags > 1 {
        return Err(DecodeError::TooLarge);
    }
    let ts = reader.varint()?;
    let (mut fills, mut oracles) = ([0; 4], [0; 4]);
    let mut before = 0;
    for price in fills.iter_mut().chain(&mut oracles) {
        *price = reader.amount_from(before)?;
        before = *price;
    }
    let (quote_volume, base_volume) = (reader.amount_from(0)?, reader.amount_from(0)?);
    let last_trade =
        if flags == 1 { Some((reader.varint_from(ts)?, reader.long()?)) } else { None };
    Ok(Candle { resolution, ts, fills, oracles, quote_volume, base_volume, last_trade })
}

fn read_trades(reader: &mut ByteReader<'_>) -> Result<(u64, Vec<Trade>), DecodeError> {
    let (left_out, count) = (reader.varint()?, reader.count()?);
    if count > TRADES_MAX {
        return Err(DecodeError::TooLarge);
    }
    let mut trades = Vec::with_capacity(count);
    if count > 0 {
        let market = read_market(reader)?;
        let mut rows = TradeReader::new(reader);
        for _ in 0..count {
            trades.push(rows.read_trade(market)?);
        }
    }
    Ok((left_out, trades))
}

fn read_market(reader: &mut ByteReader<'_>) -> Result<(bool, u16), DecodeError> {
    let kind = reader.byte()?;
    let index = u16::try_from(reader.varint()?).map_err(|_| DecodeError::TooLarge)?;
    if kind > 1 { Err(DecodeError::TooLarge) } else { Ok((kind == 1, index)) }
}

struct TradeReader<'r, 'a> {
    reader: &'r mut ByteReader<'a>,
    keys: Keys,
    // The transaction of the previous trade.
    transaction: Option<Transaction>,
    action_explanation: String,
    record_id: u64,
    price: i128,
}

impl<'r, 'a> TradeReader<'r, 'a> {
    fn new(reader: &'r mut ByteReader<'a>) -> Self {
        let (keys, action_explanation) = (Keys::new(), String::new());
        Self { reader, keys, transaction: None, action_explanation, record_id: 0, price: 0 }
    }

    fn read_trade(&mut self, market: (bool, u16)) -> Result<Trade, DecodeError> {
        let flags = self.reader.varint()?;
        if flags >= FLAGS_END {
            return Err(DecodeError::TooLarge);
        }
        let transaction = self.read_transaction(flags & SAME_TRANSACTION != 0)?;
        let (index, bit_flags) = (self.reader.varint()?, self.reader.byte()?);
        let action_explanation = self.read_explanation()?;
        let fill = self.read_fill(flags)?;
        let filled = (fill.base.unwrap_or(0), fill.quote.unwrap_or(0));
        Ok(Trade {
            market,
            transaction,
            index,
            bit_flags,
            action_explanation,
            fill,
            taker: self.read_side(flags >> TAKER_BIT, filled)?,
            maker: self.read_side(flags >> MAKER_BIT, filled)?,
        })
    }

    fn read_transaction(&mut self, is_same: bool) -> Result<Transaction, DecodeError> {
        if is_same {
            return self.transaction.ok_or(DecodeError::TooLarge);
        }
        let (slot, ts) = self.transaction.map_or((0, 0), |before| (before.slot, before.ts));
        let raw = self.reader.raw(SIGNATURE_BYTES)?;
        let transaction = Transaction {
            signature: *raw.first_chunk().ok_or(DecodeError::Cut)?,
            slot: self.reader.varint_from(slot)?,
            ts: self.reader.varint_from(ts)?,
        };
        self.transaction = Some(transaction);
        Ok(transaction)
    }

    /// Reads an explanation; an empty one repeats the previous trade's. The first trade has its
    /// own.
    fn read_explanation(&mut self) -> Result<String, DecodeError> {
        let text = self.reader.text(TEXT_BYTES_MAX)?;
        if !text.is_empty() {
            text.clone_into(&mut self.action_explanation);
        }
        if self.action_explanation.is_empty() {
            return Err(DecodeError::NotText);
        }
        Ok(self.action_explanation.clone())
    }

    fn read_fill(&mut self, flags: u64) -> Result<Fill, DecodeError> {
        let has = |flag| flags & flag != 0;
        if has(HAS_FILL_RECORD_ID) {
            let id = self.reader.amount_from(i128::from(self.record_id))?;
            self.record_id = u64::try_from(id).map_err(|_| DecodeError::TooLarge)?;
        }
        if has(HAS_PRICE) {
            self.price = self.reader.amount_from(self.price)?;
        }
        let price = has(HAS_PRICE).then_some(self.price);
        Ok(Fill {
            record_id: has(HAS_FILL_RECORD_ID).then_some(self.record_id),
            price,
            oracle_price: self.reader.amount_from(price.unwrap_or(0))?,
            base: self.read_amount(has(HAS_BASE), 0)?,
            filler: self.read_account(has(HAS_FILLER))?,
            quote: self.read_amount(has(HAS_QUOTE), 0)?,
            surplus: self.read_amount(has(HAS_SURPLUS), 0)?,
            filler_reward: self.read_amount(has(HAS_FILLER_REWARD), 0)?,
            referrer_reward: self.read_amount(has(HAS_REFERRER_REWARD), 0)?,
            spot_fee: self.read_amount(has(HAS_SPOT_FEE), 0)?,
        })
    }

    fn read_side(
        &mut self,
        flags: u64,
        (base, quote): (i128, i128),
    ) -> Result<TradeSide, DecodeError> {
        let has = |flag| flags & flag != 0;
        let direction = match (has(HAS_DIRECTION), has(IS_SHORT)) {
            (false, true) => return Err(DecodeError::TooLarge),
            (false, false) => None,
            (true, is_short) => Some(if is_short { Side::Ask } else { Side::Bid }),
        };
        Ok(TradeSide {
            account: self.read_account(has(HAS_ACCOUNT))?,
            direction,
            order_id: has(HAS_ORDER_ID).then(|| read_order_id(self.reader)).transpose()?,
            fee: self.read_amount(has(HAS_FEE), 0)?,
            order_base: self.read_amount(has(HAS_ORDER_BASE), base)?,
            filled_base: self.read_amount(has(HAS_FILLED_BASE), base)?,
            filled_quote: self.read_amount(has(HAS_FILLED_QUOTE), quote)?,
        })
    }

    fn read_amount(&mut self, is_there: bool, before: i128) -> Result<Option<i128>, DecodeError> {
        is_there.then(|| self.reader.amount_from(before)).transpose()
    }

    fn read_account(&mut self, is_there: bool) -> Result<Option<Pubkey>, DecodeError> {
        is_there.then(|| self.keys.read(self.reader)).transpose()
    }
}

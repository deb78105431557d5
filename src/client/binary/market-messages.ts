/** Messages of candles and trades as bytes, in the form that JSON has. */
import type { Message } from '../fields.js';
import type { AddressTexts } from './address-texts.js';
import { changedBy, signedAmount } from './amounts.js';
import { type Amount, type ByteReader, tooLarge } from './byte-reader.js';
import { BASE_UNIT, decimalOf, QUOTE_UNIT } from './decimals.js';
import { TradeReader } from './trades.js';

/** The second byte; 0 and 1 are bodies. */
const KINDS: Readonly<Record<number, readonly [channel: 'trades' | 'candle', type: string]>> = {
  2: ['trades', 'init'],
  3: ['trades', 'update'],
  4: ['candle', 'init'],
  5: ['candle', 'create'],
  6: ['candle', 'update'],
};

/** Trades of one message; a service sends 200. */
const TRADES_MAX = 1_000;

const HAS_LAST_TRADE = 1;

/** Reads a message from its second byte on. Throws RangeError for what is none. */
export function readMarketMessage(reader: ByteReader, addresses: AddressTexts): Message {
  const kind = reader.readByte();
  const [channelType, type] = KINDS[kind] ?? [];
  if (channelType === undefined) throw new RangeError(`what has no stream is of the kind ${kind}`);
  const symbol = reader.readText();
  const candle = channelType === 'trades' ? undefined : readCandle(reader, symbol);
  if (candle !== undefined && type === 'init') {
    return { type, channelType, data: candle, symbol, resolution: candle['resolution'], candle };
  }
  const tradesLeftOut = reader.readVarint();
  const trades = readTrades(reader, symbol, addresses);
  const message =
    candle === undefined ? { type, channelType, symbol, trades } : { type, candle, trades };
  return tradesLeftOut === 0 ? message : Object.assign(message, { tradesLeftOut });
}

function readTrades(reader: ByteReader, symbol: string, addresses: AddressTexts): Message[] {
  const count = reader.readVarint();
  if (count > TRADES_MAX) throw tooLarge();
  const trades: Message[] = [];
  if (count > 0) {
    const rows = new TradeReader(reader, symbol, addresses);
    while (trades.length < count) trades.push(rows.readTrade());
  }
  return trades;
}

/** One literal, as of deltas: objects that are spread into it took seven times as long. */
function readCandle(reader: ByteReader, symbol: string): Message {
  const [resolution, flags, ts] = [reader.readText(), reader.readByte(), reader.readVarint()];
  if (flags > HAS_LAST_TRADE) throw tooLarge();
  const prices = new PriceReader(reader);
  const candle = {
    symbol,
    resolution,
    ts,
    fillOpen: prices.readPrice(),
    fillHigh: prices.readPrice(),
    fillClose: prices.readPrice(),
    fillLow: prices.readPrice(),
    oracleOpen: prices.readPrice(),
    oracleHigh: prices.readPrice(),
    oracleClose: prices.readPrice(),
    oracleLow: prices.readPrice(),
    quoteVolume: decimalOf(signedAmount(reader.readWide()), QUOTE_UNIT),
    baseVolume: decimalOf(signedAmount(reader.readWide()), BASE_UNIT),
  };
  if (flags === 0) return candle;
  const lastTradeTs = reader.readFrom(ts);
  return Object.assign(candle, { lastTradeTs, lastFillRecordId: String(reader.readLong()) });
}

/** The prices of a candle, each written after the one before it. */
class PriceReader {
  readonly #reader: ByteReader;
  #before: Amount = 0;

  constructor(reader: ByteReader) {
    this.#reader = reader;
  }

  readPrice(): number | string {
    this.#before = changedBy(this.#before, signedAmount(this.#reader.readWide()));
    return decimalOf(this.#before, QUOTE_UNIT);
  }
}

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
  if (channelType === 'trades') {
    return { type, channelType, symbol, ...readTrades(reader, symbol, addresses) };
  }
  const candle = readCandle(reader, symbol);
  if (type !== 'init') return { type, candle, ...readTrades(reader, symbol, addresses) };
  return { type, channelType, data: candle, symbol, resolution: candle['resolution'], candle };
}

function readTrades(reader: ByteReader, symbol: string, addresses: AddressTexts): Message {
  const [tradesLeftOut, count] = [reader.readVarint(), reader.readVarint()];
  if (count > TRADES_MAX) throw tooLarge();
  const trades: Message[] = [];
  if (count > 0) {
    const rows = new TradeReader(reader, symbol, addresses);
    while (trades.length < count) trades.push(rows.readTrade());
  }
  return tradesLeftOut === 0 ? { trades } : { trades, tradesLeftOut };
}

function readCandle(reader: ByteReader, symbol: string): Message {
  const [resolution, flags, ts] = [reader.readText(), reader.readByte(), reader.readVarint()];
  if (flags > HAS_LAST_TRADE) throw tooLarge();
  let before: Amount = 0;
  const readPrice = (): number | string => {
    before = changedBy(before, signedAmount(reader.readWide()));
    return decimalOf(before, QUOTE_UNIT);
  };
  const candle = {
    ...{ symbol, resolution, ts },
    ...{ fillOpen: readPrice(), fillHigh: readPrice() },
    ...{ fillClose: readPrice(), fillLow: readPrice() },
    ...{ oracleOpen: readPrice(), oracleHigh: readPrice() },
    ...{ oracleClose: readPrice(), oracleLow: readPrice() },
    quoteVolume: decimalOf(signedAmount(reader.readWide()), QUOTE_UNIT),
    baseVolume: decimalOf(signedAmount(reader.readWide()), BASE_UNIT),
  };
  if (flags === 0) return candle;
  const lastTradeTs = reader.readFrom(ts);
  return { ...candle, lastTradeTs, lastFillRecordId: String(reader.readLong()) };
}

/** Encodes stream messages as bytes; docs/binary.md specifies them. */

import type { Candle } from '../candles/candle.js';
import type { CandleLabel } from '../candles/candle-text.js';
import type { HistoryMarket } from '../model/records.js';
import { ByteWriter } from './byte-writer.js';
import type { ChangedCandle, MessageEncoder, TradeWindow } from './message-encoder.js';
import { TradeBytes } from './trade-bytes.js';

/** Version 1, and the type of messages without a stream. */
const FIRST_BYTE = 0x9c;

/** The second byte; 0 and 1 are bodies. */
const KINDS = {
  trades: { init: 2, update: 3 },
  candle: { init: 4, create: 5, update: 6 },
} as const;

const HAS_LAST_TRADE = 1;

/** The messages as bytes. */
export const byteMessages: MessageEncoder = {
  writeCandleInit: (candle, label) => {
    const out = begin(KINDS.candle.init, label.symbol);
    writeCandle(out, candle, label);
    return out.bytes;
  },
  writeCandleChange: (type, { candle, label, window }: ChangedCandle) => {
    const out = begin(KINDS.candle[type], label.symbol);
    writeCandle(out, candle, label);
    writeWindow(out, window);
    return out.bytes;
  },
  writeTrades: (type, window: TradeWindow, market: HistoryMarket) => {
    const out = begin(KINDS.trades[type], market.symbol);
    writeWindow(out, window);
    return out.bytes;
  },
};

function begin(kind: number, symbol: string): ByteWriter {
  const out = new ByteWriter();
  out.writeByte(FIRST_BYTE);
  out.writeByte(kind);
  out.writeText(symbol);
  return out;
}

/** Each price relative to the previous one, in the order of JSON. */
function writeCandle(out: ByteWriter, candle: Candle, { resolution }: CandleLabel): void {
  const { ts, lastTradeTs, lastFillRecordId } = candle;
  const hasLast = lastTradeTs !== null && lastFillRecordId !== null;
  out.writeText(resolution);
  out.writeByte(hasLast ? HAS_LAST_TRADE : 0);
  out.writeVarint(ts);
  let before = 0n;
  for (const price of pricesOf(candle)) {
    out.writeSigned(price - before);
    before = price;
  }
  out.writeSigned(candle.quoteVolume);
  out.writeSigned(candle.baseVolume);
  if (!hasLast) return;
  out.writeSigned(lastTradeTs - ts);
  out.writeVarint(lastFillRecordId);
}

function pricesOf(candle: Candle): readonly bigint[] {
  const { fillOpen, fillHigh, fillClose, fillLow } = candle;
  const { oracleOpen, oracleHigh, oracleClose, oracleLow } = candle;
  return [
    ...[fillOpen, fillHigh, fillClose, fillLow],
    ...[oracleOpen, oracleHigh, oracleClose, oracleLow],
  ];
}

function writeWindow(out: ByteWriter, { trades, leftOut }: TradeWindow): void {
  out.writeVarint(leftOut);
  out.writeVarint(trades.length);
  const [first] = trades;
  if (first === undefined) return;
  const { marketType, marketIndex } = first.row;
  out.writeByte(marketType === 'perp' ? 0 : 1);
  out.writeVarint(marketIndex);
  const bytes = new TradeBytes(out);
  for (const trade of trades) bytes.writeTrade(trade);
}

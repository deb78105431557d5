import type { MarketKey } from '../model/records.js';
import type { CandleTables, Span } from './candle-table.js';
import { marketCode } from './market-code.js';
import type { CandleAggregate, CandleEnd, CandleMinutes } from './types.js';

/** Buckets of one length each, so that a span is cut without a calendar; the coarsest first. */
const cuts: readonly CandleMinutes[] = [1_440, 60, 1];

/**
 * What the fills of any span come to: its days, the hours beside them, the minutes beside those, and
 * single fills at its two ends. A month costs some hundred rows.
 */
export function aggregateOfSpan(
  candles: CandleTables,
  market: MarketKey,
  span: Span,
): CandleAggregate | null {
  return cut(candles, marketCode(market), span, 0);
}

function cut(
  candles: CandleTables,
  code: number,
  span: Span,
  depth: number,
): CandleAggregate | null {
  if (span.from >= span.to) return null;
  const minutes = cuts[depth];
  if (minutes === undefined) return candles.sumOfPoints(code, span);
  const seconds = minutes * 60;
  const from = Math.ceil(span.from / seconds) * seconds;
  const to = Math.floor(span.to / seconds) * seconds;
  if (from >= to) return cut(candles, code, span, depth + 1);
  const head = cut(candles, code, { from: span.from, to: from }, depth + 1);
  const tail = cut(candles, code, { from: to, to: span.to }, depth + 1);
  return candles.merge(candles.merge(head, candles.sum(code, minutes, { from, to })), tail);
}

/** The last fill before a moment, or null. */
export function lastFillBefore(
  candles: CandleTables,
  market: MarketKey,
  ts: number,
): CandleEnd | null {
  const minute = Math.floor(ts / 60) * 60;
  const inMinute = candles.sumOfPoints(marketCode(market), { from: minute, to: ts });
  return (inMinute ?? candles.before(market, 1, minute))?.last ?? null;
}

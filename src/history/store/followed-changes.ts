/** Reads the changes that another service has stored in the same database. */
import { FOLLOWED_TRADES_MAX } from '../model/limits.js';
import type { RecordRow } from '../model/records.js';
import type { CandleTables } from './candle-tables.js';
import { marketKeyOfCode, readNumber } from './columns.js';
import { kindCode, type ReadParts, readRecordRows } from './record-rows.js';
import type { CandleChange, CandleRules, StoreChange } from './types.js';

/** Changed markets since the last poll. */
interface FollowedChanges {
  /** The number of the newest change; numbers ascend with each write. */
  readonly number: number;
  /** Codes. */
  readonly markets: readonly number[];
  /**
   * Whether there are changes other than new transactions: removals, or records added to stored
   * transactions.
   */
  readonly hasOther: boolean;
}

/** The changes after a number. */
export function readChanges({ connection }: ReadParts, behind: number): FollowedChanges {
  const text = 'select market, number, removed from changes where number > ?';
  const rows = connection.readRows(text, [behind]);
  return {
    number: Math.max(behind, ...rows.map(([, number]) => readNumber(number))),
    markets: rows.map(([market]) => readNumber(market)),
    hasOther: rows.some(([, , removed]) => readNumber(removed) > behind),
  };
}

/**
 * Returns the number of the newest transaction; transactions are numbered in the order of storage.
 */
export function highestTransaction({ connection }: ReadParts): number {
  return readNumber(connection.readRow('select coalesce(max(id), 0) from transactions')?.[0]);
}

/** A change in the format that streams need, and its position. */
export interface FollowedChange {
  readonly change: StoreChange;
  readonly tx: number;
  readonly isReset: boolean;
}

/** Reads the trades of new transactions, and their candles. */
export function readFollowed(
  parts: ReadParts & { readonly candles: CandleTables },
  { markets, hasOther }: FollowedChanges,
  { behindTx, rules }: { readonly behindTx: number; readonly rules: CandleRules },
): FollowedChange {
  const highest = highestTransaction(parts);
  const tail = 'where r.tx > ? and r.tx <= ? and r.kind = ? order by r.tx, r.idx limit ?';
  const bound = [behindTx, highest, kindCode('trade'), FOLLOWED_TRADES_MAX + 1];
  const rows = readRecordRows(parts, tail, bound);
  const isTooMuch = rows.length > FOLLOWED_TRADES_MAX;
  const trades = isTooMuch ? [] : rows;
  const change = {
    records: trades,
    known: 0,
    removed: hasOther ? 1 : 0,
    candles: candlesOf(trades, parts.candles, rules),
    markets: new Set(markets.map(marketKeyOfCode)),
  };
  return { change, tx: highest, isReset: isTooMuch || hasOther || trades.length === 0 };
}

function candlesOf(
  trades: readonly RecordRow[],
  candles: CandleTables,
  rules: CandleRules,
): readonly CandleChange[] {
  const buckets = new Map<string, Omit<CandleChange, 'candle'>>();
  for (const trade of trades) {
    for (const minutes of rules.minutes) {
      const start = rules.bucketStart(minutes, trade.ts);
      const market = marketKeyOfCode(trade.market);
      buckets.set(`${market}:${minutes}:${start}`, { market, minutes, start });
    }
  }
  return [...buckets.values()].map((bucket) => {
    const { market, minutes, start } = bucket;
    const [candle = null] = candles.readCandles({
      market,
      minutes,
      from: start,
      to: start,
      limit: 1,
    });
    return { ...bucket, candle };
  });
}

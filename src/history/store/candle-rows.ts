import { marketKeyOfCode, readInteger, readNumber, storedInteger } from './columns.js';
import type { Bound, Row } from './connection.js';
import { replaceText } from './insert-text.js';
import { requireSum, rowSum } from './row-sum.js';
import type { CandleAggregate, CandleMinutes, StoredCandle } from './types.js';

/** The columns of a candle, in the order of its row arrays. */
export const CANDLE_COLUMNS = [
  'market',
  'minutes',
  'start',
  'first_id',
  'first_ts',
  'first_price',
  'first_oracle',
  'last_id',
  'last_ts',
  'last_price',
  'last_oracle',
  'high',
  'low',
  'oracle_high',
  'oracle_low',
  'base',
  'quote',
  'fills',
  'sum',
] as const;

/** Stores a row of `CANDLE_COLUMNS`, replacing the row of its bucket. */
export const WRITE_CANDLE = replaceText({ table: 'candles', columns: CANDLE_COLUMNS }, [
  'market',
  'minutes',
  'start',
]);

const sumAt = CANDLE_COLUMNS.indexOf('sum');

/** The bucket of a row. */
export interface BucketKey {
  /** `marketCode`. */
  readonly code: number;
  readonly minutes: CandleMinutes;
  /** Unix seconds. */
  readonly start: number;
}

/** Encodes a bucket as a row. */
export function candleValues(key: BucketKey, of: CandleAggregate): Bound[] {
  const values: Bound[] = [
    key.code,
    key.minutes,
    key.start,
    storedInteger(of.first.fillRecordId),
    of.first.ts,
    storedInteger(of.first.price),
    storedInteger(of.first.oracle),
    storedInteger(of.last.fillRecordId),
    of.last.ts,
    storedInteger(of.last.price),
    storedInteger(of.last.oracle),
    storedInteger(of.high),
    storedInteger(of.low),
    storedInteger(of.oracleHigh),
    storedInteger(of.oracleLow),
    storedInteger(of.base),
    storedInteger(of.quote),
    of.count,
  ];
  values.push(rowSum(values));
  return values;
}

/** The expected checksum of a row of `CANDLE_COLUMNS`. */
export function sumOfCandle(row: Row): number {
  return rowSum(row.slice(0, sumAt));
}

/** Decodes a row of `CANDLE_COLUMNS`. */
export function candleOf(row: Row): StoredCandle {
  return {
    market: marketKeyOfCode(readNumber(row[0])),
    minutes: readNumber(row[1]) as CandleMinutes,
    start: readNumber(row[2]),
    ...aggregateOf(row),
  };
}

/** Decodes the aggregate of a row of `CANDLE_COLUMNS`. Throws a StoreError on a checksum mismatch. */
export function aggregateOf(row: Row): CandleAggregate {
  if (row[sumAt] !== null) requireSum('candles', row[sumAt], sumOfCandle(row));
  return {
    first: endOf(row, 3),
    last: endOf(row, 7),
    high: readInteger(row[11]),
    low: readInteger(row[12]),
    oracleHigh: readInteger(row[13]),
    oracleLow: readInteger(row[14]),
    base: readInteger(row[15]),
    quote: readInteger(row[16]),
    count: readNumber(row[17]),
  };
}

function endOf(row: Row, at: number): StoredCandle['first'] {
  return {
    fillRecordId: readInteger(row[at]),
    ts: readNumber(row[at + 1]),
    price: readInteger(row[at + 2]),
    oracle: readInteger(row[at + 3]),
  };
}

/** A unique text for each bucket. */
export function bucketName({ code, minutes, start }: BucketKey): string {
  return `${code}:${minutes}:${start}`;
}

/**
 * Returns the resolution whose buckets add up to a coarser bucket; null for minutes, whose buckets
 * are sums of trades.
 */
export function finerOf(minutes: CandleMinutes): CandleMinutes | null {
  if (minutes === 1) return null;
  if (minutes <= 60) return 1;
  return minutes <= 1_440 ? 60 : 1_440;
}

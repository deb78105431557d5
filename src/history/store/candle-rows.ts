import { marketKeyOfCode, readInteger, readNumber, storedInteger } from './columns.js';
import type { Bound, Row } from './connection.js';
import { replaceText } from './insert-text.js';
import { requireSum, rowSum } from './row-sum.js';
import type { CandleTable } from './schema.js';
import type { CandleAggregate, CandleMinutes, StoredCandle } from './types.js';

/** The columns of a candle, in the order of the arrays that are written and read here. */
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
] as const satisfies readonly (keyof CandleTable)[];

/** Stores a row of `CANDLE_COLUMNS`, in the place of the one of the same bucket. */
export const WRITE_CANDLE = replaceText({ table: 'candles', columns: CANDLE_COLUMNS }, [
  'market',
  'minutes',
  'start',
]);

const sumAt = CANDLE_COLUMNS.indexOf('sum');

/** Which bucket a row is of. */
export interface BucketKey {
  /** `marketCode`. */
  readonly code: number;
  readonly minutes: CandleMinutes;
  /** Unix seconds. */
  readonly start: number;
}

/** A bucket as its row. */
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

/** The checksum that a row of `CANDLE_COLUMNS` should have. */
export function sumOfCandle(row: Row): number {
  return rowSum(row.slice(0, sumAt));
}

/** The bucket of a row of `CANDLE_COLUMNS`. */
export function candleOf(row: Row): StoredCandle {
  return {
    market: marketKeyOfCode(readNumber(row[0])),
    minutes: readNumber(row[1]) as CandleMinutes,
    start: readNumber(row[2]),
    ...aggregateOf(row),
  };
}

/** The aggregate of a row of `CANDLE_COLUMNS`. Throws a StoreError when it is not what was written. */
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

/** One text for each bucket. */
export function bucketName({ code, minutes, start }: BucketKey): string {
  return `${code}:${minutes}:${start}`;
}

/** The buckets that a coarser one is exactly made of; null for a minute, which is made of trades. */
export function finerOf(minutes: CandleMinutes): CandleMinutes | null {
  if (minutes === 1) return null;
  if (minutes <= 60) return 1;
  return minutes <= 1_440 ? 60 : 1_440;
}

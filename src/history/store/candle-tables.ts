import type { MarketKey } from '../../contract/markets.js';
import { CANDLES_CACHED_MAX, CANDLES_READ_MAX, TS_MAX } from '../model/limits.js';
import {
  aggregateOf,
  type BucketKey,
  bucketName,
  CANDLE_COLUMNS,
  candleOf,
  candleValues,
  finerOf,
  WRITE_CANDLE,
} from './candle-rows.js';
import { marketCode, marketKeyOfCode } from './columns.js';
import type { Connection } from './connection.js';
import { isDamage } from './error.js';
import type { RetentionCutoffs } from './meta.js';
import { marketsIn } from './queries.js';
import type {
  CandleAggregate,
  CandleChange,
  CandleEnd,
  CandleMinutes,
  CandlePoint,
  CandleQuery,
  CandleRules,
  StoredCandle,
} from './types.js';

/** Reads the candle data of a market's fills with `from <= ts < to`, in any order. */
type PointReader = (code: number, span: Span) => readonly CandlePoint[];

/** Resolutions of constant length, coarsest first: they divide a span without a calendar. */
const spanCuts: readonly CandleMinutes[] = [1_440, 60, 1];

interface ChangedBucket extends BucketKey {
  /** The sum of added fills, or null. */
  added: CandleAggregate | null;
  /** Whether a fill was removed, so that the bucket must be computed again. */
  isStale: boolean;
}

const columns = CANDLE_COLUMNS.join(', ');
const readText = `select ${columns} from candles where market = ? and minutes = ? and start = ?`;
const spanText = `select ${columns} from candles
  where market = ? and minutes = ? and start >= ? and start < ?`;
const rangeText = `select ${columns} from candles
  where market = ? and minutes = ? and start >= ? and start <= ?`;
const deleteText = 'delete from candles where market = ? and minutes = ? and start = ?';

/**
 * The aggregates of the buckets, independent of arrival order. `add` and `takeAway` collect
 * changes; `flush` writes them within the transaction of their trades.
 */
export class CandleTables {
  readonly #connection: Connection;
  readonly #rules: CandleRules;
  readonly #points: PointReader;
  readonly #cutoffs: RetentionCutoffs;
  readonly #minutes: readonly CandleMinutes[];
  #changed = new Map<string, ChangedBucket>();
  /** The last written buckets by name, because the next trade usually falls into them again. */
  readonly #written = new Map<string, CandleAggregate>();

  constructor(parts: {
    readonly connection: Connection;
    readonly rules: CandleRules;
    readonly points: PointReader;
    readonly cutoffs: RetentionCutoffs;
  }) {
    this.#connection = parts.connection;
    this.#rules = parts.rules;
    this.#points = parts.points;
    this.#cutoffs = parts.cutoffs;
    this.#minutes = [...parts.rules.minutes].sort((a, b) => a - b);
  }

  /** Adds a new fill to its minute's bucket; `flush` adds the minute to coarser buckets. */
  addPoint(code: number, point: CandlePoint): void {
    this.#addToBucket(this.#bucketAt(code, 1, point.ts), this.#rules.ofPoint(point));
  }

  markStale(code: number, ts: number): void {
    for (const minutes of this.#minutes) this.#bucketAt(code, minutes, ts).isStale = true;
  }

  /** Writes the collected changes, the finest first. */
  writeChanges(): readonly CandleChange[] {
    this.#rollUp();
    const touched = [...this.#changed.values()].sort((a, b) => a.minutes - b.minutes);
    this.#changed = new Map();
    return touched
      .filter((bucket) => bucket.start >= this.#cutoffs.candlesBefore(bucket.minutes))
      .map((bucket) => this.#writeBucket(bucket));
  }

  /** Computes a bucket again from finer data; false when retention has deleted some of it. */
  repairBucket(key: BucketKey): boolean {
    const { code, minutes, start } = key;
    if (!this.#minutes.includes(minutes) || start < 0 || start > TS_MAX) return false;
    if (start !== this.#rules.bucketStart(minutes, start) || !this.#isWhole(key)) return false;
    const sum = this.#rebuildBucket(key);
    const name = bucketName(key);
    this.#written.delete(name);
    if (sum === null) this.#connection.changeRows(deleteText, [code, minutes, start]);
    else this.#connection.changeRows(WRITE_CANDLE, candleValues(key, sum));
    return true;
  }

  /** Clears collected changes and the cache after a failed transaction. */
  clearChanges(): void {
    this.#changed = new Map();
    this.#written.clear();
  }

  /** Returns the newest `limit` buckets of a range, oldest first. */
  readCandles(query: CandleQuery): readonly StoredCandle[] {
    if (query.limit > CANDLES_READ_MAX) {
      throw new RangeError(`limit was ${query.limit}, must be at most ${CANDLES_READ_MAX}`);
    }
    const { market, minutes, from = 0, to = Number.MAX_SAFE_INTEGER, limit } = query;
    const text = `${rangeText} order by start desc limit ?`;
    const bound = [marketCode(market), minutes, from, to, limit];
    return this.#connection.readRows(text, bound).map(candleOf).reverse();
  }

  /** Returns the newest bucket that starts before a moment, or null. */
  candleBefore(market: MarketKey, minutes: CandleMinutes, start: number): StoredCandle | null {
    return this.readCandles({ market, minutes, to: start - 1, limit: 1 })[0] ?? null;
  }

  /** Returns the markets that have a bucket; each costs one seek. */
  listMarkets(): readonly MarketKey[] {
    return marketsIn(this.#connection, 'candles').map(marketKeyOfCode);
  }

  /**
   * Returns the sum of the fills in any span, or null: from whole days, the remaining hours and
   * minutes, and single fills at both ends. A month costs several hundred rows.
   */
  aggregateSpan(market: MarketKey, span: Span): CandleAggregate | null {
    return this.#sumSpan(marketCode(market), span, 0);
  }

  /** Returns the last fill before a moment, or null. */
  lastFillBefore(market: MarketKey, ts: number): CandleEnd | null {
    const minute = Math.floor(ts / 60) * 60;
    const inMinute = this.#sumPoints(marketCode(market), { from: minute, to: ts });
    return (inMinute ?? this.candleBefore(market, 1, minute))?.last ?? null;
  }

  /** Returns the sum of `spanCuts[depth]` within the span, with finer data at its ends. */
  #sumSpan(code: number, span: Span, depth: number): CandleAggregate | null {
    if (span.from >= span.to) return null;
    const minutes = spanCuts[depth];
    if (minutes === undefined) return this.#sumPoints(code, span);
    const seconds = minutes * 60;
    const from = Math.ceil(span.from / seconds) * seconds;
    const to = Math.floor(span.to / seconds) * seconds;
    if (from >= to) return this.#sumSpan(code, span, depth + 1);
    const head = this.#sumSpan(code, { from: span.from, to: from }, depth + 1);
    const tail = this.#sumSpan(code, { from: to, to: span.to }, depth + 1);
    return this.#mergeParts(
      this.#mergeParts(head, this.#sumBuckets(code, minutes, { from, to })),
      tail,
    );
  }

  /** Returns the sum of the buckets that start in [from, to), or null without any. */
  #sumBuckets(code: number, minutes: CandleMinutes, span: Span): CandleAggregate | null {
    return this.#mergeAll(
      this.#connection.readRows(spanText, [code, minutes, span.from, span.to]).map(aggregateOf),
    );
  }

  /** Returns the sum of the fills in a span, or null without any. */
  #sumPoints(code: number, span: Span): CandleAggregate | null {
    return this.#mergeAll(this.#points(code, span).map((point) => this.#rules.ofPoint(point)));
  }

  /** Returns the sum of two parts, either of which may be null. */
  #mergeParts(a: CandleAggregate | null, b: CandleAggregate | null): CandleAggregate | null {
    if (a === null || b === null) return a ?? b;
    return this.#rules.merge(a, b);
  }

  #mergeAll(parts: readonly CandleAggregate[]): CandleAggregate | null {
    return parts.reduce<CandleAggregate | null>((sum, part) => this.#mergeParts(sum, part), null);
  }

  #addToBucket(bucket: ChangedBucket, added: CandleAggregate): void {
    bucket.added = this.#mergeParts(bucket.added, added);
  }

  #rollUp(): void {
    for (const minute of [...this.#changed.values()]) {
      if (minute.minutes !== 1 || minute.added === null) continue;
      for (const minutes of this.#minutes) {
        if (minutes !== 1)
          this.#addToBucket(this.#bucketAt(minute.code, minutes, minute.start), minute.added);
      }
    }
  }

  #bucketAt(code: number, minutes: CandleMinutes, ts: number): ChangedBucket {
    const start = this.#rules.bucketStart(minutes, ts);
    const name = bucketName({ code, minutes, start });
    const known = this.#changed.get(name);
    if (known !== undefined) return known;
    const bucket: ChangedBucket = { code, minutes, start, added: null, isStale: false };
    this.#changed.set(name, bucket);
    return bucket;
  }

  #writeBucket(bucket: ChangedBucket): CandleChange {
    const { code, minutes, start } = bucket;
    const key = { market: marketKeyOfCode(code), minutes, start };
    const isMade = bucket.isStale && this.#isWhole(bucket);
    const sum = isMade ? this.#rebuildBucket(bucket) : this.#extendBucket(bucket);
    const name = bucketName(bucket);
    this.#written.delete(name);
    if (sum === null) {
      this.#connection.changeRows(deleteText, [code, minutes, start]);
      return { ...key, candle: null };
    }
    this.#connection.changeRows(WRITE_CANDLE, candleValues(bucket, sum));
    this.#cacheWritten(name, sum);
    return { ...key, candle: { ...sum, ...key } };
  }

  #cacheWritten(name: string, sum: CandleAggregate): void {
    this.#written.set(name, sum);
    if (this.#written.size <= CANDLES_CACHED_MAX) return;
    const [oldest = name] = this.#written.keys();
    this.#written.delete(oldest);
  }

  /** Returns whether all data of a bucket is stored; retention may have deleted some. */
  #isWhole({ minutes, start }: BucketKey): boolean {
    const finer = finerOf(minutes);
    return (
      start >=
      (finer === null ? this.#cutoffs.recordsBefore('trade') : this.#cutoffs.candlesBefore(finer))
    );
  }

  #extendBucket(bucket: ChangedBucket): CandleAggregate | null {
    const written = this.#written.get(bucketName(bucket));
    if (written !== undefined) return this.#mergeParts(written, bucket.added);
    const row = this.#connection.readRow(readText, [bucket.code, bucket.minutes, bucket.start]);
    try {
      return this.#mergeParts(row === null ? null : aggregateOf(row), bucket.added);
    } catch (error) {
      // A damaged row is computed again if all its data is stored.
      if (isDamage(error) && this.#isWhole(bucket)) return this.#rebuildBucket(bucket);
      throw error;
    }
  }

  #rebuildBucket(bucket: BucketKey): CandleAggregate | null {
    const span = { from: bucket.start, to: this.#rules.bucketEnd(bucket.minutes, bucket.start) };
    const finer = finerOf(bucket.minutes);
    return finer === null
      ? this.#sumPoints(bucket.code, span)
      : this.#sumBuckets(bucket.code, finer, span);
  }
}

/** `from <= ts < to`, unix seconds. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

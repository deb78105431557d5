/** The inputs and results of the store. */

import type { MarketKey } from '../../contract/markets.js';
import type { ProgramName } from '../../contract/program.js';
import type { RESOLUTION_MINUTES, Resolution } from '../../contract/resolutions.js';
import type { FillAmounts, RecordKind } from '../../engine/events.js';
import type {
  HistoryMarket,
  RecordPosition,
  RecordRow,
  TransactionPosition,
  TransactionRecords,
} from '../model/records.js';

/** In place of a genesis hash: a reading store accepts any chain. */
export const ANY_CHAIN = '';

/** A resolution by its nominal length in minutes: a week is 10,080, a month 43,200. */
export type CandleMinutes = (typeof RESOLUTION_MINUTES)[Resolution];

/** The first or last fill of a span. */
export interface CandleEnd {
  readonly fillRecordId: bigint;
  /** Unix seconds. */
  readonly ts: number;
  /** At 1e6. */
  readonly price: bigint;
  /** At 1e6. */
  readonly oracle: bigint;
}

/** The candle data of a fill. */
export interface CandlePoint extends CandleEnd {
  /** At 1e9, whatever the token's decimals. */
  readonly base: bigint;
  /** At 1e6. */
  readonly quote: bigint;
}

/**
 * The aggregate of a set of fills, independent of their order; units as in `CandlePoint`. The first
 * and the last fill have the lowest and the highest fillRecordId.
 */
export interface CandleAggregate {
  readonly first: CandleEnd;
  readonly last: CandleEnd;
  readonly high: bigint;
  readonly low: bigint;
  readonly oracleHigh: bigint;
  readonly oracleLow: bigint;
  readonly base: bigint;
  readonly quote: bigint;
  readonly count: number;
}

/** The aggregate of the fills in one bucket of a market. */
export interface StoredCandle extends CandleAggregate {
  readonly market: MarketKey;
  readonly minutes: CandleMinutes;
  /** Unix seconds at which the bucket starts. */
  readonly start: number;
}

/** The rules of candles, which the folder `candles` defines. */
export interface CandleRules {
  readonly minutes: readonly CandleMinutes[];
  /** Returns the start of the bucket that contains a moment, unix seconds. */
  bucketStart(minutes: CandleMinutes, ts: number): number;
  /** Returns the end of the bucket that contains a moment, unix seconds. */
  bucketEnd(minutes: CandleMinutes, ts: number): number;
  /** Returns the candle data of a fill, or null when it does not count. */
  pointOf(fill: FillAmounts, decimals: number): CandlePoint | null;
  ofPoint(point: CandlePoint): CandleAggregate;
  /** Combines the aggregates of two disjoint sets of fills; commutative. */
  merge(a: CandleAggregate, b: CandleAggregate): CandleAggregate;
}

/** Options of a store. */
export interface StoreOptions {
  /** The folder of `--data-dir`, created if missing. */
  readonly folder: string;
  /** The chain's genesis hash, base58; each chain has its own file. */
  readonly genesisHash: string;
  /** The program of its transactions, base58; undefined for any. */
  readonly programId?: string | undefined;
  /** The program whose records these are; by default that of `programId`. */
  readonly program?: ProgramName | undefined;
  readonly rules: CandleRules;
  /** Returns the base decimals of a market, 9 for perp markets; null when unknown. */
  readonly decimalsOf: (market: MarketKey) => HistoryMarket['decimals'] | null;
}

/** The content of one write, stored in one transaction. */
export interface StoreBatch {
  readonly transactions: readonly TransactionRecords[];
  /** Progress marks by name; null deletes a mark. */
  readonly progress?: Readonly<Record<string, string | null>>;
}

/** The effects of a write, which are on disk when the caller gets them. */
export interface StoreChange {
  /** New records, in the order of the batch. */
  readonly records: readonly RecordRow[];
  /** Every changed bucket in its new state; null when it no longer has a fill. */
  readonly candles: readonly CandleChange[];
  /** Markets whose records, places or candles changed. */
  readonly markets: ReadonlySet<MarketKey>;
  /** Records of the batch that were already stored. */
  readonly known: number;
  /** Number of removed records, whose transaction is gone or moved to another slot. */
  readonly removed: number;
}

/** One changed bucket. */
export interface CandleChange extends Pick<StoredCandle, 'market' | 'minutes' | 'start'> {
  readonly candle: StoredCandle | null;
}

/** A transaction of the program. */
export interface StoredTransaction extends FinalPosition {
  readonly isFinal: boolean;
  readonly isTruncated: boolean;
  /** Whether a stored record refers to it. */
  readonly hasRecords: boolean;
}

/** The slots of an unfinalised query. */
export interface UnfinalisedQuery {
  readonly slotAfter: number;
  /** Inclusive. */
  readonly slotUpTo: number;
}

/** The final position of a transaction, from the finalised listing. */
export type FinalPosition = TransactionPosition;

/** A range of missing fill numbers. */
export interface FillGap {
  readonly market: MarketKey;
  /** The last fillRecordId before the hole; the next member is the first one after it. */
  readonly after: bigint;
  readonly before: bigint;
  readonly missing: bigint;
}

/** A page of records, newest first. */
export interface RecordPageQuery {
  readonly kind: RecordKind;
  readonly market: MarketKey;
  readonly limit: number;
  /** Number of rows to skip from the newest; the cost grows with it. */
  readonly offset?: number;
  /** The position before which rows are returned; the cost is constant. */
  readonly before?: RecordPosition | undefined;
  /** The time of the oldest rows, unix seconds. */
  readonly since?: number;
}

/** Records of a time span, oldest first. */
export interface RecordSpanQuery {
  readonly kind: RecordKind;
  readonly market: MarketKey;
  /** Unix seconds, inclusive. */
  readonly from: number;
  /** Unix seconds, exclusive. */
  readonly to: number;
}

/** A range of the rows in a span; the cost of `offset` grows with it. */
export interface RecordSpanPart extends RecordSpanQuery {
  readonly limit: number;
  readonly offset: number;
}

/** A query for the newest `limit` buckets that start in [from, to], both inclusive. */
export interface CandleQuery {
  readonly market: MarketKey;
  readonly minutes: CandleMinutes;
  readonly from?: number;
  readonly to?: number;
  readonly limit: number;
}

/** Retention cutoffs by kind of records and by candles, unix seconds; omitted ones are kept. */
export interface RetirePolicy {
  readonly recordsBefore?: Readonly<Partial<Record<RecordKind, number>>>;
  /** A slot up to which final transactions without records may be deleted. */
  readonly emptyUpToSlot?: number;
  readonly candlesBefore?: Readonly<Partial<Record<CandleMinutes, number>>>;
}

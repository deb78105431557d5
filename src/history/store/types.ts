/** What goes into the store and what comes out of it. */

import type { MarketKey } from '../../contract/markets.js';
import type {
  Fill,
  FundingRow,
  HistoryMarket,
  TradeRow,
  TransactionRecords,
} from '../model/records.js';

/** In the place of the name of a chain, for a store that is read alone: the chain that is found there. */
export const ANY_CHAIN = '';

/** Where a record stands among those of its market: by slot, then place, then index. */
export interface RecordPosition {
  readonly slot: number;
  readonly place: number;
  readonly index: number;
}

/** A resolution by its nominal length in minutes: a week is 10,080, a month 43,200. */
export type CandleMinutes = 1 | 5 | 15 | 60 | 240 | 1_440 | 10_080 | 43_200;

/** What a fill adds to the candles of its market. */
export interface CandlePoint {
  readonly fillRecordId: bigint;
  /** Unix seconds. */
  readonly ts: number;
  /** At 1e6. */
  readonly price: bigint;
  /** At 1e6. */
  readonly oracle: bigint;
  /** At 1e9, whatever the token's decimals. */
  readonly base: bigint;
  /** At 1e6. */
  readonly quote: bigint;
}

/** One end of a span of fills. */
export interface CandleEnd {
  readonly fillRecordId: bigint;
  readonly ts: number;
  readonly price: bigint;
  readonly oracle: bigint;
}

/**
 * What a set of fills comes to, in whatever order they are added; units as of `CandlePoint`. The
 * first and the last are those of the lowest and the highest fillRecordId.
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

/** The fills of one bucket of a market. */
export interface StoredCandle extends CandleAggregate {
  readonly market: MarketKey;
  readonly minutes: CandleMinutes;
  /** Unix seconds at which the bucket starts. */
  readonly start: number;
}

/** What candles mean, decided by the room of candles; the store keeps what they come to. */
export interface CandleRules {
  readonly minutes: readonly CandleMinutes[];
  /** Where the bucket of a moment starts, unix seconds. */
  bucketStart(minutes: CandleMinutes, ts: number): number;
  /** Where the bucket behind the one of a moment starts, unix seconds. */
  bucketEnd(minutes: CandleMinutes, ts: number): number;
  /** What a fill adds, or null when it does not count. */
  pointOf(fill: Fill, decimals: number): CandlePoint | null;
  /** What one fill alone comes to. */
  ofPoint(point: CandlePoint): CandleAggregate;
  /** What two disjoint sets come to together; either order gives the same. */
  merge(a: CandleAggregate, b: CandleAggregate): CandleAggregate;
}

/** How a store is opened. */
export interface StoreOptions {
  /** The folder of `--data-dir`; it is made when it is not there. */
  readonly folder: string;
  /** Base58 of the chain's genesis hash: one file a chain. */
  readonly genesisHash: string;
  readonly rules: CandleRules;
  /** The decimals of the base of a market: 9 for perp markets. Null when it is not known. */
  readonly decimalsOf: (market: MarketKey) => HistoryMarket['decimals'] | null;
  /** Called before a file of an earlier version is upgraded, which may take minutes. */
  readonly onUpgrade?: (() => void) | undefined;
  /** What it is opened for; one that reads writes nothing. */
  readonly role?: 'write' | 'read';
}

/** What is written at once, in one transaction of the database. */
export interface StoreBatch {
  readonly transactions: readonly TransactionRecords[];
  /** Marks of what is stored from here on, by their names; null takes a mark away. */
  readonly progress?: Readonly<Record<string, string | null>>;
}

/** What a write changed; all of it is on disk when the caller sees it. */
export interface StoreChange {
  /** Fills that were not there before, in the order of the batch. */
  readonly trades: readonly TradeRow[];
  readonly fundingRates: readonly FundingRow[];
  /** Every bucket that is not what it was, as it is now; null when it has no fill any more. */
  readonly candles: readonly CandleChange[];
  /** Markets whose records, places or candles changed. */
  readonly markets: ReadonlySet<MarketKey>;
  /** Records of the batch that were there already. */
  readonly known: number;
  /** Trades of the batch from before what retention has deleted: not stored again. */
  readonly retired: number;
  /** Records taken away, because their transaction is gone or stands elsewhere. */
  readonly removed: number;
}

/** One bucket behind a change. */
export interface CandleChange {
  readonly market: MarketKey;
  readonly minutes: CandleMinutes;
  readonly start: number;
  readonly candle: StoredCandle | null;
}

/** A transaction of the program. */
export interface StoredTransaction {
  readonly signature: string;
  readonly slot: number;
  readonly place: number;
  readonly isFinal: boolean;
  readonly isTruncated: boolean;
  /** Whether a record that is kept names it. */
  readonly hasRecords: boolean;
}

/** Slots of which transactions are asked. */
export interface UnfinalisedQuery {
  readonly slotAfter: number;
  /** Inclusive. */
  readonly slotUpTo: number;
}

/** What the finalised listing says of a transaction. */
export interface FinalPosition {
  readonly signature: string;
  readonly slot: number;
  readonly place: number;
}

/** Numbers of fills that a market must have and the store has not. */
export interface FillGap {
  readonly market: MarketKey;
  /** The last fillRecordId before the hole, and the first behind it. */
  readonly after: bigint;
  readonly before: bigint;
  readonly missing: bigint;
}

/** A page of records, newest first. */
export interface RecordPageQuery {
  readonly market: MarketKey;
  readonly limit: number;
  /** Rows to leave out from the newest on; its cost grows with it. */
  readonly offset?: number;
  /** Only rows below this one; its cost is the same wherever that is. */
  readonly before?: RecordPosition;
  /** Only rows of this time or later, unix seconds. */
  readonly since?: number;
}

/** Records of a span of time, oldest first. */
export interface RecordSpanQuery {
  readonly market: MarketKey;
  /** Unix seconds, inclusive. */
  readonly from: number;
  /** Unix seconds, exclusive. */
  readonly to: number;
}

/** A part of a span; the cost of `offset` grows with it. */
export interface RecordSpanPart extends RecordSpanQuery {
  readonly limit: number;
  readonly offset: number;
}

/** The newest `limit` buckets that start in [from, to], both inclusive. */
export interface CandleQuery {
  readonly market: MarketKey;
  readonly minutes: CandleMinutes;
  readonly from?: number;
  readonly to?: number;
  readonly limit: number;
}

/** Moments before which records may be deleted, unix seconds; what is not named is kept. */
export interface RetirePolicy {
  readonly tradesBefore?: number;
  readonly fundingRatesBefore?: number;
  /** A slot up to which final transactions without records are not needed any more. */
  readonly emptyUpToSlot?: number;
  readonly candlesBefore?: Readonly<Partial<Record<CandleMinutes, number>>>;
}

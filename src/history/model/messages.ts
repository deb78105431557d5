/**
 * What the main thread and the history's worker say to each other. All of it is plain data that a
 * port copies; the bytes of bodies change hands instead.
 */
import type { HistoryMarket, MarketKey } from './records.js';

/** How rows are written: as the specification says, or as the system in production writes them. */
export type BodyForm = 'spec' | 'records';

/** Lengths of candles, in minutes; then a day, a week from Monday and a month, all of UTC. */
export type Resolution = '1' | '5' | '15' | '60' | '240' | 'D' | 'W' | 'M';

interface PageQuery {
  readonly market: MarketKey;
  /** Rows at most. */
  readonly limit: number;
  /** Pages of `limit` rows to pass over, the newest first; not together with `before`. */
  readonly pageIndex?: number;
  /** A cursor of an earlier answer: rows older than it. */
  readonly before?: string;
  readonly form: BodyForm;
}

/** Trades of a market, newest first. */
export interface TradesQuery extends PageQuery {
  readonly kind: 'trades';
}

/** Funding rates of a market, newest first. */
export interface FundingRatesQuery extends PageQuery {
  readonly kind: 'fundingRates';
  /** Rows of this time and later, in unix seconds. */
  readonly since: number;
}

/** Candles of a market. */
export interface CandlesQuery {
  readonly kind: 'candles';
  readonly market: MarketKey;
  readonly resolution: Resolution;
  /** Candles at most: the newest in the range. */
  readonly limit: number;
  /** The older bound of a candle's start, in unix seconds, inclusive; absent for none. */
  readonly from?: number;
  /** The newer bound, likewise; absent for `now`. */
  readonly to?: number;
  /** Unix seconds: there is no candle that begins later. */
  readonly now: number;
  readonly form: BodyForm;
}

/** Sums of what was traded, of all markets. */
export interface VolumesQuery {
  readonly kind: 'volumes';
  /** Unix seconds, inclusive. */
  readonly from: number;
  /** Unix seconds, exclusive. */
  readonly to: number;
}

/** What the history can be asked. */
export type HistoryQuery = TradesQuery | FundingRatesQuery | CandlesQuery | VolumesQuery;

/** A finished body. */
export interface HistoryAnswer {
  /** JSON; its bytes stay as they are. */
  readonly body: Uint8Array;
  /** Where the next page begins, for `before`; null when there is none. */
  readonly nextCursor: string | null;
  /** Whether nothing that was asked for can change any more; absent means that it can. */
  readonly isFinal?: boolean;
}

/**
 * A finished text of a topic: `candle:perp_0:1`, `trades:perp_0`, `channel:perp_0`. A join is answered
 * by one frame: `shown`, for who asked; `opened` when the topic had no readers on this thread; or
 * `refused`, with the reason as its text. A topic that was not left is `opened` again whenever its
 * readers may have missed something: the thread or the chain is another one, or it could not be read
 * before. What follows for all readers is `told`. An empty text has nothing to show.
 */
export interface HistoryFrame {
  readonly topic: string;
  readonly kind: 'opened' | 'shown' | 'refused' | 'told';
  readonly text: string;
}

/** What the statistics of a market take from its history. */
export interface MarketFigures {
  readonly market: MarketKey;
  /** Of the last 24 hours, which begin with a whole minute: base at 1e9, quote at 1e6. */
  readonly baseVolume24h: bigint;
  readonly quoteVolume24h: bigint;
  /** Price of the last trade, and of the last one before the 24 hours; at 1e6, null without one. */
  readonly price: bigint | null;
  readonly price24hAgo: bigint | null;
  /** Of the last 24 hours, at 1e6; null without a trade. */
  readonly high24h: bigint | null;
  readonly low24h: bigint | null;
  readonly oracleHigh24h: bigint | null;
  readonly oracleLow24h: bigint | null;
  /**
   * The last funding rate, and the average of those of the last 24 hours, each over its oracle twap:
   * a fraction an hour at 1e18; null without one.
   */
  readonly fundingRate: bigint | null;
  readonly fundingRate24hAvg: bigint | null;
  /** Unix seconds of the last funding rate. */
  readonly fundingRateTs: number | null;
}

/** How far the history is. */
export type HistoryState = 'off' | 'starting' | 'backfilling' | 'live' | 'failing';

/** The history in figures, for /status and /metrics. */
export interface HistoryFigures {
  readonly state: HistoryState;
  /** Why it is not live; null when it is. */
  readonly reason: string | null;
  /** Counts since the worker began, by name; see `IngestCounters`. */
  readonly counts: Readonly<Record<string, number>>;
  /** What the file holds; `truncated` are transactions whose log the node had cut. */
  readonly stored: {
    readonly trades: number;
    readonly fundingRates: number;
    readonly truncated: number;
  };
  /** Transactions that wait to be stored. */
  readonly queued: number;
  /** Spans of signatures that back-fill has still to read. */
  readonly spansOpen: number;
  /** Numbers of fills that are missing between stored ones, by market; only markets with any. */
  readonly missingFills: Readonly<Partial<Record<MarketKey, number>>>;
  /** All before this slot is finalised and complete, but for open spans; 0 before the first check. */
  readonly finalisedSlot: number;
  /**
   * Unix seconds from which on all is stored, as far as the service has filled it itself; null while
   * that is not known or a span is open.
   */
  readonly completeSinceTs: number | null;
  /** The newest slot of which a transaction is stored; 0 without one. */
  readonly newestSlot: number;
  /** How long after its event the last live trade was stored, in milliseconds; null without one. */
  readonly lagMs: number | null;
}

/** A node, as the worker reaches it. */
export interface HistoryNode {
  readonly rpcUrl: string;
  readonly wsUrl: string;
}

/** What the worker is started with. */
export interface WorkerSetup {
  readonly nodes: readonly [HistoryNode, ...HistoryNode[]];
  readonly programId: string;
  /** Where the files are; made when it is not there. */
  readonly dataDir: string;
  /** Trades and funding rates older than this are deleted, in days; 0 keeps all. */
  readonly retentionDays: number;
  /** Candles shorter than a day older than this are deleted, in days; 0 keeps all. */
  readonly candleRetentionDays: number;
  /** An empty store is filled from this long ago, and with this many transactions at most. */
  readonly backfillHours: number;
  readonly backfillTransactionsMax: number;
  /** Requests for transactions a second, to stay below what the node allows. */
  readonly requestsPerSecond: number;
}

/** From the main thread. */
export type ToWorker =
  | { readonly kind: 'query'; readonly id: number; readonly query: HistoryQuery }
  | { readonly kind: 'markets'; readonly markets: readonly HistoryMarket[] }
  | { readonly kind: 'join'; readonly topic: string }
  | { readonly kind: 'leave'; readonly topic: string }
  | { readonly kind: 'stop' };

/** An error of the history as it travels. */
export interface RefusedQuery {
  readonly code: string;
  readonly message: string;
  /** The parameter that is to blame; null when none is. */
  readonly param: string | null;
}

/** From the worker. The versions come before any body that has what they tell of. */
export type FromWorker =
  | { readonly kind: 'answer'; readonly id: number; readonly answer: HistoryAnswer }
  | { readonly kind: 'refused'; readonly id: number; readonly error: RefusedQuery }
  | { readonly kind: 'versions'; readonly versions: readonly (readonly [MarketKey, string])[] }
  | { readonly kind: 'frames'; readonly frames: readonly HistoryFrame[] }
  | { readonly kind: 'figures'; readonly figures: HistoryFigures }
  | { readonly kind: 'marketFigures'; readonly markets: readonly MarketFigures[] }
  | {
      readonly kind: 'log';
      readonly level: 'info' | 'warn';
      readonly fields: object;
      readonly message: string;
    };

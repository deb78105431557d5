import type { HistoryBody, HistoryQuery } from './history-queries.js';
import type { MarketKey } from './markets.js';

/** The state of the history. */
type HistoryState = 'off' | 'starting' | 'backfilling' | 'live' | 'failing';

/** State and counters of the history, for /status and /metrics. */
export interface HistoryStats {
  readonly state: HistoryState;
  /**
   * The reason why the source is not live, or while it is live, the missing data; null when there
   * is nothing to report.
   */
  readonly reason: string | null;
  /** Events since the worker began, by name. */
  readonly counts: Readonly<Record<string, number>>;
  /**
   * Totals of the store: trades, funding rates, and other records by kind. `truncated` counts
   * transactions whose log the node truncated.
   */
  readonly stored: Readonly<Record<string, number>> & {
    readonly trades: number;
    readonly fundingRates: number;
    readonly truncated: number;
  };
  /** Transactions queued for storing. */
  readonly queued: number;
  /** Gaps that back-fill has not read yet. */
  readonly spansOpen: number;
  /** The number of missing fill numbers by market; contains only markets with missing fills. */
  readonly missingFills: Readonly<Partial<Record<MarketKey, number>>>;
  /**
   * The history is finalised and complete before this slot, except for open gaps; 0 before the
   * first check.
   */
  readonly finalisedSlot: number;
  /**
   * The time from which on the service's own history is complete, unix seconds; null while unknown
   * or while a gap is open.
   */
  readonly completeSinceTs: number | null;
  /**
   * The chain's time, unix seconds: that of the newest finalised slot or, until that is known, of
   * the newest stored record; null when there is neither. All times of the history are relative to
   * it.
   */
  readonly chainTs: number | null;
  /** The newest slot with a trade that this run has stored on this chain; 0 for none. */
  readonly newestSlot: number;
  /**
   * The delay between the last live trade and its storage, milliseconds; null without a live trade.
   */
  readonly lagMs: number | null;
}

/** The statistics of a market that come from the history; docs/market-stats.md defines each. */
export interface MarketStats {
  readonly market: MarketKey;
  /** Volumes of the last 24 hours, which begin at a whole minute: base at 1e9, quote at 1e6. */
  readonly baseVolume24h: bigint;
  readonly quoteVolume24h: bigint;
  /**
   * Price of the last trade, and of the last trade before those 24 hours, at 1e6; null without one.
   */
  readonly price: bigint | null;
  readonly price24hAgo: bigint | null;
  /** Highest and lowest price of the last 24 hours, at 1e6; null without a trade. */
  readonly high24h: bigint | null;
  readonly low24h: bigint | null;
  /** Highest and lowest oracle price that the trades of the last 24 hours recorded, at 1e6. */
  readonly oracleHigh24h: bigint | null;
  readonly oracleLow24h: bigint | null;
  /**
   * The last funding rate, and the mean of the last 24 hours, each divided by its oracle twap: a
   * fraction per hour at 1e18; null without one.
   */
  readonly fundingRate: bigint | null;
  readonly fundingRate24hAvg: bigint | null;
  /** Unix seconds of the last funding rate. */
  readonly fundingRateTs: number | null;
}

/** The server's interface to the history of trades, funding rates and candles. */
export interface MarketDataSource {
  /**
   * Renders a body. Rejects with an error that has a public code: `INVALID_PARAM` for a cursor that
   * is invalid or of another market, with `param` in its context, `NOT_READY` when nothing can be
   * read.
   */
  query(query: HistoryQuery): Promise<HistoryBody>;
  /**
   * Returns a text that changes whenever a body of that market may change: equal texts mean equal
   * bodies. It contains no quotation marks.
   */
  version(market: MarketKey): string;
  readStats(): HistoryStats;
  /** By market; markets without statistics are omitted. */
  readMarketStats(): ReadonlyMap<MarketKey, MarketStats>;
}

/**
 * A message of a topic: `candle:perp_0:1`, `trades:perp_0` or `channel:perp_0`. A join leads to one
 * frame: `snapshot` for the reader that joined; `reset` when the topic had no readers at the
 * source; or `refused`. All readers of a topic also get a `reset` whenever they may have missed a
 * message: after a change of the worker or the chain, or after a failed read. Later frames, for all
 * readers, are `update`.
 */
export type MarketFrame =
  | {
      readonly topic: string;
      readonly kind: 'reset' | 'snapshot' | 'update';
      /** JSON text. Empty means an empty state. */
      readonly message: string;
    }
  | { readonly topic: string; readonly kind: 'refused'; readonly reason: string };

/** The history's streams, for the WebSockets. */
export interface MarketStreamSource {
  /** Opens a topic, or sends another snapshot of it. */
  join(topic: string): void;
  leave(topic: string): void;
  /** Frames come in order, to one receiver. */
  onFrames(receive: (frames: readonly MarketFrame[]) => void): void;
  readStats(): HistoryStats;
}

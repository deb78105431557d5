import type { HistoryBody, HistoryQuery } from './history-queries.js';
import type { MarketKey } from './markets.js';

/** The state of the history. */
type HistoryState = 'off' | 'starting' | 'backfilling' | 'live' | 'failing';

/** State and counters of the history, for /status and /metrics. */
export interface HistoryStats {
  readonly state: HistoryState;
  /** Why the source is not live, or the missing data while it is live; null for neither. */
  readonly reason: string | null;
  /** Events since the worker began, by name. */
  readonly counts: Readonly<Record<string, number>>;
  /** Totals of the store; `truncated` are transactions whose log the node cut. */
  readonly stored: {
    readonly trades: number;
    readonly fundingRates: number;
    readonly truncated: number;
  };
  /** Transactions queued for storing. */
  readonly queued: number;
  /** Gaps that back-fill has not read yet. */
  readonly spansOpen: number;
  /** Missing fill numbers by market; only markets with any. */
  readonly missingFills: Readonly<Partial<Record<MarketKey, number>>>;
  /** The history is finalised and complete before this slot, except for open gaps; 0 before the first check. */
  readonly finalisedSlot: number;
  /**
   * Unix seconds from which the service's own history is complete; null while unknown, or while a
   * gap is open.
   */
  readonly completeSinceTs: number | null;
  /**
   * The chain's time, unix seconds: the newest finalised slot's, or until it is known the newest
   * stored record's; null without either. All times of the history are relative to it.
   */
  readonly chainTs: number | null;
  /** The newest slot with a trade stored by this run on this chain; 0 for none. */
  readonly newestSlot: number;
  /** Delay between the last live trade and its storing, in milliseconds; null without one. */
  readonly lagMs: number | null;
}

/** The history's part of a market's statistics; docs/market-data.md defines each. */
export interface MarketStats {
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
  /** Of the oracle prices recorded by those trades, likewise. */
  readonly oracleHigh24h: bigint | null;
  readonly oracleLow24h: bigint | null;
  /**
   * The last funding rate, and the average of the last 24 hours, each divided by its oracle twap: a
   * fraction per hour at 1e18; null without one.
   */
  readonly fundingRate: bigint | null;
  readonly fundingRate24hAvg: bigint | null;
  /** Unix seconds of the last funding rate. */
  readonly fundingRateTs: number | null;
}

/** The server's view of the history of trades, funding rates and candles. */
export interface MarketDataSource {
  /**
   * Renders a body. Rejects with an error with a code of the interface: `INVALID_PARAM` for a
   * cursor that is invalid or of another market, with `param` in its context, `NOT_READY` when
   * nothing can be read.
   */
  query(query: HistoryQuery): Promise<HistoryBody>;
  /**
   * Changes whenever a body of that market may change: equal versions, equal bodies. Contains no
   * quotation marks.
   */
  version(market: MarketKey): string;
  readStats(): HistoryStats;
  /** By market; markets without statistics are omitted. */
  readMarketStats(): ReadonlyMap<MarketKey, MarketStats>;
}

/**
 * A message of a topic: `candle:perp_0:1`, `trades:perp_0` or `channel:perp_0`. A join leads to one frame: `snapshot`, for the reader that joined; `reset`
 * when the topic had no readers at the source; or `refused`. A topic is also `reset` whenever its
 * readers may have missed something: after a change of the worker or the chain, or after a read
 * failure. Later frames, for all readers, are `update`.
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

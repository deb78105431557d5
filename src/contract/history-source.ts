import type { HistoryBody, HistoryQuery } from './history-queries.js';
import type { MarketKey } from './markets.js';

/** How far the history is. */
export type HistoryState = 'off' | 'starting' | 'backfilling' | 'live' | 'failing';

/** How far the history is and what it counts, for /status and /metrics. */
export interface HistoryStats {
  readonly state: HistoryState;
  /** Why it is not live, or what it lacks while it is; null when it lacks nothing. */
  readonly reason: string | null;
  /** Events since the worker began, by name. */
  readonly counts: Readonly<Record<string, number>>;
  /** What the file holds; `truncated` are transactions whose log the node had cut. */
  readonly stored: {
    readonly trades: number;
    readonly fundingRates: number;
    readonly truncated: number;
  };
  /** Transactions that wait to be stored. */
  readonly queued: number;
  /** Gaps between signatures that back-fill has still to read. */
  readonly spansOpen: number;
  /** Numbers of fills that are missing between stored ones, by market; only markets with any. */
  readonly missingFills: Readonly<Partial<Record<MarketKey, number>>>;
  /** All before this slot is finalised and complete, but for open gaps; 0 before the first check. */
  readonly finalisedSlot: number;
  /**
   * Unix seconds from which on all is stored, as far as the service has filled it itself; null while
   * that is not known or a gap is open.
   */
  readonly completeSinceTs: number | null;
  /**
   * The chain's time, unix seconds: that of the newest finalised slot, and before it was read that of
   * the newest stored record; null without either. All times of the history are counted from it.
   */
  readonly chainTs: number | null;
  /** The newest slot with a trade that this run has stored, of this chain; 0 without one. */
  readonly newestSlot: number;
  /** How long after its event the last live trade was stored, in milliseconds; null without one. */
  readonly lagMs: number | null;
}

/** What the statistics of a market take from its history; docs/market-data.md defines each. */
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
  /** Of the oracle prices that those trades recorded, likewise. */
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

/** The history of trades, funding rates and candles as the server reads it. */
export interface MarketDataSource {
  /**
   * Makes a body. Rejects with an error with a code of the interface: `INVALID_PARAM` for a cursor
   * that is none or is of another market, with `param` in its context, `NOT_READY` when nothing can be
   * read.
   */
  query(query: HistoryQuery): Promise<HistoryBody>;
  /** Changes whenever a body of that market may: equal versions, equal bodies. Never has a quote. */
  version(market: MarketKey): string;
  readStats(): HistoryStats;
  /** Of the markets of which anything is known. */
  readMarketStats(): ReadonlyMap<MarketKey, MarketStats>;
}

/** A finished message: a JSON text, or the bytes of docs/binary.md. An empty text has nothing to show. */
export type MarketMessage = string | Uint8Array;

/**
 * A message of a topic: `candle:perp_0:1`, `trades:perp_0`, with `:binary` behind them for bytes, and
 * `channel:perp_0`. A join leads to one frame: `snapshot`, for the reader that joined; `reset` when the topic had
 * no readers at the source; or `refused`. A topic is `reset` as well whenever its readers may have missed
 * something: the worker or the chain is another one, or the topic could not be read before. What follows,
 * for all readers, is `update`.
 */
export type MarketFrame =
  | {
      readonly topic: string;
      readonly kind: 'reset' | 'snapshot' | 'update';
      readonly message: MarketMessage;
    }
  | { readonly topic: string; readonly kind: 'refused'; readonly reason: string };

/** The history as the WebSockets follow it. */
export interface MarketStreamSource {
  /** Begins a topic, or sends another snapshot of it. */
  join(topic: string): void;
  leave(topic: string): void;
  /** Frames come in order, to one receiver. */
  onFrames(receive: (frames: readonly MarketFrame[]) => void): void;
  readStats(): HistoryStats;
}

/**
 * What the server asks of the history of trades, funding rates and candles. The history fits this by
 * shape; the server never sees its store or its worker.
 */

/** Names a market: its type and its index among the markets of that type. */
export type MarketKey = `perp_${number}` | `spot_${number}`;

/**
 * How rows are written: `spec` as the specification says, `records` as the system in production
 * writes them, an envelope around decimals as text.
 */
export type BodyForm = 'spec' | 'records';

/** Lengths of candles, in minutes; then a day, a week from Monday and a month, all of UTC. */
export const RESOLUTIONS = ['1', '5', '15', '60', '240', 'D', 'W', 'M'] as const;

/** One of {@link RESOLUTIONS}; `1440`, which clients may ask for as well, is `D` here. */
export type Resolution = (typeof RESOLUTIONS)[number];

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
  /** `spec` is ascending, `records` descending. */
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

/** How far the history is, and what it met. */
export interface HistoryFigures {
  readonly state: 'off' | 'starting' | 'backfilling' | 'live' | 'failing';
  /** Why it is not live; null when it is. */
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
  /** The newest slot of which a trade is stored; 0 without one. */
  readonly newestSlot: number;
  /** How long after its event the last live trade was stored, in milliseconds; null without one. */
  readonly lagMs: number | null;
}

/** What the statistics of a market take from its history; docs/market-data.md defines each. */
export interface MarketFigures {
  /** Of the last 24 hours, which begin with a whole minute: base at 1e9, quote at 1e6. */
  readonly baseVolume24h: bigint;
  readonly quoteVolume24h: bigint;
  /** Price of the last trade, and of the last one before the 24 hours; at 1e6, null without one. */
  readonly price: bigint | null;
  readonly price24hAgo: bigint | null;
  /** Of the last 24 hours, at 1e6; null without a trade. */
  readonly high24h: bigint | null;
  readonly low24h: bigint | null;
  /**
   * The last funding rate, and the average of those of the last 24 hours: a fraction an hour at 1e18;
   * null without one.
   */
  readonly fundingRate: bigint | null;
  readonly fundingRate24hAvg: bigint | null;
  /** Unix seconds of the last funding rate. */
  readonly fundingRateTs: number | null;
}

/** The history as the server reads it. */
export interface MarketDataSource {
  /**
   * Makes a body. Rejects with an error with a code of the interface: `INVALID_PARAM` for a cursor
   * that is none or is of another market, with `param` in its context, `NOT_READY` when nothing can be
   * read.
   */
  query(query: HistoryQuery): Promise<HistoryAnswer>;
  /** Changes whenever a body of that market may: equal versions, equal bodies. Never has a quote. */
  version(market: MarketKey): string;
  figures(): HistoryFigures;
  /** Of the markets of which anything is known. */
  marketFigures(): ReadonlyMap<MarketKey, MarketFigures>;
}

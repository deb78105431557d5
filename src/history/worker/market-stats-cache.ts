/**
 * The part of market statistics that comes from the history: the volume of the last 24 hours, and
 * funding costs. docs/market-stats.md defines each value.
 *
 * Trades are not summed when they arrive, because the store's candles have the sums, including late
 * and reverted trades; a day is about eighty rows. A market is read again when its records changed,
 * or when the 24-hour window moved, by whole minutes.
 */

import { divideNearest } from '../../amounts/decimals.js';
import type { MarketStats } from '../../contract/history-source.js';
import type { MarketKey } from '../../contract/markets.js';
import { FUNDING_RATES_AVERAGED_MAX } from '../model/limits.js';
import type { HistoryStore } from '../store/store.js';

/** The store's functions that the cache reads. */
type MarketStatsSource = Pick<HistoryStore, 'aggregateSpan' | 'lastFillBefore' | 'readRecords'>;

const MINUTE_SECONDS = 60;
const DAY_SECONDS = 86_400;

/** The statistics of all markets, cached between reads. */
export class MarketStatsCache {
  readonly #source: MarketStatsSource;
  readonly #cached = new Map<MarketKey, MarketStats>();
  readonly #changed = new Set<MarketKey>();
  #from = Number.NaN;

  constructor(source: MarketStatsSource) {
    this.#source = source;
  }

  /** Marks markets whose records changed; see `StoreChange.markets`. */
  markChanged(markets: Iterable<MarketKey>): void {
    for (const market of markets) this.#changed.add(market);
  }

  /**
   * Returns the statistics of these markets at a time, unix seconds; null when they equal those of
   * the last call. When the store throws, the next call returns the missed changes.
   */
  readChanged(markets: readonly MarketKey[], nowSeconds: number): readonly MarketStats[] | null {
    const from = windowStart(nowSeconds);
    const isMoved = from !== this.#from;
    let isNew = markets.length !== this.#cached.size;
    for (const market of markets) {
      if (!isMoved && this.#cached.has(market) && !this.#changed.has(market)) continue;
      this.#cached.set(market, readMarketStats(this.#source, { market, from, nowSeconds }));
      isNew = true;
    }
    this.#from = from;
    this.#changed.clear();
    if (!isNew) return null;
    this.#keepOnly(new Set(markets));
    return [...this.#cached.values()];
  }

  #keepOnly(markets: ReadonlySet<MarketKey>): void {
    for (const market of this.#cached.keys()) if (!markets.has(market)) this.#cached.delete(market);
  }
}

/**
 * Returns the start of the 24-hour window: a whole minute, so that candles fill the window exactly.
 */
export function windowStart(nowSeconds: number): number {
  return Math.floor((nowSeconds - DAY_SECONDS) / MINUTE_SECONDS) * MINUTE_SECONDS;
}

interface StatsWindow {
  readonly market: MarketKey;
  readonly from: number;
  readonly nowSeconds: number;
}

function readMarketStats(reader: MarketStatsSource, window: StatsWindow): MarketStats {
  const { market, from, nowSeconds } = window;
  // The window extends to the end of a day, because a whole day is one row, and the chain's clock
  // may be ahead of the local clock.
  const to = (Math.floor(nowSeconds / DAY_SECONDS) + 2) * DAY_SECONDS;
  const traded = reader.aggregateSpan(market, { from, to });
  const before = reader.lastFillBefore(market, from);
  return {
    market,
    baseVolume24h: traded?.base ?? 0n,
    quoteVolume24h: traded?.quote ?? 0n,
    price: (traded?.last ?? before)?.price ?? null,
    price24hAgo: before?.price ?? null,
    high24h: traded?.high ?? null,
    low24h: traded?.low ?? null,
    oracleHigh24h: traded?.oracleHigh ?? null,
    oracleLow24h: traded?.oracleLow ?? null,
    ...fundingStats(reader, window),
  };
}

type FundingStats = Pick<MarketStats, 'fundingRate' | 'fundingRate24hAvg' | 'fundingRateTs'>;

function fundingStats(reader: MarketStatsSource, { market, from }: StatsWindow): FundingStats {
  const query = { kind: 'fundingRate', market } as const;
  const [last] = reader.readRecords({ ...query, limit: 1 });
  if (last === undefined)
    return { fundingRate: null, fundingRate24hAvg: null, fundingRateTs: null };
  const limit = FUNDING_RATES_AVERAGED_MAX;
  const rows = last.ts < from ? [] : reader.readRecords({ ...query, limit, since: from });
  const fractions = rows.map(({ fraction }) => fraction ?? 0n);
  const sum = fractions.reduce((total, fraction) => total + fraction, 0n);
  return {
    fundingRate: last.fraction,
    fundingRate24hAvg: rows.length === 0 ? null : divideNearest(sum, BigInt(rows.length)),
    fundingRateTs: last.ts,
  };
}

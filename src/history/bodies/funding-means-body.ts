/** The mean funding rates of all perpetual markets, in the format of the Drift v2 data API. */
import type { FundingMeansQuery, HistoryBody } from '../../contract/history-queries.js';
import type { MarketKey } from '../../contract/markets.js';
import type { HistoryMarket } from '../model/records.js';
import { marketKeyOfCode } from '../store/columns.js';
import { type FundingMeans, readFundingMeans } from '../store/funding-means.js';
import type { HistoryStore } from '../store/store.js';
import type { StoreChange } from '../store/types.js';

type MeansStore = Pick<HistoryStore, 'runRead' | 'readRecords'>;

/** The inputs of the body. */
interface MeansContext {
  readonly store: MeansStore;
  /** All markets, in any order. */
  readonly markets: Iterable<HistoryMarket>;
  /** Whether all older records are stored; only then are means cached. */
  readonly isComplete: boolean;
}

const HOUR_SECONDS = 3_600;

/** Decimal places of a percentage in that API. */
const PERCENT_PLACES = 9;

/**
 * Renders the body. The means of a market are computed again after its next record and each hour: a
 * year has 8,760 records, which take about 5 ms.
 */
export class FundingMeansBodies {
  readonly #cached = new Map<MarketKey, { readonly key: string; readonly means: FundingMeans }>();
  #store: MeansStore | null = null;

  makeBody({ now }: FundingMeansQuery, { store, markets, isComplete }: MeansContext): HistoryBody {
    if (store !== this.#store || !isComplete) this.#cached.clear();
    this.#store = store;
    const perps = [...markets].filter(({ marketType }) => marketType === 'perp');
    perps.sort((left, right) => left.marketIndex - right.marketIndex);
    const rows = perps.map(({ key, marketIndex, symbol }) => {
      const fundingRates = textsOf(this.#readMeans(store, key, now));
      return { marketIndex, symbol, fundingRates };
    });
    const body = JSON.stringify({ success: true, markets: rows });
    return { body: new TextEncoder().encode(body), nextCursor: null };
  }

  /** Forgets means that a change of the store may change, whether its records are the newest or not. */
  publishChange({ records, removed }: Pick<StoreChange, 'records' | 'removed'>): void {
    if (removed > 0) this.#cached.clear();
    for (const { kind, market } of records) {
      if (kind === 'fundingRate') this.#cached.delete(marketKeyOfCode(market));
    }
  }

  #readMeans(store: MeansStore, market: MarketKey, now: number): FundingMeans {
    const [newest] = store.readRecords({ kind: 'fundingRate', market, limit: 1 });
    const key = `${newest?.id} ${Math.floor(now / HOUR_SECONDS)}`;
    const cached = this.#cached.get(market);
    if (cached?.key === key) return cached.means;
    const means = store.runRead((parts) => readFundingMeans(parts, { market, now }));
    this.#cached.set(market, { key, means });
    return means;
  }
}

function textsOf(means: FundingMeans): Readonly<Record<string, string>> {
  const texts = Object.entries(means).map(([period, mean]) => [period, percentText(mean)]);
  return Object.fromEntries(texts);
}

/** Empty for null; zero has no sign. */
function percentText(mean: number | null): string {
  return mean === null ? '' : (mean * 100).toFixed(PERCENT_PLACES).replace(/^-(0\.0+)$/, '$1');
}

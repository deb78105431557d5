import type { HistoryStats } from '../../contract/history-source.js';
import type { MarketKey } from '../../contract/markets.js';
import { StoreError } from '../store/error.js';
import type { HistoryStore } from '../store/store.js';

type StoredStats = Pick<HistoryStats, 'stored' | 'missingFills'>;

/** The totals while no store is open. */
export const NOTHING_STORED: StoredStats = {
  stored: { trades: 0, fundingRates: 0, truncated: 0 },
  missingFills: {},
};

/** Returns the totals; zeros when the file cannot be read, and the state then has the reason. */
export function storedStats(store: HistoryStore): StoredStats {
  try {
    const { transactions: _, ...records } = store.readTotals();
    const missingFills: Partial<Record<MarketKey, number>> = {};
    for (const [market, missing] of store.findGaps().byMarket)
      missingFills[market] = Number(missing);
    return { stored: { ...records, truncated: store.countTruncated() }, missingFills };
  } catch (error) {
    if (error instanceof StoreError) return NOTHING_STORED;
    throw error;
  }
}

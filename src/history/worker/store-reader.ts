import type { RowReader } from '../bodies/answer-query.js';
import { bucketReader } from '../candles/store-buckets.js';
import type { HistoryStore } from '../store/store.js';

/** What bodies and streams read. */
export type StoreReader = RowReader;

/** Reads whichever store is open; `store` throws while there is none. */
export function storeReader(store: () => HistoryStore): StoreReader {
  const buckets = bucketReader({
    candles: (query) => store().candles(query),
    candleBefore: (market, minutes, start) => store().candleBefore(market, minutes, start),
  });
  return {
    ...buckets,
    trades: (query) => store().trades(query),
    fundingRates: (query) => store().fundingRates(query),
  };
}

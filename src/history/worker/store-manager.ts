import type { MarketKey } from '../../contract/markets.js';
import type { RowReader } from '../bodies/make-body.js';
import { bucketReader } from '../candles/read-candles.js';
import { candleRules } from '../candles/rules.js';
import type { HistoryMarket } from '../model/records.js';
import { StoreError } from '../store/error.js';
import { type HistoryStore, openStore } from '../store/store.js';

/** The folder of the stores, and the markets whose decimals their candles need. */
export interface StoreManagerOptions {
  readonly folder: string;
  readonly marketOf: (key: MarketKey) => HistoryMarket | undefined;
}

/** The open store: one at a time, that of the chain in use. */
export class StoreManager {
  readonly #options: StoreManagerOptions;
  #open: { readonly genesisHash: string; readonly store: HistoryStore } | null = null;

  constructor(options: StoreManagerOptions) {
    this.#options = options;
  }

  /** Null before the chain is known. */
  get store(): HistoryStore | null {
    return this.#open?.store ?? null;
  }

  /**
   * Opens the store of a chain and closes that of another one. `isNew` is false when it was open already.
   *
   * # Errors
   * StoreError when the file cannot be opened.
   */
  async openStore(genesisHash: string): Promise<{ store: HistoryStore; isNew: boolean }> {
    if (this.#open?.genesisHash === genesisHash) return { store: this.#open.store, isNew: false };
    this.close();
    const { folder, marketOf } = this.#options;
    const store = await openStore({
      ...{ folder, genesisHash, rules: candleRules },
      decimalsOf: (key) => marketOf(key)?.decimals ?? (key.startsWith('perp') ? 9 : null),
    });
    this.#open = { genesisHash, store };
    return { store, isNew: true };
  }

  /** Closes the store after an error that cannot recover, so that the file is opened again. */
  closeAfter(error: unknown): void {
    if (error instanceof StoreError && !error.canRecover) this.close();
  }

  close(): void {
    this.#open?.store.close();
    this.#open = null;
  }
}

/** What bodies and streams read: whichever store is open. `store` throws while there is none. */
export function storeReader(store: () => HistoryStore): RowReader {
  const buckets = bucketReader({
    readCandles: (query) => store().readCandles(query),
    candleBefore: (market, minutes, start) => store().candleBefore(market, minutes, start),
  });
  return {
    ...buckets,
    readTrades: (query) => store().readTrades(query),
    readFundingRates: (query) => store().readFundingRates(query),
  };
}

/**
 * A store on disk with the real HTTP server, without the worker between them: the paths return the
 * stored data.
 */

import type { BookSource, MarketDirectory } from '../../src/contract/book-source.js';
import type { HistoryBody, HistoryQuery } from '../../src/contract/history-queries.js';
import type {
  HistoryStats,
  MarketDataSource,
  MarketStats,
} from '../../src/contract/history-source.js';
import type { MarketKey } from '../../src/contract/markets.js';
import type { LoggedRecord } from '../../src/engine/events.js';
import { makeAccountBody } from '../../src/history/bodies/account-body.js';
import { makeArchiveBody } from '../../src/history/bodies/archive-body.js';
import { FundingMeansBodies } from '../../src/history/bodies/funding-means-body.js';
import { makeBody } from '../../src/history/bodies/make-body.js';
import { SOL_PERP } from '../../src/history/bodies/testing.js';
import { bucketReader } from '../../src/history/candles/read-candles.js';
import type { HistoryMarket } from '../../src/history/model/records.js';
import type { HistoryStore } from '../../src/history/store/store.js';
import {
  cleanUp,
  type Fill,
  type FundingRate,
  fill,
  fundingRate,
  newStore,
  signature,
  transaction,
} from '../../src/history/store/testing.js';
import type { RecordPageQuery } from '../../src/history/store/types.js';
import { MarketStatsCache } from '../../src/history/worker/market-stats-cache.js';
import { systemTimers } from '../../src/rpc/timers.js';
import { liveFigures } from '../../src/server/testing/fake-history.js';
import {
  FakeBook,
  type RunningServer,
  startServer,
} from '../../src/server/testing/running-server.js';

/** The markets of `FakeBook`, as the history knows them. */
const markets: Readonly<Record<string, HistoryMarket>> = {
  perp_0: SOL_PERP,
  spot_1: { key: 'spot_1', symbol: 'SOL', marketType: 'spot', marketIndex: 1, decimals: 6 },
};

class StoreSource implements MarketDataSource {
  changes = 0;

  constructor(
    private readonly store: HistoryStore,
    /** Unix seconds. */
    private readonly now: number,
  ) {}

  async query(query: HistoryQuery): Promise<HistoryBody> {
    if (query.kind === 'volumes') throw new Error('this history has no volumes');
    const known = new Map(Object.values(markets).map((one) => [one.key, one]));
    const ofAccount = { store: this.store, markets: known };
    if (query.kind === 'account' || query.kind === 'order') {
      return makeAccountBody(query, ofAccount);
    }
    if (query.kind === 'fundingMeans') {
      const all = Object.values(markets);
      const context = { store: this.store, markets: all, isComplete: true };
      return new FundingMeansBodies().makeBody(query, context);
    }
    const market = markets[query.market];
    if (market === undefined) throw new Error(`${query.market} is no market of this scene`);
    const { store } = this;
    if (query.kind === 'archive') return makeArchiveBody(query, { store, market });
    const reader = {
      ...bucketReader(store),
      readRecords: (page: RecordPageQuery) => store.readRecords(page),
    };
    return makeBody(query, { reader, market, finalisedSlot: 0 });
  }

  version(): string {
    return String(this.changes);
  }

  readStats(): HistoryStats {
    return { ...liveFigures, chainTs: this.now };
  }

  readMarketStats(): ReadonlyMap<MarketKey, MarketStats> {
    const keys = Object.keys(markets) as MarketKey[];
    const figures = new MarketStatsCache(this.store).readChanged(keys, this.now) ?? [];
    return new Map(figures.map((one) => [one.market, one]));
  }
}

/** The scene; its times are of today, so that nothing is out of a window. */
export class MarketDataScene {
  #slot = 1_000;

  private constructor(
    private readonly store: HistoryStore,
    private readonly source: StoreSource,
    private readonly server: RunningServer,
    /** The time at which it was started, unix seconds, on the minute. */
    readonly ts: number,
  ) {}

  static async start(
    book: BookSource & MarketDirectory = new FakeBook(),
  ): Promise<MarketDataScene> {
    const store = await newStore();
    const nowSeconds = Math.floor(Date.now() / 1_000);
    const source = new StoreSource(store, nowSeconds);
    const timers = { ...systemTimers, unixMs: () => nowSeconds * 1_000 };
    const server = await startServer(book, { history: source, timers });
    return new MarketDataScene(store, source, server, nowSeconds - (nowSeconds % 60));
  }

  stop(): void {
    this.server.close();
    cleanUp();
  }

  /** Stores a fill in a slot of its own; of SOL-PERP unless it is said otherwise. */
  fill(parts: Partial<Fill> = {}): Fill {
    const record = fill({ ts: this.ts, ...parts });
    this.#store((slot) => ({
      fills: [{ ...record, fillRecordId: parts.fillRecordId ?? BigInt(slot) }],
    }));
    return record;
  }

  /** Stores logged records in a slot of their own. */
  log(records: readonly LoggedRecord[]): void {
    this.#store(() => ({ records }));
  }

  /** Stores a funding rate in a slot of its own. */
  fundingRate(parts: Partial<FundingRate> = {}): FundingRate {
    const record = fundingRate({ ts: this.ts, ...parts });
    this.#store((slot) => ({ fundingRates: [{ ...record, recordId: BigInt(slot) }] }));
    return record;
  }

  /** Requests a path; returns the parsed body and the status. */
  async get(path: string): Promise<{ status: number; body: never; text: string }> {
    const { status, text } = await this.getText(path);
    return { status, body: JSON.parse(text) as never, text };
  }

  /** Requests a path whose body may be other than JSON. */
  async getText(path: string): Promise<{ status: number; headers: Headers; text: string }> {
    const response = await fetch(`${this.server.url}${path}`);
    return { status: response.status, headers: response.headers, text: await response.text() };
  }

  /** The rows of a path that answers with an array. */
  async rows(path: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const { status, body } = await this.get(path);
    if (status !== 200 || !Array.isArray(body)) throw new Error(`${path} answered ${status}`);
    return body;
  }

  #store(partsOf: (slot: number) => Parameters<typeof transaction>[0]): void {
    this.#slot += 1;
    this.source.changes += 1;
    const slot = this.#slot;
    const one = transaction({ slot, signature: signature(slot), ...partsOf(slot) });
    this.store.writeBatch({ transactions: [one] });
  }
}

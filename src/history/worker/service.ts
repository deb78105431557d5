/** What runs in the worker: answers what the main thread asks, and tells what it should know. */

import type { HistoryBody, HistoryQuery } from '../../contract/history-queries.js';
import type { HistoryStats } from '../../contract/history-source.js';
import type { MarketKey } from '../../contract/markets.js';
import { LogDecoder } from '../../engine/events.js';
import type { Log } from '../../rpc/log.js';
import { createNodes } from '../../rpc/node-pool.js';
import { RateLimiter } from '../../rpc/rate-limiter.js';
import { systemTimers, type Timer, type Timers } from '../../rpc/timers.js';
import { answerQuery, type RowReader, volumesAnswer } from '../bodies/make-body.js';
import { Ingester } from '../ingest/ingester.js';
import { type IngestParts, newCounters } from '../ingest/parts.js';
import { Seen } from '../ingest/store-records.js';
import { HistoryError } from '../model/error.js';
import { FETCH_BURST_MS } from '../model/limits.js';
import type { FromWorker, ToWorker, WorkerSetup } from '../model/messages.js';
import type { HistoryMarket } from '../model/records.js';
import { StoreError } from '../store/error.js';
import type { HistoryStore } from '../store/store.js';
import type { StoreChange } from '../store/types.js';
import { Streams } from '../streams/streams.js';
import { Retention } from './retention.js';
import { Statistics } from './statistics.js';
import { Shelf, storeReader } from './store-manager.js';

/** How often the main thread is told the figures; by this it also knows that the worker lives. */
const FIGURES_MS = 1_000;

/** What the service needs, and what a test may replace. */
export interface HistoryServiceOptions {
  readonly setup: WorkerSetup;
  readonly post: (message: FromWorker) => void;
  readonly timers?: Timers;
}

/** The parts of the history on their thread. */
export class HistoryService {
  readonly #options: HistoryServiceOptions;
  readonly #timers: Timers;
  readonly #log: Log;
  readonly #markets = new Map<MarketKey, HistoryMarket>();
  readonly #counters = newCounters();
  readonly #shelf: Shelf;
  readonly #ingester: Ingester;
  readonly #retention: Retention;
  readonly #streams: Streams;
  readonly #versions = new Versions();
  readonly #reader: RowReader;
  readonly #statistics: Statistics;
  #beat: Timer | null = null;
  #newestSlot = 0;
  #lagMs: number | null = null;

  constructor(options: HistoryServiceOptions) {
    const { setup, timers = systemTimers, post } = options;
    this.#options = options;
    this.#timers = timers;
    this.#log = {
      info: (fields, message) => post({ kind: 'log', level: 'info', fields, message }),
      warn: (fields, message) => post({ kind: 'log', level: 'warn', fields, message }),
    };
    const marketOf = (key: MarketKey): HistoryMarket | undefined => this.#markets.get(key);
    this.#shelf = new Shelf({ folder: setup.dataDir, marketOf });
    this.#reader = storeReader(() => this.#store());
    this.#statistics = new Statistics({
      aggregate: (market, span) => this.#store().aggregate(market, span),
      lastFillBefore: (market, ts) => this.#store().lastFillBefore(market, ts),
      fundingRates: (query) => this.#store().fundingRates(query),
    });
    this.#streams = new Streams({
      ...{ reader: this.#reader, marketOf, timers },
      unixMs: () => Date.now(),
      post: (frames) => post({ kind: 'frames', frames }),
      onFault: (error, market) => this.#log.warn({ err: error, market }, 'a stream failed'),
    });
    this.#retention = new Retention({
      timers,
      days: setup,
      store: () => this.#shelf.store,
      finalisedSlot: () => this.#ingester.figures.finalisedSlot,
      wallMs: () => Date.now(),
    });
    this.#ingester = this.#buildIngester(setup);
  }

  start(): void {
    this.#ingester.start();
    this.#retention.start();
    this.#tell();
  }

  /** Stores what waits and gives the file back. */
  async stop(): Promise<void> {
    this.#beat?.cancel();
    this.#retention.stop();
    this.#streams.stop();
    await this.#ingester.stop();
    this.#shelf.close();
  }

  receive(message: Exclude<ToWorker, { readonly kind: 'stop' }>): void {
    switch (message.kind) {
      case 'query':
        this.#answer(message.id, message.query);
        return;
      case 'markets':
        this.#markets.clear();
        for (const market of message.markets) this.#markets.set(market.key, market);
        this.#chartWaiting();
        this.#streams.openAgain();
        return;
      case 'join':
        this.#streams.join(message.topic);
        return;
      case 'leave':
        this.#streams.leave(message.topic);
    }
  }

  #buildIngester(setup: WorkerSetup): Ingester {
    const { programId, requestsPerSecond } = setup;
    const timers = this.#timers;
    const decoder = new LogDecoder(programId);
    const parts: IngestParts = {
      ...{ programId, timers, log: this.#log, counters: this.#counters },
      decode: (lines) => decoder.decode(lines),
      random: Math.random,
      wallMs: () => Date.now(),
    };
    return new Ingester({
      parts,
      nodes: createNodes(setup.nodes),
      limiter: new RateLimiter({ timers, requestsPerSecond, burstMs: FETCH_BURST_MS }),
      seen: new Seen(),
      firstSpan: () => ({
        sinceTs: Math.floor(Date.now() / 1_000) - setup.backfillHours * 3_600,
        left: setup.backfillTransactionsMax,
      }),
      onChange: (change) => this.#changed(change),
      openStore: (genesisHash) => this.#open(genesisHash),
      onStoreFailure: (error) => this.#shelf.closeAfter(error),
    });
  }

  async #open(genesisHash: string): Promise<HistoryStore> {
    const { store, isNew } = await this.#shelf.open(genesisHash);
    if (isNew) {
      this.#newestSlot = 0;
      this.#statistics.changed(this.#markets.keys());
      this.#log.info({ file: store.file }, 'the history is open');
      this.#postVersions(this.#versions.renew(this.#markets.keys()));
      this.#streams.beginAnew();
    }
    return store;
  }

  /** After each commit: whoever asks for a body from now on must not be told that it is unchanged. */
  #changed(change: StoreChange): void {
    if (change.markets.size > 0) this.#postVersions(this.#versions.bump(change.markets));
    for (const { slot, ts } of change.trades) {
      this.#newestSlot = Math.max(this.#newestSlot, slot);
      if (this.#ingester.state.state === 'live') this.#lagMs = Date.now() - ts * 1_000;
    }
    this.#statistics.changed(change.markets);
    this.#streams.stored(change);
  }

  #postVersions(versions: readonly (readonly [MarketKey, string])[]): void {
    if (versions.length > 0) this.#options.post({ kind: 'versions', versions });
  }

  #store(): HistoryStore {
    const { store } = this.#shelf;
    if (store === null) throw new HistoryError('NOT_READY', 'the history is not open yet');
    return store;
  }

  #answer(id: number, query: HistoryQuery): void {
    const { post } = this.#options;
    try {
      post({ kind: 'answer', id, answer: this.#read(query) });
    } catch (error) {
      if (!(error instanceof HistoryError)) this.#log.warn({ err: error }, 'a question failed');
      post({ kind: 'refused', id, error: refusalOf(error) });
    }
  }

  #read(query: HistoryQuery): HistoryBody {
    if (query.kind === 'volumes') {
      const markets = this.#markets.values();
      return volumesAnswer(query, { reader: this.#store(), markets });
    }
    const market = this.#markets.get(query.market);
    if (market === undefined) {
      throw new HistoryError('NOT_READY', `the history does not know ${query.market} yet`);
    }
    this.#store();
    const { finalisedSlot } = this.#ingester.figures;
    return answerQuery(query, { reader: this.#reader, market, finalisedSlot });
  }

  #tell(): void {
    this.#options.post({ kind: 'figures', figures: this.#figures() });
    this.#chartWaiting();
    this.#tellStatistics();
    this.#beat = this.#timers.after(FIGURES_MS, () => this.#tell());
  }

  /** Fills of spot markets of which the book told since; a write takes some of them as well. */
  #chartWaiting(): void {
    try {
      const change = this.#shelf.store?.catchUp() ?? null;
      if (change !== null) this.#changed(change);
    } catch (error) {
      // The next write meets the same disk, and tells of it.
      if (!(error instanceof StoreError)) throw error;
    }
  }

  /** The window of a day moves, so they are asked for without a change as well. */
  #tellStatistics(): void {
    if (this.#shelf.store === null) return;
    try {
      const now = Math.floor(Date.now() / 1_000);
      const markets = this.#statistics.read([...this.#markets.keys()], now);
      if (markets !== null) this.#options.post({ kind: 'marketFigures', markets });
    } catch (error) {
      // The disk is asked again; that it fails is told by the state as soon as it is written to.
      if (!(error instanceof StoreError)) throw error;
    }
  }

  /** What retention has deleted is not there any more. */
  #completeSinceTs(): number | null {
    const { completeSinceTs } = this.#ingester.figures;
    const { retentionDays } = this.#options.setup;
    if (completeSinceTs === null || retentionDays === 0) return completeSinceTs;
    return Math.max(completeSinceTs, Math.floor(Date.now() / 1_000) - retentionDays * 86_400);
  }

  #figures(): HistoryStats {
    const { store } = this.#shelf;
    return {
      ...this.#ingester.state,
      ...this.#ingester.figures,
      completeSinceTs: this.#completeSinceTs(),
      counts: { ...this.#counters },
      ...(store === null ? NOTHING_STORED : storedFigures(store)),
      newestSlot: this.#newestSlot,
      lagMs: this.#lagMs,
    };
  }
}

type StoredFigures = Pick<HistoryStats, 'stored' | 'missingFills'>;

const NOTHING_STORED: StoredFigures = {
  stored: { trades: 0, fundingRates: 0, truncated: 0 },
  missingFills: {},
};

/** A file that cannot be read leaves them out: why is told by the state. */
function storedFigures(store: HistoryStore): StoredFigures {
  try {
    const { trades, fundingRates } = store.totals();
    const missingFills: Partial<Record<MarketKey, number>> = {};
    for (const [market, missing] of store.gaps().byMarket) missingFills[market] = Number(missing);
    return { stored: { trades, fundingRates, truncated: store.truncated() }, missingFills };
  } catch (error) {
    if (error instanceof StoreError) return NOTHING_STORED;
    throw error;
  }
}

function refusalOf(error: unknown): { code: string; message: string; param: string | null } {
  if (error instanceof HistoryError) {
    return { code: error.code, message: error.message, param: error.param };
  }
  if (error instanceof StoreError) {
    return { code: 'NOT_READY', message: 'the history cannot be read', param: null };
  }
  return { code: 'INTERNAL', message: 'the history failed to answer', param: null };
}

/**
 * Names for what is stored of each market. No name is used twice, not by another run either, and each
 * is told before the first body that it stands for.
 */
export class Versions {
  readonly #nonce = Date.now().toString(36);
  readonly #known = new Set<MarketKey>();
  #count = 0;

  /** New names for the markets that changed. */
  bump(markets: Iterable<MarketKey>): readonly (readonly [MarketKey, string])[] {
    this.#count += 1;
    const version = `${this.#nonce}.${this.#count.toString(36)}`;
    return [...markets].map((market) => {
      this.#known.add(market);
      return [market, version] as const;
    });
  }

  /** Another store is open: whatever was told of the last one, of these and others, is no longer so. */
  renew(markets: Iterable<MarketKey>): readonly (readonly [MarketKey, string])[] {
    return this.bump(new Set([...this.#known, ...markets]));
  }
}

/**
 * The service in the worker: executes the main thread's queries, and posts frames, versions and
 * stats.
 */

import type { HistoryBody, HistoryQuery } from '../../contract/history-queries.js';
import type { HistoryStats } from '../../contract/history-source.js';
import type { MarketKey } from '../../contract/markets.js';
import type { Timer, Timers } from '../../contract/timers.js';
import { LogDecoder } from '../../engine/events.js';
import type { Log } from '../../rpc/log.js';
import type { RpcNodes } from '../../rpc/node-pool.js';
import { RateLimiter } from '../../rpc/rate-limiter.js';
import { makeAccountBody } from '../bodies/account-body.js';
import { makeArchiveBody } from '../bodies/archive-body.js';
import { FundingMeansBodies } from '../bodies/funding-means-body.js';
import { makeBody, makeVolumesBody, type RowReader } from '../bodies/make-body.js';
import { candleRules } from '../candles/rules.js';
import { Ingester, type IngestState } from '../ingest/ingester.js';
import { LoggedUsersBatch } from '../ingest/logged-users.js';
import { type IngestParts, newCounters } from '../ingest/parts.js';
import type { Gap } from '../ingest/progress.js';
import type { LogNode, SessionStats } from '../ingest/session.js';
import { EmptyTransactions } from '../ingest/store-records.js';
import { UngivenItems } from '../ingest/ungiven-items.js';
import { ChainTime } from '../model/chain-time.js';
import { HistoryError } from '../model/error.js';
import { FETCH_BURST_MS } from '../model/limits.js';
import type { FromWorker, ToWorker, WorkerSetup } from '../model/messages.js';
import type { HistoryBook, HistoryMarket } from '../model/records.js';
import { StoreError } from '../store/error.js';
import type { HistoryStore } from '../store/store.js';
import type { StoreChange } from '../store/types.js';
import { AccountFills } from '../streams/account-fills.js';
import { Streams } from '../streams/streams.js';
import { IntegrityCheck } from './integrity-check.js';
import { MarketStatsCache } from './market-stats-cache.js';
import { MarketVersions } from './market-versions.js';
import { postedLog } from './posted-log.js';
import { refusalOf } from './refusal.js';
import { Retention } from './retention.js';
import { StoreFollower } from './store-follower.js';
import { StoreManager, storeReader } from './store-manager.js';
import { NOTHING_STORED, storedStats } from './stored-stats.js';
import { writeWriterMark } from './writer-mark.js';

/**
 * Interval of stats, which are also the worker's heartbeat, and of the check that the file is in
 * place.
 */
const STATS_MS = 1_000;

/** The source of records, or of notices that records have arrived. */
interface RecordSource {
  start(): void;
  /** Sets the chain of the book, of which the records must be; null for any chain. */
  followChain(genesisHash: string | null): void;
  stop(): Promise<void>;
  readonly state: IngestState;
  readonly stats: SessionStats;
}

/** The dependencies of the service, including all clocks, timers and randomness. */
interface HistoryServiceOptions {
  readonly setup: WorkerSetup;
  /** The nodes; at least one, except for a reading service. */
  readonly nodes: readonly LogNode[];
  readonly post: (message: FromWorker) => void;
  readonly timers: Timers;
  readonly random: () => number;
}

/** Connects the parts of the history on their thread. */
export class HistoryService {
  readonly #options: HistoryServiceOptions;
  readonly #timers: Timers;
  readonly #log: Log;
  readonly #markets = new Map<MarketKey, HistoryMarket>();
  readonly #counters = newCounters();
  readonly #stores: StoreManager;
  readonly #source: RecordSource;
  readonly #retention: Retention;
  readonly #integrity: IntegrityCheck;
  readonly #streams: Streams;
  readonly #accountFills: AccountFills;
  readonly #versions: MarketVersions;
  readonly #chainTime: ChainTime;
  readonly #reader: RowReader;
  readonly #marketStats: MarketStatsCache;
  readonly #fundingMeans = new FundingMeansBodies();
  #heartbeat: Timer | null = null;
  #newestSlot = 0;
  #lagMs: number | null = null;

  constructor(options: HistoryServiceOptions) {
    const { setup, timers, post } = options;
    this.#options = options;
    this.#timers = timers;
    this.#chainTime = new ChainTime(options);
    this.#versions = new MarketVersions(options.random);
    this.#log = postedLog(post);
    const marketOf = (key: MarketKey): HistoryMarket | undefined => this.#markets.get(key);
    this.#stores = new StoreManager({
      folder: setup.dataDir,
      programId: setup.programId,
      program: setup.program,
      database: setup.database,
      marketOf,
      timers,
      onFault: (fault) =>
        this.#log.warn({ fault }, 'something is wrong with the file of the history'),
    });
    this.#reader = storeReader(() => this.#openedStore());
    this.#marketStats = new MarketStatsCache({
      aggregateSpan: (market, span) => this.#openedStore().aggregateSpan(market, span),
      lastFillBefore: (market, ts) => this.#openedStore().lastFillBefore(market, ts),
      readRecords: (query) => this.#openedStore().readRecords(query),
    });
    this.#streams = new Streams({
      reader: this.#reader,
      marketOf,
      timers,
      chainSeconds: () => this.#chainTime.seconds ?? 0,
      post: (frames) => post({ kind: 'frames', frames }),
      onFault: (error, market) => {
        this.#stores.noteFailure(error);
        this.#log.warn({ err: error, market }, 'a stream failed');
      },
    });
    this.#accountFills = new AccountFills({
      store: () => this.#openedStore(),
      markets: this.#markets,
      finalisedSlot: () => this.#source.stats.finalisedSlot,
      post: (frames) => post({ kind: 'frames', frames }),
      onFault: (error) => this.#stores.noteFailure(error),
    });
    this.#integrity = new IntegrityCheck({
      timers,
      log: this.#log,
      counters: this.#counters,
      store: () => this.#stores.store,
      onDamage: (error) => this.#stores.noteFailure(error),
      onSound: () => this.#stores.noteSound(),
    });
    this.#retention = new Retention({
      timers,
      log: this.#log,
      days: setup,
      store: () => this.#stores.store,
      finalisedSlot: () => this.#source.stats.finalisedSlot,
      chainSeconds: () => this.#chainTime.readSeconds,
    });
    this.#source =
      setup.database?.role === 'read' ? this.#buildFollower() : this.#buildIngester(setup);
  }

  start(): void {
    this.#source.start();
    if (!this.#isReader) {
      this.#log.info({ days: this.#options.setup.retain }, 'records are kept for days, 0 for ever');
      this.#retention.start();
    }
    this.#runHeartbeat();
  }

  /** Stores queued records and closes the file. */
  async stop(): Promise<void> {
    this.#heartbeat?.cancel();
    this.#retention.stop();
    this.#integrity.stop();
    this.#streams.stop();
    await this.#source.stop();
    this.#stores.close();
  }

  receiveMessage(message: Exclude<ToWorker, { readonly kind: 'stop' }>): void {
    switch (message.kind) {
      case 'query':
        this.#runQuery(message.id, message.query);
        return;
      case 'book':
        this.#setBook(message.book);
        return;
      case 'join':
        if (!this.#accountFills.joinTopic(message.topic)) this.#streams.joinTopic(message.topic);
        return;
      case 'leave':
        this.#accountFills.leaveTopic(message.topic);
        this.#streams.leaveTopic(message.topic);
    }
  }

  #setBook({ markets, genesisHash }: HistoryBook): void {
    const renamed = markets.filter(({ key, symbol }) => {
      return symbol !== (this.#markets.get(key)?.symbol ?? symbol);
    });
    this.#markets.clear();
    for (const market of markets) this.#markets.set(market.key, market);
    // Bodies have the symbol.
    this.#postVersions(this.#versions.bumpVersions(renamed.map(({ key }) => key)));
    this.#source.followChain(genesisHash);
    this.#addPendingFills();
    this.#streams.openPending();
  }

  #buildIngester(setup: WorkerSetup): Ingester {
    const { programId, program, requestsPerSecond } = setup;
    const { timers, random, nodes, post } = this.#options;
    const decoder = new LogDecoder(programId, program);
    const parts: IngestParts = {
      programId,
      timers,
      log: this.#log,
      counters: this.#counters,
      ungiven: new UngivenItems(timers),
      unreadable: new UngivenItems(timers),
      decode: (lines) => decoder.decode(lines),
      random,
    };
    return new Ingester({
      parts,
      nodes: requireNodes(nodes),
      limiter: new RateLimiter({ timers, requestsPerSecond, burstMs: FETCH_BURST_MS }),
      emptyTransactions: new EmptyTransactions(),
      logged: new LoggedUsersBatch(timers, (writes) => post({ kind: 'logged', writes })),
      firstGap: (newestTs) => this.#firstGap(newestTs),
      ...this.#sourceParts(),
    });
  }

  /** A reading service follows the database instead of nodes. */
  #buildFollower(): RecordSource {
    return new StoreFollower({
      timers: this.#timers,
      log: this.#log,
      counters: this.#counters,
      rules: candleRules,
      closeStore: () => this.#stores.close(),
      onReset: () => this.#reopenStreams(),
      ...this.#sourceParts(),
    });
  }

  /** What every source of records needs of the service. */
  #sourceParts() {
    return {
      openStore: (genesisHash: string) => this.#openStore(genesisHash),
      onStoreFailure: (error: unknown) => this.#stores.closeAfter(error),
      onChange: (change: StoreChange) => this.#publishChange(change),
      onBlockTime: (ts: number) => {
        this.#chainTime.addReading(ts);
        this.#streams.publishTime();
      },
    };
  }

  get #isReader(): boolean {
    return this.#options.setup.database?.role === 'read';
  }

  /**
   * Returns the limits of the first gap: it counts back from the chain's time, or from the newest
   * transaction if that is older or the only known time.
   */
  #firstGap(newestTs: number | null): Pick<Gap, 'sinceTs' | 'left'> {
    const { backfillHours, backfillTransactionsMax: left } = this.#options.setup;
    const times = [this.#chainTime.readSeconds, newestTs].filter((ts) => ts !== null);
    const newest = times.length === 0 ? 0 : Math.min(...times);
    return { sinceTs: Math.max(0, newest - backfillHours * 3_600), left };
  }

  async #openStore(genesisHash: string): Promise<HistoryStore> {
    const { store, isNew } = await this.#stores.openStore(genesisHash);
    if (isNew) {
      this.#newestSlot = 0;
      this.#chainTime.restartFrom(store.readNewestTs());
      this.#marketStats.markChanged(this.#markets.keys());
      this.#log.info({ file: store.file }, 'the history is open');
      if (!this.#isReader) this.#integrity.restart();
      this.#postVersions(this.#versions.renewVersions(this.#markets.keys()));
      this.#reopenStreams();
    }
    return store;
  }

  #reopenStreams(): void {
    this.#streams.reopenAll();
    this.#accountFills.reopenAll();
  }

  /**
   * Call this after each commit: posts a new version first, so that no later query returns "not
   * modified".
   */
  #publishChange(change: StoreChange): void {
    if (change.markets.size > 0) this.#postVersions(this.#versions.bumpVersions(change.markets));
    for (const { kind, slot, ts } of change.records) {
      if (kind !== 'trade') continue;
      this.#newestSlot = Math.max(this.#newestSlot, slot);
      this.#chainTime.addRecordTime(ts);
      if (this.#source.state.state === 'live') this.#lagMs = this.#lagOf(ts);
    }
    this.#marketStats.markChanged(change.markets);
    this.#fundingMeans.publishChange(change);
    this.#streams.publishChange(change);
    this.#accountFills.publishRecords(change.records);
  }

  /**
   * Returns the lag, or null when the wall clock and the chain's clock differ so much that the lag
   * is meaningless.
   */
  #lagOf(ts: number): number | null {
    return this.#chainTime.isWallNear ? this.#timers.unixMs() - ts * 1_000 : null;
  }

  #postVersions(versions: readonly (readonly [MarketKey, string])[]): void {
    if (versions.length > 0) this.#options.post({ kind: 'versions', versions });
  }

  #openedStore(): HistoryStore {
    const { store } = this.#stores;
    if (store === null) throw new HistoryError('NOT_READY', 'the history is not open yet');
    return store;
  }

  #runQuery(id: number, query: HistoryQuery): void {
    const { post } = this.#options;
    try {
      post({ kind: 'reply', id, reply: this.#makeBody(query) });
    } catch (error) {
      this.#stores.noteFailure(error);
      if (!(error instanceof HistoryError)) this.#log.warn({ err: error }, 'a query failed');
      post({ kind: 'refused', id, error: refusalOf(error) });
    }
  }

  #makeBody(query: HistoryQuery): HistoryBody {
    const markets = this.#markets.values();
    if (query.kind === 'volumes') {
      return makeVolumesBody(query, { reader: this.#openedStore(), markets });
    }
    if (query.kind === 'account' || query.kind === 'order') {
      return makeAccountBody(query, { store: this.#openedStore(), markets: this.#markets });
    }
    if (query.kind === 'fundingMeans') {
      const isComplete = this.#source.state.state === 'live';
      return this.#fundingMeans.makeBody(query, {
        store: this.#openedStore(),
        markets,
        isComplete,
      });
    }
    const market = this.#markets.get(query.market);
    if (market === undefined) {
      throw new HistoryError('NOT_READY', `the history does not know ${query.market} yet`);
    }
    const store = this.#openedStore();
    if (query.kind === 'archive') return makeArchiveBody(query, { store, market });
    const { finalisedSlot } = this.#source.stats;
    return makeBody(query, { reader: this.#reader, market, finalisedSlot });
  }

  #runHeartbeat(): void {
    this.#stores.checkPlace();
    this.#addPendingFills();
    this.#accountFills.publishStates();
    this.#tellReaders();
    this.#postMarketStats();
    this.#options.post({ kind: 'stats', stats: this.#readStats() });
    this.#heartbeat = this.#timers.after(STATS_MS, () => this.#runHeartbeat());
  }

  /**
   * Adds pending fills of spot markets whose decimals the book has sent meanwhile; each write also
   * adds some.
   */
  #addPendingFills(): void {
    if (this.#isReader) return;
    try {
      const change = this.#stores.store?.addPendingFills() ?? null;
      if (change !== null) this.#publishChange(change);
    } catch (error) {
      // The next write uses the same disk and reports the failure.
      if (!(error instanceof StoreError)) throw error;
    }
  }

  /** Publishes the state of the history to readers of the same database. */
  #tellReaders(): void {
    const { store } = this.#stores;
    if (store === null || this.#options.setup.database?.role !== 'write') return;
    try {
      const mark = { ...this.#source.state, chainTs: this.#chainTime.readSeconds };
      writeWriterMark(store, mark, this.#timers.unixMs());
    } catch (error) {
      // The next write uses the same server and reports the failure.
      if (!(error instanceof StoreError)) throw error;
    }
  }

  /** Posts the market statistics, also without a change, because the 24-hour window moves. */
  #postMarketStats(): void {
    const now = this.#chainTime.seconds;
    if (this.#stores.store === null || now === null) return;
    try {
      const markets = this.#marketStats.readChanged([...this.#markets.keys()], now);
      if (markets !== null) this.#options.post({ kind: 'marketStats', markets });
    } catch (error) {
      // The next round reads again.
      this.#stores.noteFailure(error);
      if (!(error instanceof StoreError)) throw error;
    }
  }

  /** Data before the retention cutoff no longer exists. */
  #completeSinceTs(): number | null {
    const { completeSinceTs } = this.#source.stats;
    const tradesSince = this.#stores.store?.tradesSince ?? null;
    if (completeSinceTs === null || tradesSince === null) return completeSinceTs;
    return Math.max(completeSinceTs, tradesSince);
  }

  #readStats(): HistoryStats {
    const { store, fault } = this.#stores;
    return {
      ...(fault === null ? this.#source.state : { state: 'failing', reason: fault }),
      ...this.#source.stats,
      completeSinceTs: this.#completeSinceTs(),
      counts: { ...this.#counters },
      ...(store === null ? NOTHING_STORED : storedStats(store)),
      chainTs: this.#chainTime.seconds,
      newestSlot: this.#newestSlot,
      lagMs: this.#lagMs,
    };
  }
}

function requireNodes([first, ...others]: readonly LogNode[]): RpcNodes<LogNode> {
  if (first === undefined) throw new Error('Invariant: what writes a history has a node');
  return [first, ...others];
}

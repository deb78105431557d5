import type { Timer, Timers } from '../../contract/timers.js';
import { Backoff } from '../../rpc/backoff.js';
import { loggedFailure } from '../../rpc/error.js';
import type { Log } from '../../rpc/log.js';
import type { IngestState } from '../ingest/ingester.js';
import type { IngestCounters } from '../ingest/parts.js';
import { Progress } from '../ingest/progress.js';
import type { SessionStats } from '../ingest/session.js';
import { FOLLOW_MS, STORE_CAP_MS, STORE_FIRST_MS, WRITER_SILENCE_MS_MAX } from '../model/limits.js';
import { StoreError } from '../store/error.js';
import {
  type FollowedChange,
  highestTransaction,
  readChanges,
  readFollowed,
} from '../store/followed-changes.js';
import type { HistoryStore } from '../store/store.js';
import { ANY_CHAIN, type CandleRules, type StoreChange } from '../store/types.js';
import { type FoundMark, readWriterMark } from './writer-mark.js';

/** The dependencies of a follower. */
interface StoreFollowerOptions {
  readonly timers: Timers;
  readonly log: Log;
  readonly counters: Pick<IngestCounters, 'storeFailures'>;
  readonly rules: CandleRules;
  readonly openStore: (genesisHash: string) => Promise<HistoryStore>;
  readonly closeStore: () => void;
  readonly onStoreFailure: (error: StoreError) => void;
  readonly onChange: (change: StoreChange) => void;
  /** Called when a change is incomplete. */
  readonly onReset: () => void;
  /** Called with the chain's time, unix seconds. */
  readonly onBlockTime: (ts: number) => void;
}

/** How far the follower has read. */
interface Position {
  readonly number: number;
  readonly tx: number;
}

/** Polls the changes that another service stores in the same database, four times a second. */
export class StoreFollower {
  readonly #options: StoreFollowerOptions;
  readonly #backoff: Backoff;
  #timer: Timer | null = null;
  #isStopped = false;
  /** The chain that the database must be of. */
  #genesisHash = ANY_CHAIN;
  #store: HistoryStore | null = null;
  #position: Position = { number: 0, tx: 0 };
  #state: IngestState = { state: 'starting', reason: 'the history is being opened' };
  #stats: SessionStats = { queued: 0, spansOpen: 0, finalisedSlot: 0, completeSinceTs: null };
  /** The writer's last mark, and its arrival. */
  #lastMark: { readonly text: string; readonly atMs: number } | null = null;

  constructor(options: StoreFollowerOptions) {
    this.#options = options;
    const waits = { firstMs: STORE_FIRST_MS, capMs: STORE_CAP_MS };
    this.#backoff = new Backoff({ ...waits, random: Math.random });
  }

  start(): void {
    void this.#look();
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  /** Sets the chain that the database must be of; null for any chain. */
  followChain(genesisHash: string | null): void {
    const followed = genesisHash ?? ANY_CHAIN;
    if (this.#genesisHash === followed) return;
    this.#genesisHash = followed;
    // The lost store is opened again if it belongs to this chain.
    this.#options.closeStore();
  }

  get state(): IngestState {
    return this.#state;
  }

  get stats(): SessionStats {
    return this.#stats;
  }

  async #look(): Promise<void> {
    let waitMs = FOLLOW_MS;
    try {
      const store = await this.#options.openStore(this.#genesisHash);
      if (this.#isStopped) return;
      this.#readState(store);
      if (store !== this.#store) this.#begin(store);
      else this.#followChanges(store);
      this.#backoff.reset();
    } catch (error) {
      if (!(error instanceof StoreError)) throw error;
      this.#noteFailure(error);
      waitMs = this.#backoff.next();
    }
    if (!this.#isStopped) this.#timer = this.#options.timers.after(waitMs, () => void this.#look());
  }

  #noteFailure(error: StoreError): void {
    const { counters, log, onStoreFailure } = this.#options;
    counters.storeFailures += 1;
    onStoreFailure(error);
    this.#store = null;
    if (this.#state.reason !== error.message)
      log.warn({ reason: loggedFailure(error) }, 'the history waits');
    this.#state = { state: 'failing', reason: error.message };
  }

  /** Follows a new store from its current end; the service has reopened its streams for it. */
  #begin(store: HistoryStore): void {
    this.#position = readTogether(store, () => {
      const number = store.runRead((parts) => readChanges(parts, 0).number);
      return { number, tx: store.runRead(highestTransaction) };
    });
    this.#store = store;
  }

  #followChanges(store: HistoryStore): void {
    const followed = readTogether(store, () => this.#readFollowed(store));
    if (followed === null) return;
    const { onChange, onReset } = this.#options;
    onChange(followed.change);
    if (followed.isReset) onReset();
  }

  /** Returns the changes since the last poll; null when there are none. */
  #readFollowed(store: HistoryStore): FollowedChange | null {
    const changes = store.runRead((parts) => readChanges(parts, this.#position.number));
    if (changes.markets.length === 0) return null;
    store.reloadState();
    const from = { behindTx: this.#position.tx, rules: this.#options.rules };
    const followed = store.runRead((parts) => readFollowed(parts, changes, from));
    this.#position = { number: changes.number, tx: followed.tx };
    return followed;
  }

  /** Follows the writer's state as long as its marks are recent. */
  #readState(store: HistoryStore): void {
    const marks = store.readProgress();
    const progress = new Progress({ readProgress: () => marks });
    this.#stats = {
      queued: 0,
      spansOpen: progress.gaps.length,
      finalisedSlot: progress.tip?.slot ?? 0,
      completeSinceTs: progress.completeSinceTs,
    };
    const found = readWriterMark(marks);
    this.#state =
      found === null
        ? { state: 'starting', reason: 'nobody has written the history yet' }
        : this.#stateBy(found);
  }

  #stateBy({ text, mark }: FoundMark): IngestState {
    const nowMs = this.#options.timers.nowMs();
    const { state, reason, chainTs } = mark;
    if (text !== this.#lastMark?.text) {
      this.#lastMark = { text, atMs: nowMs };
      if (chainTs !== null) this.#options.onBlockTime(chainTs);
    }
    const silentMs = nowMs - this.#lastMark.atMs;
    if (silentMs <= WRITER_SILENCE_MS_MAX) return { state, reason };
    const seconds = Math.floor(WRITER_SILENCE_MS_MAX / 1_000);
    return {
      state: 'failing',
      reason: `the service that writes the history was silent for more than ${seconds} s`,
    };
  }
}

/** Runs reads on one consistent snapshot. */
function readTogether<T>(store: HistoryStore, read: () => T): T {
  return store.runRead(({ connection }) => connection.runSnapshot(read));
}

import type { ClientGate } from '../contract/client-gate.js';
import type { FeedState, Readiness } from '../contract/feed-status.js';
import type { Timer } from '../contract/timers.js';
import { EngineError } from '../engine/errors.js';
import { type JournalReader, readSegmentHead } from '../engine/journal-reader.js';
import { Backoff } from '../rpc/backoff.js';
import { loggedFailure, shownFailure } from '../rpc/error.js';
import type { Log } from '../rpc/log.js';
import { sleep } from '../rpc/timers.js';
import { LogBook, type LogBookOptions } from './log-book.js';
import { JournalError } from './model/error.js';
import { LOG_RESTORE_MS_MAX, LOG_RETRY_MS, LOG_WATCH_MS } from './model/limits.js';
import type { LogPlace } from './model/log-place.js';
import type { StoredCheckpoint } from './nats/checkpoint-store.js';
import { requireOrigin } from './nats/log-origin.js';
import { type LogMessage, LogReader } from './nats/log-reader.js';

/** The dependencies of a follower, and its listeners. */
export interface LogFollowerOptions extends LogBookOptions {
  readonly place: LogPlace;
  /** The chain that the log must be of; by default any chain. */
  readonly genesisHash?: string | undefined;
  readonly log: Log;
  /** Returns the freshness of a book whose log has been silent for some milliseconds. */
  readonly freshness: (ageMs: number) => FeedState;
  /**
   * Maximum difference in milliseconds between the clocks of core and reader; by default no limit.
   */
  readonly clockSkewMaxMs?: number;
  /** Silence of the log after which clients are sent to another edge, milliseconds. */
  readonly drainAfterMs: number;
  readonly clients?: ClientGate | undefined;
  /** Called once, when the book is live for the first time. */
  readonly onFirstLive?: (() => void) | undefined;
}

/** The error codes after which following ends; the empty code is that of a bug. */
const FINAL_CODES: ReadonlySet<string> = new Set([
  '',
  'LOG_REFUSED',
  'LOG_MISMATCH',
  'JOURNAL_PROGRAM_MISMATCH',
]);

/** Counters of a follower, for metrics. */
interface LogFollowerStats {
  readonly logTurns: number;
  readonly logBytes: number;
  /**
   * Number of restored checkpoints: the first one, and one after each hole and for each new epoch.
   */
  readonly logRestores: number;
  readonly logFailures: number;
  /** Drains of clients to another edge. */
  readonly logSendAways: number;
  /** Number of messages of the log that were skipped because no core wrote them. */
  readonly logForeign: number;
}

/**
 * The feed of an edge: the book of a core's log. While the log is silent, or while the edge catches
 * up, the book is `lagging` or `stale`; this state does not affect sequence numbers, so all edges
 * of a log agree.
 */
export class LogFollower {
  readonly #options: LogFollowerOptions;
  readonly #book: LogBook;
  readonly #stop = new AbortController();
  #reader: LogReader | null = null;
  #genesisHash: string | null = null;
  #everLive = false;
  /** Whether the log was read to its end since its last silence. */
  #isCaughtUp = false;
  #isDrained = false;
  /**
   * Whether the restored book is older than what readers have seen in this epoch, until it has
   * caught up.
   */
  #isOlder = false;
  /**
   * The sequence number after all messages applied in this epoch and stream, including those
   * applied before the book was lost.
   */
  #furthest = 0;
  /** The creation time of the stream that `#furthest` belongs to. */
  #created = '';
  /**
   * After the loss of the book, only checkpoints from this message on are accepted, until
   * `#restoreAtMs`.
   */
  #usefulFrom = 0;
  #restoreAtMs = 0;
  readonly #restoreWaits = new Backoff({
    firstMs: LOG_RETRY_MS,
    capMs: LOG_RESTORE_MS_MAX,
    random: Math.random,
  });
  #messageAtMs: number;
  #waiting = 0;
  /** The writer's queue delay at the last message, milliseconds. */
  #behindMs = 0;
  #failure: string | null = null;
  #watch: Timer | null = null;
  #counts = { logBytes: 0, logRestores: 0, logFailures: 0, logSendAways: 0, logForeign: 0 };

  constructor(options: LogFollowerOptions) {
    this.#options = options;
    this.#messageAtMs = options.timers.nowMs();
    this.#book = new LogBook(options);
  }

  /**
   * Follows the log until it is stopped. Rejects with `LOG_REFUSED`, `LOG_MISMATCH` or
   * `JOURNAL_PROGRAM_MISMATCH`.
   */
  async start(): Promise<void> {
    const { signal } = this.#stop;
    this.#planWatch();
    while (!signal.aborted) {
      try {
        await this.#followLog();
      } catch (error) {
        if (signal.aborted) return;
        this.#handleFailure(error);
      }
      await sleep(this.#options.timers, LOG_RETRY_MS, signal).catch(() => undefined);
    }
  }

  async stop(): Promise<void> {
    this.#watch?.cancel();
    this.#stop.abort();
    await this.#reader?.close();
  }

  status(): Readiness {
    const { state } = this.#options.engine;
    // A book older than the one that readers have seen must not be served.
    const everLive = this.#everLive && !this.#isOlder;
    const reason = everLive && state === 'live' ? null : this.#reasonOf(state);
    return { everLive, state: everLive ? state : 'starting', reason, slot: this.slot };
  }

  /**
   * Returns the time since the log was read to its end, plus the writer's queue delay at that time,
   * milliseconds; when the last turn is further from this machine's clock than the clocks may
   * differ, that excess.
   */
  logAgeMs(): number {
    return Math.max(this.#silenceMs(), this.#skewMs());
  }

  #silenceMs(): number {
    return this.#options.timers.nowMs() - this.#messageAtMs + this.#behindMs;
  }

  /**
   * Returns the milliseconds by which the difference between the clocks of core and reader exceeds
   * its maximum, because a core's own statement of its age is not trusted.
   */
  #skewMs(): number {
    const { timers, clockSkewMaxMs = Number.POSITIVE_INFINITY } = this.#options;
    const { turnMs } = this.#book;
    return turnMs === 0 ? 0 : Math.abs(timers.unixMs() - turnMs) - clockSkewMaxMs;
  }

  /** Returns accounts (base58) of the book as base64; null for an account that does not exist. */
  async readAccounts(keys: readonly string[]): Promise<readonly (string | null)[]> {
    const accounts = this.#book.readAccounts(keys);
    return accounts.map((bytes) => bytes && Buffer.from(bytes).toString('base64'));
  }

  position(): { readonly next: number; readonly lastName: string } {
    return { next: this.#book.nextSequence, lastName: this.#book.lastName };
  }

  /**
   * The chain of the log; null until a checkpoint is read, and when the log does not name its
   * chain.
   */
  get genesisHash(): string | null {
    return this.#genesisHash;
  }

  get slot(): number {
    return this.#book.slot;
  }

  /**
   * Call this after a stop, when `start` has resolved. Returns the reader, which holds the accounts
   * of the log.
   */
  handOver(): JournalReader {
    return this.#book.handOver();
  }

  stats(): LogFollowerStats {
    return { logTurns: this.#book.turnCount, ...this.#counts };
  }

  #reasonOf(state: FeedState): string {
    if (this.#failure !== null) return this.#failure;
    if (this.#book.nextSequence === 0) return 'the log has no checkpoint yet';
    const { freshness, timers } = this.#options;
    if (freshness(this.#skewMs()) !== 'live') {
      const aheadMs = Math.round(timers.unixMs() - this.#book.turnMs);
      return `this machine's clock is ${aheadMs} ms ahead of the last turn of the core`;
    }
    if (!this.#isCaughtUp) return `the log is being read: ${this.#waiting} messages wait`;
    const silenceMs = this.#silenceMs();
    if (freshness(silenceMs) !== 'live') return `the log is silent for ${Math.round(silenceMs)} ms`;
    return `the book of the core is ${state}`;
  }

  async #followLog(): Promise<void> {
    const { place } = this.#options;
    const { signal } = this.#stop;
    this.#reader ??= await LogReader.openLog(place, this.#options.timers);
    if (this.#book.nextSequence === 0 && !(await this.#restore(this.#reader))) return;
    for await (const message of this.#reader.readMessages(this.#book.nextSequence, signal)) {
      if (this.#book.passForeign(message)) this.#counts.logForeign += 1;
      else if (this.#book.isNext(message)) await this.#takeMessage(message);
      else this.#throwHole(message);
    }
  }

  #throwHole({ sequence }: LogMessage): never {
    const next = this.#book.nextSequence;
    // Only a checkpoint after the hole helps.
    this.#usefulFrom = sequence;
    const what =
      sequence === next
        ? `the log does not go on with message ${sequence}`
        : `the log has no message ${next} any more, its oldest is ${sequence}`;
    throw new JournalError('LOG_LOST', `${what}: the next checkpoint of the core is needed`);
  }

  /**
   * Restores the newest checkpoint; returns false when there is no usable checkpoint yet. Streams
   * of another epoch do not continue, as after a restart; within an epoch readers never see a
   * decreasing sequence number. A stream that was deleted and made again counts from 1, and begins
   * with the core's newest book.
   */
  async #restore(reader: LogReader): Promise<boolean> {
    const isWaiting = this.#options.timers.nowMs() < this.#restoreAtMs;
    const checkpoint = await reader.readCheckpoint(isWaiting ? this.#usefulFrom : 0);
    if (checkpoint === null) {
      reader.requestCheckpoint();
      // The log responds and has no hole, so the last failure is over.
      if (this.#usefulFrom === 0) this.#failure = null;
      return false;
    }
    this.#requireOrigin(checkpoint);
    this.#usefulFrom = checkpoint.next + 1;
    const { engine, clients, log } = this.#options;
    const { epoch } = readSegmentHead(checkpoint.bytes);
    const isOther = engine.epoch !== '' && engine.epoch !== epoch;
    if (isOther || checkpoint.created !== this.#created) this.#furthest = 0;
    this.#created = checkpoint.created;
    this.#isOlder = checkpoint.next < this.#furthest;
    if (isOther || this.#isOlder) await clients?.drainClients();
    this.#isDrained ||= this.#isOlder;
    this.#isCaughtUp = false;
    this.#showFreshness();
    this.#book.restoreCheckpoint(checkpoint);
    if (isOther && !this.#isDrained) clients?.acceptClients();
    this.#furthest = Math.max(this.#furthest, checkpoint.next);
    this.#counts.logRestores += 1;
    log.info({ epoch, next: checkpoint.next }, 'a checkpoint of the log was restored');
    return true;
  }

  #requireOrigin({ origin }: StoredCheckpoint): void {
    const { programId, genesisHash = origin?.genesisHash ?? '' } = this.#options;
    requireOrigin(origin, { programId, genesisHash });
    this.#genesisHash = origin?.genesisHash ?? null;
  }

  async #takeMessage(message: LogMessage): Promise<void> {
    this.#waiting = message.waiting;
    await this.#book.applyMessage(message);
    this.#counts.logBytes += message.bytes.length;
    this.#furthest = Math.max(this.#furthest, this.#book.nextSequence);
    if (message.waiting === 0 && this.#book.nextSequence === this.#furthest) this.#noteCaughtUp();
    // While the book catches up, old messages do not make it fresh.
    if (this.#isCaughtUp) {
      this.#messageAtMs = this.#options.timers.nowMs();
      this.#behindMs = message.behindMs;
    }
    this.#showFreshness();
  }

  #noteCaughtUp(): void {
    this.#isCaughtUp = true;
    this.#isOlder = false;
    this.#failure = null;
    this.#restoreWaits.reset();
  }

  #handleFailure(error: unknown): void {
    const code = error instanceof JournalError || error instanceof EngineError ? error.code : '';
    if (FINAL_CODES.has(code)) throw error;
    if (this.#reader?.isClosed === true) this.#reader = null;
    if (code !== 'LOG_UNREACHABLE') this.#loseBook(code);
    this.#counts.logFailures += 1;
    const shown = shownFailure(error);
    const reason = loggedFailure(error);
    if (this.#failure !== shown) this.#options.log.warn({ code, reason }, 'the log failed');
    this.#failure = shown;
  }

  /** Drops a book that no longer matches the log, or never did. */
  #loseBook(code: string): void {
    // A hole is permanent; a damaged message may be read correctly the next time.
    const waitMs = code === 'LOG_LOST' ? LOG_RESTORE_MS_MAX : this.#restoreWaits.next();
    this.#restoreAtMs = this.#options.timers.nowMs() + waitMs;
    this.#book.forgetBook();
    this.#isCaughtUp = false;
    this.#showFreshness();
  }

  #planWatch(): void {
    this.#watch = this.#options.timers.after(LOG_WATCH_MS, () => {
      this.#showFreshness();
      this.#planWatch();
    });
  }

  #showFreshness(): void {
    const { freshness, drainAfterMs, engine } = this.#options;
    const ageMs = this.logAgeMs();
    const fresh = freshness(ageMs);
    if (fresh === 'stale') this.#isCaughtUp = false;
    this.#book.showFreshness(fresh === 'live' && !this.#isCaughtUp ? 'stale' : fresh);
    if (ageMs >= drainAfterMs && this.#everLive) this.#drainClients();
    if (engine.state === 'live' && this.#isCaughtUp && this.#book.nextSequence > 0)
      this.#noteLive();
  }

  #drainClients(): void {
    if (this.#isDrained) return;
    this.#isDrained = true;
    this.#counts.logSendAways += 1;
    this.#options.log.warn({}, 'clients are sent to another edge: the log is lost');
    this.#options.clients?.drainClients().catch((error: unknown) => {
      this.#options.log.warn({ reason: loggedFailure(error) }, 'clients could not be sent away');
    });
  }

  #noteLive(): void {
    if (this.#isDrained) this.#options.clients?.acceptClients();
    this.#isDrained = false;
    if (this.#everLive) return;
    this.#everLive = true;
    this.#options.onFirstLive?.();
  }
}

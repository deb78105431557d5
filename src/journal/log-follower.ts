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

/** What a follower works with, and whom it tells. */
export interface LogFollowerOptions extends LogBookOptions {
  readonly place: LogPlace;
  /** The chain that the log has to be of; left out for any. */
  readonly genesisHash?: string | undefined;
  readonly log: Log;
  /** How fresh a book is whose log was silent for so many milliseconds. */
  readonly freshness: (ageMs: number) => FeedState;
  /** Clients are sent to another edge when the log was lost for so long, milliseconds. */
  readonly sendAwayAfterMs: number;
  readonly clients?: ClientGate | undefined;
  /** Once, when the book is live for the first time. */
  readonly onFirstLive?: (() => void) | undefined;
}

/** Codes of failures after which no try again can help; empty for a bug. */
const FINAL_CODES: ReadonlySet<string> = new Set([
  ...['', 'LOG_REFUSED', 'LOG_MISMATCH', 'JOURNAL_PROGRAM_MISMATCH'],
]);

/** What a follower did, for metrics. */
export interface LogFollowerStats {
  readonly logTurns: number;
  readonly logBytes: number;
  /** Checkpoints that were put in the place of the book: the first, and after each hole and each new epoch. */
  readonly logRestores: number;
  /** Times that the log could not be read on. */
  readonly logFailures: number;
  /** Times that clients were sent to another edge. */
  readonly logSendAways: number;
}

/**
 * The feed of an edge: the book that the log of a core makes. While the log is silent, or is being read from behind, the book says that it is
 * `lagging` or `stale`; nothing of it makes a sequence number, so all edges of a log have the same ones.
 */
export class LogFollower {
  readonly #options: LogFollowerOptions;
  readonly #book: LogBook;
  readonly #stop = new AbortController();
  #reader: LogReader | null = null;
  #genesisHash: string | null = null;
  #everLive = false;
  /** Whether all that the log had was read, since it was silent last. */
  #isCaughtUp = false;
  #isSentAway = false;
  /** Whether the book is of a checkpoint before what readers have seen of this epoch, and is not read to there yet. */
  #isOlder = false;
  /** The message that comes next of all that were applied in this epoch, also before the book was lost. */
  #furthest = 0;
  /** After the book was lost: until this time a checkpoint is of no use that does not begin with this message or a later one. */
  #usefulFrom = 0;
  #restoreAtMs = 0;
  readonly #restoreWaits = new Backoff({
    ...{ firstMs: LOG_RETRY_MS, capMs: LOG_RESTORE_MS_MAX, random: Math.random },
  });
  #messageAtMs: number;
  #waiting = 0;
  /** For how long the core held what was behind the last message. */
  #behindMs = 0;
  #failure: string | null = null;
  #watch: Timer | null = null;
  #counts = { logBytes: 0, logRestores: 0, logFailures: 0, logSendAways: 0 };

  constructor(options: LogFollowerOptions) {
    this.#options = options;
    this.#messageAtMs = options.timers.nowMs();
    this.#book = new LogBook(options);
  }

  /** Follows the log; resolves after a stop. Rejects where no try again can help: `LOG_REFUSED`, `LOG_MISMATCH`, `JOURNAL_PROGRAM_MISMATCH`. */
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
    // An older book is not for readers that have seen a newer one.
    const everLive = this.#everLive && !this.#isOlder;
    const reason = everLive && state === 'live' ? null : this.#reasonOf(state);
    return { everLive, state: everLive ? state : 'starting', reason, slot: this.slot };
  }

  /** How old the log is here: since all of it was read, and for how long the core held then what was behind its last message. */
  logAgeMs(): number {
    return this.#options.timers.nowMs() - this.#messageAtMs + this.#behindMs;
  }

  /** Accounts (base58) as base64, as of the book; null for those that it has none of. */
  async readAccounts(keys: readonly string[]): Promise<readonly (string | null)[]> {
    const accounts = this.#book.readAccounts(keys);
    return accounts.map((bytes) => bytes && Buffer.from(bytes).toString('base64'));
  }

  /** Where it is in the log: the message that comes next, and the name of the one before. */
  position(): { readonly next: number; readonly lastName: string } {
    return { next: this.#book.nextSequence, lastName: this.#book.lastName };
  }

  /** The chain that the log is of; null before a checkpoint was read, and where the log does not say. */
  get genesisHash(): string | null {
    return this.#genesisHash;
  }

  /** The slot of the book. */
  get slot(): number {
    return this.#book.slot;
  }

  /** After a stop, when start has resolved: the book is as the log has it, and the reader has its accounts. */
  handOver(): JournalReader {
    return this.#book.handOver();
  }

  stats(): LogFollowerStats {
    return { logTurns: this.#book.turnCount, ...this.#counts };
  }

  #reasonOf(state: FeedState): string {
    if (this.#failure !== null) return this.#failure;
    if (this.#book.nextSequence === 0) return 'the log has no checkpoint yet';
    if (!this.#isCaughtUp) return `the log is being read: ${this.#waiting} messages wait`;
    const ageMs = this.logAgeMs();
    if (this.#options.freshness(ageMs) !== 'live') {
      return `the log is silent for ${Math.round(ageMs)} ms`;
    }
    return `the book of the core is ${state}`;
  }

  async #followLog(): Promise<void> {
    const { place } = this.#options;
    const { signal } = this.#stop;
    this.#reader ??= await LogReader.openLog(place, this.#options.timers);
    if (this.#book.nextSequence === 0 && !(await this.#restore(this.#reader))) return;
    for await (const message of this.#reader.readMessages(this.#book.nextSequence, signal)) {
      if (!this.#book.isNext(message)) this.#throwHole(message);
      await this.#takeMessage(message);
    }
  }

  #throwHole({ sequence }: LogMessage): never {
    const next = this.#book.nextSequence;
    // Only a checkpoint behind the hole leads on.
    this.#usefulFrom = sequence;
    const what =
      sequence === next
        ? `the log does not go on with message ${sequence}`
        : `the log has no message ${next} any more, its oldest is ${sequence}`;
    throw new JournalError('LOG_LOST', `${what}: the next checkpoint of the core is needed`);
  }

  /**
   * Puts the newest checkpoint in the place of the book; false where there is none of use yet. As when a service is started again, nothing of
   * another epoch goes on; and in one epoch readers never see a sequence number go back.
   */
  async #restore(reader: LogReader): Promise<boolean> {
    const isWaiting = this.#options.timers.nowMs() < this.#restoreAtMs;
    const checkpoint = await reader.readCheckpoint(isWaiting ? this.#usefulFrom : 0);
    if (checkpoint === null) {
      // The log answers, and there is no hole in it: what failed before is over.
      if (this.#usefulFrom === 0) this.#failure = null;
      return false;
    }
    this.#requireOrigin(checkpoint);
    this.#usefulFrom = checkpoint.next + 1;
    const { engine, clients, log } = this.#options;
    const { epoch } = readSegmentHead(checkpoint.bytes);
    const isOther = engine.epoch !== '' && engine.epoch !== epoch;
    if (isOther) this.#furthest = 0;
    this.#isOlder = checkpoint.next < this.#furthest;
    if (isOther || this.#isOlder) await clients?.sendAway();
    this.#isSentAway ||= this.#isOlder;
    this.#isCaughtUp = false;
    this.#showFreshness();
    this.#book.restoreCheckpoint(checkpoint);
    if (isOther && !this.#isSentAway) clients?.letIn();
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
    // What it has was old before, and old messages do not make a book fresh that is being read.
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

  /** The book is no longer that of the log, or was never. */
  #loseBook(code: string): void {
    // A hole stays where it is. What was damaged may be read rightly the next time.
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
    const { freshness, sendAwayAfterMs, engine } = this.#options;
    const ageMs = this.logAgeMs();
    const fresh = freshness(ageMs);
    if (fresh === 'stale') this.#isCaughtUp = false;
    this.#book.showFreshness(fresh === 'live' && !this.#isCaughtUp ? 'stale' : fresh);
    if (ageMs >= sendAwayAfterMs && this.#everLive) this.#sendAway();
    if (engine.state === 'live' && this.#isCaughtUp && this.#book.nextSequence > 0)
      this.#noteLive();
  }

  #sendAway(): void {
    if (this.#isSentAway) return;
    this.#isSentAway = true;
    this.#counts.logSendAways += 1;
    this.#options.log.warn({}, 'clients are sent to another edge: the log is lost');
    this.#options.clients?.sendAway().catch((error: unknown) => {
      this.#options.log.warn({ reason: loggedFailure(error) }, 'clients could not be sent away');
    });
  }

  #noteLive(): void {
    if (this.#isSentAway) this.#options.clients?.letIn();
    this.#isSentAway = false;
    if (this.#everLive) return;
    this.#everLive = true;
    this.#options.onFirstLive?.();
  }
}

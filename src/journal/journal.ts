/**
 * The journal on the main thread: takes whole turns from the core and passes them to the writing
 * thread. It never blocks: turns that were not yet taken wait in bounded memory, and beyond the
 * bound the journal ends, not the book.
 */
import { Deferred } from '../contract/deferred.js';
import type { JournalListing, JournalSource, JournalStats } from '../contract/journal-source.js';
import type { PublishMark } from '../contract/publish-mark.js';
import type { Timer, Timers } from '../contract/timers.js';
import type { JournalReader } from '../engine/journal-reader.js';
import type { TurnDigest } from '../engine/journal-writer.js';
import type { TurnLog } from '../engine/turn-log.js';
import { loggedFailure, shownFailure } from '../rpc/error.js';
import type { Log } from '../rpc/log.js';
import type { ThreadLink } from '../rpc/threads.js';
import { JournalError, textOfError } from './model/error.js';
import {
  DRAIN_BYTES,
  DRAIN_MS,
  IN_FLIGHT_BYTES_MAX,
  LOG_ALIVE_MS,
  OPEN_MS_MAX,
  STOP_MS_MAX,
} from './model/limits.js';
import type { LogSetup, TakenLog } from './model/log-place.js';
import type { FromJournal, JournalSetup, ToJournal, WorkerStats } from './model/messages.js';
import { startThread } from './worker-link.js';

/** Dependencies of a journal. */
interface JournalOptions {
  /** A folder, or a log on NATS. */
  readonly setup: JournalSetup | LogSetup;
  /**
   * Called when the journal has ended for good: `LOG_FENCED` when another process writes the log,
   * `LOG_MISMATCH` when the log belongs to another chain, otherwise `JOURNAL_FAILED`.
   */
  readonly onEnded?: (error: JournalError) => void;
  /**
   * Called with the digest of each turn with a hash, where the setup keeps digests; of a log once
   * the turn is stored, so that no other core can go on before it.
   */
  readonly onDigest?: (digest: TurnDigest) => void;
  /** Called when a segment has ended, and another one has begun. */
  readonly onSegmentEnded?: () => void;
  /** The core's log of the book's inputs. */
  readonly turnLog: TurnLog;
  readonly log: Log;
  readonly timers: Timers;
}

const NOTHING_KEPT: JournalListing = { ranges: [], gaps: [], skipped: [] };

const STARTING: WorkerStats = {
  state: 'starting',
  reason: null,
  newest: null,
  bytes: 0,
  waitingBytes: 0,
  events: {
    segmentsBegun: 0,
    segmentsDeleted: 0,
    failures: 0,
    bytesWritten: 0,
    foreignMessages: 0,
  },
};

/** The journal of one service. */
export class Journal implements JournalSource {
  readonly #options: JournalOptions;
  readonly #timers: Timers;
  #link: ThreadLink<ToJournal> | null = null;
  #stats: WorkerStats = STARTING;
  #listing: JournalListing = NOTHING_KEPT;
  #inFlightBytes = 0;
  #drainTimer: Timer | null = null;
  #aliveTimer: Timer | null = null;
  /** Called with the first report of the thread, whether its folder could be opened. */
  #onOpened: ((refusal: JournalError | null) => void) | null = null;
  #ended: Deferred<void> | null = null;
  readonly #flushes = new Map<number, (isWhole: boolean) => void>();
  #lastFlush = 0;
  /** The reason why no more turns are taken; null while turns are taken. */
  #endReason: string | null = null;

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#timers = options.timers;
  }

  /**
   * Starts the thread, and the turn log of the core, which must have no account yet. An unusable
   * folder is retried; {@link Journal.readStats} has the reason.
   *
   * # Errors
   * Rejects with `JOURNAL_LOCKED` when another process has the folder, `LOG_REFUSED` when NATS
   * denies access, `LOG_MISMATCH` for a log or folder of another chain or program, or
   * `JOURNAL_FAILED`.
   */
  async start(): Promise<void> {
    const { setup, turnLog } = this.#options;
    const refusal = await this.#startThread(setup);
    if (refusal !== null) {
      void this.#link?.terminate();
      throw refusal;
    }
    const isStandby = 'log' in setup && setup.isStandby === true;
    if (this.#endReason === null && !isStandby) turnLog.start();
    if ('log' in setup) this.#planAlive();
  }

  /**
   * Continues the log of another core. The book of this turn log is the other core's book, as
   * `reader` has read it.
   */
  takeOver(taken: TakenLog, reader: JournalReader): void {
    if (this.#endReason !== null) return;
    this.#link?.sendMessage({ kind: 'takeOver', taken });
    this.#options.turnLog.continueFrom(reader);
  }

  #planAlive(): void {
    this.#aliveTimer = this.#timers.after(LOG_ALIVE_MS, () => {
      this.#link?.sendMessage({ kind: 'alive' });
      this.#planAlive();
    });
  }

  #startThread(setup: JournalSetup | LogSetup): Promise<JournalError | null> {
    return new Promise((resolve) => {
      const limit = this.#timers.after(OPEN_MS_MAX, () => this.#onOpened?.(null));
      this.#onOpened = (refusal) => {
        limit.cancel();
        this.#onOpened = null;
        resolve(refusal);
      };
      this.#link = startThread('worker', setup, {
        onMessage: (message) => this.#receiveMessage(message),
        onEnd: (cause) => this.#handleEnd(cause),
      });
    });
  }

  /**
   * Call this after each turn of the core, with its publish mark: passes on waiting turns when they
   * are large or old, and to a log immediately.
   */
  endTurn(mark: PublishMark): void {
    if (this.#endReason !== null) return;
    this.#options.turnLog.markPublished(mark);
    const { setup, turnLog } = this.#options;
    const isDue = 'log' in setup || turnLog.waitingBytes() >= DRAIN_BYTES;
    if (isDue) this.#drain();
    else this.#drainTimer ??= this.#timers.after(DRAIN_MS, () => this.#drain());
  }

  /**
   * Resolves with true when the newest file has all turns so far; with false when turns wait for
   * memory, or the journal has stopped.
   */
  async flush(): Promise<boolean> {
    this.#drain();
    if (this.#link === null || this.#endReason !== null) return false;
    const isTaken = this.#options.turnLog.waitingBytes() === 0;
    this.#lastFlush += 1;
    const id = this.#lastFlush;
    const isWhole = await new Promise<boolean>((resolve) => {
      this.#flushes.set(id, resolve);
      this.#link?.sendMessage({ kind: 'flush', id });
    });
    return isTaken && isWhole;
  }

  /** Writes all turns so far; resolves when the thread has ended. */
  async stop(): Promise<void> {
    this.#drainTimer?.cancel();
    this.#aliveTimer?.cancel();
    const link = this.#link;
    if (link === null) return;
    // Untaken turns are in memory either way.
    this.#drainUpTo(Number.POSITIVE_INFINITY);
    this.#options.turnLog.stop();
    this.#ended = new Deferred();
    link.sendMessage({ kind: 'stop' });
    const limit = this.#timers.after(STOP_MS_MAX, () => void link.terminate());
    await this.#ended.promise;
    limit.cancel();
  }

  readStats(): JournalStats {
    const { state, reason, newest, bytes, waitingBytes, events } = this.#stats;
    const { ranges, gaps } = this.#listing;
    return {
      state: this.#endReason === null ? state : 'stopped',
      reason: this.#endReason ?? reason,
      segments: ranges.reduce((sum, range) => sum + range.segments, 0),
      bytes,
      gaps: gaps.length,
      oldest: ranges[0]?.first ?? null,
      newest,
      queuedBytes: this.#inFlightBytes + this.#options.turnLog.waitingBytes() + waitingBytes,
      events,
    };
  }

  readListing(): JournalListing {
    return this.#listing;
  }

  #drain(): void {
    this.#drainUpTo(IN_FLIGHT_BYTES_MAX);
  }

  /** Passes on waiting turns, piece by piece, until this many bytes are in flight. */
  #drainUpTo(bytesMax: number): void {
    this.#drainTimer?.cancel();
    this.#drainTimer = null;
    try {
      while (this.#endReason === null && this.#inFlightBytes < bytesMax) {
        const log = this.#options.turnLog.take();
        if (log === null) return;
        this.#inFlightBytes += log.length;
        this.#link?.sendMessage({ kind: 'turns', log }, [log.buffer]);
      }
    } catch (error) {
      this.#endJournal(textOfError(error));
      this.#link?.sendMessage({ kind: 'lost', reason: textOfError(error) });
    }
  }

  #receiveMessage(message: FromJournal): void {
    switch (message.kind) {
      case 'opened':
        this.#onOpened?.(null);
        return;
      case 'refused':
        this.#handleRefusal(new JournalError(message.code, message.message));
        return;
      case 'taken':
        this.#noteTaken(message);
        return;
      case 'checkpointDue':
        this.#options.turnLog.markCheckpoint();
        return;
      case 'flushed':
        this.#endFlush(message);
        return;
      case 'state':
        this.#noteState(message);
        return;
      case 'log':
        this.#options.log[message.level](message.fields, message.message);
    }
  }

  #noteState({ stats, listing }: Extract<FromJournal, { readonly kind: 'state' }>): void {
    const begun = this.#stats.events.segmentsBegun;
    this.#stats = stats;
    this.#listing = listing;
    if (begun > 0 && stats.events.segmentsBegun > begun) this.#options.onSegmentEnded?.();
  }

  /**
   * Handles a refusal at the start, or later the end of the journal, for example when another
   * process has taken over the log.
   */
  #handleRefusal(refusal: JournalError): void {
    if (this.#onOpened === null) this.#options.onEnded?.(refusal);
    else this.#onOpened(refusal);
  }

  #endFlush({ id, isWhole }: { readonly id: number; readonly isWhole: boolean }): void {
    this.#flushes.get(id)?.(isWhole);
    this.#flushes.delete(id);
  }

  #noteTaken({ bytes, digests }: Extract<FromJournal, { readonly kind: 'taken' }>): void {
    for (const digest of digests) this.#options.onDigest?.(digest);
    this.#inFlightBytes = Math.max(0, this.#inFlightBytes - bytes);
    // Turns that waited for room, if any.
    if (this.#options.turnLog.waitingBytes() >= DRAIN_BYTES) this.#drain();
  }

  /**
   * The thread's copy of the accounts is lost with the thread, so it cannot be replaced before the
   * service restarts.
   */
  #handleEnd(cause: Error): void {
    this.#link = null;
    for (const resolve of this.#flushes.values()) resolve(false);
    this.#flushes.clear();
    if (this.#ended !== null) {
      this.#ended.resolve();
      return;
    }
    const reason = loggedFailure(cause);
    this.#options.log.warn({ reason }, 'the thread of the journal ended: nothing more is written');
    this.#endJournal(`the thread of the journal ended: ${shownFailure(cause)}`);
    this.#onOpened?.(null);
  }

  #endJournal(reason: string): void {
    this.#endReason = reason;
    this.#drainTimer?.cancel();
    this.#options.turnLog.stop();
    this.#options.onEnded?.(new JournalError('JOURNAL_FAILED', reason));
  }
}

import type { Timers } from '../../contract/timers.js';
import type { JournalPiece } from '../../engine/journal-writer.js';
import { loggedFailure } from '../../rpc/error.js';
import type { Log } from '../../rpc/log.js';
import { sleep } from '../../rpc/timers.js';
import { JournalError } from '../model/error.js';
import {
  CHECKPOINT_CHECK_MS,
  CHECKPOINT_MS_MAX,
  CHECKPOINT_RETRY_MS,
  CHECKPOINT_RETRY_MS_MAX,
} from '../model/limits.js';
import type { CheckpointStore, LogCheckpoint } from './checkpoint-store.js';
import { isMissingStream } from './connect.js';

/** The dependencies of a keeper, and its listeners. */
interface CheckpointKeeperOptions {
  readonly log: Log;
  readonly timers: Timers;
  readonly signal: AbortSignal;
  readonly onFailure: () => void;
  /** Called when the newest checkpoint cannot be read any more, so that another is needed. */
  readonly onMissing: () => void;
}

interface WaitingCheckpoint extends LogCheckpoint {
  readonly run: string;
  readonly store: CheckpointStore;
}

/**
 * Collects the checkpoint of the newest segment, and retries storing it until it is stored or a
 * newer checkpoint exists.
 */
export class CheckpointKeeper {
  readonly #options: CheckpointKeeperOptions;
  #newest: { readonly segment: number; readonly pieces: Uint8Array[] } | null = null;
  #waiting: WaitingCheckpoint | null = null;
  #isStoring = false;
  /** The newest stored checkpoint; null before the first checkpoint, and after it was deleted. */
  #stored: WaitingCheckpoint | null = null;
  #problem: string | null = null;

  constructor(options: CheckpointKeeperOptions) {
    this.#options = options;
    void this.#watchStored();
  }

  /**
   * The reason why no reader can start; null when a reader can start, as far as this core knows.
   */
  get problem(): string | null {
    return this.#problem;
  }

  /** Adds a piece of a checkpoint. An earlier checkpoint whose tail has not begun is obsolete. */
  pushPiece({ segment, bytes }: JournalPiece): void {
    if (this.#newest?.segment !== segment) this.#newest = { segment, pieces: [] };
    this.#newest.pieces.push(bytes);
  }

  /**
   * Stores a checkpoint in the background, after the first message of its segment's tail; does
   * nothing for an older segment.
   */
  storeBehind(segment: number, behind: Omit<WaitingCheckpoint, 'bytes'>): void {
    if (this.#newest?.segment !== segment) return;
    this.#waiting = { ...behind, bytes: Buffer.concat(this.#newest.pieces) };
    this.#newest = null;
    if (!this.#isStoring) void this.#storeWaiting();
  }

  async #storeWaiting(): Promise<void> {
    const { timers, signal } = this.#options;
    this.#isStoring = true;
    let retryMs = CHECKPOINT_RETRY_MS;
    while (this.#waiting !== null && !signal.aborted) {
      if (await this.#tryToStore(this.#waiting)) {
        retryMs = CHECKPOINT_RETRY_MS;
        continue;
      }
      await sleep(timers, retryMs, signal).catch(() => undefined);
      retryMs = Math.min(2 * retryMs, CHECKPOINT_RETRY_MS_MAX);
    }
    this.#isStoring = false;
  }

  /** Looks for the stored checkpoint and the message after it, because someone may delete them. */
  async #watchStored(): Promise<void> {
    const { log, timers, signal, onFailure, onMissing } = this.#options;
    for (;;) {
      await sleep(timers, CHECKPOINT_CHECK_MS, signal).catch(() => undefined);
      if (signal.aborted) return;
      const stored = this.#stored;
      if (stored === null || this.#waiting !== null) continue;
      // When the server does not answer, the state of its checkpoints is unknown.
      const isThere = await stored.store
        .isReadable(stored.next)
        .catch((error: unknown) => !isMissingStream(error));
      if (isThere || this.#stored !== stored) continue;
      this.#stored = null;
      this.#problem = 'the newest checkpoint, or the message after it, is gone from NATS';
      log.warn({ next: stored.next }, 'the newest checkpoint is gone: another one is made');
      onFailure();
      onMissing();
    }
  }

  /** Whether the checkpoint needs no further work. */
  async #tryToStore(waiting: WaitingCheckpoint): Promise<boolean> {
    const { log, timers, signal, onFailure } = this.#options;
    const { bytes, next, run, store } = waiting;
    const late = new AbortController();
    try {
      const limit = sleep(timers, CHECKPOINT_MS_MAX, late.signal).then(() => {
        throw new Error(`it took more than ${CHECKPOINT_MS_MAX} ms`);
      });
      await Promise.race([store.storeCheckpoint({ bytes, next }, run), limit]);
      log.info({ next, bytes: bytes.length }, 'a checkpoint was stored');
      // The checkpoint's bytes are stored, and are not needed here.
      this.#stored = { ...waiting, bytes: new Uint8Array(0) };
      this.#problem = null;
    } catch (error) {
      if (signal.aborted) return true;
      log.warn({ reason: loggedFailure(error) }, 'a checkpoint could not be stored');
      onFailure();
      // The log now has another writer.
      if (!(error instanceof JournalError && error.code === 'LOG_FENCED')) return false;
    } finally {
      late.abort();
    }
    if (this.#waiting === waiting) this.#waiting = null;
    return true;
  }
}

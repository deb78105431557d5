import { Backoff } from '../../rpc/backoff.js';
import { isChainClockError } from '../model/error.js';
import {
  CLOCK_POLL_BACKOFF_CAP_MS,
  CLOCK_POLL_INTERVAL_MS,
  CLOCK_SILENT_AFTER_MS,
} from '../model/limits.js';
import type { FeedParts } from './parts.js';

/**
 * Reads the Clock, together with the oracles, once a second while the Clock's subscription is
 * silent; less often while such reads fail. Between the reads, the chain's time advances with this
 * machine's clock.
 */
export class ClockPoller {
  readonly #parts: FeedParts;
  readonly #read: () => Promise<void>;
  readonly #backoff: Backoff;
  #notifiedAtMs = Number.NEGATIVE_INFINITY;
  #dueAtMs = Number.NEGATIVE_INFINITY;
  #running = false;

  constructor(parts: FeedParts, read: () => Promise<void>) {
    this.#parts = parts;
    this.#read = read;
    this.#backoff = new Backoff({
      firstMs: CLOCK_POLL_INTERVAL_MS,
      capMs: CLOCK_POLL_BACKOFF_CAP_MS,
      random: parts.random,
    });
  }

  recordNotification(): void {
    this.#notifiedAtMs = this.#parts.timers.nowMs();
  }

  /**
   * Reads when a read is due and none is running. Rejects only when the node's slot or time is
   * implausible.
   */
  async pollIfDue(signal: AbortSignal): Promise<void> {
    const { timers, counters, log } = this.#parts;
    const nowMs = timers.nowMs();
    const silentMs = nowMs - this.#notifiedAtMs;
    if (this.#running || nowMs < this.#dueAtMs || silentMs < CLOCK_SILENT_AFTER_MS) return;
    this.#running = true;
    this.#dueAtMs = nowMs + CLOCK_POLL_INTERVAL_MS;
    counters.clockPolls += 1;
    try {
      await this.#read();
      this.#backoff.reset();
    } catch (error) {
      counters.clockPollFailures += 1;
      this.#dueAtMs = timers.nowMs() + CLOCK_POLL_INTERVAL_MS + this.#backoff.next();
      if (isChainClockError(error)) throw error;
      if (!signal.aborted) log.warn({ err: error }, 'the Clock account could not be read');
    } finally {
      this.#running = false;
    }
  }
}

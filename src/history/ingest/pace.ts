import { sleep, type Timers } from '../../rpc/timers.js';

/** Spreads requests evenly: each gets the next free moment, in the order of asking. */
export class Pace {
  readonly #timers: Timers;
  readonly #spacingMs: number;
  #nextAtMs = 0;

  constructor(options: { readonly timers: Timers; readonly requestsPerSecond: number }) {
    this.#timers = options.timers;
    this.#spacingMs = 1_000 / options.requestsPerSecond;
  }

  /** Resolves when the next request may go out. Rejects as soon as the signal aborts. */
  async turn(signal: AbortSignal): Promise<void> {
    const nowMs = this.#timers.nowMs();
    // A second's worth may go out at once after a rest.
    const earliestMs = nowMs - 1_000;
    const atMs = Math.max(this.#nextAtMs, earliestMs);
    this.#nextAtMs = atMs + this.#spacingMs;
    signal.throwIfAborted();
    if (atMs > nowMs) await sleep(this.#timers, atMs - nowMs, signal);
  }
}

import type { Timers } from '../contract/timers.js';
import { sleep } from './timers.js';

/** The rate and concurrency of requests. */
interface RateLimiterOptions {
  readonly timers: Timers;
  readonly requestsPerSecond: number;
  /** Concurrent requests; unlimited by default. */
  readonly concurrentMax?: number;
  /** The burst after a pause, as the requests of this many milliseconds; none by default. */
  readonly burstMs?: number;
}

/** Runs requests at even intervals, in the order of arrival. */
export class RateLimiter {
  readonly #timers: Timers;
  readonly #concurrentMax: number;
  readonly #spacingMs: number;
  readonly #burstMs: number;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;
  #nextMs = Number.NEGATIVE_INFINITY;

  constructor(options: RateLimiterOptions) {
    this.#timers = options.timers;
    this.#concurrentMax = options.concurrentMax ?? Number.POSITIVE_INFINITY;
    this.#spacingMs = 1_000 / options.requestsPerSecond;
    this.#burstMs = options.burstMs ?? 0;
  }

  /** Delays all requests by this time. */
  pauseFor(ms: number): void {
    this.#nextMs = Math.max(this.#nextMs, this.#timers.nowMs() + ms);
  }

  /** Runs `request` when permitted; rejects with the signal's reason if it aborts earlier. */
  async runRequest<T>(signal: AbortSignal, request: () => Promise<T>): Promise<T> {
    await this.#acquirePermit();
    try {
      await this.#waitForTurn(signal);
      return await request();
    } finally {
      this.#releasePermit();
    }
  }

  #acquirePermit(): Promise<void> {
    if (this.#underWay < this.#concurrentMax) {
      this.#underWay += 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** Passes the permit to the next waiting request. */
  #releasePermit(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#underWay -= 1;
    else next();
  }

  /**
   * Waits for the next turn. A pause may begin while requests wait, so each checks again after its
   * wait.
   */
  async #waitForTurn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    for (let waitMs = this.#untilNextMs(); waitMs > 0; waitMs = this.#untilNextMs()) {
      await sleep(this.#timers, Math.ceil(waitMs), signal);
    }
    const fromMs = Math.max(this.#nextMs, this.#timers.nowMs() - this.#burstMs);
    this.#nextMs = fromMs + this.#spacingMs;
  }

  #untilNextMs(): number {
    return this.#nextMs - this.#timers.nowMs();
  }
}

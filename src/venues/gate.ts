/** When a venue may be asked: so many at once, so many a second, and not before it allows it. */
import { sleep, type Timers } from '../rpc/timers.js';

/** What a gate is made with. */
export interface GateOptions {
  readonly timers: Timers;
  /** Requests under way at once. */
  readonly requestsMax: number;
  readonly requestsPerSecond: number;
}

/** Lets requests through one after the other. */
export class Gate {
  readonly #timers: Timers;
  readonly #requestsMax: number;
  readonly #spacingMs: number;
  readonly #waiting: (() => void)[] = [];
  #underWay = 0;
  #nextMs = Number.NEGATIVE_INFINITY;

  constructor({ timers, requestsMax, requestsPerSecond }: GateOptions) {
    this.#timers = timers;
    this.#requestsMax = requestsMax;
    this.#spacingMs = 1_000 / requestsPerSecond;
  }

  /** Milliseconds until the venue may be asked again; 0 when it may be asked now. */
  get closedMs(): number {
    return Math.max(0, this.#nextMs - this.#timers.nowMs());
  }

  /** Nobody goes through before this time has passed. */
  closeFor(ms: number): void {
    this.#nextMs = Math.max(this.#nextMs, this.#timers.nowMs() + ms);
  }

  /** Runs `work` when it is its turn; rejects with the signal's reason when that aborts before. */
  async pass<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    await this.#enter();
    try {
      await this.#space(signal);
      return await work();
    } finally {
      this.#leave();
    }
  }

  #enter(): Promise<void> {
    if (this.#underWay < this.#requestsMax) {
      this.#underWay += 1;
      return Promise.resolve();
    }
    return new Promise((resolve) => {
      this.#waiting.push(resolve);
    });
  }

  /** The place of one that leaves is the next one's. */
  #leave(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.#underWay -= 1;
    else next();
  }

  /** A Retry-After may come while others wait, so each looks again when its time has come. */
  async #space(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    for (let waitMs = this.closedMs; waitMs > 0; waitMs = this.closedMs) {
      await sleep(this.#timers, Math.ceil(waitMs), signal);
    }
    this.#nextMs = this.#timers.nowMs() + this.#spacingMs;
  }
}

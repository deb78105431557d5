/** Rate-limits work that follows a fast source. */

/** Coalesces requests into at most one call per interval; the last request is never lost. */
export class PacedCall {
  readonly #intervalMs: number;
  readonly #call: () => void;
  #calledMs = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(intervalMs: number, call: () => void) {
    this.#intervalMs = intervalMs;
    this.#call = call;
  }

  /** Schedules a call, once the interval since the last call is over. */
  requestCall(): void {
    const waitMs = this.#calledMs + this.#intervalMs - performance.now();
    this.#timer ??= setTimeout(() => this.callNow(), Math.max(0, waitMs));
  }

  /** Calls immediately, and cancels a scheduled call. */
  callNow(): void {
    this.stop();
    this.#calledMs = performance.now();
    this.#call();
  }

  /** Cancels a scheduled call. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

/** Work that follows something fast, and is not done more often than can be read. */

/** Calls for requests, at most once in an interval; for the last of many as well. */
export class PacedCall {
  readonly #intervalMs: number;
  readonly #call: () => void;
  #calledMs = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(intervalMs: number, call: () => void) {
    this.#intervalMs = intervalMs;
    this.#call = call;
  }

  /** Calls behind what is done now, once the interval since the last call is over. */
  requestCall(): void {
    const waitMs = this.#calledMs + this.#intervalMs - performance.now();
    this.#timer ??= setTimeout(() => this.callNow(), Math.max(0, waitMs));
  }

  /** Calls at once, in place of what was requested. */
  callNow(): void {
    this.stop();
    this.#calledMs = performance.now();
    this.#call();
  }

  /** Forgets what was requested. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

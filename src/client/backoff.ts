/** Largest number of doublings: beyond it every bound is at its cap. */
const DOUBLINGS_MAX = 30;

/** The bounds of a wait, in milliseconds. */
interface BackoffBounds {
  /** The bound of the first wait; it doubles with each failure. */
  readonly firstMs: number;
  readonly capMs: number;
  /** The most that the other side may ask for; `capMs` does not hold for it. */
  readonly requestedMaxMs: number;
}

/**
 * The delay before the next try: random, up to a bound that doubles with each failure, so that the
 * clients of one service spread out. Tries never end.
 */
export class Backoff {
  readonly #bounds: BackoffBounds;
  readonly #random: () => number;
  #failures = 0;
  #requestedMs: number | undefined;

  /** `random` returns from 0 to 1. */
  constructor(bounds: BackoffBounds, random: () => number) {
    this.#bounds = bounds;
    this.#random = random;
  }

  /** Sets the next wait, as the other side has requested it. */
  setNextMs(ms: number): void {
    this.#requestedMs = Math.min(ms, this.#bounds.requestedMaxMs);
  }

  /** Forgets the failures after a success. */
  reset(): void {
    this.#failures = 0;
  }

  /** The next wait in milliseconds; it counts as a failure until {@link Backoff.reset}. */
  nextMs(): number {
    const requested = this.#requestedMs;
    this.#requestedMs = undefined;
    if (requested !== undefined) return requested;
    const bound = Math.min(this.#bounds.capMs, this.#bounds.firstMs * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, DOUBLINGS_MAX);
    return bound * this.#random();
  }
}

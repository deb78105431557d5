/** The largest number of doublings; after it every bound has reached its cap. */
const DOUBLINGS_MAX = 30;

/** The bounds of a wait, in milliseconds. */
interface BackoffBounds {
  /** The bound of the first wait; the bound doubles with each failure. */
  readonly firstMs: number;
  readonly capMs: number;
  /** The longest wait that the other side may request; `capMs` does not limit requested waits. */
  readonly requestedMaxMs: number;
}

/**
 * The delay before the next attempt: random, up to a bound that doubles with each failure, so that
 * the attempts of many clients are spread. The number of attempts is unlimited.
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

  /** Sets the next wait, which the other side has requested. */
  setNextMs(ms: number): void {
    this.#requestedMs = Math.min(ms, this.#bounds.requestedMaxMs);
  }

  /** Forgets the failures after a success. */
  reset(): void {
    this.#failures = 0;
  }

  /**
   * Returns the next wait in milliseconds; the call counts as a failure until {@link
   * Backoff.reset}.
   */
  nextMs(): number {
    const requested = this.#requestedMs;
    this.#requestedMs = undefined;
    if (requested !== undefined) return requested;
    const bound = Math.min(this.#bounds.capMs, this.#bounds.firstMs * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, DOUBLINGS_MAX);
    return bound * this.#random();
  }
}

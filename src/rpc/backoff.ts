/** Parameters of the delays between tries. */
export interface BackoffOptions {
  readonly firstMs: number;
  readonly capMs: number;
  /** Returns a number in [0, 1); the jitter keeps many clients from retrying at the same time. */
  readonly random: () => number;
}

/** Delays that double up to a cap; each is between half and all of its nominal length. */
export class Backoff {
  readonly #options: BackoffOptions;
  #nominalMs: number;

  constructor(options: BackoffOptions) {
    this.#options = options;
    this.#nominalMs = options.firstMs;
  }

  /** The next delay in milliseconds. */
  next(): number {
    const nominalMs = Math.min(this.#nominalMs, this.#options.capMs);
    this.#nominalMs = Math.min(nominalMs * 2, this.#options.capMs);
    return nominalMs * (0.5 + this.#options.random() / 2);
  }

  /** Resets the delay after a success. */
  reset(): void {
    this.#nominalMs = this.#options.firstMs;
  }
}

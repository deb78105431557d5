/** How waits between tries grow. */
export interface BackoffOptions {
  readonly firstMs: number;
  readonly capMs: number;
  /** In [0, 1); the jitter keeps many clients from returning in the same instant. */
  readonly random: () => number;
}

/** Doubling waits up to a cap, each between half and the whole of its nominal length. */
export class Backoff {
  readonly #options: BackoffOptions;
  #nominalMs: number;

  constructor(options: BackoffOptions) {
    this.#options = options;
    this.#nominalMs = options.firstMs;
  }

  /** The next wait in milliseconds. */
  next(): number {
    const nominalMs = Math.min(this.#nominalMs, this.#options.capMs);
    this.#nominalMs = Math.min(nominalMs * 2, this.#options.capMs);
    return nominalMs * (0.5 + this.#options.random() / 2);
  }

  /** The other side works: the next wait is the first one. */
  reset(): void {
    this.#nominalMs = this.#options.firstMs;
  }
}

/** Longest sum of doublings: beyond it every bound is at its cap. */
const DOUBLINGS_MAX = 30;

/**
 * The wait before the next try: at random up to a bound that doubles with each try in vain, so that
 * the clients of one service do not come all at once. There is no last try.
 */
export class Backoff {
  #failures = 0;
  #askedMs: number | undefined;

  /** All of it in milliseconds; `random` answers from 0 to 1. */
  constructor(
    private readonly bounds: { readonly firstMs: number; readonly capMs: number },
    private readonly random: () => number,
  ) {}

  /** The other side asked for this wait, next time. */
  setNextMs(ms: number): void {
    this.#askedMs = ms;
  }

  /** The try was not in vain. */
  reset(): void {
    this.#failures = 0;
  }

  nextMs(): number {
    const asked = this.#askedMs;
    this.#askedMs = undefined;
    if (asked !== undefined) return asked;
    const bound = Math.min(this.bounds.capMs, this.bounds.firstMs * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, DOUBLINGS_MAX);
    return bound * this.random();
  }
}

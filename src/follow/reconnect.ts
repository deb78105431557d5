import { RECONNECT_MS_ASKED_MAX, RECONNECT_MS_CAP, RECONNECT_MS_FIRST } from './limits.js';

/**
 * How long to wait before the next connection: at random up to a bound that doubles with each
 * connection that did not lead to a book, so that clients of one service do not come all at once.
 */
export class Reconnect {
  #failures = 0;
  #askedMs: number | undefined;

  /** The service asked for a pause. */
  asked(ms: number): void {
    this.#askedMs = Math.min(ms, RECONNECT_MS_ASKED_MAX);
  }

  /** There is a book. */
  succeeded(): void {
    this.#failures = 0;
  }

  /** The next wait; `random` is from 0 to 1. */
  nextMs(random: number): number {
    const asked = this.#askedMs;
    this.#askedMs = undefined;
    if (asked !== undefined) return asked;
    const bound = Math.min(RECONNECT_MS_CAP, RECONNECT_MS_FIRST * 2 ** this.#failures);
    this.#failures = Math.min(this.#failures + 1, 30);
    return Math.round(bound * random);
  }
}

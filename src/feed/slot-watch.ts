import { SLOT_SPACING_MIN_MS } from './limits.js';

/**
 * How long ago the last slot came. After a gap that made the book lagging, slots that were held back
 * on the way come in a burst, each of them old: until two come at the pace of a chain the book is no
 * fresher than it was.
 */
export class SlotWatch {
  readonly #laggingAfterMs: number;
  #heardAtMs = 0;
  #catchingUp = false;

  constructor(laggingAfterMs: number) {
    this.#laggingAfterMs = laggingAfterMs;
  }

  /** A connection began: time counts from here until its first slot. */
  begin(nowMs: number): void {
    this.#heardAtMs = nowMs;
    this.#catchingUp = false;
  }

  heard(nowMs: number): void {
    const gapMs = nowMs - this.#heardAtMs;
    if (gapMs >= this.#laggingAfterMs) this.#catchingUp = true;
    else if (gapMs >= SLOT_SPACING_MIN_MS) this.#catchingUp = false;
    this.#heardAtMs = nowMs;
  }

  /** Since the last slot. */
  sinceMs(nowMs: number): number {
    return nowMs - this.#heardAtMs;
  }

  /** How old the book is at least: by the last slot, or by the gap that it has not caught up with. */
  ageMs(nowMs: number): number {
    const sinceMs = this.sinceMs(nowMs);
    return this.#catchingUp ? Math.max(sinceMs, this.#laggingAfterMs) : sinceMs;
  }
}

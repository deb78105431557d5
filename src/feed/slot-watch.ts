import { SLOT_SPACING_MIN_MS } from './model/limits.js';

/**
 * How long ago the last slot came, over whichever connection: one that was just made says nothing
 * about the chain. After a gap that made the book lagging, slots that were held back on the way come
 * in a burst, each of them old: until two come at the pace of a chain the book is no fresher than it
 * was.
 */
export class SlotAge {
  readonly #laggingAfterMs: number;
  #openedAtMs = 0;
  /** Null before the first connection. */
  #receivedAtMs: number | null = null;
  #catchingUp = false;

  constructor(laggingAfterMs: number) {
    this.#laggingAfterMs = laggingAfterMs;
  }

  /** A connection began; before the first slot of all, time counts from the first of them. */
  beginConnection(nowMs: number): void {
    this.#openedAtMs = nowMs;
    this.#receivedAtMs ??= nowMs;
  }

  recordSlot(nowMs: number): void {
    const gapMs = this.sinceMs(nowMs);
    if (gapMs >= this.#laggingAfterMs) this.#catchingUp = true;
    else if (gapMs >= SLOT_SPACING_MIN_MS) this.#catchingUp = false;
    this.#receivedAtMs = nowMs;
  }

  /** Since the last slot. */
  sinceMs(nowMs: number): number {
    return nowMs - (this.#receivedAtMs ?? 0);
  }

  /** For how long the present connection has told no slot. */
  silentMs(nowMs: number): number {
    return Math.min(this.sinceMs(nowMs), nowMs - this.#openedAtMs);
  }

  /** How old the book is at least: by the last slot, or by the gap that it has not caught up with. */
  ageMs(nowMs: number): number {
    const sinceMs = this.sinceMs(nowMs);
    return this.#catchingUp ? Math.max(sinceMs, this.#laggingAfterMs) : sinceMs;
  }
}

import { readSlot } from '../../rpc/methods.js';
import { type Timers, withTimeLimit } from '../../rpc/timers.js';
import {
  CHAIN_SLOT_INTERVAL_MS,
  CHAIN_SLOT_MS_MAX,
  DISPUTE_READ_MS_MAX,
  SLOT_MS_MIN,
} from './limits.js';
import type { Witness } from './repeated-readings.js';

/** The newest slot of the chain as nodes read it, read where sources are far from each other. */
export class ChainSlot {
  readonly #witnesses: readonly Witness[];
  readonly #timers: Timers;
  readonly #onRead: () => void;
  #slot = 0;
  #atMs = 0;
  #requestedAtMs = Number.NEGATIVE_INFINITY;

  constructor(witnesses: readonly Witness[], timers: Timers, onRead: () => void) {
    this.#witnesses = witnesses;
    this.#timers = timers;
    this.#onRead = onRead;
  }

  /** Where the chain may be by now; null where that was not read lately. */
  slotBy(nowMs: number): number | null {
    const ageMs = nowMs - this.#atMs;
    if (this.#slot === 0 || ageMs > CHAIN_SLOT_MS_MAX) return null;
    // A node counts a slot at its end, a source from its begin.
    return this.#slot + 1 + Math.floor(ageMs / SLOT_MS_MIN);
  }

  /** Reads it from all nodes, unless that was done just now. */
  requestSlot(): void {
    const nowMs = this.#timers.nowMs();
    if (nowMs - this.#requestedAtMs < CHAIN_SLOT_INTERVAL_MS) return;
    this.#requestedAtMs = nowMs;
    for (const { rpc } of this.#witnesses) void this.#readSlot(rpc, nowMs);
  }

  async #readSlot(rpc: Witness['rpc'], requestedAtMs: number): Promise<void> {
    const limit = { timers: this.#timers, limitMs: DISPUTE_READ_MS_MAX, signal: undefined };
    try {
      const slot = await withTimeLimit(limit, (signal) => readSlot(rpc, { signal }));
      if (slot <= this.#slot) return;
      this.#slot = slot;
      // A reading is as old as its request may be.
      this.#atMs = requestedAtMs;
      this.#onRead();
    } catch {
      // Another node may be read, or this one the next time.
    }
  }
}

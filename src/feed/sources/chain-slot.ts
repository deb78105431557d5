import type { Timers } from '../../contract/timers.js';
import { readSlot } from '../../rpc/methods.js';
import { withTimeLimit } from '../../rpc/timers.js';
import {
  CHAIN_SLOT_INTERVAL_MS,
  CHAIN_SLOT_MS_MAX,
  DISPUTE_READ_MS_MAX,
  SLOT_MS_MIN,
} from './limits.js';
import type { Member } from './member.js';
import type { Witness } from './repeated-readings.js';

/** The newest slot of the chain as nodes read it, read where sources are far from each other. */
export class ChainSlot {
  readonly #witnesses: readonly Witness[];
  readonly #timers: Timers;
  readonly #onRead: () => void;
  /** The last one of each node, by its name. */
  readonly #read = new Map<string, { readonly slot: number; readonly atMs: number }>();
  #requestedAtMs = Number.NEGATIVE_INFINITY;

  constructor(witnesses: readonly Witness[], timers: Timers, onRead: () => void) {
    this.#witnesses = witnesses;
    this.#timers = timers;
    this.#onRead = onRead;
  }

  /** Where the chain may be by now, by other nodes than the source is; null where that was not read lately. */
  slotBy(nowMs: number, { source }: Member): number | null {
    let newest: number | null = null;
    for (const [name, { slot, atMs }] of this.#read) {
      const isOwn = source.kind === 'rpc' && source.name === name;
      if (isOwn || nowMs - atMs > CHAIN_SLOT_MS_MAX) continue;
      // A node counts a slot at its end, a source from its begin.
      newest = Math.max(newest ?? 0, slot + 1 + Math.floor((nowMs - atMs) / SLOT_MS_MIN));
    }
    return newest;
  }

  /** Reads it from all nodes, unless that was done just now. */
  requestSlot(): void {
    const nowMs = this.#timers.nowMs();
    if (nowMs - this.#requestedAtMs < CHAIN_SLOT_INTERVAL_MS) return;
    this.#requestedAtMs = nowMs;
    for (const witness of this.#witnesses) void this.#readSlot(witness, nowMs);
  }

  async #readSlot({ name, rpc }: Witness, atMs: number): Promise<void> {
    const limit = { timers: this.#timers, limitMs: DISPUTE_READ_MS_MAX, signal: undefined };
    try {
      const slot = await withTimeLimit(limit, (signal) => readSlot(rpc, { signal }));
      // A reading is as old as its request may be.
      this.#read.set(name, { slot, atMs });
      this.#onRead();
    } catch {
      // Another node may be read, or this one the next time.
    }
  }
}

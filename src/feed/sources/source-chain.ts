import { LEDGER_SLOTS_MAX } from './limits.js';

/**
 * The chain according to one source, built from the parents of its slots: which slots its newest
 * slot does not descend from, and which slots are dead. Writes in these slots are invalid.
 */
export class SourceChain {
  readonly #parents = new Map<number, number>();
  readonly #dead = new Set<number>();
  #newest = 0;
  #left = new Set<number>();

  /** Returns whether the source's newest slot is known not to descend from this slot. */
  hasLeft(slot: number): boolean {
    return this.#left.has(slot);
  }

  isDead(slot: number): boolean {
    return this.#dead.has(slot);
  }

  recordDead(slot: number): void {
    this.#dead.add(slot);
  }

  /** Adds a slot and its parent; returns the slots that the source left or returned to. */
  recordSlot(slot: number, parent: number | null): readonly number[] {
    // A dead slot may be repaired and replayed.
    this.#dead.delete(slot);
    if (parent !== null && parent < slot) this.#parents.set(slot, parent);
    if (slot <= this.#newest) return [];
    const isNext = parent === this.#newest && slot === parent + 1;
    this.#newest = slot;
    if (isNext) return [];
    const left = this.#findLeft();
    const before = this.#left;
    this.#left = left;
    return [...new Set([...left, ...before])].filter((one) => left.has(one) !== before.has(one));
  }

  forgetUpTo(slot: number): void {
    for (const known of [this.#parents, this.#dead, this.#left])
      for (const one of known.keys()) if (one <= slot) known.delete(one);
  }

  /**
   * Returns the slots that were skipped between slots and their parents; slots before the first
   * known parent do not count.
   */
  #findLeft(): Set<number> {
    const left = new Set<number>();
    let at = this.#newest;
    for (let parent = this.#parents.get(at); parent !== undefined; parent = this.#parents.get(at)) {
      // The parent may be very old.
      for (let slot = Math.max(parent, this.#newest - LEDGER_SLOTS_MAX) + 1; slot < at; slot += 1)
        left.add(slot);
      at = parent;
    }
    for (const slot of this.#left) if (slot < at) left.add(slot);
    return left;
  }
}

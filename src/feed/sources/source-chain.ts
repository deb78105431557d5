import { LEDGER_SLOTS_MAX } from './limits.js';

/**
 * The chain of one source by the parents of its slots: which slots its newest one does not descend from, and which are dead. Writes
 * of these count no more.
 */
export class SourceChain {
  readonly #parents = new Map<number, number>();
  readonly #dead = new Set<number>();
  #newest = 0;
  #left = new Set<number>();

  /** Whether the newest slot of the source is known not to descend from this one. */
  hasLeft(slot: number): boolean {
    return this.#left.has(slot);
  }

  isDead(slot: number): boolean {
    return this.#dead.has(slot);
  }

  recordDead(slot: number): void {
    this.#dead.add(slot);
  }

  /** Takes a slot and its parent; returns the slots that the source left by that, and those to which it came back. */
  recordSlot(slot: number, parent: number | null): readonly number[] {
    // A slot that is dead may be repaired and replayed.
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

  /** The slots between a slot and its parent; a slot before the first known parent is as it was. */
  #findLeft(): Set<number> {
    const left = new Set<number>();
    let at = this.#newest;
    for (let parent = this.#parents.get(at); parent !== undefined; parent = this.#parents.get(at)) {
      // A source may say that it went on from a slot of long ago.
      for (let slot = Math.max(parent, this.#newest - LEDGER_SLOTS_MAX) + 1; slot < at; slot += 1)
        left.add(slot);
      at = parent;
    }
    for (const slot of this.#left) if (slot < at) left.add(slot);
    return left;
  }
}

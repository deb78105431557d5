import { LEDGER_SLOTS_MAX } from './limits.js';

/**
 * The chain of one source by what it says of the parents of its slots: which slots its newest one does not descend from. What it
 * notified of these is of a fork that it has left.
 */
export class OwnChain {
  readonly #parents = new Map<number, number>();
  #newest = 0;
  #left = new Set<number>();

  /** Whether the newest slot of the source is known not to descend from this one. */
  hasLeft(slot: number): boolean {
    return this.#left.has(slot);
  }

  /** Takes a slot and its parent; returns the slots that the source left by that, and those to which it came back. */
  recordSlot(slot: number, parent: number | null): readonly number[] {
    if (parent !== null && parent < slot) this.#parents.set(slot, parent);
    if (slot <= this.#newest) return [];
    const isNext = parent === this.#newest && slot === parent + 1;
    this.#newest = slot;
    if (isNext) return [];
    const left = this.#findLeft();
    const changed = [...left].filter((one) => !this.#left.has(one));
    for (const one of this.#left) if (!left.has(one)) changed.push(one);
    this.#left = left;
    return changed;
  }

  forgetUpTo(slot: number): void {
    for (const known of this.#parents.keys()) if (known < slot) this.#parents.delete(known);
    for (const known of this.#left) if (known < slot) this.#left.delete(known);
  }

  /** Those between a slot and its parent; where no parent is known it is as it was. */
  #findLeft(): Set<number> {
    const left = new Set<number>();
    let at = this.#newest;
    for (let parent = this.#parents.get(at); parent !== undefined; parent = this.#parents.get(at)) {
      // A source may say that it went on from a slot of long ago.
      for (let slot = Math.max(parent, this.#newest - LEDGER_SLOTS_MAX) + 1; slot < at; slot += 1) {
        left.add(slot);
      }
      at = parent;
    }
    for (const slot of this.#left) if (slot < at) left.add(slot);
    return left;
  }
}

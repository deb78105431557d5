import type { SourceSlot } from '../model/feed-source.js';
import { LEDGER_SLOTS_MAX } from './limits.js';

/** What is known of one slot; sets of sources are bits. */
interface SlotFacts {
  parent: number | null;
  processedBy: number;
  deadBy: number;
  isLeftOut: boolean;
}

/**
 * The slots that are not final, and which of them are not of the chain: dead for all that notified of them, or left out by a
 * confirmed slot that does not descend from them. At most 32 sources.
 */
export class SlotTree {
  readonly #slots = new Map<number, SlotFacts>();
  #confirmed = 0;
  #newest = 0;

  /** The newest slot that was notified and is not dead. */
  get newest(): number {
    return this.#newest;
  }

  /** Whether what this source notifies of the slot counts no more. */
  isDeadFor(source: number, slot: number): boolean {
    const facts = this.#slots.get(slot);
    return facts !== undefined && (facts.isLeftOut || (facts.deadBy & (1 << source)) !== 0);
  }

  /** Takes what a source notified; returns the slots that are not of the chain from now on. */
  recordStatus(source: number, { slot, parent, status }: SourceSlot): readonly number[] {
    if (slot <= this.#newest - LEDGER_SLOTS_MAX) return [];
    const facts = this.#factsOf(slot);
    facts.parent ??= parent;
    const bit = 1 << source;
    if (status === 'dead') {
      facts.deadBy |= bit;
      return (facts.processedBy & ~facts.deadBy) === 0 ? [slot] : [];
    }
    this.#newest = Math.max(this.#newest, slot);
    if (status === 'processed') facts.processedBy |= bit;
    if (status !== 'confirmed' && status !== 'finalized') return [];
    return this.#leaveOut(slot);
  }

  forgetUpTo(slot: number): void {
    for (const known of this.#slots.keys()) {
      if (known < slot - LEDGER_SLOTS_MAX) this.#slots.delete(known);
    }
  }

  #factsOf(slot: number): SlotFacts {
    let facts = this.#slots.get(slot);
    if (facts === undefined) {
      facts = { parent: null, processedBy: 0, deadBy: 0, isLeftOut: false };
      this.#slots.set(slot, facts);
    }
    return facts;
  }

  /** The slots between a confirmed one and its ancestors, as far as these are known. */
  #leaveOut(slot: number): readonly number[] {
    if (slot <= this.#confirmed) return [];
    const ancestors = new Set([slot]);
    let lowest = slot;
    for (let parent = this.#slots.get(slot)?.parent ?? null; parent !== null; ) {
      lowest = parent;
      ancestors.add(parent);
      if (parent <= this.#confirmed) break;
      parent = this.#slots.get(parent)?.parent ?? null;
    }
    this.#confirmed = slot;
    const leftOut: number[] = [];
    for (const [known, facts] of this.#slots) {
      if (known <= lowest || known >= slot || ancestors.has(known) || facts.isLeftOut) continue;
      facts.isLeftOut = true;
      leftOut.push(known);
    }
    return leftOut;
  }
}

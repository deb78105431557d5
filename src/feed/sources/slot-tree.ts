import type { SourceSlot } from '../model/feed-source.js';
import { LEDGER_OPEN_SLOTS, LEDGER_SLOTS_MAX } from './limits.js';
import { OwnChain } from './own-chain.js';

/** What is known of one slot; sets of sources are bits. */
interface SlotFacts {
  parent: number | null;
  /** Sources notified different parents, so that none is known. */
  isForked: boolean;
  deadBy: number;
  confirmedBy: number;
  isLeftOut: boolean;
}

/**
 * The slots that are not final, and which of them are not of the chain: left out by a confirmed slot that does not descend
 * from them. What a source says of the death of a slot concerns itself; parents and confirmed slots count of those that keep the
 * book alone, and a confirmed slot where two of them say so, or one and the others go on from it. At most 31 sources.
 */
export class SlotTree {
  readonly #slots = new Map<number, SlotFacts>();
  /** The newest slot of each source while it kept the book; 0 before its first. */
  readonly #newestOf: number[];
  /** The newest slot that each called final while it kept the book; 0 before the first. */
  readonly #finalOf: number[];
  /** Of each source, whether it keeps the book or not. */
  readonly #chains: readonly OwnChain[];
  /** Those that are confirmed by a source, and do not count yet. */
  readonly #pending = new Set<number>();
  #confirmed = 0;
  /** From here on all slots up to the confirmed one are known to be of the chain or not. */
  #chainFrom = 0;
  readonly #chain = new Set<number>();
  #newest = 0;

  constructor(sourceCount: number) {
    this.#newestOf = new Array<number>(sourceCount).fill(0);
    this.#finalOf = new Array<number>(sourceCount).fill(0);
    this.#chains = Array.from({ length: sourceCount }, () => new OwnChain());
  }

  /** The newest slot of a source that keeps the book. */
  get newest(): number {
    return this.#newest;
  }

  /** Whether the slot is so far from the others that nothing is kept of it. */
  isFar(slot: number): boolean {
    return this.#newest > 0 && Math.abs(slot - this.#newest) >= LEDGER_SLOTS_MAX;
  }

  /** Whether what this source notifies of the slot counts no more. */
  isDeadFor(source: number, slot: number): boolean {
    const facts = this.#slots.get(slot);
    if (facts === undefined) return this.#isOffConfirmed(slot);
    return facts.isLeftOut || (facts.deadBy & (1 << source)) !== 0;
  }

  /** Whether the newest slot of a source is known not to descend from this one. */
  isOffChain(slot: number): boolean {
    return this.#newestOf.some((newest) => newest > slot && this.#leadsPast(slot, newest));
  }

  /** Whether the source went on from another fork than that of the slot. */
  hasLeft(source: number, slot: number): boolean {
    return this.#chains[source]?.hasLeft(slot) === true;
  }

  /** Whether what a source notified of the slot counts no more, as it left it, or as all did. */
  isLeftFor(source: number, slot: number): boolean {
    return this.hasLeft(source, slot) || this.isDeadFor(source, slot);
  }

  /** The sources that went on from another fork than that of the slot, as bits. */
  leftBy(slot: number): number {
    return this.#chains.reduce(
      (bits, one, source) => bits | (Number(one.hasLeft(slot)) << source),
      0,
    );
  }

  /** A source says of which slot this one is the next; returns the slots that it left or came back to. */
  recordParent(source: number, { slot, parent }: SourceSlot): readonly number[] {
    return this.#chains[source]?.recordSlot(slot, parent) ?? [];
  }

  /** The slot is dead for a source. Returns all for which it is, as bits. */
  recordDead(source: number, slot: number): number {
    const facts = this.#factsOf(slot);
    facts.deadBy |= 1 << source;
    return facts.deadBy;
  }

  /** It is not: a slot that is dead may be repaired and replayed. */
  recordAlive(source: number, slot: number): void {
    const facts = this.#slots.get(slot);
    if (facts !== undefined) facts.deadBy &= ~(1 << source);
  }

  /**
   * Takes what a source that keeps the book notified, as all of these (bits) do. Returns the slots that are not of the chain from
   * now on.
   */
  recordStatus(source: number, notified: SourceSlot, keeping: number): readonly number[] {
    const { slot, parent, status } = notified;
    const facts = this.#factsOf(slot);
    if (parent !== null && parent < slot) {
      facts.isForked ||= facts.parent !== null && facts.parent !== parent;
      facts.parent ??= parent;
    }
    if (status === 'confirmed' || status === 'finalized') {
      facts.confirmedBy |= 1 << source;
      if (slot > this.#confirmed) this.#pending.add(slot);
      if (status === 'finalized')
        this.#finalOf[source] = Math.max(this.#finalOf[source] ?? 0, slot);
    } else {
      this.#newestOf[source] = Math.max(this.#newestOf[source] ?? 0, slot);
      this.#newest = Math.max(this.#newest, slot);
    }
    return this.#pending.size === 0 ? [] : this.#weighConfirmed(keeping);
  }

  /** A source starts again: where it stood says nothing of where it is. */
  forgetSource(source: number): void {
    this.#newestOf[source] = 0;
    this.#finalOf[source] = 0;
  }

  /** Final is what all of these (bits) call so that call any slot so, and never what cannot be yet; and what is very old. */
  finalSlot(keeping: number): number {
    const said = this.#finalOf.filter(
      (slot, source) => slot > 0 && (keeping & (1 << source)) !== 0,
    );
    const agreed = said.length === 0 ? 0 : Math.min(...said, this.#newest - LEDGER_OPEN_SLOTS);
    return Math.max(agreed, this.#newest - LEDGER_SLOTS_MAX);
  }

  forgetUpTo(slot: number): void {
    for (const known of this.#slots.keys()) if (known < slot) this.#slots.delete(known);
    for (const known of this.#chain) if (known < slot) this.#chain.delete(known);
    for (const known of this.#pending) if (known < slot) this.#pending.delete(known);
    for (const chain of this.#chains) chain.forgetUpTo(slot);
    this.#chainFrom = Math.max(this.#chainFrom, slot);
  }

  #factsOf(slot: number): SlotFacts {
    let facts = this.#slots.get(slot);
    if (facts === undefined) {
      const isLeftOut = this.#isOffConfirmed(slot);
      facts = { parent: null, isForked: false, deadBy: 0, confirmedBy: 0, isLeftOut };
      this.#slots.set(slot, facts);
    }
    return facts;
  }

  #isOffConfirmed(slot: number): boolean {
    return slot > this.#chainFrom && slot < this.#confirmed && !this.#chain.has(slot);
  }

  #parentOf(slot: number): number | null {
    const facts = this.#slots.get(slot);
    return facts === undefined || facts.isForked ? null : facts.parent;
  }

  #weighConfirmed(keeping: number): readonly number[] {
    const pending = [...this.#pending].sort((one, other) => other - one);
    const slot = pending.find((one) => this.#isAgreed(one, keeping));
    if (slot === undefined) return [];
    for (const one of pending) if (one <= slot) this.#pending.delete(one);
    return this.#leaveOut(slot);
  }

  #isAgreed(slot: number, keeping: number): boolean {
    const by = (this.#slots.get(slot)?.confirmedBy ?? 0) & keeping;
    if (by === 0) return false;
    if ((by & (by - 1)) !== 0) return true;
    return this.#newestOf.every((newest, source) => {
      const bit = 1 << source;
      return newest === 0 || (keeping & bit) === 0 || (by & bit) !== 0 || this.#leads(slot, newest);
    });
  }

  #leads(slot: number, to: number): boolean {
    return this.#ancestorUpTo(slot, to) === slot;
  }

  #leadsPast(slot: number, to: number): boolean {
    const ancestor = this.#ancestorUpTo(slot, to);
    return ancestor !== null && ancestor < slot;
  }

  /** The newest slot up to the first one from which the second descends, or is; null where that is not known. */
  #ancestorUpTo(slot: number, to: number): number | null {
    let at: number | null = to;
    while (at !== null && at > slot) at = this.#parentOf(at);
    return at;
  }

  /** The slots between a confirmed one and its ancestors, as far as these are known. */
  #leaveOut(slot: number): readonly number[] {
    let lowest = slot;
    this.#chain.add(slot);
    for (let at = this.#parentOf(slot); at !== null; at = this.#parentOf(at)) {
      lowest = at;
      this.#chain.add(at);
      if (at <= this.#confirmed) break;
    }
    if (lowest > this.#confirmed || this.#confirmed === 0) this.#chainFrom = lowest;
    this.#confirmed = slot;
    const leftOut: number[] = [];
    for (const [known, facts] of this.#slots) {
      if (facts.isLeftOut || !this.#isOffConfirmed(known)) continue;
      facts.isLeftOut = true;
      leftOut.push(known);
    }
    return leftOut;
  }
}

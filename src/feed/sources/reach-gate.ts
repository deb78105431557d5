import type { Timers } from '../../contract/timers.js';
import type { SourceSlot } from '../model/feed-source.js';
import type { ChainSlot } from './chain-slot.js';
import { AHEAD_MS_MAX, AHEAD_SLOTS_MAX, AHEAD_SLOTS_REFUTED } from './limits.js';
import { type Member, slotOfOthers } from './member.js';

/** A source that is far ahead of the others does not keep the book, unless the chain is there as well. */
export class ReachGate {
  readonly #members: readonly Member[];
  readonly #chain: ChainSlot;
  readonly #timers: Timers;
  readonly #onAhead: (member: Member, reason: string) => void;

  /** `onAhead` takes a source that has been ahead for too long. */
  constructor(
    members: readonly Member[],
    chain: ChainSlot,
    timers: Timers,
    onAhead: (member: Member, reason: string) => void,
  ) {
    this.#members = members;
    this.#chain = chain;
    this.#timers = timers;
    this.#onAhead = onAhead;
  }

  /** Notes a slot that a source announced; one that is too far does not count. */
  recordSlot(member: Member, notified: SourceSlot): void {
    this.recordReach(member, notified.slot);
    if (member.aheadSinceMs === null) member.recordSlot(notified, this.#timers.nowMs());
  }

  /** Notes the slot of what a source notified. True where it is further than before. */
  recordReach(member: Member, slot: number): boolean {
    if (slot <= member.reach) return false;
    member.reach = slot;
    this.weighReach(member);
    return true;
  }

  /** What a source notified from its first slot on continues what one that keeps the book notified until then. */
  joinBehind(): void {
    const newest = Math.max(
      0,
      ...this.#members.map(({ isKeeping, slot }) => (isKeeping ? slot : 0)),
    );
    const nowMs = this.#timers.nowMs();
    for (const member of this.#members) {
      if (member.standing !== 'joining' || !member.continuesAt(newest)) continue;
      if (member.reach > newest + AHEAD_SLOTS_MAX) this.#chain.requestSlot();
      const read = this.#chain.slotBy(nowMs, member) ?? 0;
      if (member.reach <= Math.max(newest, read) + AHEAD_SLOTS_MAX) member.standing = 'joined';
    }
  }

  /** Compares how far a source is with the others. */
  weighReach(member: Member): void {
    if (member.standing !== 'joined' || !member.isTrusted) return;
    const nowMs = this.#timers.nowMs();
    const read = this.#chain.slotBy(nowMs, member);
    const others = slotOfOthers(this.#members, member, nowMs);
    // Where it is alone it may be wherever it is, unless it was found to be too far before.
    const alone = read ?? (member.aheadSinceMs === null ? Number.POSITIVE_INFINITY : 0);
    const newest = others === null ? alone : Math.max(others, read ?? 0);
    // Read before the last reading is too old, so that the source goes on.
    if (member.reach > (others ?? newest) + AHEAD_SLOTS_MAX) this.#chain.requestSlot();
    // Nodes that are read may be late themselves: where it is alone they hold it back only when it is refuted.
    const aheadMax = others === null ? AHEAD_SLOTS_REFUTED : AHEAD_SLOTS_MAX;
    if (member.reach <= newest + aheadMax) {
      member.aheadSinceMs = null;
      return;
    }
    member.aheadSinceMs ??= nowMs;
    // Where no node can be read nothing refutes it, nor does one that may be late, though it keeps no book.
    const isFar = read !== null && member.reach > read + AHEAD_SLOTS_REFUTED;
    if (isFar && nowMs - member.aheadSinceMs >= AHEAD_MS_MAX)
      this.#onAhead(member, `it notified of slot ${member.reach}, which is ahead of the chain`);
  }
}

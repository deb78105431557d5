import type { AccountUpdate } from '../model/account-update.js';
import type { SourceSlot, SourceUpdate } from '../model/feed-source.js';
import {
  type AccountWrites,
  changeAccounts,
  forgetClaims,
  forgetStates,
  isSameState,
  joinChanges,
  type LedgerChanges,
  type LedgerListener,
  lastUpTo,
  NOBODY,
  NOTHING,
  type SlotWrites,
  shownOf,
  stateOf,
  takeOthersState,
} from './account-writes.js';
import { KeptWrites } from './kept-writes.js';
import { LEDGER_BYTES_MAX } from './limits.js';
import { NotifiedStates } from './notified-states.js';
import { SlotTree } from './slot-tree.js';

/**
 * The writes of all slots that are not final yet, of each account by slot, and within a slot in the order of the first
 * source that notified each. A write that comes late is kept and changes nothing; one that comes again is known by its version, or of
 * another source by its bytes. The writes of a slot that is dead, or that the confirmed chain left out, are taken back.
 *
 * What a source notified of a slot that it left for another fork counts no more, until it comes back. A source that numbers no write
 * changes nothing in a slot of which one that does has notified. One that is not trusted changes nothing at all. It judges no source.
 */
export class WriteLedger {
  readonly #sourceCount: number;
  readonly #bytesMax: number;
  readonly #kept: KeptWrites;
  readonly #states: NotifiedStates;
  #tree: SlotTree;
  #firstSlot = 0;
  /** The sources that do not keep the book, as bits. */
  #held = 0;

  constructor(sourceCount: number, bytesMax = LEDGER_BYTES_MAX, listener: LedgerListener = NOBODY) {
    this.#sourceCount = sourceCount;
    this.#kept = new KeptWrites(sourceCount);
    this.#tree = new SlotTree(sourceCount);
    this.#bytesMax = bytesMax;
    this.#states = new NotifiedStates({
      ...{ sourceCount, listener },
      counts: (source, slot) => !this.isHeld(source) && !this.#tree.isLeftFor(source, slot),
    });
  }

  /** Bytes of the states that are kept. */
  get bytes(): number {
    return this.#kept.bytes;
  }

  /** Whether what a source notifies changes nothing. */
  isHeld(source: number): boolean {
    return (this.#held & (1 << source)) !== 0;
  }

  /** The accounts are read again: what was notified before counts no more, and nothing of an earlier slot does. */
  beginReading(firstSlot: number): void {
    this.#kept.clear();
    this.#tree = new SlotTree(this.#sourceCount);
    this.#firstSlot = firstSlot;
  }

  /**
   * The versions of a source count no more: its connection may be to another server of the same address. What it notified of
   * slots that are not final is known by its bytes, as of another source.
   */
  forgetVersions(source: number): void {
    this.#tree.forgetSource(source);
    this.#kept.forgetVersions(source);
  }

  /** The source connects again, and may be another server: what it notified and changed nothing is forgotten, and it is held. */
  reopenSource(source: number): void {
    this.#kept.dropClaims(source);
    this.forgetVersions(source);
    this.holdSource(source);
  }

  /** A source notified a write, at this monotonic millisecond. */
  recordWrite(source: number, update: SourceUpdate, atMs = 0): LedgerChanges {
    const { slot, writeVersion } = update;
    if (slot < this.#firstSlot || slot <= this.#kept.finalSlot) return NOTHING;
    if (this.#tree.isFar(slot) || this.#tree.isDeadFor(source, slot)) return NOTHING;
    const account = this.#kept.accountOf(update.pubkey);
    if (slot <= account.baseSlot) return NOTHING;
    const writes = this.#kept.writesOf(account, slot);
    if (writeVersion > 0 && writeVersion <= (writes.versions[source] ?? -1)) return NOTHING;
    writes.versions[source] = writeVersion;
    const added = { update, first: source, atMs, tellers: 1 << source };
    const isNew = this.#states.addState(writes, added);
    this.#kept.weighWrites(writes);
    this.#dropOldest();
    return isNew && shownOf(account) === writes ? { apply: [update], lost: [] } : NOTHING;
  }

  /**
   * A source notified what became of a slot: that it is dead takes back what such sources alone notified, all else counts of those that keep the book.
   */
  recordSlot(source: number, notified: SourceSlot): LedgerChanges {
    const { slot, status } = notified;
    if (this.#tree.isFar(slot)) return NOTHING;
    if (status === 'dead') return this.#takeBackOf(slot, this.#tree.recordDead(source, slot));
    let moved: readonly number[] = [];
    if (status === 'begun' || status === 'processed') {
      this.#tree.recordAlive(source, slot);
      moved = this.#tree.recordParent(source, notified);
    }
    const followed = moved.length === 0 ? NOTHING : this.#followChain(source, moved);
    if (this.isHeld(source)) return followed;
    const leftOut = this.#tree.recordStatus(source, notified, ~this.#held);
    const left = leftOut.length === 0 ? NOTHING : this.#leaveOut(new Set(leftOut));
    this.#finalize(this.#tree.finalSlot(~this.#held));
    return joinChanges(followed, left);
  }

  /**
   * From this slot on no source that numbers writes goes on, and what others notify of the end of slots is the book's; infinite
   * where one does.
   */
  setUnnumberedFrom(slot: number): LedgerChanges {
    if (slot === this.#states.unnumberedFrom) return NOTHING;
    this.#states.unnumberedFrom = slot;
    return changeAccounts(this.#kept.accounts(), ({ slots }) => {
      for (const writes of slots.filter((one) => one.slot >= slot)) {
        this.#states.addUnnumbered(writes);
        this.#kept.weighWrites(writes);
      }
    });
  }

  /** From now on the source changes the book, also with what it notified before and no other did yet. */
  trustSource(source: number): LedgerChanges {
    this.admitSource(source);
    return changeAccounts(this.#kept.accounts(), ({ slots }) => {
      for (const writes of slots) this.#countClaim(writes, source);
    });
  }

  /** What the source notifies from now on changes the book, and nothing of before. */
  admitSource(source: number): void {
    this.#held &= ~(1 << source);
  }

  /** What the source notifies from now on is kept, and changes nothing until it is trusted. */
  holdSource(source: number): void {
    this.#held |= 1 << source;
  }

  /**
   * From now on the source changes nothing, and what such sources (bits) alone notified is taken back; where it is not known to what, it is
   * lost.
   */
  distrustSource(source: number, distrusted = 1 << source): LedgerChanges {
    this.holdSource(source);
    return changeAccounts(this.#kept.accounts(), (account) => {
      for (const writes of account.slots) {
        takeOthersState(writes, distrusted);
        this.#kept.weighWrites(writes);
      }
      if (account.base !== null && (account.baseTellers & ~distrusted) === 0)
        this.#kept.dropBase(account);
    });
  }

  /** An account was read from the chain as of this slot. A write of the slot itself may be later than the reading. */
  recordReading(update: SourceUpdate): LedgerChanges {
    const account = this.#kept.accountOf(update.pubkey);
    if (update.slot <= account.baseSlot) return NOTHING;
    const shown = stateOf(account);
    for (const writes of account.slots.filter(({ slot }) => slot < update.slot))
      this.#kept.removeWrites(writes);
    this.#kept.setBase(account, update.slot - 1, update, -1);
    const isKnown = shown !== null && isSameState(shown, update);
    return stateOf(account) === update && !isKnown ? { apply: [update], lost: [] } : NOTHING;
  }

  /** The accounts that sources notified of in a slot. */
  accountsIn(slot: number): readonly string[] {
    return this.#kept.writesIn(slot).map(({ account }) => account.pubkey);
  }

  /** Whether a source went on from another fork than that of the slot. */
  hasLeft(source: number, slot: number): boolean {
    return this.#tree.hasLeft(source, slot);
  }

  /** Whether the newest slot is known not to descend from this one. */
  isOffChain(slot: number): boolean {
    return this.#tree.isOffChain(slot);
  }

  /** The state that the book has at the end of a slot; null where it is not known here. */
  shownAt(pubkey: string, slot: number): SourceUpdate | null {
    const account = this.#kept.findAccount(pubkey);
    if (account === undefined) return null;
    return lastUpTo(account, slot, ({ states }) => states.at(-1)?.update) ?? account.base;
  }

  /** The sources that notified it, as bits: all of them of what was read. */
  tellersAt(pubkey: string, slot: number): number {
    const account = this.#kept.findAccount(pubkey);
    if (account === undefined) return 0;
    return lastUpTo(account, slot, ({ states }) => states.at(-1)?.tellers) ?? account.baseTellers;
  }

  /** The sources that notified a state of its slot, also on the way to another one, as bits. */
  tellersOf(state: AccountUpdate): number {
    const writes = this.#kept
      .findAccount(state.pubkey)
      ?.slots.find(({ slot }) => slot === state.slot);
    return writes?.states.find(({ update }) => isSameState(update, state))?.tellers ?? 0;
  }

  /** The last state up to the end of a slot by what one source notified, or by what was read; null where that is not known here. */
  claimAt(source: number, pubkey: string, slot: number): SourceUpdate | null {
    const account = this.#kept.findAccount(pubkey);
    if (account === undefined) return null;
    const base = (account.baseTellers & (1 << source)) === 0 ? null : account.base;
    const counts = (writes: SlotWrites): boolean => !this.#tree.isLeftFor(source, writes.slot);
    return lastUpTo(account, slot, (one) => (counts(one) ? one.claims[source] : null)) ?? base;
  }

  /** Whether a source notified this very state from a slot on, also in one that it left. */
  hasNotified(source: number, state: AccountUpdate, fromSlot: number): boolean {
    const slots = this.#kept.findAccount(state.pubkey)?.slots ?? [];
    return slots.some(({ slot, claims }) => {
      const claim = claims[source] ?? null;
      return slot >= fromSlot && claim !== null && isSameState(claim, state);
    });
  }

  /** What a source notified last of a slot counts from now on. */
  #countClaim(writes: SlotWrites, source: number): void {
    if (this.#tree.isDeadFor(source, writes.slot)) return;
    this.#states.addClaim(writes, source);
    this.#kept.weighWrites(writes);
  }

  /** A source left these slots, or came back to them. */
  #followChain(source: number, slots: readonly number[]): LedgerChanges {
    const touched = slots.flatMap((slot) => this.#kept.writesIn(slot));
    return changeAccounts(new Set(touched.map(({ account }) => account)), (account) => {
      for (const writes of account.slots) {
        if (!slots.includes(writes.slot)) continue;
        if (this.#tree.hasLeft(source, writes.slot)) {
          takeOthersState(writes, this.#tree.leftBy(writes.slot), this.#held);
          this.#kept.weighWrites(writes);
        } else this.#countClaim(writes, source);
      }
    });
  }

  /** What these sources (bits) notified of a slot that is dead for them. */
  #takeBackOf(slot: number, sources: number): LedgerChanges {
    const inSlot = this.#kept.writesIn(slot);
    return changeAccounts(new Set(inSlot.map(({ account }) => account)), ({ slots }) => {
      const writes = slots.find((one) => one.slot === slot);
      if (writes === undefined) return;
      if (forgetClaims(writes, sources, this.#held)) this.#kept.weighWrites(writes);
      else this.#kept.removeWrites(writes);
    });
  }

  #leaveOut(slots: ReadonlySet<number>): LedgerChanges {
    const touched = new Set<AccountWrites>();
    for (const slot of slots)
      for (const { account } of this.#kept.writesIn(slot)) touched.add(account);
    return changeAccounts(touched, (account) => {
      for (const writes of account.slots.filter(({ slot }) => slots.has(slot))) {
        forgetStates(writes);
        this.#kept.weighWrites(writes);
      }
    });
  }

  /** What is final cannot be taken back: of each account the last state is kept. */
  #finalize(slot: number): void {
    if (slot <= this.#kept.finalSlot) return;
    this.#kept.finalizeUpTo(slot);
    this.#tree.forgetUpTo(slot);
  }

  /** What goes back to a state that was dropped is read from the chain. */
  #dropOldest(): void {
    this.#kept.dropBasesBeyond(this.#bytesMax);
    while (this.#kept.bytes > this.#bytesMax && this.#kept.slotCount > 1) {
      this.#finalize(this.#kept.oldestSlot);
      this.#kept.dropBasesBeyond(0);
    }
  }
}

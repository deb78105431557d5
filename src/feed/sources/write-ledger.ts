import type { SourceSlot, SourceUpdate } from '../model/feed-source.js';
import { LEDGER_BYTES_MAX, LEDGER_SLOTS_MAX, LEDGER_STATES_MAX } from './limits.js';
import { SlotTree } from './slot-tree.js';

/** What sources notified of one account in one slot. */
interface SlotWrites {
  readonly account: AccountWrites;
  readonly slot: number;
  /** In their order; the last one is the state at the end of the slot as far as it is known. */
  readonly states: SourceUpdate[];
  /** Of each source: the version of the last write that it notified, or -1. */
  readonly versions: number[];
  /** Of each source: which of the states it notified last, or -1. */
  readonly notified: number[];
}

interface AccountWrites {
  readonly pubkey: string;
  /** Those that are not final, by slot. */
  readonly slots: SlotWrites[];
  /** The last one that is final; its data may be dropped, its slot never is. */
  base: SourceUpdate | null;
  baseSlot: number;
}

/** What a write, or the end of a fork, does to the book. */
export interface LedgerChanges {
  /** States to apply, in this order. One of a lower slot than the book has is an account that goes back. */
  readonly apply: readonly SourceUpdate[];
  /** Accounts that go back to a state that is not known here. */
  readonly lost: readonly SourceUpdate[];
}

const NOTHING: LedgerChanges = { apply: [], lost: [] };

/**
 * The writes of all slots that are not final yet, of each account by slot, and within a slot in the order of the first
 * source that notified each. A write that comes late is kept and changes nothing; one that comes again is known by its version, or of
 * another source by its bytes. The writes of a slot that is dead, or that the confirmed chain left out, are taken back.
 *
 * It judges no source, and knows no time.
 */
export class WriteLedger {
  readonly #sourceCount: number;
  readonly #bytesMax: number;
  readonly #accounts = new Map<string, AccountWrites>();
  readonly #bySlot = new Map<number, SlotWrites[]>();
  readonly #tree = new SlotTree();
  /** Accounts whose base has its data, the oldest first. */
  readonly #based = new Set<AccountWrites>();
  #bytes = 0;
  #firstSlot = 0;

  constructor(sourceCount: number, bytesMax = LEDGER_BYTES_MAX) {
    this.#sourceCount = sourceCount;
    this.#bytesMax = bytesMax;
  }

  /** Bytes of the states that are kept. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The accounts are read again: what was notified before counts no more, and nothing of an earlier slot does. */
  beginReading(firstSlot: number): void {
    this.#accounts.clear();
    this.#bySlot.clear();
    this.#based.clear();
    this.#bytes = 0;
    this.#firstSlot = firstSlot;
  }

  /** A source notified a write that has a version. */
  recordWrite(source: number, update: SourceUpdate): LedgerChanges {
    const { slot, writeVersion } = update;
    if (slot < this.#firstSlot || this.#tree.isDeadFor(source, slot)) return NOTHING;
    const account = this.#accountOf(update.pubkey);
    if (slot <= account.baseSlot) return NOTHING;
    const writes = this.#slotOf(account, slot);
    if (writeVersion <= (writes.versions[source] ?? -1)) return NOTHING;
    writes.versions[source] = writeVersion;
    const isNew = this.#addState(writes, source, update);
    this.#dropOldest();
    return isNew && account.slots.at(-1) === writes ? { apply: [update], lost: [] } : NOTHING;
  }

  /** A source notified what became of a slot. */
  recordSlot(source: number, notified: SourceSlot): LedgerChanges {
    const dead = this.#tree.recordStatus(source, notified);
    const changes = dead.length === 0 ? NOTHING : this.#takeBack(dead);
    if (notified.status === 'finalized') this.#finalize(notified.slot);
    else this.#finalize(this.#tree.newest - LEDGER_SLOTS_MAX);
    return changes;
  }

  /** Whether the state is a new one, and not one that another source notified before. */
  #addState({ states, notified }: SlotWrites, source: number, update: SourceUpdate): boolean {
    const at = notified[source] ?? -1;
    const known = states.findIndex((state, index) => index > at && isSame(state, update));
    if (known >= 0) {
      notified[source] = known;
      return false;
    }
    // A source that is behind another one and notifies what that one did not is no news of the end of the slot.
    if (at < states.length - 1) return false;
    if (states.length >= LEDGER_STATES_MAX || this.#sourceCount === 1) {
      this.#bytes -= states.pop()?.data.length ?? 0;
    }
    states.push(update);
    this.#bytes += update.data.length;
    notified[source] = states.length - 1;
    return true;
  }

  #accountOf(pubkey: string): AccountWrites {
    let account = this.#accounts.get(pubkey);
    if (account === undefined) {
      account = { pubkey, slots: [], base: null, baseSlot: -1 };
      this.#accounts.set(pubkey, account);
    }
    return account;
  }

  #slotOf(account: AccountWrites, slot: number): SlotWrites {
    const { slots } = account;
    let at = slots.length;
    while (at > 0 && (slots[at - 1]?.slot ?? 0) > slot) at -= 1;
    const found = slots[at - 1];
    if (found?.slot === slot) return found;
    const none = new Array<number>(this.#sourceCount).fill(-1);
    const writes = { account, slot, states: [], versions: none, notified: [...none] };
    slots.splice(at, 0, writes);
    const inSlot = this.#bySlot.get(slot);
    if (inSlot === undefined) this.#bySlot.set(slot, [writes]);
    else inSlot.push(writes);
    return writes;
  }

  #takeBack(dead: readonly number[]): LedgerChanges {
    const touched = new Map<AccountWrites, SlotWrites>();
    for (const slot of dead) {
      for (const writes of this.#bySlot.get(slot) ?? []) {
        const { slots } = writes.account;
        if (slots.at(-1) === writes && !touched.has(writes.account))
          touched.set(writes.account, writes);
        this.#removeFrom(writes);
      }
      this.#bySlot.delete(slot);
    }
    const [apply, lost]: [SourceUpdate[], SourceUpdate[]] = [[], []];
    for (const [account, { states }] of touched) {
      const before = account.slots.at(-1)?.states.at(-1) ?? account.base;
      const last = states.at(-1);
      if (before !== null) apply.push(before);
      else if (last !== undefined) lost.push(last);
    }
    return { apply, lost };
  }

  #removeFrom(writes: SlotWrites): void {
    const { slots } = writes.account;
    slots.splice(slots.indexOf(writes), 1);
    for (const { data } of writes.states) this.#bytes -= data.length;
  }

  /** What is final cannot be taken back: of each account the last state is kept. */
  #finalize(slot: number): void {
    for (const final of [...this.#bySlot.keys()].filter((one) => one <= slot).sort(compareSlots)) {
      for (const writes of this.#bySlot.get(final) ?? []) {
        this.#removeFrom(writes);
        this.#setBase(writes);
      }
      this.#bySlot.delete(final);
    }
    this.#tree.forgetUpTo(slot);
  }

  #setBase({ account, slot, states }: SlotWrites): void {
    this.#dropBase(account);
    account.baseSlot = slot;
    account.base = states.at(-1) ?? null;
    if (account.base === null) return;
    this.#bytes += account.base.data.length;
    this.#based.add(account);
  }

  #dropBase(account: AccountWrites): void {
    this.#bytes -= account.base?.data.length ?? 0;
    account.base = null;
    this.#based.delete(account);
  }

  /** What goes back to a state that was dropped is read from the chain. */
  #dropOldest(): void {
    for (const account of this.#based) {
      if (this.#bytes <= this.#bytesMax) return;
      this.#dropBase(account);
    }
    while (this.#bytes > this.#bytesMax && this.#bySlot.size > 1) {
      this.#finalize(Math.min(...this.#bySlot.keys()));
      for (const account of this.#based) this.#dropBase(account);
    }
  }
}

function isSame(one: SourceUpdate, other: SourceUpdate): boolean {
  return one.data === other.data && one.closed === other.closed && one.owner === other.owner;
}

function compareSlots(one: number, other: number): number {
  return one - other;
}

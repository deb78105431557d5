import type { SourceUpdate } from '../model/feed-source.js';
import {
  type AccountWrites,
  bytesOf,
  findSlot,
  isSameState,
  type SlotWrites,
} from './account-writes.js';
import { LEDGER_ENTRY_BYTES } from './limits.js';

/** The writes that are not final yet, by account and by slot, with the last final state of each account, and their bytes. */
export class KeptWrites {
  readonly #sourceCount: number;
  readonly #accounts = new Map<string, AccountWrites>();
  readonly #bySlot = new Map<number, Set<SlotWrites>>();
  /** Accounts whose base has its data, the oldest first. */
  readonly #based = new Set<AccountWrites>();
  #bytes = 0;
  #finalSlot = -1;

  constructor(sourceCount: number) {
    this.#sourceCount = sourceCount;
  }

  /** Bytes of all states. */
  get bytes(): number {
    return this.#bytes;
  }

  get slotCount(): number {
    return this.#bySlot.size;
  }

  /** Up to here nothing changes any more. */
  get finalSlot(): number {
    return this.#finalSlot;
  }

  /** Infinite where there is none. */
  get oldestSlot(): number {
    let oldest = Number.POSITIVE_INFINITY;
    for (const slot of this.#bySlot.keys()) oldest = Math.min(oldest, slot);
    return oldest;
  }

  clear(): void {
    this.#accounts.clear();
    this.#bySlot.clear();
    this.#based.clear();
    this.#bytes = 0;
    this.#finalSlot = -1;
  }

  /** The versions of a source count no more. */
  forgetVersions(source: number): void {
    for (const { slots } of this.#accounts.values()) {
      for (const { versions, notified } of slots) {
        versions[source] = -1;
        notified[source] = -1;
      }
    }
  }

  /** Forgets what a source notified and changed nothing. */
  dropClaims(source: number): void {
    for (const { slots } of this.#accounts.values()) {
      for (const writes of slots) {
        if ((writes.notified[source] ?? -1) >= 0) continue;
        writes.claims[source] = null;
        this.weighWrites(writes);
      }
    }
  }

  accounts(): Iterable<AccountWrites> {
    return this.#accounts.values();
  }

  findAccount(pubkey: string): AccountWrites | undefined {
    return this.#accounts.get(pubkey);
  }

  /** Made where it is not known yet. */
  accountOf(pubkey: string): AccountWrites {
    let account = this.#accounts.get(pubkey);
    if (account === undefined) {
      account = { pubkey, slots: [], base: null, baseSlot: -1, baseTellers: 0 };
      this.#accounts.set(pubkey, account);
      this.#bytes += LEDGER_ENTRY_BYTES;
    }
    return account;
  }

  /** Those of an account in a slot, made where there are none yet. */
  writesOf(account: AccountWrites, slot: number): SlotWrites {
    const { writes, isNew } = findSlot(account, slot, this.#sourceCount);
    if (!isNew) return writes;
    const inSlot = this.#bySlot.get(slot);
    if (inSlot === undefined) this.#bySlot.set(slot, new Set([writes]));
    else inSlot.add(writes);
    return writes;
  }

  /** Those of all accounts in a slot. */
  writesIn(slot: number): readonly SlotWrites[] {
    return [...(this.#bySlot.get(slot) ?? [])];
  }

  /** Counts the bytes of writes that have changed. */
  weighWrites(writes: SlotWrites): void {
    const bytes = bytesOf(writes);
    this.#bytes += bytes - writes.bytes;
    writes.bytes = bytes;
  }

  removeWrites(writes: SlotWrites): void {
    const { account, slot } = writes;
    account.slots.splice(account.slots.indexOf(writes), 1);
    this.#bytes -= writes.bytes;
    const inSlot = this.#bySlot.get(slot);
    inSlot?.delete(writes);
    if (inSlot?.size === 0) this.#bySlot.delete(slot);
  }

  /** Of the slots up to this one the last state of each account is kept. */
  finalizeUpTo(slot: number): void {
    this.#finalSlot = slot;
    const final: number[] = [];
    for (const one of this.#bySlot.keys()) if (one <= slot) final.push(one);
    for (const one of final.sort((a, b) => a - b)) {
      for (const writes of this.writesIn(one)) {
        const { account, states, claims } = writes;
        const last = states.at(-1);
        this.removeWrites(writes);
        if (last !== undefined) this.setBase(account, one, last.update, last.tellers);
        const { base } = account;
        // A node may have notified it again, with the number of a later slot.
        claims.forEach((claim, source) => {
          if (claim === null || base === null || !isSameState(claim, base)) return;
          account.baseTellers |= 1 << source;
        });
        if (last === undefined) this.dropEmpty(account);
      }
    }
  }

  /** The state of an account up to the end of a slot, and who notified it (bits). */
  setBase(account: AccountWrites, slot: number, update: SourceUpdate, tellers: number): void {
    this.dropBase(account);
    account.baseSlot = slot;
    account.base = update;
    account.baseTellers = tellers;
    this.#bytes += update.data.length;
    this.#based.add(account);
  }

  /** Drops the oldest final states until so many bytes are left. */
  dropBasesBeyond(bytesMax: number): void {
    for (const account of this.#based) {
      if (this.#bytes <= bytesMax) return;
      this.dropBase(account);
      this.dropEmpty(account);
    }
  }

  /** What the account is up to then is not known any more. */
  dropBase(account: AccountWrites): void {
    this.#bytes -= account.base?.data.length ?? 0;
    account.base = null;
    account.baseTellers = 0;
    this.#based.delete(account);
  }

  /** Drops an account of which nothing is kept; not one that was read, as of before that nothing counts. */
  dropEmpty(account: AccountWrites): void {
    const { base, slots, baseSlot } = account;
    if (base !== null || slots.length > 0 || baseSlot > this.#finalSlot) return;
    if (this.#accounts.delete(account.pubkey)) this.#bytes -= LEDGER_ENTRY_BYTES;
  }
}

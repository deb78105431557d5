import type { SourceUpdate } from '../model/feed-source.js';
import { type AccountWrites, bytesOf, findSlot, type SlotWrites } from './account-writes.js';

/** The writes that are not final yet, by account and by slot, with the last final state of each account, and their bytes. */
export class KeptWrites {
  readonly #sourceCount: number;
  readonly #accounts = new Map<string, AccountWrites>();
  readonly #bySlot = new Map<number, Set<SlotWrites>>();
  /** Accounts whose base has its data, the oldest first. */
  readonly #based = new Set<AccountWrites>();
  #bytes = 0;

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

  /** Infinite where there is none. */
  get oldestSlot(): number {
    return Math.min(...this.#bySlot.keys());
  }

  clear(): void {
    this.#accounts.clear();
    this.#bySlot.clear();
    this.#based.clear();
    this.#bytes = 0;
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
      account = { pubkey, slots: [], base: null, baseSlot: -1 };
      this.#accounts.set(pubkey, account);
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
    const final = [...this.#bySlot.keys()].filter((one) => one <= slot);
    for (const one of final.sort((a, b) => a - b)) {
      for (const writes of this.writesIn(one)) {
        this.removeWrites(writes);
        const last = writes.states.at(-1);
        if (last !== undefined) this.setBase(writes.account, one, last.update);
      }
    }
  }

  /** The state of an account up to the end of a slot. */
  setBase(account: AccountWrites, slot: number, update: SourceUpdate): void {
    this.#dropBase(account);
    account.baseSlot = slot;
    account.base = update;
    this.#bytes += update.data.length;
    this.#based.add(account);
  }

  /** Drops the oldest final states until so many bytes are left. */
  dropBasesBeyond(bytesMax: number): void {
    for (const account of this.#based) {
      if (this.#bytes <= bytesMax) return;
      this.#dropBase(account);
    }
  }

  #dropBase(account: AccountWrites): void {
    this.#bytes -= account.base?.data.length ?? 0;
    account.base = null;
    this.#based.delete(account);
  }
}

import type { SourceUpdate } from '../model/feed-source.js';
import { type AccountWrites, bytesOf, type SlotWrites } from './account-writes.js';
import type { Member } from './member.js';

/** The stored writes, by account and by slot, and their bytes. */
export class KeptWrites {
  readonly #members: readonly Member[];
  readonly #accounts = new Map<string, AccountWrites>();
  readonly #bySlot = new Map<number, Set<SlotWrites>>();
  #bytes = 0;

  constructor(members: readonly Member[]) {
    this.#members = members;
  }

  /** Bytes of all states. */
  get bytes(): number {
    return this.#bytes;
  }

  accounts(): Iterable<AccountWrites> {
    return this.#accounts.values();
  }

  /** The states that the book has. */
  shownStates(): readonly SourceUpdate[] {
    return [...this.#accounts.values()].flatMap(({ shown }) => shown ?? []);
  }

  /**
   * The states whose account shows an older one now, where no trusted source covers their slot; a
   * node does not cover a slot that it left.
   */
  findUnknown(states: readonly SourceUpdate[]): readonly SourceUpdate[] {
    return states.filter(({ pubkey, slot }) => {
      const shownSlot = this.#accounts.get(pubkey)?.shown?.slot ?? slot;
      const covers = (one: Member): boolean =>
        one.isTrusted &&
        one.coversSlot(slot) &&
        (one.source.kind === 'grpc' || !one.chain.hasLeft(slot));
      return shownSlot < slot && !this.#members.some(covers);
    });
  }

  findAccount(pubkey: string): AccountWrites | undefined {
    return this.#accounts.get(pubkey);
  }

  /** Returns the slots with stored writes, oldest first. */
  listSlots(): readonly number[] {
    return [...this.#bySlot.keys()].sort((one, other) => one - other);
  }

  /** The writes of all accounts in a slot. */
  writesIn(slot: number): readonly SlotWrites[] {
    return [...(this.#bySlot.get(slot) ?? [])];
  }

  /**
   * Returns the writes of an account in a slot, created if there are none; `member` is the first
   * source with a write.
   */
  writesOf(pubkey: string, slot: number, member: Member): SlotWrites {
    let account = this.#accounts.get(pubkey);
    if (account === undefined) {
      account = { pubkey, slots: [], shown: null };
      this.#accounts.set(pubkey, account);
    }
    const { slots } = account;
    let at = slots.length;
    while (at > 0 && (slots[at - 1]?.slot ?? 0) > slot) at -= 1;
    const found = slots[at - 1];
    if (found?.slot === slot) return found;
    const isLate = this.#members.some(
      (one) => one !== member && one.isKeeping && one.passedSlot >= slot,
    );
    const claims = this.#members.map(() => undefined);
    const kind = { isRead: false, isLate, isUnnumbered: false };
    const writes = { account, slot, claims, ...kind, count: 0, first: member, atMs: 0, bytes: 0 };
    slots.splice(at, 0, writes);
    const inSlot = this.#bySlot.get(slot);
    if (inSlot === undefined) this.#bySlot.set(slot, new Set([writes]));
    else inSlot.add(writes);
    return writes;
  }

  remove(writes: SlotWrites): void {
    const { account, slot, claims, bytes } = writes;
    account.slots.splice(account.slots.indexOf(writes), 1);
    // A state that is no longer stored cannot be restored.
    if (claims.some((claim) => claim?.update === account.shown)) account.shown = null;
    if (account.slots.length === 0) this.#accounts.delete(account.pubkey);
    this.#bytes -= bytes;
    const inSlot = this.#bySlot.get(slot);
    inSlot?.delete(writes);
    if (inSlot?.size === 0) this.#bySlot.delete(slot);
    // The writes may still wait to be compared, but no longer hold data.
    writes.claims = [];
  }

  /** Updates the byte count of writes that have changed. */
  weigh(writes: SlotWrites): void {
    const bytes = bytesOf(writes);
    this.#bytes += bytes - writes.bytes;
    writes.bytes = bytes;
  }
}

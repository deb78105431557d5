/** A chain made at random: slots that are skipped, and forks that some see and the chain leaves. */
import type { Random } from '../../src/sim/random.js';

const FIRST_SLOT = 101;
const SLOT_MS = 400;
/** Of a slot: when its first write is, and when it is whole. */
const WRITE_MS = 50;
export const WHOLE_MS = 350;
/** Time in which a fork is left by all. */
const LEFT_MS = 2_000;
/** Slots without a write at the end, so that all that is late comes. */
const QUIET_SLOTS = 30;

export interface ChainWrite {
  readonly pubkey: string;
  /** Null where the account is closed. */
  readonly data: string | null;
  readonly atMs: number;
}

/** One slot, with its writes in their order. */
export interface Bank {
  readonly slot: number;
  readonly parent: number;
  readonly atMs: number;
  /** Whether the chain left it. */
  readonly isLost: boolean;
  readonly writes: readonly ChainWrite[];
}

interface WriteOfBank {
  readonly bank: Bank;
  readonly write: ChainWrite;
}

/** An account's state at the end of a slot, and the slot of its last write. */
interface ChainState {
  readonly data: string | null;
  readonly slot: number;
}

/** The possible events of a chain. */
interface RandomChainOptions {
  readonly slots: number;
  readonly accounts: readonly string[];
  readonly hasForks: boolean;
  readonly hasClosed: boolean;
  /** An account that is written in each slot. */
  readonly busy: string | null;
}

export class RandomChain {
  /** By their beginnings. */
  readonly banks: Bank[] = [];
  readonly #random: Random;
  readonly hasClosed: boolean;
  readonly accounts: readonly string[];
  readonly #options: RandomChainOptions;
  readonly #bySlot = new Map<number, Bank>();
  readonly #byAccount = new Map<string, readonly WriteOfBank[]>();
  #slot = FIRST_SLOT;
  #parent = FIRST_SLOT - 1;
  #atMs = 1_000;

  constructor(random: Random, options: RandomChainOptions) {
    this.#random = random;
    this.#options = options;
    this.accounts = options.accounts;
    this.hasClosed = options.hasClosed;
    for (let made = 0; made < options.slots; made += 1) {
      const isQuiet = made >= options.slots - QUIET_SLOTS;
      this.#skipSlots();
      const isForked = options.hasForks && !isQuiet && made > 6 && random.oneIn(12);
      const parent = this.#parent;
      const isLate = random.oneIn(2);
      if (isForked && !isLate) this.#addBank(parent, true, true);
      this.#parent = this.#addBank(parent, false, !isQuiet);
      if (isForked && isLate) this.#addBank(parent, true, true);
    }
  }

  /** When the last slot is over. */
  get endMs(): number {
    return this.#atMs;
  }

  /** An account's state at the end of a slot, on any fork. */
  stateAt(pubkey: string, slot: number): ChainState {
    for (let at = this.#bySlot.get(slot); at !== undefined; at = this.#bySlot.get(at.parent)) {
      const write = at.writes.findLast((one) => one.pubkey === pubkey);
      if (write !== undefined) return { data: write.data, slot: at.slot };
    }
    return { data: 'first', slot: 0 };
  }

  /** The slot that a node reads at a time: the newest that is whole. */
  readSlot(atMs: number, isOfFork: boolean): number {
    const isRead = (bank: Bank): boolean =>
      bank.atMs + WHOLE_MS <= atMs && (isOfFork || !bank.isLost);
    return this.banks.findLast(isRead)?.slot ?? FIRST_SLOT - 1;
  }

  /** Whether an account was this at some time of the last `lateMs` milliseconds, on the chain or on a fork. */
  isRight(pubkey: string, shown: string | null, nowMs: number, lateMs: number): boolean {
    const writes = this.#writesOf(pubkey);
    for (let at = writes.length - 1; at >= 0; at -= 1) {
      const { bank, write } = writes[at] as WriteOfBank;
      if (write.atMs > nowMs) continue;
      const isPresent = !bank.isLost || nowMs <= bank.atMs + LEFT_MS + lateMs;
      if (write.data === shown && isPresent) return true;
      if (!bank.isLost && write.atMs < nowMs - lateMs) return false;
    }
    return shown === 'first';
  }

  #writesOf(pubkey: string): readonly WriteOfBank[] {
    const known = this.#byAccount.get(pubkey);
    if (known !== undefined) return known;
    const writes = this.banks.flatMap((bank) =>
      bank.writes.filter((write) => write.pubkey === pubkey).map((write) => ({ bank, write })),
    );
    this.#byAccount.set(pubkey, writes);
    return writes;
  }

  /** Mostly none, and seldom all four of a leader. */
  #skipSlots(): void {
    const skipped = this.#random.oneIn(40) ? 4 : Number(this.#random.oneIn(10));
    this.#slot += skipped;
    this.#atMs += skipped * SLOT_MS;
  }

  #addBank(parent: number, isLost: boolean, hasWrites: boolean): number {
    const [slot, atMs] = [this.#slot, this.#atMs];
    const writes = hasWrites ? this.#makeWrites(isLost ? `lost ${slot}` : `${slot}`, atMs) : [];
    const bank = { slot, parent, atMs, isLost, writes };
    this.banks.push(bank);
    this.#bySlot.set(slot, bank);
    this.#slot += 1;
    this.#atMs += SLOT_MS;
    return slot;
  }

  #makeWrites(name: string, atMs: number): readonly ChainWrite[] {
    const { accounts, busy, hasClosed } = this.#options;
    const random = this.#random;
    const writes: ChainWrite[] = [];
    accounts.forEach((pubkey, index) => {
      // The last ones are written seldom.
      const isWritten = pubkey === busy || random.oneIn(index > 4 ? 15 : 4);
      const times = isWritten ? 1 + Number(random.oneIn(3)) : 0;
      for (let at = 0; at < times; at += 1) {
        const isClosed = hasClosed && pubkey !== busy && random.oneIn(4);
        const data = isClosed ? null : `${pubkey} ${name} ${at}`;
        const inSlotMs = WRITE_MS * (1 + at * 2 + random.nextBelow(2));
        writes.push({ pubkey, data, atMs: atMs + inSlotMs });
      }
    });
    return writes.sort((one, other) => one.atMs - other.atMs);
  }
}

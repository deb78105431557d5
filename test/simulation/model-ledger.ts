/** The transactions of the model chain: fills with contiguous numbers, some from before the run. */
import { createHash } from 'node:crypto';
import { PROGRAM_IDS } from '../../src/contract/program.js';
import { encodeBase58 } from '../../src/history/store/base58.js';
import type { Random } from '../../src/sim/random.js';
import { fillLog } from '../support/fill-log.js';
import { FIRST_SLOT } from './market-life.js';
import type { ModelChain } from './model-chain.js';
import { type WriteLog, writeLogOf } from './model-logs.js';

/** A transaction is finalised so many slots after its own. */
const FINAL_SLOTS = 31;
/** It is confirmed, and notified, so many slots after it. */
const CONFIRMED_SLOTS = 1;
/** How far each commitment is behind the slot that runs. */
const SLOTS_BEHIND: Readonly<Record<string, number>> = {
  processed: 0,
  confirmed: CONFIRMED_SLOTS,
  finalized: FINAL_SLOTS,
};
/** One slot in so many has a fill. */
const FILL_ONE_IN = 4;
/** Fills from before the run, which are read back. */
const EARLIER_FILLS = 30;
const SLOTS_BETWEEN_EARLIER = 7;

/** One transaction with one fill. */
export interface ModelFill {
  readonly id: number;
  readonly signature: string;
  readonly lines: readonly string[];
  /** The slot in which it is now; it may land again after a fork. */
  slot: number;
  /** When it came into this slot. */
  landedMs: number;
}

/** A row of a listing. */
type ListedTransaction = Pick<ModelFill, 'signature' | 'slot'>;

/** What a listing is asked for. */
export interface ListConfig {
  readonly commitment?: string;
  readonly before?: string;
  readonly until?: string;
  readonly limit: number;
}

/** The ledger of one run. */
export class ModelLedger {
  readonly #chain: ModelChain;
  readonly #random: Random | null;
  /** Oldest first. */
  readonly fills: ModelFill[] = [];
  readonly #bySignature = new Map<string, ModelFill>();
  readonly #writes = new Map<string, WriteLog>();
  /** The last slot whose fills were notified. */
  #confirmed = FIRST_SLOT - 1;

  /** Without chance there are only the transactions that are sent. */
  constructor(chain: ModelChain, random: Random | null) {
    this.#chain = chain;
    this.#random = random;
    for (let at = random === null ? 0 : EARLIER_FILLS; at > 0; at -= 1) {
      this.#add(FIRST_SLOT - at * SLOTS_BETWEEN_EARLIER, 0);
    }
  }

  /** A slot has ended; returns what is confirmed by that. */
  endSlot(slot: number, nowMs: number): readonly ModelFill[] {
    if (this.#random?.oneIn(FILL_ONE_IN)) this.#add(slot, nowMs);
    const [before, confirmed] = [this.#confirmed, slot - CONFIRMED_SLOTS];
    this.#confirmed = confirmed;
    return this.fills.slice(-4).filter((fill) => fill.slot > before && fill.slot <= confirmed);
  }

  /** The transactions that wrote users and are confirmed by the end of a slot. */
  confirmWrites(slot: number): readonly WriteLog[] {
    const program = PROGRAM_IDS[this.#chain.program];
    const taken = this.#chain.takeUsersWritten(slot - CONFIRMED_SLOTS);
    const confirmed = taken.map(([of, users]) =>
      writeLogOf({ slot: of, second: this.#chain.secondOf(of), program }, users),
    );
    for (const one of confirmed) this.#writes.set(one.signature, one);
    return confirmed;
  }

  findWrite(signature: string): WriteLog | undefined {
    return this.#writes.get(signature);
  }

  /** The slot of a transaction. */
  slotOf(signature: string): number | undefined {
    return (this.find(signature) ?? this.findWrite(signature))?.slot;
  }

  /** A transaction lands in the present slot; returns it. */
  land(signature: string, lines: readonly string[]): ModelFill {
    return this.#keep({ signature, lines, slot: this.#chain.slot, landedMs: 0 });
  }

  /** A transaction is of an abandoned fork, and never lands again. */
  drop(signature: string): void {
    const at = this.fills.findIndex((fill) => fill.signature === signature);
    if (at >= 0) this.fills.splice(at, 1);
    this.#bySignature.delete(signature);
  }

  find(signature: string): ModelFill | undefined {
    return this.#bySignature.get(signature);
  }

  /** The newest slot of a commitment; `finalized` where none is given, as with a real node. */
  slotAt(commitment = 'finalized'): number {
    return this.#chain.slot - (SLOTS_BEHIND[commitment] ?? FINAL_SLOTS);
  }

  /** The signatures of all transactions, newest first. */
  list({ commitment, before, until, limit }: ListConfig): readonly ListedTransaction[] {
    const slotMax = this.slotAt(commitment);
    const all = [...this.fills, ...this.#writes.values()]
      .filter(({ slot }) => slot <= slotMax)
      .sort((left, right) => right.slot - left.slot);
    const from = all.findIndex(({ signature }) => signature === before) + 1;
    const to = all.findIndex(({ signature }) => signature === until);
    return all.slice(from, to < 0 ? undefined : to).slice(0, limit);
  }

  #add(slot: number, landedMs: number): void {
    const id = this.fills.length + 1;
    const signature = signatureOf(id);
    const { program } = this.#chain;
    const lines = fillLog(id, this.#chain.secondOf(slot), PROGRAM_IDS[program]);
    this.#keep({ signature, lines, slot, landedMs });
  }

  #keep(landed: Omit<ModelFill, 'id'>): ModelFill {
    const fill = { id: this.fills.length + 1, ...landed };
    this.fills.push(fill);
    this.#bySignature.set(fill.signature, fill);
    return fill;
  }
}

const signatures: string[] = [];

/** Base58 of 64 bytes; the same in all runs. */
function signatureOf(id: number): string {
  signatures[id] ??= encodeBase58(createHash('sha512').update(`fill ${id}`).digest());
  return signatures[id];
}

/** A chain's transactions of one program, and a node that tells of them, badly where a test says so. */
import { createHash } from 'node:crypto';
import { encodeBase58 } from '../src/history/store/base58.js';
import { type Reply, ScriptedRpc, type SeenSubscription } from './scripted-rpc.js';

/** How far behind the newest slot the finalised one is, as on the local chain. */
const FINALISED_AFTER_SLOTS = 31;

/** One transaction of the program. */
export interface LedgerTransaction {
  readonly signature: string;
  readonly slot: number;
  readonly failed: boolean;
  /** Null where the node keeps no logs. */
  readonly lines: readonly string[] | null;
}

/** The transactions of a program on one chain, slot by slot, each slot oldest first. */
export class Ledger {
  readonly genesisHash: string;
  readonly #transactions = new Map<string, LedgerTransaction>();
  /** As a node lists them, made anew after each change. */
  #listed: readonly LedgerTransaction[] | null = null;
  #slot = 100;
  #made = 0;

  constructor(seed = 1) {
    this.genesisHash = encodeBase58(hash(`genesis ${seed}`));
  }

  get slot(): number {
    return this.#slot;
  }

  get finalisedSlot(): number {
    return this.#slot - FINALISED_AFTER_SLOTS;
  }

  /** Newest first. */
  get listed(): readonly LedgerTransaction[] {
    this.#listed ??= [...this.#transactions.values()]
      .toSorted((a, b) => a.slot - b.slot)
      .toReversed();
    return this.#listed;
  }

  /** Lets slots pass. */
  tick(slots = 1): void {
    this.#slot += slots;
  }

  /** A transaction in the present slot, with these lines in its log. */
  add(lines: readonly string[], { failed = false } = {}): LedgerTransaction {
    this.#made += 1;
    const made = { signature: signatureOf(this.#made), slot: this.#slot, failed, lines };
    this.#put(made);
    return made;
  }

  /** A fork that had this transaction is left. */
  takeBack({ signature }: LedgerTransaction): void {
    this.#transactions.delete(signature);
    this.#listed = null;
  }

  /** A fork that had this transaction is left, and the chain has it in its newest slot. */
  moveToNewest(moved: LedgerTransaction, { failed = false } = {}): LedgerTransaction {
    this.takeBack(moved);
    const landed = { ...moved, slot: this.#slot, failed };
    this.#put(landed);
    return landed;
  }

  find(signature: string): LedgerTransaction | undefined {
    return this.#transactions.get(signature);
  }

  #put(transaction: LedgerTransaction): void {
    this.#transactions.set(transaction.signature, transaction);
    this.#listed = null;
  }
}

/** Base58 of 64 bytes. */
function signatureOf(count: number): string {
  return encodeBase58(Buffer.concat([hash(`first ${count}`), hash(`second ${count}`)]));
}

function hash(text: string): Uint8Array {
  return createHash('sha256').update(text).digest();
}

/** What is wrong with a node. */
interface LedgerFaults {
  /** Answers a request instead of the ledger, where it answers. */
  instead: (method: string, params: readonly unknown[]) => Reply | undefined;
  /** Signatures that it lists and does not give. */
  withheld: ReadonlySet<string>;
  /** Signatures that its index does not have yet. */
  unlisted: ReadonlySet<string>;
  /** It has nothing older than this slot. */
  firstSlot: number;
}

/** A node of a ledger, HTTP and WebSocket on one loopback port. */
export class LedgerNode {
  faults: LedgerFaults = {
    instead: () => undefined,
    withheld: new Set(),
    unlisted: new Set(),
    firstSlot: 0,
  };
  #ledger: Ledger;

  private constructor(
    readonly rpc: ScriptedRpc,
    ledger: Ledger,
  ) {
    this.#ledger = ledger;
    this.#answer('getGenesisHash', () => this.#ledger.genesisHash);
    this.#answer('getSlot', ([config]) => this.#slotAt(config));
    this.#answer('getBlockTime', ([slot]) => timeOfSlot(Number(slot)));
    this.#answer('getFirstAvailableBlock', () => this.faults.firstSlot);
    this.#answer('getSignaturesForAddress', ([, config]) => this.#list(config as ListConfig));
    this.#answer('getTransaction', ([signature, config]) => this.#give(signature, config));
    this.#answer('getSignatureStatuses', ([signatures]) => ({
      context: { slot: this.#ledger.slot },
      value: (signatures as string[]).map((signature) => {
        const found = this.#ledger.find(signature);
        return found === undefined || found.slot < this.faults.firstSlot
          ? null
          : { slot: found.slot, err: null, confirmationStatus: this.#statusOf(found) };
      }),
    }));
  }

  static async start(ledger: Ledger): Promise<LedgerNode> {
    return new LedgerNode(await ScriptedRpc.start(), ledger);
  }

  get urls(): { readonly rpcUrl: string; readonly wsUrl: string } {
    return { rpcUrl: this.rpc.rpcUrl, wsUrl: this.rpc.wsUrl };
  }

  /** From now on it is a node of another chain. */
  serve(ledger: Ledger): void {
    this.#ledger = ledger;
  }

  /** Tells all subscribers of logs of a transaction; returns how many there are. */
  tell({ signature, slot, failed, lines }: LedgerTransaction): number {
    const err = failed ? { InstructionError: [0, { Custom: 1 }] } : null;
    const value = { signature, err, logs: lines };
    const isOfLogs = ({ method }: SeenSubscription): boolean => method === 'logsSubscribe';
    return this.rpc.notify(isOfLogs, { context: { slot }, value });
  }

  suffer(faults: Partial<LedgerFaults>): void {
    this.faults = { ...this.faults, ...faults };
  }

  stop(): Promise<void> {
    return this.rpc.stop();
  }

  #answer(method: string, result: (params: readonly unknown[]) => unknown): void {
    this.rpc.answer(method, (params) => {
      return this.faults.instead(method, params) ?? { result: result(params) };
    });
  }

  #slotAt(config: unknown): number {
    const { commitment } = config as { commitment: string };
    return commitment === 'finalized' ? this.#ledger.finalisedSlot : this.#ledger.slot;
  }

  #list({ commitment, before, until, limit }: ListConfig): unknown {
    const slotMax = this.#slotAt({ commitment });
    const { firstSlot, unlisted } = this.faults;
    const all = this.#ledger.listed.filter(({ slot, signature }) => {
      return slot <= slotMax && slot >= firstSlot && !unlisted.has(signature);
    });
    const from = all.findIndex(({ signature }) => signature === before) + 1;
    const to = all.findIndex(({ signature }) => signature === until);
    return all
      .slice(from, to < 0 ? undefined : to)
      .slice(0, limit)
      .map((one) => ({
        signature: one.signature,
        slot: one.slot,
        err: one.failed ? { InstructionError: [0, { Custom: 1 }] } : null,
        memo: null,
        blockTime: timeOfSlot(one.slot),
        confirmationStatus: this.#statusOf(one),
      }));
  }

  #statusOf({ slot }: LedgerTransaction): string {
    return slot <= this.#ledger.finalisedSlot ? 'finalized' : 'confirmed';
  }

  #give(signature: unknown, config: unknown): unknown {
    const found = this.#ledger.find(String(signature));
    if (found === undefined || this.faults.withheld.has(found.signature)) return null;
    if (found.slot > this.#slotAt(config) || found.slot < this.faults.firstSlot) return null;
    const err = found.failed ? { InstructionError: [0, { Custom: 1 }] } : null;
    // As on the local chain, whose time is wrong here.
    const blockTime = Math.floor(timeOfSlot(found.slot) / 1_000);
    return { slot: found.slot, blockTime, meta: { err, logMessages: found.lines } };
  }
}

interface ListConfig {
  readonly commitment: string;
  readonly before?: string;
  readonly until?: string;
  readonly limit: number;
}

/** Unix seconds of a slot. */
export function timeOfSlot(slot: number): number {
  return 1_795_000_000 + Math.floor(slot * 0.4);
}

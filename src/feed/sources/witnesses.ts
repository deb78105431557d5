import type { Timer, Timers } from '../../contract/timers.js';
import { Backoff } from '../../rpc/backoff.js';
import { readSlot } from '../../rpc/methods.js';
import type { NodeRpc } from '../../rpc/node-pool.js';
import { withTimeLimit } from '../../rpc/timers.js';
import type { AccountUpdate } from '../model/account-update.js';
import { multipleAccountsParams } from '../model/queries.js';
import { parseMultipleAccounts } from '../model/rpc-updates.js';
import { readAround } from '../model/spoilers.js';
import {
  CHAIN_SLOT_INTERVAL_MS,
  CHAIN_SLOT_MS_MAX,
  DISPUTE_KEYS_MAX,
  DISPUTE_READ_INTERVAL_MS,
  DISPUTE_READ_INTERVAL_MS_MAX,
  DISPUTE_READ_MS_MAX,
  SLOT_MS_MIN,
} from './limits.js';

/** A node that reads accounts. */
export interface Witness {
  /** Host and port, by which a node is recognised: it cannot confirm its own subscriptions. */
  readonly name: string;
  readonly rpc: NodeRpc;
}

/** The nodes and the timers. */
export interface WitnessOptions {
  readonly witnesses: readonly Witness[];
  readonly timers: Timers;
  readonly random: () => number;
}

/** A node's slot, and the time of the request. */
interface SlotRead {
  readonly slot: number;
  readonly atMs: number;
}

type NamedAccount = Pick<AccountUpdate, 'pubkey' | 'kind'>;

/** Lists the accounts to read and receives the readings. */
interface WitnessListener {
  listAccounts(): readonly NamedAccount[];
  onRead(witness: string, update: AccountUpdate): void;
  /** The chain's slot was read. */
  onSlot(): void;
}

/**
 * Reads accounts from all nodes repeatedly, with growing pauses, while there are accounts to read;
 * also reads the chain's slot.
 */
export class Witnesses {
  readonly #options: WitnessOptions;
  readonly #listener: WitnessListener;
  readonly #backoff: Backoff;
  #next: Timer | null = null;
  #reading: AbortController | null = null;
  /** The last slot of each node, by name. */
  readonly #slots = new Map<string, SlotRead>();
  #slotAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: WitnessOptions, listener: WitnessListener) {
    this.#options = options;
    this.#listener = listener;
    const { random } = options;
    const firstMs = DISPUTE_READ_INTERVAL_MS;
    this.#backoff = new Backoff({ firstMs, capMs: DISPUTE_READ_INTERVAL_MS_MAX, random });
  }

  stop(): void {
    this.#next?.cancel();
    this.#next = null;
    this.#reading?.abort();
    this.#reading = null;
  }

  /** Reads the accounts soon after the current or last reading. */
  readSoon(): void {
    this.#backoff.reset();
    if (this.#reading !== null) return;
    if (this.#next === null) void this.#readAll();
    else this.#planNext();
  }

  /**
   * Returns the estimated slot of the chain according to nodes other than `except`; null without a
   * recent reading.
   */
  slotBy(nowMs: number, except: string | null): number | null {
    let newest: number | null = null;
    // A node reports a slot at the slot's end, a source at the slot's start.
    for (const { slot, atMs } of this.#recentReads(nowMs, except))
      newest = Math.max(newest ?? 0, slot + 1 + Math.floor((nowMs - atMs) / SLOT_MS_MIN));
    return newest;
  }

  /** Returns whether a node other than `except` has recently read this slot, or a later one. */
  hasRead(wanted: number, nowMs: number, except: string | null): boolean {
    return this.#recentReads(nowMs, except).some(({ slot }) => slot >= wanted);
  }

  #recentReads(nowMs: number, except: string | null): readonly SlotRead[] {
    return [...this.#slots].flatMap(([name, read]) => {
      return name === except || nowMs - read.atMs > CHAIN_SLOT_MS_MAX ? [] : [read];
    });
  }

  /** Reads the slot from all nodes, at a limited rate. */
  readSlot(): void {
    const { witnesses, timers } = this.#options;
    const atMs = timers.nowMs();
    if (atMs - this.#slotAtMs < CHAIN_SLOT_INTERVAL_MS) return;
    this.#slotAtMs = atMs;
    for (const { name, rpc } of witnesses) {
      const limit = { timers, limitMs: DISPUTE_READ_MS_MAX, signal: undefined };
      const read = withTimeLimit(limit, (signal) => readSlot(rpc, { signal }));
      // A failure is ignored, because another node may reply, or this node the next time.
      const take = (slot: number): void => {
        // A reading's age counts from its request.
        this.#slots.set(name, { slot, atMs });
        this.#listener.onSlot();
      };
      read.then(take, () => undefined);
    }
  }

  #planNext(): void {
    this.#next?.cancel();
    this.#next = this.#options.timers.after(this.#backoff.next(), () => void this.#readAll());
  }

  async #readAll(): Promise<void> {
    const reading = new AbortController();
    this.#next = null;
    this.#reading = reading;
    const accounts = this.#listener.listAccounts();
    const { witnesses } = this.#options;
    await Promise.all(witnesses.map((one) => this.#readFrom(one, accounts, reading.signal)));
    if (reading.signal.aborted) return;
    this.#reading = null;
    if (this.#listener.listAccounts().length > 0) this.#planNext();
  }

  async #readFrom(
    { name, rpc }: Witness,
    accounts: readonly NamedAccount[],
    signal: AbortSignal,
  ): Promise<void> {
    const { timers } = this.#options;
    const limit = { timers, limitMs: DISPUTE_READ_MS_MAX, signal };
    for (let from = 0; from < accounts.length; from += DISPUTE_KEYS_MAX) {
      const kinds = new Map(
        accounts.slice(from, from + DISPUTE_KEYS_MAX).map(({ pubkey, kind }) => [pubkey, kind]),
      );
      const wanted = { keys: [...kinds.keys()], nowMs: timers.nowMs() };
      const batch = await readAround(rpc, wanted, (keys) => {
        const parse = (result: unknown) =>
          parseMultipleAccounts(keys, (key) => kinds.get(key) ?? 'user', result);
        return withTimeLimit(limit, (limited) => {
          const options = { signal: limited, timeoutMs: DISPUTE_READ_MS_MAX };
          return rpc.call('getMultipleAccounts', multipleAccountsParams(keys), parse, options);
        });
      }).catch(() => null);
      if (batch === null || signal.aborted) return;
      for (const update of batch.updates) this.#listener.onRead(name, update);
    }
  }
}

import type { Timer, Timers } from '../../contract/timers.js';
import { Backoff } from '../../rpc/backoff.js';
import type { NodeRpc } from '../../rpc/node-pool.js';
import { withTimeLimit } from '../../rpc/timers.js';
import {
  type AccountBatch,
  type AccountUpdate,
  parseMultipleAccounts,
} from '../model/account-update.js';
import { multipleAccountsParams } from '../model/queries.js';
import {
  DISPUTE_KEYS_MAX,
  DISPUTE_READ_INTERVAL_MS,
  DISPUTE_READ_INTERVAL_MS_MAX,
  DISPUTE_READ_MS_MAX,
} from './limits.js';

/** Who reads the chain. */
export interface Witness {
  /** Host and port: a node is no witness for its own subscriptions. */
  readonly name: string;
  readonly rpc: NodeRpc;
}

/** Which nodes read, and how time passes. */
export interface ReadingOptions {
  readonly witnesses: readonly Witness[];
  readonly timers: Timers;
  readonly random: () => number;
}

type NamedAccount = Pick<AccountUpdate, 'pubkey' | 'kind'>;

/** What is read, and who gets it. */
export interface ReadingListener {
  /** The accounts that are to be read by now. */
  listAccounts(): readonly NamedAccount[];
  /** What the node of this name read of some of them. */
  onRead(name: string, batch: AccountBatch): void;
}

/** Accounts that are read from all nodes, again and again and ever less often, as long as there are any. */
export class RepeatedReadings {
  readonly #options: ReadingOptions;
  readonly #listener: ReadingListener;
  readonly #backoff: Backoff;
  #next: Timer | null = null;
  #reading: AbortController | null = null;

  constructor(options: ReadingOptions, listener: ReadingListener) {
    this.#options = options;
    this.#listener = listener;
    const { random } = options;
    const [firstMs, capMs] = [DISPUTE_READ_INTERVAL_MS, DISPUTE_READ_INTERVAL_MS_MAX];
    this.#backoff = new Backoff({ firstMs, capMs, random });
  }

  stop(): void {
    this.#next?.cancel();
    this.#next = null;
    this.#reading?.abort();
    this.#reading = null;
  }

  /** There is one account more: it is read at once, or soon after a reading that goes on or has just been made. */
  readSoon(): void {
    this.#backoff.reset();
    if (this.#reading !== null) return;
    if (this.#next === null) void this.#readAll();
    else this.#planNext();
  }

  #planNext(): void {
    this.#next?.cancel();
    this.#next = this.#options.timers.after(this.#backoff.next(), () => void this.#readAll());
  }

  async #readAll(): Promise<void> {
    const { witnesses } = this.#options;
    const reading = new AbortController();
    this.#next = null;
    this.#reading = reading;
    const accounts = this.#listener.listAccounts();
    await Promise.all(
      witnesses.map((witness) => this.#readFrom(witness, accounts, reading.signal)),
    );
    if (reading.signal.aborted) return;
    this.#reading = null;
    if (this.#listener.listAccounts().length === 0) return;
    this.#planNext();
  }

  async #readFrom(
    { name, rpc }: Witness,
    accounts: readonly NamedAccount[],
    signal: AbortSignal,
  ): Promise<void> {
    const limit = { timers: this.#options.timers, limitMs: DISPUTE_READ_MS_MAX, signal };
    for (let from = 0; from < accounts.length; from += DISPUTE_KEYS_MAX) {
      const some = accounts.slice(from, from + DISPUTE_KEYS_MAX);
      const read = (abort: AbortSignal) => readAccounts(rpc, some, abort);
      const batch = await withTimeLimit(limit, read).catch(() => null);
      if (batch === null || signal.aborted) return;
      this.#listener.onRead(name, batch);
    }
  }
}

function readAccounts(
  rpc: NodeRpc,
  accounts: readonly NamedAccount[],
  signal: AbortSignal,
): Promise<AccountBatch> {
  const kinds = new Map(accounts.map(({ pubkey, kind }) => [pubkey, kind]));
  const keys = [...kinds.keys()];
  const parse = (result: unknown): AccountBatch =>
    parseMultipleAccounts(keys, (key) => kinds.get(key) ?? 'user', result);
  const options = { signal, timeoutMs: DISPUTE_READ_MS_MAX };
  return rpc.call('getMultipleAccounts', multipleAccountsParams(keys), parse, options);
}

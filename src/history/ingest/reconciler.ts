import type { NodeRpc } from '../../rpc/node-pool.js';
import { SUSPECT_WAIT_MS } from '../model/limits.js';
import type { TransactionRecords } from '../model/records.js';
import type { StoreChange } from '../store/types.js';
import type { Fetched, Fetcher, FetchOptions } from './fetcher.js';
import type { PlacedSignature } from './listing.js';
import type { IngestParts, IngestStore } from './parts.js';
import type { WriteProgress } from './progress.js';
import { parseKnown } from './rpc-results.js';
import { type Seen, writeRecords } from './store-records.js';

/** What the reconciler works on. */
export interface ReconcilerOptions {
  readonly parts: IngestParts;
  readonly store: IngestStore;
  readonly fetcher: Fetcher;
  readonly seen: Seen;
  /** Called after each commit that changed anything. */
  readonly onChange: (change: StoreChange) => void;
}

/** Whose answers are compared with the store. */
export interface Reading {
  readonly rpc: NodeRpc;
  readonly signal: AbortSignal;
  /** The node has all slots above this one: of what is older it cannot say that it is gone. */
  readonly trustedAbove: number;
}

/** Whole slots of the finalised chain. */
export interface FinalSlots {
  /** All of the program's signatures of these slots, oldest first. */
  readonly rows: readonly PlacedSignature[];
  /** The slots: above the one, up to the other. */
  readonly above: number;
  readonly upTo: number;
}

/** Marks that are stored together with what they tell of. */
export type WriteMarks = (write: WriteProgress) => void;

/** Compares lists of a node with the store: adds, puts in place, and takes away. */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  /** Stored transactions that a finalised listing did not have, and when it was read. */
  readonly #suspects = new Map<string, number>();
  /** Stored of a log that was cut, and asked for again, until the marks are stored. */
  readonly #reread = new Set<string>();

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  /** Adds what a confirmed listing has and the store has not. */
  async add(rows: readonly PlacedSignature[], reading: Reading): Promise<void> {
    const missing = this.#missing(rows);
    const fetched = await this.#fetch(missing, { ...reading, commitment: 'confirmed' });
    this.#write(fetched.records);
  }

  /**
   * Brings the store to what the finalised chain has in some slots. The marks are stored last, and
   * only when nothing is left to be asked again; `isDone` when they are.
   */
  async settle(
    slots: FinalSlots,
    reading: Reading,
    mark: WriteMarks,
  ): Promise<{ readonly isDone: boolean; readonly added: readonly TransactionRecords[] }> {
    const { store, onChange } = this.#options;
    const final = { ...reading, commitment: 'finalized' } as const;
    const cut = this.#cut(slots.rows);
    const added = await this.#fetch([...this.#missing(slots.rows), ...cut], final);
    const again = new Set(cut.map(({ signature }) => signature));
    this.#write(added.records, again);
    for (const { signature, isTruncated } of added.records) {
      if (isTruncated) this.#reread.add(signature);
    }
    const lost = await this.#lost(slots, reading);
    this.#remove(lost.gone);
    const elsewhere = this.#place(slots.rows);
    const moved = await this.#fetch(elsewhere, final);
    this.#write(moved.records);
    // It left something on a fork only.
    this.#remove(moved.records.filter(leavesNothing).map(({ signature }) => signature));
    const isDone = added.pending + moved.pending + lost.open === 0;
    if (isDone) mark((marks) => onChange(store.write({ transactions: [], progress: marks })));
    if (isDone) this.#reread.clear();
    return { isDone, added: added.records.filter(({ signature }) => !again.has(signature)) };
  }

  #missing(rows: readonly PlacedSignature[]): readonly PlacedSignature[] {
    const { seen, store } = this.#options;
    const asked = rows.filter((row) => !row.failed && !seen.has(row));
    const known = store.known(asked.map(({ signature }) => signature));
    return asked.filter(({ signature }) => !known.has(signature));
  }

  /** A log that came cut is asked for once more: another time, or of another node, it may be whole. */
  #cut(rows: readonly PlacedSignature[]): readonly PlacedSignature[] {
    const asked = rows.filter(({ signature, failed }) => !failed && !this.#reread.has(signature));
    const cut = this.#options.store.truncatedOf(asked.map(({ signature }) => signature));
    return asked.filter(({ signature }) => cut.has(signature));
  }

  async #fetch(rows: readonly PlacedSignature[], options: FetchOptions): Promise<Fetched> {
    if (rows.length === 0) return { records: [], pending: 0 };
    return this.#options.fetcher.fetch(rows, options);
  }

  /** Of `stored` ones it is written as well that they leave nothing. */
  #write(records: readonly TransactionRecords[], stored: ReadonlySet<string> = new Set()): void {
    const { seen } = this.#options;
    const kept = records.filter((one) => !leavesNothing(one) || stored.has(one.signature));
    for (const record of records) if (leavesNothing(record)) seen.add(record);
    for (const record of writeRecords(kept, this.#options)) seen.add(record);
  }

  /** Sets the places; returns the rows whose transaction is stored in another slot. */
  #place(rows: readonly PlacedSignature[]): readonly PlacedSignature[] {
    const { parts, store, onChange } = this.#options;
    const known = store.known(rows.map(({ signature }) => signature));
    const stored = rows.filter(({ signature, failed }) => !failed && known.has(signature));
    if (stored.length === 0) return [];
    const { change, elsewhere } = store.settle(stored);
    onChange(change);
    parts.counters.settled += stored.length - elsewhere.length;
    const moved = new Set(elsewhere);
    return stored.filter(({ signature }) => moved.has(signature));
  }

  #remove(signatures: readonly string[]): void {
    const { parts, store, onChange } = this.#options;
    if (signatures.length === 0) return;
    onChange(store.remove(signatures));
    parts.counters.reverted += signatures.length;
    parts.log.warn({ signatures: signatures.slice(0, 10) }, 'a fork took transactions back');
  }

  /**
   * What is stored and not in the finalised listing. It is asked for by name as well, and after a
   * while: a node that is behind with its index must not delete what happened.
   */
  async #lost(
    { rows, above, upTo }: FinalSlots,
    reading: Reading,
  ): Promise<{ readonly gone: readonly string[]; readonly open: number }> {
    const { store, parts } = this.#options;
    const listed = new Set(rows.map(({ signature }) => signature));
    // What went well on a fork may have failed on the chain.
    const failed = rows.filter((row) => row.failed).map(({ signature }) => signature);
    const absent = store
      .unsettled({ slotAfter: Math.max(above, reading.trustedAbove), slotUpTo: upTo })
      .map(({ signature }) => signature)
      .filter((signature) => !listed.has(signature));
    const nowMs = parts.timers.nowMs();
    this.#suspect(absent, nowMs);
    const due = absent.filter((signature) => {
      return nowMs - (this.#suspects.get(signature) ?? nowMs) >= SUSPECT_WAIT_MS;
    });
    const unknown = await unknownTo(reading, due);
    for (const signature of unknown) this.#suspects.delete(signature);
    return { gone: [...store.known(failed), ...unknown], open: absent.length - unknown.length };
  }

  /** Remembers since when each is absent; those that are no longer are forgotten. */
  #suspect(absent: readonly string[], nowMs: number): void {
    const now = new Set(absent);
    for (const signature of this.#suspects.keys()) {
      if (!now.has(signature)) this.#suspects.delete(signature);
    }
    for (const signature of absent) {
      if (!this.#suspects.has(signature)) this.#suspects.set(signature, nowMs);
    }
  }
}

/** Which of the signatures the node does not know at all. */
async function unknownTo(
  { rpc, signal }: Reading,
  signatures: readonly string[],
): Promise<readonly string[]> {
  const unknown: string[] = [];
  for (let at = 0; at < signatures.length; at += STATUSES_MAX) {
    const some = signatures.slice(at, at + STATUSES_MAX);
    const params = [some, { searchTransactionHistory: true }];
    const known = await rpc.call('getSignatureStatuses', params, parseKnown, { signal });
    unknown.push(...some.filter((_, index) => known[index] === false));
  }
  return unknown;
}

/** Signatures of one getSignatureStatuses: the most that a node takes. */
const STATUSES_MAX = 256;

/** The store keeps no row of a transaction without records. */
export function leavesNothing(records: TransactionRecords): boolean {
  const { fills, fundingRates, isTruncated } = records;
  return fills.length === 0 && fundingRates.length === 0 && !isTruncated;
}

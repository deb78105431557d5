import type { TransactionRecords } from '../records.js';
import type { StoreChange, StoredTransaction } from '../store/types.js';
import type { Fetched, Fetcher, FetchOptions } from './fetcher.js';
import { SUSPECT_WAIT_MS, UNSETTLED_MAX } from './limits.js';
import type { PlacedSignature } from './listing.js';
import type { IngestParts, IngestRpc, IngestStore } from './parts.js';
import type { Seen } from './seen.js';
import { parseKnown } from './wire.js';

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
  readonly rpc: IngestRpc;
  readonly signal: AbortSignal;
  /** Whether the node knows where the history ends: one that does not cannot say what is gone. */
  readonly isTrusted: boolean;
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
export type WriteMarks = (write: (marks: Readonly<Record<string, string>>) => void) => void;

/** Compares lists of a node with the store: adds, puts in place, and takes away. */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  /** Stored transactions that a finalised listing did not have, and when it was read. */
  readonly #suspects = new Map<string, number>();

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  /** Adds what a confirmed listing has and the store has not. Returns how many were added. */
  async add(rows: readonly PlacedSignature[], reading: Reading): Promise<number> {
    const missing = this.#missing(rows, this.#unsettled(Number.MAX_SAFE_INTEGER));
    const fetched = await this.#fetch(missing, { ...reading, commitment: 'confirmed' });
    this.#write(fetched.records);
    return fetched.records.length;
  }

  /**
   * Brings the store to what the finalised chain has in some slots. The marks are stored last, and
   * only when nothing is left to be asked again; true when they are.
   */
  async settle(
    { rows, above, upTo }: FinalSlots,
    reading: Reading,
    mark: WriteMarks,
  ): Promise<{ readonly isDone: boolean; readonly added: readonly TransactionRecords[] }> {
    const { parts, store, onChange } = this.#options;
    const unsettled = this.#unsettled(upTo);
    const missing = this.#missing(rows, unsettled);
    const fetched = await this.#fetch(missing, { ...reading, commitment: 'finalized' });
    const lost = await this.#lost(rows, { above, stored: unsettled }, reading);
    this.#write(fetched.records);
    if (lost.gone.length > 0) {
      onChange(store.remove(lost.gone));
      parts.counters.reverted += lost.gone.length;
      parts.log.warn({ signatures: lost.gone.slice(0, 10) }, 'a fork took transactions back');
    }
    const places = rows.filter(({ signature, failed }) => !failed && unsettled.has(signature));
    const isDone = fetched.pending === 0 && lost.open === 0;
    if (isDone) mark((marks) => onChange(store.settle(places, marks)));
    else if (places.length > 0) onChange(store.settle(places));
    parts.counters.settled += places.length;
    return { isDone, added: fetched.records };
  }

  #unsettled(slotMax: number): ReadonlyMap<string, StoredTransaction> {
    const stored = this.#options.store.unsettled({ slotMax, limit: UNSETTLED_MAX });
    return new Map(stored.map((transaction) => [transaction.signature, transaction]));
  }

  #missing(
    rows: readonly PlacedSignature[],
    stored: ReadonlyMap<string, StoredTransaction>,
  ): readonly PlacedSignature[] {
    const { seen } = this.#options;
    return rows.filter(({ signature, failed }) => {
      return !failed && !stored.has(signature) && !seen.has(signature);
    });
  }

  async #fetch(rows: readonly PlacedSignature[], options: FetchOptions): Promise<Fetched> {
    if (rows.length === 0) return { records: [], pending: 0 };
    return this.#options.fetcher.fetch(rows, options);
  }

  #write(records: readonly TransactionRecords[]): void {
    const { store, seen, onChange } = this.#options;
    if (records.length === 0) return;
    onChange(store.write({ transactions: records }));
    for (const record of records) if (leavesNothing(record)) seen.add(record);
  }

  /**
   * What is stored and not in the finalised listing. It is asked for by name as well, and again after
   * a while: a node that is behind with its index must not delete what happened.
   */
  async #lost(
    rows: readonly PlacedSignature[],
    {
      above,
      stored,
    }: { readonly above: number; readonly stored: ReadonlyMap<string, StoredTransaction> },
    reading: Reading,
  ): Promise<{ readonly gone: readonly string[]; readonly open: number }> {
    const { nowMs } = this.#options.parts.timers;
    if (!reading.isTrusted) return { gone: [], open: 0 };
    const listed = new Set(rows.map(({ signature }) => signature));
    for (const signature of listed) this.#suspects.delete(signature);
    // What went well on a fork may have failed on the chain.
    const failed = rows.filter((row) => row.failed && stored.has(row.signature));
    const absent = [...stored.values()]
      .filter(({ slot, signature }) => slot > above && !listed.has(signature))
      .map(({ signature }) => signature);
    for (const signature of absent) {
      if (!this.#suspects.has(signature)) this.#suspects.set(signature, nowMs());
    }
    const due = absent.filter((signature) => {
      return nowMs() - (this.#suspects.get(signature) ?? 0) >= SUSPECT_WAIT_MS;
    });
    const unknown = await unknownTo(reading, due);
    for (const signature of unknown) this.#suspects.delete(signature);
    const gone = [...failed.map(({ signature }) => signature), ...unknown];
    return { gone, open: absent.length - unknown.length };
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

import type { NodeRpc } from '../../rpc/node-pool.js';
import { UNCONFIRMED_WAIT_MS, UNLISTED_MS_MAX, UNREADABLE_MS_MAX } from '../model/limits.js';
import type { TransactionRecords } from '../model/records.js';
import type { StoreChange } from '../store/types.js';
import type { Fetched, Fetcher, FetchOptions } from './fetcher.js';
import type { IngestParts, IngestStore } from './parts.js';
import type { WriteProgress } from './progress.js';
import { type PlacedSignature, parseKnown } from './rpc-results.js';
import { type EmptyTransactions, writeRecords } from './store-records.js';

/** The dependencies of the reconciler. */
interface ReconcilerOptions {
  readonly parts: IngestParts;
  readonly store: IngestStore;
  readonly fetcher: Fetcher;
  readonly emptyTransactions: EmptyTransactions;
  /** Called after each commit that changed anything. */
  readonly onChange: (change: StoreChange) => void;
}

/** The node whose lists are compared with the store. */
export interface FetchContext {
  readonly rpc: NodeRpc;
  /** The other nodes. */
  readonly others: readonly NodeRpc[];
  readonly signal: AbortSignal;
  /** The slot above which the node is complete; below it, a missing transaction proves nothing. */
  readonly trustedAbove: number;
}

/** Whole slots of the finalised chain. */
interface FinalSlots {
  /** All of the program's signatures in these slots, oldest first. */
  readonly rows: readonly PlacedSignature[];
  /** The slots: above `above`, up to `upTo`. */
  readonly above: number;
  readonly upTo: number;
  /** Number of unreadable rows that a later listing may return correctly. */
  readonly unread: number;
}

/** Writes progress marks after the records that they cover. */
type WriteMarks = (write: WriteProgress) => void;

/** Compares lists of a node with the store, and adds, moves and removes transactions. */
export class Reconciler {
  readonly #options: ReconcilerOptions;
  /**
   * Stored transactions that a finalised listing did not contain, with the time of that listing.
   */
  readonly #unconfirmed = new Map<string, number>();
  /** Transactions with truncated logs that were fetched again since the marks were last stored. */
  readonly #reread = new Set<string>();
  /** The time since which each list of final logs has unreadable events; null when the last has none. */
  #unreadableSinceMs: number | null = null;

  constructor(options: ReconcilerOptions) {
    this.#options = options;
  }

  /**
   * Adds transactions of a confirmed listing that the store lacks.
   *
   * # Errors
   * Rejects with an RpcError or HistoryError when the node fails, after storing the results so far;
   * the same holds for finalised transactions.
   */
  async addMissing(rows: readonly PlacedSignature[], context: FetchContext): Promise<void> {
    const missing = this.#missingRows(rows);
    const known = this.#knownOf(rows);
    await this.#fetchRows(missing, { ...context, commitment: 'confirmed', known });
  }

  /**
   * Retries some given-up transactions, and stores those that a node now returns; resolves with
   * false when none was due.
   */
  async addGivenLater({ rpc, signal }: FetchContext): Promise<boolean> {
    const { parts, store, fetcher } = this.#options;
    const due = parts.ungiven.takeDue();
    if (due.length === 0) return false;
    const stored = store.findStored(due.map(({ signature }) => signature));
    for (const signature of stored.keys()) fetcher.recordGiven(signature);
    const rows = due.filter(({ signature }) => !stored.has(signature));
    const options = { rpc, signal, commitment: 'finalized', known: [] } as const;
    this.#writeRecords(await fetcher.fetchLater(rows, options));
    if (Object.keys(parts.ungiven.mark).length > 0) this.#writeMarks({});
    return true;
  }

  /**
   * Writes marks together with the given-up transactions, so that no mark passes a transaction
   * before the store lists it.
   */
  #writeMarks(marks: Readonly<Record<string, string | null>>): void {
    const { parts, store, onChange } = this.#options;
    const progress = { ...marks, ...parts.ungiven.mark };
    onChange(store.writeBatch({ transactions: [], progress }));
    parts.ungiven.recordStored();
  }

  /**
   * Makes the store equal to the finalised chain in some slots. The marks are written last, and
   * only when no transaction needs another fetch; `isDone` tells whether they were.
   */
  async reconcileSlots(
    slots: FinalSlots,
    context: FetchContext,
    mark: WriteMarks,
  ): Promise<{ readonly isDone: boolean; readonly added: readonly TransactionRecords[] }> {
    const known = this.#knownOf(slots.rows);
    const final = { ...context, commitment: 'finalized', known } as const;
    const cut = this.#truncatedRows(slots.rows);
    const again = new Set(cut.map(({ signature }) => signature));
    const added = await this.#fetchRows([...this.#missingRows(slots.rows), ...cut], final, again);
    const unreadable = this.#takeReread(added.records);
    const lost = await this.#findReverted(slots, context);
    this.#removeTransactions(lost.gone);
    const elsewhere = this.#finalisePositions(slots.rows);
    const moved = await this.#fetchRows(elsewhere, final);
    // The transaction has left records only on a fork.
    this.#removeTransactions(
      moved.records.filter(isEmptyTransaction).map(({ signature }) => signature),
    );
    const open = slots.unread + added.pending + moved.pending + lost.open + unreadable;
    const isDone = open === 0;
    if (isDone) mark((marks) => this.#writeMarks(marks));
    if (isDone) this.#reread.clear();
    return { isDone, added: added.records.filter(({ signature }) => !again.has(signature)) };
  }

  /**
   * Marks truncated logs as fetched again; returns how many contain unreadable events, which are
   * retried for some time.
   */
  #takeReread(records: readonly TransactionRecords[]): number {
    const nowMs = this.#options.parts.timers.nowMs();
    const cut = records.filter(({ isTruncated }) => isTruncated);
    const isUnreadable = ({ unreadableEvents = 0 }: TransactionRecords): boolean =>
      unreadableEvents > 0;
    if (cut.some(isUnreadable)) this.#unreadableSinceMs ??= nowMs;
    else if (records.length > 0) this.#unreadableSinceMs = null;
    const isOver = nowMs - (this.#unreadableSinceMs ?? nowMs) >= UNREADABLE_MS_MAX;
    const left = isOver ? [] : cut.filter(isUnreadable);
    for (const record of cut) if (!left.includes(record)) this.#reread.add(record.signature);
    return left.length;
  }

  #missingRows(rows: readonly PlacedSignature[]): readonly PlacedSignature[] {
    const { emptyTransactions, store } = this.#options;
    const asked = rows.filter((row) => !row.failed && !emptyTransactions.has(row));
    const known = store.findStored(asked.map(({ signature }) => signature));
    return asked.filter(({ signature }) => !known.has(signature));
  }

  /**
   * Returns the rows with truncated logs, which are fetched once more: a later response, or another
   * node, may have the whole log.
   */
  #truncatedRows(rows: readonly PlacedSignature[]): readonly PlacedSignature[] {
    const asked = rows.filter(({ signature, failed }) => !failed && !this.#reread.has(signature));
    const cut = this.#options.store.findTruncated(asked.map(({ signature }) => signature));
    return asked.filter(({ signature }) => cut.has(signature));
  }

  /** Some stored transactions of a list. */
  #knownOf(rows: readonly PlacedSignature[]): readonly string[] {
    const stored = [...this.#options.store.findStored(rows.map(({ signature }) => signature))];
    return [...stored.slice(0, 1), ...stored.slice(-1)];
  }

  /** Fetches and stores rows; for `stored` rows see {@link #writeRecords}. */
  async #fetchRows(
    rows: readonly PlacedSignature[],
    options: FetchOptions,
    stored?: ReadonlySet<string>,
  ): Promise<Fetched> {
    if (rows.length === 0) return { records: [], pending: 0, failure: null };
    const fetched = await this.#options.fetcher.fetchTransactions(rows, options);
    this.#writeRecords(fetched.records, stored);
    if (fetched.failure !== null) throw fetched.failure;
    return fetched;
  }

  /** Writes the records; for `stored` rows, an empty result is also written. */
  #writeRecords(
    records: readonly TransactionRecords[],
    stored: ReadonlySet<string> = new Set(),
  ): void {
    const { emptyTransactions } = this.#options;
    const kept = records.filter((one) => !isEmptyTransaction(one) || stored.has(one.signature));
    for (const record of records) if (isEmptyTransaction(record)) emptyTransactions.add(record);
    for (const record of writeRecords(kept, this.#options)) emptyTransactions.add(record);
  }

  /** Sets the final places; returns the rows whose transaction is stored in another slot. */
  #finalisePositions(rows: readonly PlacedSignature[]): readonly PlacedSignature[] {
    const { parts, store, onChange } = this.#options;
    const known = store.findStored(rows.map(({ signature }) => signature));
    const stored = rows.filter(({ signature, failed }) => !failed && known.has(signature));
    if (stored.length === 0) return [];
    const { change, elsewhere } = store.finaliseTransactions(stored);
    onChange(change);
    parts.counters.settled += stored.length - elsewhere.length;
    const moved = new Set(elsewhere);
    return stored.filter(({ signature }) => moved.has(signature));
  }

  #removeTransactions(signatures: readonly string[]): void {
    const { parts, store, onChange } = this.#options;
    if (signatures.length === 0) return;
    onChange(store.removeTransactions(signatures));
    parts.counters.reverted += signatures.length;
    parts.log.warn({ signatures: signatures.slice(0, 10) }, 'a fork took transactions back');
  }

  /**
   * Finds stored transactions that the finalised listing does not contain. After a wait the node is
   * also queried for each signature, because a node with a lagging index must not cause a deletion.
   */
  async #findReverted(
    { rows, above, upTo }: FinalSlots,
    context: FetchContext,
  ): Promise<{ readonly gone: readonly string[]; readonly open: number }> {
    const { store, parts } = this.#options;
    const listed = new Set(rows.map(({ signature }) => signature));
    // A transaction that succeeded on a fork may have failed on the chain.
    const failed = rows.filter((row) => row.failed).map(({ signature }) => signature);
    const absent = store
      .readUnfinalised({ slotAfter: Math.max(above, context.trustedAbove), slotUpTo: upTo })
      .map(({ signature }) => signature)
      .filter((signature) => !listed.has(signature));
    const nowMs = parts.timers.nowMs();
    this.#updateUnconfirmed(absent, nowMs);
    const due = absent.filter((signature) => {
      return nowMs - (this.#unconfirmed.get(signature) ?? nowMs) >= UNCONFIRMED_WAIT_MS;
    });
    const unknown = await unknownTo(context, due);
    for (const signature of unknown) this.#unconfirmed.delete(signature);
    // A transaction that the node knows but never lists must not block the marks.
    const open = absent.filter((signature) => {
      return (
        nowMs - (this.#unconfirmed.get(signature) ?? Number.NEGATIVE_INFINITY) < UNLISTED_MS_MAX
      );
    });
    return { gone: [...store.findStored(failed), ...unknown], open: open.length };
  }

  /** Records since when each transaction is missing; forgets transactions that are listed again. */
  #updateUnconfirmed(absent: readonly string[], nowMs: number): void {
    const now = new Set(absent);
    for (const signature of this.#unconfirmed.keys()) {
      if (!now.has(signature)) this.#unconfirmed.delete(signature);
    }
    for (const signature of absent) {
      if (!this.#unconfirmed.has(signature)) this.#unconfirmed.set(signature, nowMs);
    }
  }
}

/** Returns the signatures that the node does not know. */
async function unknownTo(
  { rpc, signal }: FetchContext,
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

/** Maximum signatures of one getSignatureStatuses request, the maximum of a node. */
const STATUSES_MAX = 256;

/** Returns whether a transaction has no records, so that the store keeps no row of it. */
export function isEmptyTransaction(records: TransactionRecords): boolean {
  return records.records.length === 0 && !records.isTruncated;
}

import { subjectOf } from '../../rpc/error.js';
import { readTransaction } from '../../rpc/methods.js';
import type { NodeRpc } from '../../rpc/node-pool.js';
import type { RateLimiter } from '../../rpc/rate-limiter.js';
import { HistoryError } from '../model/error.js';
import { CUT_ALIKE_MAX, FETCHES_MAX, UNPROVEN_MAX, UNSURE_FAILURES_MAX } from '../model/limits.js';
import type { TransactionRecords } from '../model/records.js';
import { decodeRecords, type IngestParts } from './parts.js';
import {
  isNodeFailure,
  type PlacedSignature,
  parseTransaction,
  type TransactionLog,
} from './rpc-results.js';

/** The result of fetching a list of transactions. */
export interface Fetched {
  readonly records: readonly TransactionRecords[];
  /**
   * Number of transactions that the node lists but does not return yet; they must be requested
   * again.
   */
  readonly pending: number;
  /**
   * The failure of the node, as opposed to refused transactions; the remaining transactions must
   * then be requested again.
   */
  readonly failure: Error | null;
}

/** The nodes and the commitment of a fetch. */
export interface FetchOptions {
  readonly rpc: NodeRpc;
  readonly commitment: 'confirmed' | 'finalized';
  readonly signal: AbortSignal;
  /**
   * Some transactions that exist on the chain, by which a node is tested: a node that returns one
   * of them works.
   */
  readonly known: readonly string[];
}

/** Fetches transactions by signature, a few in parallel, within the node's rate limit. */
export class Fetcher {
  readonly #parts: IngestParts;
  readonly #limiter: RateLimiter;
  /** All nodes, because another node may have a transaction that one node lacks. */
  readonly #rpcs: readonly NodeRpc[];
  /** Number of truncated logs since a node returned a whole one. */
  #cutAlike = 0;
  /** The last transaction that a node returned. */
  #lastGiven: string | null = null;

  constructor(parts: IngestParts, limiter: RateLimiter, rpcs: readonly NodeRpc[]) {
    this.#parts = parts;
    this.#limiter = limiter;
    this.#rpcs = rpcs;
  }

  /**
   * Fetches transactions. A transaction that no node returns does not block the others: it is
   * retried, and finally given up.
   */
  async fetchTransactions(
    rows: readonly PlacedSignature[],
    options: FetchOptions,
  ): Promise<Fetched> {
    const page: FetchedPage = { records: [], given: 0, ungiven: [], unsureInRow: 0 };
    const stop = new AbortController();
    const signal = AbortSignal.any([options.signal, stop.signal]);
    let next = 0;
    const work = async (): Promise<void> => {
      for (let row = rows[next]; row !== undefined; row = rows[next]) {
        next += 1;
        await this.#fetchInto(page, row, { ...options, signal });
      }
    };
    const workers = Array.from({ length: Math.min(FETCHES_MAX, rows.length) }, work);
    try {
      await Promise.all(workers);
    } catch (failure) {
      if (options.signal.aborted || !isNodeFailure(failure)) throw failure;
      return { records: page.records, pending: 0, failure };
    } finally {
      stop.abort();
      await Promise.allSettled(workers);
    }
    return { records: page.records, ...(await this.#judgeUngiven(page, options)) };
  }

  /** Retries transactions that were given up; returns those that a node now returns. */
  async fetchLater(
    rows: readonly PlacedSignature[],
    options: FetchOptions,
  ): Promise<readonly TransactionRecords[]> {
    const found = await Promise.all(
      rows.map(async (row) => {
        const result = await this.#requestFromOthers(null, row, { ...options, beside: null });
        if (result !== null) this.recordGiven(row.signature);
        return result === 'failed' ? null : result;
      }),
    );
    return found.filter((one) => one !== null);
  }

  /** Records that a transaction arrived, from a node or a socket. */
  recordGiven(signature: string): void {
    if (this.#parts.ungiven.recordGiven(signature)) this.#parts.counters.recovered += 1;
  }

  async #fetchInto(page: FetchedPage, row: PlacedSignature, options: FetchOptions): Promise<void> {
    const { ungiven } = this.#parts;
    const { signature } = row;
    ungiven.place(row);
    if (ungiven.isGivenUp(signature)) return;
    const { own, failure } = await this.#requestFromOwn(page, row, options);
    if (isWhole(own)) this.#cutAlike = 0;
    const wantsOthers =
      own === null
        ? failure !== null || ungiven.wasTried(signature)
        : !isWhole(own) && this.#mayBeWholeElsewhere();
    const best = wantsOthers
      ? await this.#requestFromOthers(own, row, { ...options, beside: options.rpc })
      : own;
    if (best === null) {
      page.ungiven.push({ row, failure });
      return;
    }
    this.recordGiven(signature);
    this.#lastGiven = signature;
    page.given += 1;
    if (best !== 'failed') page.records.push(best);
  }

  /** Returns whether to ask for a truncated log elsewhere: for the first ones, then for one of as many. */
  #mayBeWholeElsewhere(): boolean {
    this.#cutAlike += 1;
    return this.#cutAlike <= CUT_ALIKE_MAX || this.#cutAlike % CUT_ALIKE_MAX === 0;
  }

  /**
   * # Errors
   * Rejects with an RpcError when the node itself fails, as opposed to a single item.
   */
  async #requestFromOwn(
    page: FetchedPage,
    row: PlacedSignature,
    options: FetchOptions,
  ): Promise<{ readonly own: FetchResult; readonly failure: Error | null }> {
    try {
      const own = await this.#requestFrom(row, options);
      page.unsureInRow = 0;
      return { own, failure: null };
    } catch (error) {
      if (options.signal.aborted || !isNodeFailure(error)) throw error;
      const subject = subjectOf(error);
      page.unsureInRow = subject === 'item' ? 0 : page.unsureInRow + 1;
      if (subject === 'node' || page.unsureInRow >= UNSURE_FAILURES_MAX) throw error;
      return { own: null, failure: error };
    }
  }

  async #requestFrom(row: PlacedSignature, options: FetchOptions): Promise<FetchResult> {
    const found = await this.#readLog(row.signature, options);
    if (found === null) return null;
    const { decode, counters } = this.#parts;
    const { signature, slot, place } = row;
    counters.fetched += 1;
    if (found.failed) return 'failed';
    const isFinal = options.commitment === 'finalized';
    return decodeRecords(decode, counters, { signature, slot, place, isFinal, lines: found.lines });
  }

  #readLog(signature: string, options: FetchOptions): Promise<TransactionLog | null> {
    const { rpc, commitment, signal } = options;
    return this.#limiter.runRequest(signal, () =>
      readTransaction(rpc, { signature, commitment, signal }, parseTransaction),
    );
  }

  /** Returns the first complete log from the other nodes, or else the best log. */
  async #requestFromOthers(
    own: FetchResult,
    row: PlacedSignature,
    options: FetchOptions & { readonly beside: NodeRpc | null },
  ): Promise<FetchResult> {
    let best = own;
    for (const rpc of this.#rpcs) {
      if (rpc === options.beside) continue;
      try {
        const result = await this.#requestFrom(row, { ...options, rpc });
        if (isWhole(result)) {
          this.#cutAlike = 0;
          return result;
        }
        best ??= result;
      } catch (error) {
        // A failure of another node counts as a missing item: only failures of the node in use are
        // reported.
        if (options.signal.aborted || !isNodeFailure(error)) throw error;
      }
    }
    return best;
  }

  /**
   * Decides whether items were refused or the node fails: the node works if it returns any known
   * transaction.
   */
  async #judgeUngiven(
    { given, ungiven: list }: FetchedPage,
    options: FetchOptions,
  ): Promise<Pick<Fetched, 'pending' | 'failure'>> {
    const { ungiven } = this.#parts;
    const wantsProof = list.some(
      (one) => one.failure !== null || ungiven.wasTried(one.row.signature),
    );
    const isProven = given > 0 || (wantsProof && (await this.#givesKnown(options)));
    let pending = 0;
    const doubtful: Ungiven[] = [];
    let failure: Error | null = null;
    for (const one of list) {
      const verdict = ungiven.judge(one.row.signature, { isProven });
      if (verdict === 'givenUp') {
        this.#giveUp(one);
        continue;
      }
      pending += 1;
      if (verdict === 'blocked') failure ??= one.failure ?? nothingGivenError();
      if (verdict === 'doubtful' && one.failure !== null) doubtful.push(one);
    }
    const unsure = doubtful.find(
      (one) => one.failure !== null && subjectOf(one.failure) !== 'item',
    );
    if (doubtful.length > UNPROVEN_MAX) failure ??= doubtful[0]?.failure ?? null;
    return { pending, failure: failure ?? unsure?.failure ?? null };
  }

  async #givesKnown(options: FetchOptions): Promise<boolean> {
    const { known, signal } = options;
    for (const signature of new Set([this.#lastGiven, ...known])) {
      if (signature === null) continue;
      try {
        if ((await this.#readLog(signature, options)) !== null) return true;
      } catch (error) {
        if (signal.aborted || !isNodeFailure(error)) throw error;
      }
    }
    return false;
  }

  #giveUp({ row, failure }: Ungiven): void {
    const { counters, ungiven, log } = this.#parts;
    const { signature } = row;
    ungiven.place(row);
    counters.unavailable += 1;
    const reason = failure?.message ?? 'it is listed, and no node has it';
    log.warn({ signature, reason }, 'a transaction is unavailable');
  }
}

/** A node's response for a transaction; null when it lacks the transaction. */
type FetchResult = TransactionRecords | 'failed' | null;

/** A transaction that no node returned; `failure` is null when the node in use does not have it. */
interface Ungiven {
  readonly row: PlacedSignature;
  readonly failure: Error | null;
}

/** Results so far of a list of transactions. */
interface FetchedPage {
  readonly records: TransactionRecords[];
  given: number;
  readonly ungiven: Ungiven[];
  /** Number of consecutive failures that may be caused by single transactions or by the node. */
  unsureInRow: number;
}

function isWhole(result: FetchResult): boolean {
  return result === 'failed' || (result !== null && !result.isTruncated);
}

function nothingGivenError(): HistoryError {
  const what = 'none of the transactions that the node lists';
  return new HistoryError('MALFORMED_HISTORY_ANSWER', `the node gives ${what}`, { what });
}

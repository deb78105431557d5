import type { NodeRpc } from '../../rpc/node-pool.js';
import type { RateLimiter } from '../../rpc/rate-limiter.js';
import { FETCH_TRIES_MAX, FETCHES_MAX } from '../model/limits.js';
import type { TransactionRecords } from '../model/records.js';
import type { PlacedSignature } from './listing.js';
import { decodeRecords, type IngestParts } from './parts.js';
import { isNodeFailure, parseTransaction } from './rpc-results.js';

/** What came of a list of transactions. */
export interface Fetched {
  readonly records: readonly TransactionRecords[];
  /** Those that the node lists and does not have yet: to be requested again. */
  readonly pending: number;
}

/** Whose transactions are read, and at which commitment. */
export interface FetchOptions {
  readonly rpc: NodeRpc;
  readonly commitment: 'confirmed' | 'finalized';
  readonly signal: AbortSignal;
}

/** Reads transactions by their signatures, a few at once and no faster than the node allows. */
export class Fetcher {
  readonly #parts: IngestParts;
  readonly #limiter: RateLimiter;
  /** Of all nodes: what one of them lacks, another may have. */
  readonly #rpcs: readonly NodeRpc[];
  /** How often each was requested in vain. */
  readonly #tries = new Map<string, number>();

  constructor(parts: IngestParts, limiter: RateLimiter, rpcs: readonly NodeRpc[]) {
    this.#parts = parts;
    this.#limiter = limiter;
    this.#rpcs = rpcs;
  }

  /**
   * # Errors
   * RpcError when the node fails; what was read until then is lost, and read again.
   */
  async fetchTransactions(
    rows: readonly PlacedSignature[],
    options: FetchOptions,
  ): Promise<Fetched> {
    const records: TransactionRecords[] = [];
    const stop = new AbortController();
    const signal = AbortSignal.any([options.signal, stop.signal]);
    let next = 0;
    let pending = 0;
    const work = async (): Promise<void> => {
      for (let row = rows[next]; row !== undefined; row = rows[next]) {
        next += 1;
        const found = await this.#fetchTransaction(row, { ...options, signal });
        if (found === 'pending') pending += 1;
        else if (found !== 'none') records.push(found);
      }
    };
    const workers = Array.from({ length: Math.min(FETCHES_MAX, rows.length) }, work);
    try {
      await Promise.all(workers);
    } finally {
      stop.abort();
      await Promise.allSettled(workers);
    }
    return { records, pending };
  }

  async #fetchTransaction(
    row: PlacedSignature,
    options: FetchOptions,
  ): Promise<TransactionRecords | 'pending' | 'none'> {
    const { signature } = row;
    const own = await this.#requestFrom(row, options);
    if (own === null && this.#mayAppear(signature)) return 'pending';
    this.#tries.delete(signature);
    const best = isWhole(own) ? own : await this.#requestFromOthers(own, row, options);
    if (best !== null) return best === 'failed' ? 'none' : best;
    this.#parts.counters.unavailable += 1;
    this.#parts.log.warn({ signature }, 'a transaction is listed, but no node returns it');
    return 'none';
  }

  async #requestFrom(
    row: PlacedSignature,
    { rpc, commitment, signal }: FetchOptions,
  ): Promise<FetchResult> {
    const { signature, slot, place } = row;
    const config = { commitment, encoding: 'json', maxSupportedTransactionVersion: 0 };
    const params = [signature, config];
    const found = await this.#limiter.runRequest(signal, () =>
      rpc.call('getTransaction', params, parseTransaction, { signal }),
    );
    if (found === null) return null;
    const { decode, counters } = this.#parts;
    counters.fetched += 1;
    if (found.failed) return 'failed';
    const isFinal = commitment === 'finalized';
    return decodeRecords(decode, counters, { signature, slot, place, isFinal, lines: found.lines });
  }

  /** The first whole log that another node has, or the best that there is. */
  async #requestFromOthers(
    own: FetchResult,
    row: PlacedSignature,
    options: FetchOptions,
  ): Promise<FetchResult> {
    let best = own;
    for (const rpc of this.#rpcs) {
      if (rpc === options.rpc) continue;
      try {
        const result = await this.#requestFrom(row, { ...options, rpc });
        if (isWhole(result)) return result;
        best ??= result;
      } catch (error) {
        // Another node's failure counts as not having it: only failures of the node in use are reported.
        if (options.signal.aborted || !isNodeFailure(error)) throw error;
      }
    }
    return best;
  }

  /** A node may list what it has not written yet; what it never gives must not hold all else up. */
  #mayAppear(signature: string): boolean {
    const tries = (this.#tries.get(signature) ?? 0) + 1;
    this.#tries.set(signature, tries);
    return tries < FETCH_TRIES_MAX;
  }
}

/** What a node says of a transaction; null when it does not have it. */
type FetchResult = TransactionRecords | 'failed' | null;

function isWhole(result: FetchResult): boolean {
  return result === 'failed' || (result !== null && !result.isTruncated);
}

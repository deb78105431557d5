import type { TransactionRecords } from '../records.js';
import { FETCH_TRIES_MAX, FETCHES_MAX } from './limits.js';
import type { PlacedSignature } from './listing.js';
import type { Pace } from './pace.js';
import { type IngestParts, type IngestRpc, recordsOf } from './parts.js';
import { parseTransaction } from './wire.js';

/** What came of a list of transactions. */
export interface Fetched {
  readonly records: readonly TransactionRecords[];
  /** Those that the node lists and does not have yet: to be asked for again. */
  readonly pending: number;
}

/** Whose transactions are read, and at which commitment. */
export interface FetchOptions {
  readonly rpc: IngestRpc;
  readonly commitment: 'confirmed' | 'finalized';
  readonly signal: AbortSignal;
}

/** Reads transactions by their signatures, a few at once and no faster than the node allows. */
export class Fetcher {
  readonly #parts: IngestParts;
  readonly #pace: Pace;
  /** How often each was asked for in vain. */
  readonly #tries = new Map<string, number>();

  constructor(parts: IngestParts, pace: Pace) {
    this.#parts = parts;
    this.#pace = pace;
  }

  /**
   * # Errors
   * RpcError when the node fails; what was read until then is lost, and read again.
   */
  async fetch(rows: readonly PlacedSignature[], options: FetchOptions): Promise<Fetched> {
    const records: TransactionRecords[] = [];
    const stop = new AbortController();
    const signal = AbortSignal.any([options.signal, stop.signal]);
    let next = 0;
    let pending = 0;
    const work = async (): Promise<void> => {
      for (let row = rows[next]; row !== undefined; row = rows[next]) {
        next += 1;
        const found = await this.#read(row, { ...options, signal });
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

  async #read(
    row: PlacedSignature,
    { rpc, commitment, signal }: FetchOptions,
  ): Promise<TransactionRecords | 'pending' | 'none'> {
    await this.#pace.turn(signal);
    const { signature, slot, place } = row;
    const config = { commitment, encoding: 'json', maxSupportedTransactionVersion: 0 };
    const found = await rpc.call('getTransaction', [signature, config], parseTransaction, {
      signal,
    });
    const { decode, counters } = this.#parts;
    if (found === null) return this.#missing(signature);
    this.#tries.delete(signature);
    counters.fetched += 1;
    if (found.failed) return 'none';
    const isFinal = commitment === 'finalized';
    return recordsOf(decode, counters, { signature, slot, place, isFinal, lines: found.lines });
  }

  /** A node may list what it has not written yet; what it never gives must not hold all else up. */
  #missing(signature: string): 'pending' | 'none' {
    const tries = (this.#tries.get(signature) ?? 0) + 1;
    this.#tries.set(signature, tries);
    if (tries < FETCH_TRIES_MAX) return 'pending';
    this.#tries.delete(signature);
    this.#parts.counters.unavailable += 1;
    this.#parts.log.warn({ signature }, 'the node lists a transaction that it does not have');
    return 'none';
  }
}

import { loggedFailure } from '../../rpc/error.js';
import { EMPTY_TRANSACTIONS_MAX } from '../model/limits.js';
import type { TransactionRecords } from '../model/records.js';
import { StoreError } from '../store/error.js';
import type { StoreChange } from '../store/types.js';
import type { IngestParts, IngestStore } from './parts.js';

/**
 * Stores records. A record that the store can never hold is skipped and counted, so that it does
 * not block all others. Returns the skipped records.
 *
 * # Errors
 * Throws a StoreError when the disk fails.
 */
export function writeRecords(
  records: readonly TransactionRecords[],
  {
    parts,
    store,
    onChange,
  }: {
    readonly parts: IngestParts;
    readonly store: IngestStore;
    readonly onChange: (change: StoreChange) => void;
  },
): readonly TransactionRecords[] {
  if (records.length === 0) return [];
  try {
    onChange(store.writeBatch({ transactions: records }));
    return [];
  } catch (error) {
    if (!isOfRecords(error)) throw error;
    if (records.length === 1) {
      parts.counters.faults += 1;
      const reason = loggedFailure(error);
      const [record] = records;
      parts.log.warn({ signature: record?.signature, reason }, 'a transaction cannot be stored');
      return records;
    }
  }
  return records.flatMap((record) => writeRecords([record], { parts, store, onChange }));
}

function isOfRecords(error: unknown): boolean {
  return error instanceof StoreError && error.reason === 'internal';
}

/**
 * Remembers checked transactions above the finalised tip that have no records and need no further
 * fetch. An evicted transaction is fetched again.
 */
export class EmptyTransactions {
  readonly #slots = new Map<string, number>();

  get size(): number {
    return this.#slots.size;
  }

  /**
   * Returns whether a transaction is known to be empty; in another slot it ran on another state,
   * and may have records.
   */
  has({ signature, slot }: { readonly signature: string; readonly slot: number }): boolean {
    return this.#slots.get(signature) === slot;
  }

  /** Forgets that a transaction has no records, because records of it were found. */
  delete(signature: string): void {
    this.#slots.delete(signature);
  }

  add({ signature, slot }: { readonly signature: string; readonly slot: number }): void {
    this.#slots.set(signature, slot);
    if (this.#slots.size <= EMPTY_TRANSACTIONS_MAX) return;
    for (const oldest of this.#slots.keys()) {
      this.#slots.delete(oldest);
      return;
    }
  }

  forgetUpTo(slotMax: number): void {
    for (const [signature, slot] of this.#slots) {
      if (slot <= slotMax) this.#slots.delete(signature);
    }
  }

  clear(): void {
    this.#slots.clear();
  }
}

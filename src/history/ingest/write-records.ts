import type { TransactionRecords } from '../model/records.js';
import { StoreError } from '../store/error.js';
import type { StoreChange } from '../store/types.js';
import type { IngestParts, IngestStore } from './parts.js';

/**
 * Stores records. One that the store cannot hold, whatever the disk, is left out and counted: it must
 * not keep all others away for ever. Returns those that were left out.
 *
 * # Errors
 * StoreError when the disk does not take them.
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
    onChange(store.write({ transactions: records }));
    return [];
  } catch (error) {
    if (!isOfRecords(error)) throw error;
    if (records.length === 1) {
      parts.counters.faults += 1;
      const reason = error instanceof Error ? error.message : String(error);
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

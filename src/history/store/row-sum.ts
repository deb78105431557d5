/**
 * The checksum of every row, in its column `sum`. When the row is read, it reveals bytes that
 * changed on disk, which the database itself does not detect. Each row has its own checksum, so
 * that a page verifies exactly its rows; a checksum costs a microsecond.
 */
import { crc32 } from 'node:zlib';
import { StoreError } from './error.js';

/**
 * Returns the checksum of some values. A number counts by its digits, so that 5 and 5n have the
 * same checksum.
 */
export function rowSum(values: readonly unknown[]): number {
  return crc32(values.join());
}

/** The checksum of a blob. */
export function blobSum(bytes: Uint8Array): number {
  return crc32(bytes);
}

/**
 * Verifies a column `sum`; marks of a claim have null there.
 *
 * # Errors
 * Throws a StoreError on a mismatch.
 */
export function requireSum(table: string, stored: unknown, sum: number): void {
  if (stored === null || Number(stored) === sum) return;
  throw damagedError(table);
}

/** The error for a damaged row. */
export function damagedError(table: string): StoreError {
  return new StoreError(
    'corrupt',
    `the file is damaged: a row of ${table} is not what was written`,
  );
}

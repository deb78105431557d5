/**
 * The checksum of every row, in its column `sum`: it reveals bytes changed on disk, which the
 * database itself does not detect, when the row is read. Each row has its own, so that a page
 * verifies exactly its rows; it costs a microsecond.
 */
import { crc32 } from 'node:zlib';
import { StoreError } from './error.js';

/** The index of the place in a record row: it may change independently, see `recordSum`. */
const placeAt = 2;
/** The CRC has the 32 bits below it. */
const placeUnit = 2 ** 32;

/** The checksum of some values. Numbers count by their digits, so that 5 and 5n are equal. */
export function rowSum(values: readonly unknown[]): number {
  return crc32(values.join());
}

/** The checksum of a blob. */
export function blobSum(bytes: Uint8Array): number {
  return crc32(bytes);
}

/**
 * The checksum of a record's values: the place, and the CRC of the others. The values are unchanged
 * on return.
 */
export function recordSum(values: unknown[]): number {
  const place = values[placeAt];
  // Temporarily: copying the array would take as long as the CRC.
  values[placeAt] = null;
  const others = crc32(values.join());
  values[placeAt] = place;
  return Number(place) * placeUnit + others;
}

/** SQL that sets the place of a record to a parameter, and updates its checksum. */
export const MOVE_RECORD = `place = ?1, sum = sum + (?1 - place) * ${placeUnit}`;

/**
 * Verifies a column `sum`; it is null in rows of an earlier version.
 *
 * # Errors
 * StoreError on a mismatch.
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

/**
 * The checksum of every row, in its column `sum`. When the row is read, it reveals bytes that
 * changed on disk, which the database itself does not detect. Each row has its own checksum, so
 * that a page verifies exactly its rows; a checksum costs a microsecond.
 */
import { crc32 } from 'node:zlib';
import { StoreError } from './error.js';

/**
 * The index of `place` in a record row; the place may change without the other values, see
 * `recordSum`.
 */
const placeAt = 2;
/** The unit of the place in a checksum; the CRC has the 32 bits below it. */
const placeUnit = 2 ** 32;

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
 * Returns the checksum of a record's values: the place, and the CRC of the other values. The values
 * are unchanged on return.
 */
export function recordSum(values: unknown[]): number {
  const place = values[placeAt];
  // The place is removed temporarily, because copying the array would take as long as the CRC.
  values[placeAt] = null;
  const others = crc32(values.join());
  values[placeAt] = place;
  return Number(place) * placeUnit + others;
}

/** SQL that sets the place of a record to a parameter, and updates its checksum. */
export const MOVE_RECORD = `place = ?1, sum = sum + (?1 - place) * ${placeUnit}`;

/**
 * Verifies a column `sum`; rows of an earlier version have null there.
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

/**
 * The checksum that every row carries in its column `sum`: what the database itself does not notice, a
 * byte that the disk changed, is noticed when the row is read. A row is a group of its own, so that a
 * page checks what it shows and nothing else; it costs a microsecond.
 */
import { crc32 } from 'node:zlib';
import { StoreError } from './error.js';

/** Where the place stands in a row of records: it may change without the rest, see `recordSum`. */
const placeAt = 2;
/** The CRC has the 32 bits below it. */
const placeUnit = 2 ** 32;

/** The checksum of some values. Numbers count by their digits, so that 5 and 5n have the same. */
export function rowSum(values: readonly unknown[]): number {
  return crc32(values.join());
}

/** The checksum of a blob. */
export function blobSum(bytes: Uint8Array): number {
  return crc32(bytes);
}

/** The checksum of a record's values: the place, and the CRC of all others. The values are as they were when it returns. */
export function recordSum(values: unknown[]): number {
  const place = values[placeAt];
  // A copy without it would take as long as the CRC.
  values[placeAt] = null;
  const others = crc32(values.join());
  values[placeAt] = place;
  return Number(place) * placeUnit + others;
}

/** SQL that sets the place of a record to a parameter, and its checksum with it. */
export const MOVE_RECORD = `place = ?1, sum = sum + (?1 - place) * ${placeUnit}`;

/**
 * Checks what a column `sum` says; null stands in rows that an earlier version wrote.
 *
 * # Errors
 * StoreError when the row is not what was written.
 */
export function requireSum(table: string, stored: unknown, sum: number): void {
  if (stored === null || Number(stored) === sum) return;
  throw damagedError(table);
}

/** The error for a row that is not what was written. */
export function damagedError(table: string): StoreError {
  return new StoreError(
    'corrupt',
    `the file is damaged: a row of ${table} is not what was written`,
  );
}

/**
 * Reads pages of records, newest first, without duplicates or holes while records arrive: a page
 * ends at a position that never changes.
 */
import { PAGE_ROWS_MAX } from '../model/limits.js';
import type { RecordRow } from '../model/records.js';

/** A page, and whether more rows follow. */
export interface Page {
  readonly rows: readonly RecordRow[];
  readonly hasMore: boolean;
}

/** Reads a page of `limit` rows by a function that reads as many rows as it is told. */
export function readPage(limit: number, read: (rows: number) => readonly RecordRow[]): Page {
  const rows = read(Math.min(limit + 1, PAGE_ROWS_MAX));
  return { rows: rows.slice(0, limit), hasMore: rows.length > limit };
}

/**
 * Reads pages of a market's records, newest first, without duplicates or holes while records
 * arrive.
 *
 * The store orders records by slot, place and index, and the place in an unfinalised slot may still
 * change. Pages order the records of a slot by the program's record numbers instead, so slots are
 * read whole.
 */
import { PAGE_ROWS_MAX } from '../model/limits.js';
import type { RecordPosition } from '../store/types.js';
import type { PageEnd } from './cursor.js';

/** Reads rows of the store, newest first. */
type ReadRows<Row> = (part: {
  readonly limit: number;
  readonly offset?: number;
  readonly before?: RecordPosition;
}) => readonly Row[];

/** The requested page. */
interface PageRequest {
  /** Maximum rows, above 0. */
  readonly limit: number;
  /** Rows to skip from the newest. */
  readonly offset?: number;
  readonly after?: PageEnd;
}

/** A page, and whether more rows follow. */
export interface Page<Row> {
  readonly rows: readonly Row[];
  readonly hasMore: boolean;
  /** The position after which the page begins; undefined at the newest row. */
  readonly after: PageEnd | undefined;
}

/** Number of rows read beyond a page, so that one read usually completes the page's last slot. */
const EXTRA_ROWS = 32;

/** A number above all record numbers, which have 64 bits. */
const ID_ABOVE_ALL = 2n ** 64n;

/** Reads a page. `idOf` returns the program's number of a row. */
export function readPage<Row extends RecordPosition>(
  { limit, offset = 0, after }: PageRequest,
  read: ReadRows<Row>,
  idOf: (row: Row) => bigint | null,
): Page<Row> {
  const endOf = (row: Row): PageEnd => ({ slot: row.slot, id: idOf(row) ?? -1n });
  let begin = after;
  if (begin === undefined && offset > 0) {
    begin = endBefore(offset, { limit, read, endOf });
    if (begin === undefined) return { rows: [], hasMore: false, after: undefined };
  }
  const rows: Row[] = [];
  for (const row of rowsBehind(begin, { limit, read, endOf })) {
    if (rows.length === limit) return { rows, hasMore: true, after: begin };
    rows.push(row);
  }
  return { rows, hasMore: false, after: begin };
}

interface PageReader<Row> {
  readonly limit: number;
  readonly read: ReadRows<Row>;
  readonly endOf: (row: Row) => PageEnd;
}

/**
 * Returns the end of the first `offset` rows (at least 1); undefined when there are fewer. The last
 * slot is counted in page order, because the store's order changes with the places.
 */
function endBefore<Row extends RecordPosition>(
  offset: number,
  reading: PageReader<Row>,
): PageEnd | undefined {
  const { read, endOf } = reading;
  let slot: number | undefined;
  // Rows before that slot.
  let ahead = offset;
  while (ahead > 0) {
    const from = Math.max(0, ahead - EXTRA_ROWS);
    const part = read({ limit: ahead - from, offset: from });
    if (part.length < ahead - from) return undefined;
    slot ??= part.at(-1)?.slot;
    const other = part.findLastIndex((row) => row.slot !== slot);
    ahead = from + other + 1;
    if (other >= 0) break;
  }
  if (slot === undefined) return undefined;
  let left = offset - ahead;
  for (const row of rowsBehind({ slot, id: ID_ABOVE_ALL }, reading)) {
    left -= 1;
    if (left === 0) return endOf(row);
  }
  return undefined;
}

/** Yields all rows after a position, slot by slot, read in parts on demand. */
function* rowsBehind<Row extends RecordPosition>(
  begin: PageEnd | undefined,
  { limit, read, endOf }: PageReader<Row>,
): Generator<Row> {
  const partRows = Math.min(limit + EXTRA_ROWS, PAGE_ROWS_MAX);
  // The slot of the position is read again as a whole, because its rows may have moved.
  let before = begin && endOfSlot(begin.slot);
  let slotRows: Row[] = [];
  for (;;) {
    // Provisional places may be equal, so reading the slot continues after the number of rows read.
    const offset = slotRows.length;
    const part = read({ limit: partRows, offset, ...(before === undefined ? {} : { before }) });
    for (const row of part) {
      if (slotRows[0] !== undefined && slotRows[0].slot !== row.slot) {
        yield* inOrder(slotRows, begin, endOf);
        slotRows = [];
      }
      slotRows.push(row);
    }
    const last = part.at(-1);
    if (last === undefined || part.length < partRows) break;
    before = endOfSlot(last.slot);
  }
  yield* inOrder(slotRows, begin, endOf);
}

function endOfSlot(slot: number): RecordPosition {
  return { slot: slot + 1, place: 0, index: 0 };
}

/** Returns the rows of one slot after a position, highest number first. */
function inOrder<Row extends RecordPosition>(
  rows: readonly Row[],
  begin: PageEnd | undefined,
  endOf: (row: Row) => PageEnd,
): readonly Row[] {
  const numbered = rows.map((row) => ({ row, end: endOf(row) }));
  const behind = numbered.filter(
    ({ end }) => begin === undefined || end.slot < begin.slot || end.id < begin.id,
  );
  // The sort is stable, so rows with equal numbers keep the store's order.
  behind.sort(
    (left, right) => Number(right.end.id > left.end.id) - Number(right.end.id < left.end.id),
  );
  return behind.map(({ row }) => row);
}

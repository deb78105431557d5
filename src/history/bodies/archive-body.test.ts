/** The archive of a day from a real store: selection, order and format. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { TRANSFER_EXPLANATION } from '../../../test/support/logged-records.js';
import type { ArchiveQuery } from '../../contract/history-queries.js';
import { ARCHIVE_ROWS } from '../model/limits.js';
import type { HistoryStore } from '../store/store.js';
import {
  cleanUp,
  fundingRate,
  MIDNIGHT,
  newStore,
  oneFill,
  transaction,
} from '../store/testing.js';
import { makeArchiveBody } from './archive-body.js';
import { SOL_PERP } from './testing.js';

const DAY = 86_400;
const QUERY: ArchiveQuery = {
  ...{ kind: 'archive', market: 'perp_0', records: 'trades', page: 1, form: 'records' },
  ...{ from: MIDNIGHT, to: MIDNIGHT + DAY },
};

let store: HistoryStore;

beforeAll(async () => {
  store = await newStore();
});

afterAll(cleanUp);

function textOf(change: Partial<ArchiveQuery> = {}, of = store): string {
  const { body } = makeArchiveBody({ ...QUERY, ...change }, { store: of, market: SOL_PERP });
  return Buffer.from(body).toString();
}

function idsOf(change: Partial<ArchiveQuery> = {}, of = store): number[] {
  const { records } = JSON.parse(textOf(change, of));
  return records.map((row: Readonly<Record<string, string>>) =>
    Number(row['fillRecordId'] ?? row['recordId']),
  );
}

describe('an archive', () => {
  test('has the records of its day, oldest first, without transfers and other markets', async () => {
    const at = (slot: number, ts: number, more = {}) => oneFill(slot, { ts, ...more });
    const transactions = [
      at(10, MIDNIGHT - 1),
      at(11, MIDNIGHT),
      at(13, MIDNIGHT + 7),
      at(12, MIDNIGHT + 7),
      at(14, MIDNIGHT + 8, { actionExplanation: TRANSFER_EXPLANATION }),
      at(15, MIDNIGHT + 9, { marketIndex: 1 }),
      at(16, MIDNIGHT + DAY - 1),
      at(17, MIDNIGHT + DAY),
    ];
    store.writeBatch({ transactions });
    expect(idsOf()).toEqual([11, 12, 13, 16]);
    expect(idsOf({ from: MIDNIGHT - DAY, to: MIDNIGHT })).toEqual([10]);
    const { success, meta } = JSON.parse(textOf());
    expect(success).toBe(true);
    expect(meta).toEqual({
      ...{ records: 4, totalRecords: 4, totalPages: 1, currentPage: 1, nextPage: null },
    });
  });

  test('of funding rates has those of its day', async () => {
    const rates = [0, 1, 2, 30].map((hour) =>
      transaction({
        slot: 100 + hour,
        fundingRates: [fundingRate({ recordId: BigInt(hour), ts: MIDNIGHT + hour * 3_600 })],
      }),
    );
    store.writeBatch({ transactions: rates });
    expect(idsOf({ records: 'fundingRates' })).toEqual([0, 1, 2]);
  });

  test.each(['trades', 'fundingRates'] as const)(
    'of %s as CSV has the members of its records as columns, and their values',
    (records) => {
      const rows: Readonly<Record<string, unknown>>[] = JSON.parse(textOf({ records })).records;
      const lines = textOf({ records, form: 'csv' }).split('\r\n');
      expect(lines).toHaveLength(rows.length + 2);
      expect(lines[0]).toBe(Object.keys(rows[0] ?? {}).join());
      expect(lines[1]).toBe(Object.values(rows[0] ?? {}).join());
      expect(lines.at(-1)).toBe('');
    },
  );

  test('of a day without records is empty, and its CSV has the names alone', () => {
    const span = { from: MIDNIGHT + 5 * DAY, to: MIDNIGHT + 6 * DAY };
    expect(JSON.parse(textOf(span))).toMatchObject({ records: [], meta: { totalPages: 0 } });
    expect(textOf({ ...span, form: 'csv' })).toMatch(/^ts,txSig,[^\r\n]+\r\n$/);
  });

  test('goes on from page to page without a double or a hole', async () => {
    const long = await newStore();
    const transactions = Array.from({ length: ARCHIVE_ROWS + 3 }, (_, at) => oneFill(at + 1));
    long.writeBatch({ transactions });
    const pages = [1, 2, 3].map((page) => idsOf({ page }, long));
    expect(pages.map((ids) => ids.length)).toEqual([ARCHIVE_ROWS, 3, 0]);
    expect(pages.flat()).toEqual(transactions.map(({ slot }) => slot));
    const metaOf = (page: number) => JSON.parse(textOf({ page }, long)).meta;
    expect(metaOf(1)).toMatchObject({ totalRecords: ARCHIVE_ROWS + 3, totalPages: 2, nextPage: 2 });
    expect(metaOf(2)).toMatchObject({ records: 3, currentPage: 2, nextPage: null });
  });
});

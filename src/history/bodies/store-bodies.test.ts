/** Bodies of a real store, where the window and the order of the store meet the pages. */
import { afterAll, expect, test } from 'vitest';
import type { FundingRatesQuery } from '../../contract/history-queries.js';
import { bucketReader } from '../candles/read-candles.js';
import type { HistoryStore } from '../store/store.js';
import {
  cleanUp,
  fundingRate,
  MIDNIGHT,
  newStore,
  oneFill,
  transaction,
} from '../store/testing.js';
import { type BodyQuery, makeBody } from './make-body.js';
import { SOL_PERP } from './testing.js';

afterAll(cleanUp);

function ask(store: HistoryStore, query: BodyQuery) {
  const reader = {
    ...bucketReader(store),
    readRecords: (page: Parameters<HistoryStore['readRecords']>[0]) => store.readRecords(page),
  };
  const { body, nextCursor } = makeBody(query, { reader, market: SOL_PERP, finalisedSlot: 0 });
  return { rows: JSON.parse(Buffer.from(body).toString()), next: nextCursor };
}

// Specification: path-funding-rates.
test('pages of funding rates join and end with the window', async () => {
  const store = await newStore();
  const hours = Array.from({ length: 50 }, (_, at) => 50 - at);
  const transactions = hours.map((hour) =>
    transaction({
      slot: hour * 10,
      fundingRates: [{ recordId: BigInt(hour) }, { index: 1, marketIndex: 1 }].map((parts) =>
        fundingRate({ ts: MIDNIGHT + hour * 3_600, ...parts }),
      ),
    }),
  );
  store.writeBatch({ transactions });
  const query: FundingRatesQuery = {
    ...{ kind: 'fundingRates', market: 'perp_0', limit: 7, form: 'spec' },
    since: MIDNIGHT + 11 * 3_600,
  };
  const times: number[] = [];
  for (let before: string | null = ''; before !== null; ) {
    const { rows, next } = ask(store, before === '' ? query : { ...query, before });
    times.push(...rows.map(({ ts }: { ts: number }) => (ts - MIDNIGHT) / 3_600));
    before = next;
  }
  expect(times).toEqual(hours.slice(0, 40));
});

test('candles as records are the same, newest first', async () => {
  const store = await newStore();
  store.writeBatch({ transactions: [oneFill(5), oneFill(50), oneFill(130)] });
  const query = { kind: 'candles', market: 'perp_0', resolution: '1', limit: 4 } as const;
  const asked = { ...query, now: MIDNIGHT + 600 };
  const { rows } = ask(store, { ...asked, form: 'spec' });
  expect(rows).toHaveLength(4);
  expect(ask(store, { ...asked, form: 'records' }).rows).toEqual({
    success: true,
    records: [...rows].reverse(),
  });
});

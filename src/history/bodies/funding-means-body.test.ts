/** Mean funding rates from a real store, and their caching. */
import { afterAll, expect, test } from 'vitest';
import type { HistoryStore } from '../store/store.js';
import {
  cleanUp,
  fundingRate,
  MIDNIGHT,
  newStore,
  signature,
  transaction,
} from '../store/testing.js';
import type { StoreChange } from '../store/types.js';
import { FundingMeansBodies } from './funding-means-body.js';
import { SOL_PERP, USDT } from './testing.js';

const HOUR = 3_600;

afterAll(cleanUp);

/** Stores a rate of the perp market, in percent per hour at an oracle price of 100. */
function store(into: HistoryStore, at: { id: number; hour: number; percent: number }): StoreChange {
  const rate = BigInt(Math.round(at.percent * 1e9));
  const parts = { recordId: BigInt(at.id), ts: MIDNIGHT + at.hour * HOUR, fundingRate: rate };
  return into.writeBatch({
    transactions: [
      transaction({
        slot: at.id,
        fundingRates: [fundingRate({ ...parts, oraclePriceTwap: 100_000_000n })],
      }),
    ],
  });
}

test('means are of the records of their period, of perpetual markets alone', async () => {
  const [records, bodies] = [await newStore(), new FundingMeansBodies()];
  let isComplete = true;
  const read = (hour: number, of = records) => {
    const query = { kind: 'fundingMeans', now: MIDNIGHT + hour * HOUR } as const;
    const { body } = bodies.makeBody(query, { store: of, markets: [USDT, SOL_PERP], isComplete });
    return JSON.parse(Buffer.from(body).toString());
  };
  const none = { '24h': '', '7d': '', '30d': '', '1y': '' };
  expect(read(0)).toEqual({
    success: true,
    markets: [{ marketIndex: 0, symbol: 'SOL-PERP', fundingRates: none }],
  });
  store(records, { id: 1, hour: 0, percent: 1 });
  store(records, { id: 2, hour: 100, percent: -3 });
  const meansAt = (hour: number) => read(hour).markets[0].fundingRates;
  const both = '-1.000000000';
  expect(meansAt(100)).toEqual({ '24h': '-3.000000000', '7d': both, '30d': both, '1y': both });
  // A later hour moves the periods, and a new record changes the means.
  expect(meansAt(130)).toEqual({ '24h': '', '7d': both, '30d': both, '1y': both });
  store(records, { id: 3, hour: 130, percent: 0 });
  expect(meansAt(130)['24h']).toBe('0.000000000');
  // Nothing is cached while older records are missing.
  isComplete = false;
  expect(meansAt(130)['24h']).toBe('0.000000000');
  store(records, { id: 4, hour: 129, percent: 2 });
  store(records, { id: 5, hour: 130, percent: 4 });
  expect(meansAt(130)['24h']).toBe('2.000000000');
  store(records, { id: 0, hour: 128, percent: -6 });
  expect(meansAt(130)['24h']).toBe('0.000000000');
  isComplete = true;
  // An oracle without a price makes a rate of 0; another store has other records.
  expect(read(130, await newStore()).markets[0].fundingRates).toEqual(none);
});

test('means change with a record that is late, and with one that a fork replaces', async () => {
  const [records, bodies] = [await newStore(), new FundingMeansBodies()];
  const meanOfDay = () => {
    const query = { kind: 'fundingMeans', now: MIDNIGHT + 9 * HOUR } as const;
    const context = { store: records, markets: [SOL_PERP], isComplete: true };
    const { body } = bodies.makeBody(query, context);
    return JSON.parse(Buffer.from(body).toString()).markets[0].fundingRates['24h'];
  };
  store(records, { id: 3, hour: 9, percent: 1 });
  expect(meanOfDay()).toBe('1.000000000');
  bodies.publishChange(store(records, { id: 2, hour: 8, percent: 3 }));
  expect(meanOfDay()).toBe('2.000000000');
  bodies.publishChange(records.removeTransactions([signature(3)]));
  bodies.publishChange(store(records, { id: 3, hour: 9, percent: 5 }));
  expect(meanOfDay()).toBe('4.000000000');
});

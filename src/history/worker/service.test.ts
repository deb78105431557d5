/** The service in its thread, on a store of an earlier run. */
import { expect, test } from 'vitest';
import { systemTimers } from '../../rpc/timers.js';
import type { HistoryMarket } from '../model/records.js';
import { MIDNIGHT, oneFill } from '../store/testing.js';
import { StoreManager } from './store-manager.js';
import { dataDir, ledger, RunningService, useServices } from './testing.js';

useServices();

const SOL: HistoryMarket = {
  ...{ key: 'spot_1', symbol: 'SOL', marketType: 'spot', marketIndex: 1, decimals: 6 },
};

test('fills of a spot market are charted as soon as the book tells of the market', async () => {
  const stores = new StoreManager({
    ...{ folder: dataDir, timers: systemTimers },
    marketOf: () => undefined,
  });
  const { store } = await stores.openStore(ledger.genesisHash);
  const spot = { marketType: 'spot', marketIndex: 1, ts: MIDNIGHT } as const;
  store.writeBatch({ transactions: [oneFill(1, spot, { isFinal: true })] });
  stores.close();
  const one = new RunningService();
  await one.live();
  one.setMarkets(SOL);
  expect(one.posted.some(({ kind }) => kind === 'versions')).toBe(true);
  const of = { market: 'spot_1', resolution: '1', limit: 9, form: 'spec' } as const;
  const rows = JSON.parse(one.query({ kind: 'candles', ...of, now: MIDNIGHT }));
  expect(rows.at(0)).toMatchObject({ ts: MIDNIGHT });
});

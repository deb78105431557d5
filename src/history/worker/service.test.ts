/** The service in its thread, on a store of an earlier run. */
import { expect, test } from 'vitest';
import { timeOfSlot } from '../../../test/scripted-ledger.js';
import { PROGRAM } from '../../../test/support/ingest-rig.js';
import { fundingRateBytes } from '../../../test/support/logged-records.js';
import { until } from '../../../test/support/until.js';
import { systemTimers } from '../../rpc/timers.js';
import { SOL_PERP } from '../bodies/testing.js';
import type { HistoryMarket } from '../model/records.js';
import { fundingRate, MIDNIGHT, oneFill } from '../store/testing.js';
import { StoreManager } from './store-manager.js';
import { dataDir, ledger, node, RunningService, useServices } from './testing.js';

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

test('the mean funding rate is that of the chain after a fork changed the newest', async () => {
  const rate = (percent: number) => {
    const parts = { ts: timeOfSlot(100), fundingRate: BigInt(percent * 1e9) };
    const data = fundingRateBytes(fundingRate(parts)).toString('base64');
    return [`Program ${PROGRAM} invoke [1]`, `Program data: ${data}`, `Program ${PROGRAM} success`];
  };
  const one = new RunningService().setMarkets(SOL_PERP);
  await one.live();
  const mean = () => {
    const body = one.query({ kind: 'fundingMeans', now: timeOfSlot(100) });
    return JSON.parse(body).markets[0].fundingRates['24h'];
  };
  const left = ledger.add(rate(1));
  node.tell(left);
  await until('the rate', () => mean() === '1.000000000');
  ledger.takeBack(left);
  node.tell(ledger.add(rate(5)));
  ledger.tick(60);
  await until('the rate of the chain', () => mean() === '5.000000000');
});

test('a market that is renamed has another version, and no other market has', async () => {
  const one = new RunningService().setMarkets(SOL_PERP, SOL);
  await one.live();
  const posted = () => one.posted.flatMap((of) => (of.kind === 'versions' ? of.versions : []));
  const before = posted().length;
  one.setMarkets(SOL_PERP, SOL);
  one.setMarkets({ ...SOL_PERP, symbol: 'WSOL-PERP' }, SOL);
  expect(posted().slice(before)).toEqual([[SOL_PERP.key, expect.any(String)]]);
});

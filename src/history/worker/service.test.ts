/** The service as its thread runs it, on a store that an earlier one has left. */
import { expect, onTestFinished, test } from 'vitest';
import { Ledger, LedgerNode } from '../../../test/scripted-ledger.js';
import { PROGRAM } from '../../../test/support/ingest-rig.js';
import { until } from '../../../test/support/until.js';
import { createNodes } from '../../rpc/node-pool.js';
import { systemTimers } from '../../rpc/timers.js';
import type { FromWorker } from '../model/messages.js';
import type { HistoryMarket } from '../model/records.js';
import { cleanUp, MIDNIGHT, newFolder, oneFill } from '../store/testing.js';
import { HistoryService } from './service.js';
import { StoreManager } from './store-manager.js';

const SOL: HistoryMarket = {
  ...{ key: 'spot_1', symbol: 'SOL', marketType: 'spot', marketIndex: 1, decimals: 6 },
};

test('fills of a spot market are charted as soon as the book tells of the market', async () => {
  onTestFinished(cleanUp);
  const ledger = new Ledger();
  const node = await LedgerNode.start(ledger);
  onTestFinished(() => node.stop());
  const dataDir = newFolder();
  const stores = new StoreManager({
    ...{ folder: dataDir, timers: systemTimers },
    marketOf: () => undefined,
  });
  const { store } = await stores.openStore(ledger.genesisHash);
  const spot = { marketType: 'spot', marketIndex: 1, ts: MIDNIGHT } as const;
  store.writeBatch({ transactions: [oneFill(1, spot, { isFinal: true })] });
  stores.close();
  const posted: FromWorker[] = [];
  const limits = { retentionDays: 0, candleRetentionDays: 0, requestsPerSecond: 100 };
  const service = new HistoryService({
    nodes: createNodes([node.urls], systemTimers),
    timers: systemTimers,
    random: Math.random,
    setup: {
      ...{ nodes: [node.urls], programId: PROGRAM, dataDir, ...limits },
      ...{ backfillHours: 0, backfillTransactionsMax: 0 },
    },
    post: (message) => posted.push(message),
  });
  service.start();
  onTestFinished(() => service.stop());
  const isLive = (message: FromWorker): boolean =>
    message.kind === 'stats' && message.stats.state === 'live';
  await until(() => posted.some(isLive));
  service.receiveMessage({ kind: 'book', book: { markets: [SOL], genesisHash: null } });
  const versions = posted.filter(({ kind }) => kind === 'versions').length;
  expect(versions).toBeGreaterThan(0);
  const query = {
    market: 'spot_1',
    resolution: '1',
    limit: 9,
    form: 'spec',
    now: MIDNIGHT,
  } as const;
  service.receiveMessage({ kind: 'query', id: 1, query: { kind: 'candles', ...query } });
  const answer = posted.findLast(({ kind }) => kind === 'reply');
  if (answer?.kind !== 'reply') throw new Error('there is no answer');
  const rows = JSON.parse(Buffer.from(answer.reply.body).toString());
  expect(rows.at(0)).toMatchObject({ ts: MIDNIGHT });
});

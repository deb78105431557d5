/** The service with wrong local clocks, and with nodes that report wrong times. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { timeOfSlot } from '../../../test/scripted-ledger.js';
import { until } from '../../../test/support/until.js';
import { RETAIN_DEFAULTS } from '../../contract/retain.js';
import { oneFill } from '../store/testing.js';
import { ledger, node, openFile, RunningService, trade, useServices } from './testing.js';

const DAY = 86_400;
const FAR = 95 * DAY;
/** Before the first slot of the ledger. */
const OLD = timeOfSlot(0) - 10 * DAY;

useServices();

function start(wallOffS = 0): RunningService {
  const retain = { ...RETAIN_DEFAULTS, trades: 30, funding: 30 };
  return new RunningService({ wallOffS, retain, candleRetentionDays: 30 });
}

/** Stores trades of ten days ago, from an earlier run. */
async function storeOld(count: number): Promise<void> {
  const store = await openFile();
  const transactions = Array.from({ length: count }, (_, at) => {
    return oneFill(at + 1, { ts: OLD + at, fillRecordId: BigInt(at + 1) }, { isFinal: true });
  });
  store.writeBatch({ transactions });
  store.close();
}

const finalTs = (): number => timeOfSlot(ledger.finalisedSlot);

describe('a clock on the wall', () => {
  test.each([FAR, -FAR])(
    'that is %i s off deletes nothing, and what comes is stored',
    async (wallOffS) => {
      await storeOld(20);
      const one = start(wallOffS);
      await one.live();
      trade(1, 21);
      await one.stored(21);
      await sleep(130_000);
      expect(one.stats).toMatchObject({ stored: { trades: 21 }, lagMs: null });
      await until(() => one.stats?.chainTs === finalTs());
      trade(1);
      await one.stored(22);
    },
  );
});

describe('a node', () => {
  test.each([2 ** 40, 2 ** 53, timeOfSlot(0) + FAR, 0, 'soon', null])(
    'that tells %s as the time of its slots is not believed, and stores on',
    async (lie) => {
      await storeOld(20);
      node.suffer({
        instead: (method) => (method === 'getBlockTime' ? { result: lie } : undefined),
      });
      const one = start();
      await one.live();
      trade(1, 21);
      await one.stored(21);
      await sleep(70_000);
      expect(one.stats?.chainTs).toBe(OLD + 19);
      expect(one.stats?.stored.trades).toBe(21);
      node.suffer({ instead: () => undefined });
      await until(() => one.stats?.chainTs === finalTs());
    },
  );
});

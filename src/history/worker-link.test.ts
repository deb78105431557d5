/** How the history's threads end. */
import { afterEach, expect, test, vi } from 'vitest';
import { RETAIN_DEFAULTS } from '../contract/retain.js';
import { silentLog } from '../rpc/log.js';
import { startFile } from '../rpc/threads.js';
import { systemTimers } from '../rpc/timers.js';
import { History } from './history.js';
import type { WorkerSetup } from './model/messages.js';
import type { StartWorker } from './worker-link.js';

const setup: WorkerSetup = {
  nodes: [{ rpcUrl: 'http://127.0.0.1:1', wsUrl: 'ws://127.0.0.1:1' }],
  ...{ programId: 'dRiftyHA39MWEi3m9aunc5MzRF1JYuBsbn6VPcn33UH', dataDir: '.' },
  ...{ retain: RETAIN_DEFAULTS, candleRetentionDays: 0, requestsPerSecond: 50 },
  ...{ backfillHours: 24, backfillTransactionsMax: 1_000 },
};

let history: History | undefined;
afterEach(() => history?.stop());

function run(code: string, log = silentLog): History {
  const file = new URL(`data:text/javascript,${encodeURIComponent(code)}`);
  const startWorker: StartWorker = (given, listener) => startFile(file, given, listener, Error);
  history = new History({ setup, timers: systemTimers, log, startWorker });
  history.start();
  return history;
}

test('one is started again after an error that nobody catches', async () => {
  const lines: object[] = [];
  const log = { ...silentLog, warn: (fields: object) => void lines.push(fields) };
  const failing = run(`throw new RangeError('broken ' + 1);`, log);
  const reason = 'the worker ended: RangeError';
  await vi.waitFor(() => expect(failing.readStats().reason).toBe(reason), 60_000);
  expect(lines[0]).toEqual({ reason: 'broken 1' });
  expect(failing.readStats().state).toBe('failing');
});

test('one is ended while it turns in a circle', async () => {
  await run(`for (;;);`).stop();
});

test('one runs from the last build, answers and stops', async () => {
  history = new History({ setup, timers: systemTimers, log: silentLog });
  history.start();
  const answer = history.query({ kind: 'volumes', from: 0, to: 1 });
  await expect(answer).rejects.toMatchObject({ code: 'NOT_READY' });
});

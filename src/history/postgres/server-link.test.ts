import { Worker } from 'node:worker_threads';
import { expect, test } from 'vitest';
import { waitForFlag } from './server-link.js';

const MS_MAX = 30_000;

/** Wakes the waiter, and sets the flag only later. */
const LATE = `
  const { workerData: flag } = require('node:worker_threads');
  const end = Date.now() + 30_000;
  while (Atomics.notify(flag, 0) === 0 && Date.now() < end);
  setTimeout(() => { Atomics.store(flag, 0, 1); Atomics.notify(flag, 0); }, 50);
`;

test('a wait for a reply is not ended by the notification of the one before', async () => {
  const flag = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  const worker = new Worker(LATE, { eval: true, workerData: flag });
  waitForFlag(flag, MS_MAX);
  expect(flag[0]).toBe(1);
  await worker.terminate();
});

test('a wait without a reply ends', () => {
  const flag = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
  waitForFlag(flag, 1);
  expect(flag[0]).toBe(0);
});

/** `slotbook check` against a model chain and its nodes, and the reckoning of a day. */
import { expect, test } from 'vitest';
import { runCheck } from '../src/app/check-command.js';
import { type Measured, reckonDay } from '../src/check/cost.js';
import type { NodeReport } from '../src/check/node-check.js';
import { testWorld } from './support/test-world.js';
import { world } from './world/world.js';

/** Checks a node: the report, and what is printed without --json. */
async function check(url: string, flags: Record<string, unknown> = {}) {
  let text = '';
  const output = { write: (more: string) => (text += more) };
  const isGood = await runCheck({ url, flags: { seconds: '5', ...flags } as never, output });
  return { isGood, text };
}

async function report(url: string, flags = {}): Promise<NodeReport> {
  return JSON.parse((await check(url, { json: true, ...flags })).text);
}

const NODE = { wsUrl: 'ws://node-0' };

test('check: a sound node is good enough, and its day is reckoned from what was measured', async () => {
  await testWorld();
  const { isGood, text } = await check('http://node-0', NODE);
  expect(isGood, text).toBe(true);
  const names = text.match(/^ok +(\S+( [a-z]+)?) {2}/gm);
  expect(names).toHaveLength(11);
  expect(text).toMatch(/^ok +genesis +a chain of its own, \S+$/m);
  expect(text).toMatch(/^ok +getProgramAccounts +\d+ users, [\d.]+ MB in \d+ ms$/m);
  expect(text).toMatch(/^ok +programSubscribe users +first after \d+ ms, [\d.]+ a second/m);
  expect(text).toMatch(/^ok +getSignaturesForAddress +\d+ in \d+ ms, (all there are|and more)/m);
  expect(text).toMatch(/^node-0 is good enough$/m);
  const { days } = await report('http://node-0', NODE);
  expect(days.map(({ markets }) => markets)).toEqual([1, 20, 148]);
  expect(days.map(({ subscriptions }) => subscriptions)).toEqual([8, 27, 155]);
  const [one, , all] = days;
  expect(one?.bytes).toBeGreaterThan(1e6);
  expect(all?.bytes).toBeGreaterThan(one?.bytes ?? 0);
});

test.each([
  ['user', 'programSubscribe users', 'slow', '--grpc-url'],
  ['slot', 'slotSubscribe', 'slow', '--ws-url'],
] as const)('check: a node whose %s are silent is not', async (kind, name, state, flag) => {
  const scene = await world();
  const [node] = scene.nodes;
  if (node === undefined) throw new Error('Invariant: a world has a node');
  node.faults.silent = new Set([kind]);
  const { isGood, rows } = await report('http://node-0', NODE);
  await scene.stop();
  expect(isGood).toBe(false);
  expect(rows.find((row) => row.name === name)).toMatchObject({ state, flag });
  expect(rows.find((row) => row.name === name)?.reason).toBe('no notification within 5 s');
});

test('check: what is missing is named with the flag that helps', async () => {
  await testWorld();
  const empty = await report('http://node-0', {
    ...NODE,
    programId: '11111111111111111111111111111112',
  });
  expect(empty.rows.find(({ name }) => name === 'markets')).toEqual({
    ...{ name: 'markets', state: 'missing', flag: '--program-id' },
    reason: 'the program has none on this chain',
  });
  const deaf = await check('http://node-0', { wsUrl: 'ws://nowhere' });
  expect(deaf.text).toMatch(/^missing +subscriptions +\S.*; see --ws-url$/m);
  const gone = await check('http://nowhere', NODE);
  expect(gone.isGood).toBe(false);
  expect(gone.text).toMatch(/^missing +genesis +.*nowhere.*; see --rpc-url$/m);
  expect(gone.text).not.toContain('a day at');
});

test('check: a time that is none is wrong usage', async () => {
  await expect(check('http://node-0', { seconds: '0' })).rejects.toThrow(
    '--seconds was 0, must be 1 to 3600',
  );
});

const measured: Measured = {
  ...{ markets: 10, userScanBytes: 1_000_000, marketScanBytes: 100_000, accountBytes: 500 },
  ...{ signatureBytes: 200, transactionsPerSecond: 5 },
  streams: { users: 1_000, markets: 100, oracle: 50, clock: 200, slots: 60, logs: 300 },
};

test('a day: calls by their intervals, streams by their rates', () => {
  const intervals = { probeIntervalMs: 1_000, auditIntervalMs: 300_000, hasHistory: true };
  const day = reckonDay(measured, 20, intervals);
  // 86,400 probes; 288 audits of four scans and one read; 43,200 checks of two calls.
  expect(day.requests).toBe(86_400 + 288 * 5 + 43_200 * 2);
  expect(day.credits).toBe(86_400 + 288 + 43_200 + 288 * 40 + 43_200 * 10);
  expect(day.subscriptions).toBe(27);
  const streamed = 86_400 * (1_000 + 200 + 20 * 50 + 200 + 60 + 300);
  const called = 86_400 * 50_000 + 288 * (1_200_000 + 21 * 500) + 43_200 * 10 * 200;
  expect(day.bytes).toBe(streamed + called);
  expect(day.meteredCredits).toBe(Math.round(day.credits + (streamed / 100_000) * 3));
});

test('a day without probes, audits and history is its subscriptions', () => {
  const day = reckonDay(measured, 1, { probeIntervalMs: 0, auditIntervalMs: 0, hasHistory: false });
  expect(day).toMatchObject({ requests: 0, credits: 0, subscriptions: 7 });
  expect(day.bytes).toBe(86_400 * (1_000 + 10 + 50 + 200 + 60));
});

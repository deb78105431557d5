/** Lost notifications are found by the logs of the transactions that caused them. */
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { BookTruth } from '../../test/simulation/book-truth.js';
import { currentMachine } from '../../test/simulation/globals.js';
import { busyLife, lifeOf } from '../../test/simulation/market-life.js';
import { kindOfData } from '../../test/simulation/model-chain.js';
import type { NodeFaults } from '../../test/simulation/node-faults.js';
import { type World, type WorldOptions, world } from '../../test/world/world.js';

/** Neither finds anything within a test. */
const UNCHECKED = { probeIntervalMs: '0', auditIntervalMs: '0' };
const CHECK_MS = 100;

let scene: World;
let truth: BookTruth;

afterEach(() => scene.stop());

/** Virtual minutes of the busy chain: `npm run test:long -- busy-chain` has an hour. */
const BUSY_MINUTES = Number(process.env['BUSY_MINUTES'] ?? 0.1);
const BUSY = { makers: 400, stepsPerSlot: 150 };

async function start(options: WorldOptions = {}): Promise<void> {
  scene = await world(options);
  const { chain } = scene;
  const { time } = currentMachine();
  truth = new BookTruth(chain, options.life === undefined ? lifeOf(0) : null);
  truth.recordMoment(time.nowMs);
  chain.listen({
    handleState: (state) => truth.recordState(state),
    handleSlot: () => void time.plan(0, () => truth.recordMoment(time.nowMs)),
  });
}

/** Faults of all nodes, or of the first. */
function spoil(faults: Partial<NodeFaults>, nodes = scene.nodes): void {
  for (const node of nodes) Object.assign(node.faults, faults);
}

/** What was wrong for too long meanwhile: for two seconds, or for as much longer as is said. */
async function run(ms: number, blindMs = 0): Promise<readonly string[]> {
  const found: string[] = [];
  const { engine, states } = scene.service;
  for (let passed = 0; passed < ms; passed += CHECK_MS) {
    await scene.run(CHECK_MS);
    const nowMs = currentMachine().time.nowMs;
    const wrong = states.at(-1) === 'live' ? truth.findWrong(engine, { nowMs, blindMs }) : null;
    if (wrong !== null) found.push(`${nowMs}: ${wrong}`);
  }
  return found;
}

const LOST = { lostUsers: 0.33 };
const repairs = () => scene.service.metric('slotbook_feed_events_total{event="loggedRepairs"}');

test.each<readonly [string, Partial<NodeFaults>, WorldOptions]>([
  ['their logs come', LOST, { flags: UNCHECKED }],
  ['their logs are cut', { ...LOST, cutsLogs: true }, { flags: UNCHECKED }],
  // Few of so many makers are malformed at a time: the book stays live.
  [
    'others come broken',
    { lostUsers: 0.1, wrongZstd: 0.3 },
    { flags: UNCHECKED, life: busyLife(1, { makers: 200, stepsPerSlot: 10 }) },
  ],
  ['a history reads their logs', LOST, { flags: { ...UNCHECKED, dataDir: '' } }],
  ['sources are merged', LOST, { flags: { ...UNCHECKED, source: 'rpc:http://node-0' } }],
])(
  'a third of the notifications is lost and %s: no order is wrong for two seconds',
  async (_, faults, options) => {
    const dataDir =
      options.flags?.['dataDir'] === undefined
        ? {}
        : { dataDir: mkdtempSync(path.join(tmpdir(), 'witness-')) };
    await start({ ...options, flags: { ...options.flags, ...dataDir } });
    spoil(faults);
    expect(await run(15_000)).toEqual([]);
    expect(scene.service.states).toEqual(['rebuilding', 'live']);
    expect(await repairs()).toBeGreaterThan(3);
  },
);

test('without the logs a lost notification is wrong until an audit: the logs are what finds it', async () => {
  await start({ flags: UNCHECKED });
  spoil({ ...LOST, silent: new Set(['logs']) });
  expect((await run(15_000)).length).toBeGreaterThan(0);
});

test('accounts are closed in transactions that cancel their orders, and probes are off: they leave within two seconds', async () => {
  await start({ flags: UNCHECKED });
  for (let closed = 0; closed < 4; closed += 1) {
    const [pubkey] = scene.service.engine.usersInTurn(closed, 1).keys;
    scene.chain.closeAccount(pubkey ?? '');
    expect(await run(3_000)).toEqual([]);
    expect(scene.service.engine.hasUser(pubkey ?? '')).toBe(false);
  }
  expect(scene.service.states).toEqual(['rebuilding', 'live']);
});

test('a node announces no slot after a user that the chain never had: the book lags before it is wrong for three seconds', async () => {
  await start({ flags: { laggingAfterMs: '2500' } });
  spoil({ silent: new Set(['slot']) });
  scene.nodes[0]?.notifyMadeUpUser();
  expect(await run(5_000, 2_000)).toEqual([]);
  expect(scene.service.states).toEqual(['rebuilding', 'live', 'lagging']);
  spoil({ silent: new Set() });
  expect(await run(5_000)).toEqual([]);
  expect(scene.service.states.at(-1)).toBe('live');
});

test('the node in use gives no account: another one is asked', async () => {
  await start({ nodes: 2, flags: UNCHECKED });
  const [inUse] = scene.nodes;
  for (const faults of [
    { hanging: new Set(['getMultipleAccounts']) },
    { bodies: 'wrongZstd' as const },
  ]) {
    spoil({ ...LOST, ...faults }, inUse === undefined ? [] : [inUse]);
    expect(await run(10_000)).toEqual([]);
    spoil({ hanging: new Set() });
  }
  expect(await repairs()).toBeGreaterThan(3);
});

test('notifications are lost with their logs, some or all of them for ten seconds: probes find it as soon', async () => {
  await start({ flags: { auditIntervalMs: '0' } });
  spoil({ lostWithLogs: 0.1 });
  expect(await run(20_000)).toEqual([]);
  spoil({ lostWithLogs: 0, silent: new Set(['user', 'logs']) });
  expect(await run(10_000)).toEqual([]);
  spoil({ silent: new Set() });
  expect(await run(10_000)).toEqual([]);
});

test('a node refuses the oracles, and does not notify them: another node shows them', async () => {
  await start({ nodes: 2 });
  const [first] = scene.nodes;
  const isOracle = (key: string) =>
    scene.chain.canClose(key) &&
    kindOfData(scene.chain.accounts.get(key)?.write?.data) === undefined;
  const spoilt = new Set([...scene.chain.accounts.keys()].filter(isOracle));
  spoil({ spoilt, silent: new Set(['oracle']) }, first && [first]);
  expect(await run(30_000, 2_000)).toEqual([]);
  expect(scene.service.states).toEqual(['rebuilding', 'live']);
});

test(`${BUSY_MINUTES} minutes of a busy chain lose every tenth notification: no order is wrong for two seconds`, {
  timeout: 24 * 3_600_000,
}, async () => {
  await start({ life: busyLife(1, BUSY), flags: UNCHECKED });
  const { time } = currentMachine();
  const fromMs = time.nowMs;
  let writes = 0;
  const handleState = () => {
    writes += 1;
  };
  scene.chain.listen({ handleState, handleSlot: () => undefined });
  spoil({ lostUsers: 0.1 });
  for (let minutes = 0; minutes < BUSY_MINUTES; minutes += 1) {
    expect(await run(Math.min(1, BUSY_MINUTES - minutes) * 60_000)).toEqual([]);
    const each = writes / ((time.nowMs - fromMs) / 1000);
    if (BUSY_MINUTES > 1)
      process.stderr.write(
        `${minutes + 1} min, ${each.toFixed(0)} writes a second, ${await repairs()} repairs\n`,
      );
  }
  expect(scene.service.states).toEqual(['rebuilding', 'live']);
  expect(writes / ((time.nowMs - fromMs) / 1_000)).toBeGreaterThan(250);
  expect(await repairs()).toBeGreaterThan(BUSY_MINUTES * 60);
});

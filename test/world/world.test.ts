/** What tests on virtual time rest on: time that passes by itself, at no cost, and the same way each time. */
import { afterEach, expect, test } from 'vitest';
import { currentMachine } from '../simulation/globals.js';
import { inFreshWorld } from './drive.js';
import { type World, type WorldOptions, world } from './world.js';

const IDLE_MS = 600_000;
/** Of the slots, probes, audits and beats of ten minutes; each takes some 15 us of work. */
const IDLE_EVENTS_MAX = 40_000;

let started: World | undefined;

afterEach(async () => {
  await started?.stop();
  started = undefined;
});

async function start(options?: WorldOptions): Promise<World> {
  started = await world(options);
  return started;
}

test('a client follows a book through the fault of a node', async () => {
  const { chain, nodes, service } = await start({ nodes: 2 });
  const client = await (started as World).connect();
  const book = await client.follow({ channel: 'book', market: 'SOL-PERP', depth: 20 });
  const { seq } = book;
  Object.assign(nodes[0]?.faults ?? {}, { isDown: true });
  nodes[0]?.cutConnections();
  await started?.run(10_000);
  expect(service.states.at(-1)).toBe('live');
  expect(nodes[1]?.isInUse).toBe(true);
  expect(book.seq).toBeGreaterThan(seq);
  expect(client.faults).toEqual([]);
  expect(chain.slot).toBeGreaterThan(1_020);
  const body = await service.json('/l2?marketName=SOL-PERP&depth=20');
  await client.settle();
  expect(body['slot']).toBeGreaterThan(1_020);
});

/** Everything that a client is sent in 20 s, in which a node loses some of what it notifies. */
async function playTrace(seed: number): Promise<string> {
  const { nodes } = await start({ seed, nodes: 2, servers: 1 });
  const client = await (started as World).connect();
  const lines: string[] = [];
  client.onData = (data) => {
    // An epoch is a number of chance, which no run has again.
    const text = data.toString().replaceAll(/"epoch":"[^"]*"/g, '');
    lines.push(`${currentMachine().time.nowMs.toFixed(3)} ${text}`);
  };
  await client.follow({ channel: 'book', market: 'SOL-PERP', depth: 20 });
  Object.assign(nodes[0]?.faults ?? {}, { lost: 0.2, swapped: 0.1 });
  await started?.run(20_000);
  await started?.stop();
  started = undefined;
  return lines.join('\n');
}

function traceOf(seed: number): Promise<string> {
  return inFreshWorld(() => playTrace(seed));
}

test('two runs of a seed have the same trace, another seed another one', async () => {
  const [first, second, other] = [await traceOf(5), await traceOf(5), await traceOf(6)];
  expect(first.length).toBeGreaterThan(5_000);
  expect(second).toBe(first);
  expect(other).not.toBe(first);
});

test('a hook that a test adds by its context runs on virtual time', async ({ onTestFinished }) => {
  const scene = await start();
  const { time } = currentMachine();
  const beganMs = time.nowMs;
  onTestFinished(async () => {
    await scene.run(1_000);
    expect(time.nowMs - beganMs).toBeGreaterThanOrEqual(1_000);
  });
});

test('ten idle minutes are few events, which take less than a second of work', async () => {
  const { chain, service } = await start();
  chain.stopLife();
  const { time } = currentMachine();
  const fromMs = time.nowMs;
  const ranBefore = time.ran;
  await started?.run(IDLE_MS);
  expect(time.nowMs - fromMs).toBeGreaterThanOrEqual(IDLE_MS);
  expect(service.states.at(-1)).toBe('live');
  expect(time.ran - ranBefore).toBeLessThan(IDLE_EVENTS_MAX);
});

/** A service that merges streams: one of them dies, comes back, or lies, and the book is the chain's. */
import { afterEach, expect, test } from 'vitest';
import { SourceRig, type SourceRigOptions } from './support/source-rig.js';
import { until } from './support/until.js';

/** How long a `live` book may be wrong. */
const WRONG_MS_MAX = 3_000;

let rig: SourceRig | undefined;

afterEach(async () => {
  await rig?.stop();
  rig = undefined;
});

async function startRig(options: SourceRigOptions): Promise<SourceRig> {
  rig = await SourceRig.start(options);
  return rig;
}

test('sources: of a node and two servers the book stays live while any is left', async () => {
  const started = await startRig({ hasNode: true, servers: 2 });
  const { node, servers } = started;
  for (const at of [0, 1, 2]) await started.untilState(at, 'trusted');
  const ways = [
    { end: () => node.stop(), begin: () => node.restart() },
    ...servers.map((server) => {
      return { end: async () => server.stop(), begin: () => server.restartServer() };
    }),
  ];
  for (const order of [
    [0, 1],
    [0, 2],
    [1, 0],
    [1, 2],
    [2, 0],
    [2, 1],
  ]) {
    const up = new Set([0, 1, 2]);
    for (const at of order) {
      // A machine that stood still takes what it has not read for silence, and trusts it again soon.
      for (const other of up) await started.untilState(other, 'trusted');
      up.delete(at);
      await ways[at]?.end();
      await started.passWrites(20);
    }
    // They come back as they went, and the other way round in every second order.
    const back = order[0] === 1 ? order.slice().reverse() : order;
    for (const at of back) {
      await ways[at]?.begin();
      await started.untilState(at, 'trusted');
    }
  }
  await started.expectBookKept();
  await started.compareBook();
  // A node numbers no write: where a server comes back, single books may lack one of two writes of a slot.
  expect((await started.watch.findings()).wrongMsMax).toBeLessThan(WRONG_MS_MAX);
  const sources = await started.sources();
  for (const { states } of sources) expect(states).toBeGreaterThan(0);
}, 240_000);

test('sources: a server that leaves writes out is distrusted, and the book stays live and right', async () => {
  const started = await startRig({ hasNode: false, servers: 2 });
  const { servers } = started;
  await started.passWrites(50);
  servers[0]?.takeFaults({ silent: ({ bytes }) => bytes?.length === 4_376 });
  await started.untilState(0, 'distrusted');
  await started.untilState(1, 'trusted');
  const [silent, whole] = await started.sources();
  // Of the slot in which it falls silent it may have told an earlier state.
  expect((silent?.misses ?? 0) + (silent?.disagreements ?? 0)).toBeGreaterThan(0);
  expect(silent?.reason).toMatch(/^it (did not tell|notified another state) of /);
  expect(whole).toMatchObject({ state: 'trusted', misses: 0, disagreements: 0 });
  await started.passWrites(50);
  await started.compareBook();
  await started.expectBookKept();
}, 120_000);

test('sources: what one server tells otherwise is read from the chain, and taken back', async () => {
  const started = await startRig({ hasNode: true, servers: 1 });
  const { servers, chain } = started;
  await started.passWrites(50);
  const older = new Map(chain.accounts);
  servers[0]?.takeFaults({
    lie: ({ pubkey, bytes }) =>
      bytes?.length === 4_376 ? (older.get(pubkey)?.bytes ?? null) : bytes,
  });
  await started.untilState(1, 'distrusted');
  servers[0]?.takeFaults({});
  await started.passWrites(20);
  await started.compareBook();
  const { wrongMsMax } = await started.watch.findings();
  expect(wrongMsMax).toBeLessThanOrEqual(30_000);
  await started.untilState(0, 'trusted');
}, 120_000);

test('sources: two that disagree where no node can be read make the book leave live', async () => {
  const started = await startRig({
    hasNode: false,
    servers: 2,
    settings: { probeIntervalMs: '0' },
  });
  const { servers, chain, node, reader, service } = started;
  await started.passWrites(50);
  const down = { instead: () => ({ status: 503 }) };
  for (const read of [node, reader]) read.suffer(down);
  const older = new Map(chain.accounts);
  servers[0]?.takeFaults({
    lie: ({ pubkey, bytes }) =>
      bytes?.length === 4_376 ? (older.get(pubkey)?.bytes ?? null) : bytes,
  });
  await until('the book is not live', () => service.states.at(-1) === 'lagging');
  expect(service.lagReasons.at(-1)).toMatch(/^sources disagree about /);
  expect((await service.json('/status'))['reason']).toMatch(/^sources disagree about /);
  for (const read of [node, reader]) read.suffer({});
  await started.untilState(0, 'distrusted');
  await until('the book is live', () => service.states.at(-1) === 'live');
  servers[0]?.takeFaults({});
  await started.compareBook();
}, 120_000);

test('sources: the book stays live and right while a server is destroyed, or falls silent on an open stream', async () => {
  const started = await startRig({ hasNode: false, servers: 2 });
  const { servers } = started;
  const [first, second] = servers;
  for (const at of [0, 1]) await started.untilState(at, 'trusted');
  const faults = [
    { begin: () => first?.stop(), end: () => first?.restartServer(), at: 0 },
    {
      begin: () => second?.takeFaults({ deaf: true }),
      end: () => second?.takeFaults({}),
      at: 1,
    },
  ];
  for (const { begin, end, at } of faults) {
    for (const source of [0, 1]) await started.untilState(source, 'trusted');
    begin();
    await until('it is missed', async () => (await started.sources())[at]?.state !== 'trusted');
    await started.passWrites(30);
    await end();
    await started.untilState(at, 'trusted');
  }
  await started.expectBookKept();
  await started.compareBook();
  expect(await started.watch.findings()).toMatchObject({ wrong: 0, publishedWrong: 0 });
}, 120_000);

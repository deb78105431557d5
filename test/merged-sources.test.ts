/** A service that merges streams: one of them dies, comes back, or lies, and the book is the chain's. */
import { afterEach, expect, test } from 'vitest';
import type { Flags } from '../src/config/setting-reader.js';
import { ChainScene } from './support/chain-scene.js';
import { until } from './support/until.js';

let scene: ChainScene;

afterEach(() => scene.stop());

/** A node that is read and no source comes first. */
async function startScene(source: string, settings: Flags = {}): Promise<ChainScene> {
  const servers = source.match(/server/g)?.length ?? 0;
  scene = await ChainScene.start({ servers, flags: { source, ...settings } });
  for (const at of source.split(',').keys()) await scene.untilState(at, 'trusted');
  return scene;
}

const SERVERS = 'grpc:http://server-0,grpc:http://server-1';

/** From now on a source is so. */
function suffer(target: { faults: object }, faults: object): void {
  Object.assign(target.faults, faults);
}

test('sources: of a node and two servers the book stays live while any is left', async () => {
  await startScene(`rpc:http://node-1,${SERVERS}`);
  const sources = [scene.world.nodes[1], ...scene.world.servers].flatMap((one) => one ?? []);
  const pairs = [0, 1, 2].flatMap((first) =>
    [0, 1, 2].filter((at) => at !== first).map((second) => [first, second]),
  );
  for (const pair of pairs) {
    const ended = pair.map((at) => sources[at]).flatMap((one) => one ?? []);
    for (const one of ended) {
      suffer(one, { isDown: true });
      one.cutConnections();
      await scene.passSlots(8);
    }
    // They come back as they went, and the other way round in every second order.
    for (const one of pair[0] === 1 ? ended.reverse() : ended) {
      suffer(one, { isDown: false });
      await scene.untilState(sources.indexOf(one), 'trusted');
    }
  }
  scene.expectKept();
  await scene.expectBook();
  for (const { states } of await scene.sources()) expect(states).toBeGreaterThan(0);
});

test('sources: a server that leaves writes out is distrusted, and the book stays live and right', async () => {
  await startScene(SERVERS);
  await scene.passSlots(20);
  suffer(scene.world.servers[0] ?? { faults: {} }, { lost: 0.5 });
  await scene.untilState(0, 'distrusted');
  await scene.untilState(1, 'trusted');
  const [silent, whole] = await scene.sources();
  // Of a slot of which it leaves a write out it may have told an earlier state.
  expect((silent?.misses ?? 0) + (silent?.disagreements ?? 0)).toBeGreaterThan(0);
  expect(silent?.reason).toMatch(/^it (did not tell|notified another state) of /);
  expect(whole).toMatchObject({ state: 'trusted', misses: 0, disagreements: 0 });
  await scene.passSlots(20);
  await scene.expectBook();
  scene.expectKept();
});

test('sources: what one server tells otherwise is read from the chain, and taken back', async () => {
  await startScene('rpc:http://node-1,grpc:http://server-0');
  const [server = { faults: {} }] = scene.world.servers;
  suffer(server, { lied: 0.5 });
  await scene.untilState(1, 'distrusted');
  suffer(server, { lied: 0 });
  await scene.passSlots(20);
  await scene.expectBook();
  await scene.untilState(0, 'trusted');
});

test('sources: two that disagree where no node can be read make the book leave live', async () => {
  await startScene(SERVERS, { probeIntervalMs: '0' });
  const { nodes, service, servers } = scene.world;
  for (const node of nodes) suffer(node, { status: 503 });
  suffer(servers[0] ?? { faults: {} }, { lied: 0.5 });
  await until('the book is not live', () => service.states.at(-1) === 'lagging');
  expect(service.lagReasons.at(-1)).toMatch(/^sources disagree about /);
  expect((await service.json('/status'))['reason']).toMatch(/^sources disagree about /);
  for (const node of nodes) suffer(node, { status: null });
  await scene.untilState(0, 'distrusted');
  suffer(servers[0] ?? { faults: {} }, { lied: 0 });
  await until('the book is live', () => service.states.at(-1) === 'live');
  await scene.expectBook();
});

test('sources: the book stays live and right while a server is destroyed, or falls silent on an open stream', async () => {
  await startScene(SERVERS);
  const faults = [{ isDown: true }, { isDeaf: true }];
  for (const [at, fault] of faults.entries()) {
    const server = scene.world.servers[at];
    if (server === undefined) throw new Error('Invariant: there are two servers');
    suffer(server, fault);
    if ('isDown' in fault) server.cutConnections();
    await scene.passSlots(20);
    expect((await scene.sources())[at]?.state).not.toBe('trusted');
    suffer(server, { isDown: false, isDeaf: false });
    await scene.untilState(at, 'trusted');
  }
  scene.expectKept();
  await scene.expectBook();
});

/** A service that follows gRPC streams: its book is the chain's, through what streams go through. */
import { afterEach, expect, test } from 'vitest';
import { ChainScene } from './support/chain-scene.js';
import { until } from './support/until.js';
import type { WorldOptions } from './world/world.js';

let scene: ChainScene;

afterEach(() => scene.stop());

const CUTS = 20;

async function startScene(options: WorldOptions = {}): Promise<ChainScene> {
  const { servers = 1, flags } = options;
  const grpcUrl = Array.from({ length: servers }, (_, at) => `http://server-${at}`).join();
  scene = await ChainScene.start({ servers, flags: { grpcUrl, ...flags } });
  return scene;
}

test('grpc: a service on one stream has the book of the chain', async () => {
  await startScene();
  await scene.passSlots(100);
  expect(scene.world.nodes.some(({ isInUse }) => isInUse)).toBe(false);
  await scene.expectBook();
  scene.expectKept();
  expect(await scene.event('losses')).toBe(0);
  expect(await scene.event('auditDifferences')).toBe(0);
});

test('grpc: a stream that is cut goes on without a reading, and loses nothing', async () => {
  await startScene({ flags: { probeIntervalMs: '0' } });
  const [server] = scene.world.servers;
  const rebuilds = await scene.event('rebuilds');
  // Slots that can be replayed.
  await scene.passSlots(40);
  for (let cut = 1; cut <= CUTS; cut += 1) {
    Object.assign(server?.faults ?? {}, { doubled: cut % 3 === 0 ? 1 : 0 });
    const notified = await scene.event('notifications');
    server?.cutConnections();
    await scene.passSlots(3);
    expect(await scene.event('notifications')).toBeGreaterThan(notified);
  }
  await scene.expectBook();
  expect(await scene.event('rebuilds')).toBe(rebuilds);
});

test('grpc: a stream that cannot go on where it was cut is read again whole', async () => {
  await startScene();
  const [server] = scene.world.servers;
  for (const replay of ['refused', 'ignored'] as const) {
    const rebuilds = await scene.event('rebuilds');
    await scene.passSlots(20);
    Object.assign(server?.faults ?? {}, { replay });
    server?.cutConnections();
    await scene.passSlots(5);
    expect(await scene.event('rebuilds')).toBeGreaterThan(rebuilds);
    await until('a live book', () => scene.service.states.at(-1) === 'live');
  }
  await scene.expectBook();
});

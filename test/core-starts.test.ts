/** Cores that start in one instant: one writes the log, the others stand by, and none ends. */
import { expect, test } from 'vitest';
import { lifeOf } from './simulation/market-life.js';
import { ClusterMember } from './support/model-cluster.js';
import { NatsServer } from './support/nats-server.js';
import { until } from './support/until.js';
import { inFreshWorld } from './world/drive.js';
import { setTimeout as sleep } from './world/timers-promises.js';
import { startChain } from './world/world.js';

/** `npm run test:long -- core-starts` has fifty. */
const SEEDS = Number(process.env['CORE_STARTS'] ?? 3);
const NODE = { rpcUrl: 'http://node-0', wsUrl: 'ws://node-0' };
const RUN_MS = 3_000;

async function play(seed: number): Promise<readonly (string | null)[]> {
  const nats = await NatsServer.start();
  startChain({ life: lifeOf(0), seed, count: 1 });
  const edge = new ClusterMember('edge', { nats: nats.url });
  const cores: ClusterMember[] = [];
  for (let at = 0; at < 2; at += 1) {
    cores.push(new ClusterMember('core', { nats: nats.url, ...NODE }));
    if (seed % 3 > 0) await sleep(seed);
  }
  await until('a live edge', () => edge.state === 'live');
  await sleep(RUN_MS);
  cores[0]?.kill();
  await sleep(RUN_MS);
  return [...cores.map(({ ended }) => ended), edge.state];
}

test('cores that start in one instant: one writes, the other one stands by and goes on', async () => {
  const found: unknown[] = [];
  for (let seed = 0; seed < SEEDS; seed += 1) found.push(await inFreshWorld(() => play(seed)));
  expect(found).toEqual(Array.from({ length: SEEDS }, () => [null, null, 'live']));
}, 300_000);

/** A service that follows gRPC streams: its book is the chain's, through what streams go through. */
import { afterEach, expect, test } from 'vitest';
import type { Flags } from '../src/config/setting-reader.js';
import { CLOCK_KEY } from '../src/feed/model/queries.js';
import { ScriptedChain } from './scripted-chain.js';
import { ScriptedNode } from './scripted-chain-node.js';
import { ScriptedGrpc } from './scripted-grpc.js';
import { watchedMarkets } from './support/fault-rig.js';
import { FrameChecker } from './support/frame-checker.js';
import { encodeAccount } from './support/grpc-messages.js';
import { ServiceProbe } from './support/service-probe.js';
import { ServiceWatch } from './support/service-watch.js';
import { until } from './support/until.js';

const ends: (() => unknown)[] = [];

afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

/** A chain, an RPC node, gRPC servers, and a service on them that is watched. */
interface Rig {
  readonly chain: ScriptedChain;
  readonly node: ScriptedNode;
  readonly servers: readonly ScriptedGrpc[];
  readonly service: ServiceProbe;
  readonly watch: ServiceWatch;
}

interface RigOptions {
  readonly servers?: number;
  readonly settings?: Flags;
  readonly writesPerSecond?: number;
}

async function startRig(options: RigOptions = {}): Promise<Rig> {
  const { servers: count = 1, settings = {} } = options;
  // Where a busy machine reads a stream seconds late, short slots would be more than a node can be behind.
  const [slotMs, writesPerSecond] = [250, options.writesPerSecond ?? 80];
  const chain = new ScriptedChain({ seed: 7, makers: 40, slotMs, writesAreSeen: 'atOnce' });
  const node = await ScriptedNode.start(chain);
  const servers = await Promise.all(Array.from({ length: count }, () => ScriptedGrpc.start(chain)));
  ends.push(async () => {
    chain.stop();
    for (const server of servers) server.stop();
    await node.stop();
  });
  chain.start();
  chain.load(writesPerSecond);
  const checker = new FrameChecker(chain, {
    laneOf: () => 'all',
    ...{ apartMs: 0, backMs: 0, oldMsMax: 30_000, toldMsMax: 30_000 },
    ...{ secondsAreApart: false, forgiving: true },
  });
  const grpcUrl = servers.map(({ url }) => url).join();
  const flags = { grpcUrl, ...settings };
  const service = await ServiceProbe.start(node, flags, (engine) => checker.watch(engine));
  const watch = await ServiceWatch.start(service, checker, watchedMarkets(chain.life));
  ends.push(() => watch.stop());
  return { chain, node, servers, service, watch };
}

/** Ends the load, and compares the book with one that is made of the chain's accounts. */
async function compareBook({ chain, watch }: Rig): Promise<void> {
  chain.load(0);
  chain.tick();
  const accounts = Array.from(chain.accounts.values(), ({ pubkey, bytes }) => {
    return { pubkey, data: bytes ?? Buffer.alloc(0) };
  });
  await watch.compare(accounts);
}

test('grpc: a stream that cannot go on where it was cut is read again whole', async () => {
  const rig = await startRig();
  const [server] = rig.servers;
  for (const replay of ['refused', 'ignored'] as const) {
    const rebuilds = await eventOf(rig, 'rebuilds');
    server?.takeFaults({ replay });
    const { slot } = rig.chain;
    await until('slots that are missed', () => rig.chain.slot > slot + 20);
    await until('the stream stands', () => server?.readerCount === 1);
    server?.cutStreams();
    await until('a reading', async () => (await eventOf(rig, 'rebuilds')) > rebuilds);
    await until(async () => (await rig.service.get('/ready')).status === 200);
  }
  await compareBook(rig);
});

test('grpc: a server that stands and is silent is left, and the token is sent', async () => {
  const rig = await startRig({ servers: 2, settings: { grpcToken: 'a-secret-token' } });
  const [first] = rig.servers;
  expect(first?.tokens).toEqual(['a-secret-token']);
  first?.takeFaults({ deaf: true });
  await passWrites(rig, 50);
  first?.notifyBytes(
    encodeAccount({ pubkey: CLOCK_KEY, owner: CLOCK_KEY, slot: 1, version: 1, bytes: null }),
  );
  await until('the stream is made again', () => (first?.tokens.length ?? 0) > 1);
  first?.takeFaults({});
  await compareBook(rig);
  expect(rig.service.states.at(-1)).toBe('live');
});

async function eventOf({ service }: Rig, name: string): Promise<number> {
  const { text } = await service.get('/metrics');
  const line = text.split('\n').find((one) => one.includes(`events_total{event="${name}"}`));
  return Number(line?.split(' ')[1]);
}

/** Waits until the chain has made so many writes more. */
async function passWrites({ chain }: Rig, count: number): Promise<void> {
  const wanted = chain.writes.length + count;
  await until(`${count} writes`, () => chain.writes.length >= wanted);
}

test('grpc: a service on one stream has the book of the chain', async () => {
  const rig = await startRig();
  await passWrites(rig, 300);
  expect(rig.node.rpc.subscriptions).toEqual([]);
  await compareBook(rig);
  expect(await eventOf(rig, 'losses')).toBe(0);
  expect(await eventOf(rig, 'auditDifferences')).toBe(0);
});

test('grpc: a stream that is cut goes on without a reading, and loses nothing', async () => {
  const rig = await startRig({ writesPerSecond: 40, settings: { probeIntervalMs: '0' } });
  const [server] = rig.servers;
  const rebuilds = await eventOf(rig, 'rebuilds');
  const { slot } = rig.chain;
  await until('slots that can be replayed', () => rig.chain.slot > slot + 40);
  for (let cuts = 1; cuts <= 20; cuts += 1) {
    server?.takeFaults({ doubled: cuts % 3 === 0, swapped: cuts % 2 === 0 });
    await until('the stream stands', () => server?.readerCount === 1);
    const notified = await eventOf(rig, 'notifications');
    server?.cutStreams();
    await passWrites(rig, 20);
    await until('the stream is made again', () => (server?.fromSlots.length ?? 0) >= cuts);
    await until('it is read', async () => (await eventOf(rig, 'notifications')) > notified);
  }
  server?.takeFaults({});
  await compareBook(rig);
  expect(await eventOf(rig, 'rebuilds')).toBe(rebuilds);
});

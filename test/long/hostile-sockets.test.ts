/** Very many subscriptions, and clients that subscribe and then never read. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Random } from '../../src/sim/random.js';
import { CompatibleClient } from '../support/compatible-client.js';
import { frameBytes, OPCODE } from '../support/hostile-frames.js';
import { count, HostileGround, pooled } from '../support/hostile-ground.js';
import { RawSocket } from '../support/raw-socket.js';
import { ask, bid, SCENE } from '../support/scene-chain.js';
import { until } from '../support/until.js';

/** As docs/api.md says. */
const TOPICS_PER_SOCKET = 64;
const BUFFER_MEGABYTES_MAX = 0.5;
/** What a buffer takes beside its bytes: it grows in steps, and a socket has a size of its own. */
const BUFFER_OVERHEAD = 1.25;
const SUBSCRIPTIONS = count(640, 10_000);
const DEAF = count(8, 500);
const LANES = 16;
const MARKETS = ['SOL-PERP', 'BTC-PERP', 'ETH-PERP', SCENE.name];
/** Time for the deaf to be noticed: the system's own buffers fill first. */
const DEAF_MS_MAX = 90_000;
/** Beside the buffers: what the service is allowed to have grown by. */
const SLACK_MEGABYTES = 20;
const ORDERS = 32;
/** The control client's bids are above this. */
const BIDS_BELOW = 90_000_000n;

let ground: HostileGround;

beforeAll(async () => {
  const topics = ['--topics-per-socket', String(TOPICS_PER_SOCKET)];
  ground = await HostileGround.start(['--messages-per-second', '1000000', ...topics]);
});

afterAll(() => ground?.stop());

/** A subscription to one of the topics of a market: each grouping is one. */
const request = (market: string, grouping: number) => ({
  type: 'subscribe',
  channel: 'orderbook',
  marketType: 'perp',
  market,
  grouping,
});

async function openFull(market: string): Promise<CompatibleClient> {
  const client = await CompatibleClient.open(ground.service.socketUrl);
  for (let grouping = 1; grouping <= TOPICS_PER_SOCKET; grouping += 1) {
    client.send(request(market, grouping));
  }
  const channels = () => new Set(client.frames.map(({ channel }) => channel)).size;
  await until(() => channels() === TOPICS_PER_SOCKET);
  expect(client.acks).toHaveLength(TOPICS_PER_SOCKET);
  return client;
}

test(`${SUBSCRIPTIONS} subscriptions`, { timeout: 300_000 }, async (context) => {
  await ground.endure(context, async (_, share) => {
    const clients: CompatibleClient[] = [];
    const sockets = Math.ceil((SUBSCRIPTIONS * share) / TOPICS_PER_SOCKET);
    const markets = Array.from({ length: sockets }, (_, i) => MARKETS[i % MARKETS.length] ?? '');
    await pooled(markets, LANES, async (market) => {
      clients.push(await openFull(market));
    });
    // One more than a socket may have is refused, and nothing else happens to it.
    const [first] = clients;
    first?.send(request('SOL-PERP', TOPICS_PER_SOCKET + 1));
    await until(() => first?.errors.length === 1);
    expect(first?.errors).toMatchObject([{ code: 'LIMIT_EXCEEDED' }]);
    const subscribed = clients.reduce((sum, { acks }) => sum + acks.length, 0);
    expect(subscribed).toBeGreaterThanOrEqual(SUBSCRIPTIONS * share);
    // All of them still get what changes, until the last has gone.
    const ofScene = clients.filter(({ frames }) => frames[0]?.book['marketName'] === SCENE.name);
    const had = ofScene.map(({ frames }) => frames.length);
    await until(() =>
      ofScene.every(({ frames }, i) => frames.length >= (had[i] ?? 0) + TOPICS_PER_SOCKET),
    );
    for (const client of clients) expect(client.strange).toEqual([]);
    await pooled(clients, LANES, (client) => client.close());
    return `${subscribed} subscriptions of ${sockets} sockets`;
  });
});

/** A client that subscribes to all it may and then takes nothing more. */
async function openDeaf(): Promise<RawSocket> {
  const socket = await RawSocket.open(ground.service.port);
  socket.socket.pause();
  const random = new Random(1);
  for (let grouping = 1; grouping <= TOPICS_PER_SOCKET; grouping += 1) {
    const payload = Buffer.from(JSON.stringify(request(SCENE.name, grouping)));
    socket.write(frameBytes(random, { opcode: OPCODE.text, payload }));
  }
  return socket;
}

test(`${DEAF} sockets that never read`, { timeout: 300_000 }, async (context) => {
  // Twenty levels a side in each grouping, so that a change is some 200 KiB for each of the deaf.
  const far = Array.from({ length: ORDERS }, (_, i) => BigInt(i + 1) * 10_000n);
  await ground.chain.place(201, ...far.map((step) => bid(BIDS_BELOW - step)));
  await ground.chain.place(202, ...far.map((step) => ask(SCENE.oracle + step)));
  await ground.endure(context, async (_, share) => {
    const { service } = ground;
    const deafCount = Math.ceil(DEAF * share);
    const before = service.readStats();
    let most = 0;
    const deaf = await Promise.all(Array.from({ length: deafCount }, openDeaf));
    const areGone = () => {
      const { rssMegabytes, descriptors } = service.readStats();
      most = Math.max(most, rssMegabytes);
      return descriptors <= before.descriptors;
    };
    await until(areGone, DEAF_MS_MAX);
    const buffers = deafCount * BUFFER_MEGABYTES_MAX * BUFFER_OVERHEAD;
    expect(most - before.rssMegabytes).toBeLessThan(buffers + SLACK_MEGABYTES);
    for (const socket of deaf) socket.destroy();
    return `${deafCount} sockets closed by the service, at most ${most.toFixed(0)} MB`;
  });
});

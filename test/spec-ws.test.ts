/**
 * The WebSocket of the specification's order book interface, sentence by sentence, against a real
 * service on a real chain. What the specification leaves open is docs/api.md's, and tested elsewhere.
 */
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { CompatibleClient } from './support/compatible-client.js';
import { ask, bid, type Level, SCENE, type SceneBook, SpecScene } from './support/spec-scene.js';
import { until } from './support/until.js';

const ONE = 1_000_000n;
/** The interface promises less between a change and its message. */
const CADENCE_MS_MAX = 1_000;
const CHANGES = 12;

let scene: SpecScene;
const clients: CompatibleClient[] = [];

beforeAll(async () => {
  scene = await SpecScene.start();
});

afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
});

afterAll(() => scene?.stop());

async function open(): Promise<CompatibleClient> {
  const client = await CompatibleClient.open(scene.socketUrl);
  clients.push(client);
  return client;
}

const rows = (levels: readonly Level[]) => levels.map(({ price, size }) => [price, size]);

/** The message of the specification's example. */
const message = { type: 'subscribe', channel: 'orderbook', marketType: 'perp', market: SCENE.name };

test('ws-path: the WebSocket is at /ws and nowhere else', async () => {
  const client = await open();
  expect(client.socket.readyState).toBe(WebSocket.OPEN);
  await expect(CompatibleClient.open(scene.socketUrl.replace('/ws', '/wss'))).rejects.toThrow();
});

describe('the client sends', () => {
  test('ws-text: a JSON text message', async () => {
    const client = await open();
    client.socket.send(JSON.stringify(message));
    await client.frame(() => true);
    client.socket.send('no JSON');
    await until(() => client.errors.length === 1);
    expect(client.errors).toMatchObject([{ code: 'MALFORMED_MESSAGE' }]);
  });

  test('ws-type: type `subscribe`', async () => {
    const client = await open();
    client.send({ ...message, type: 'subscribers' });
    await until(() => client.errors.length === 1);
    expect(client.frames).toEqual([]);
    client.send(message);
    await client.frame(() => true);
    expect(client.acks).toHaveLength(1);
  });

  test('ws-channel: channel `orderbook`', async () => {
    const client = await open();
    client.send({ ...message, channel: 'no such channel' });
    await until(() => client.errors.length === 1);
    expect(client.errors).toMatchObject([{ code: 'UNKNOWN_CHANNEL' }]);
    client.send(message);
    expect((await client.frame(() => true)).channel).toBe(SCENE.channel);
  });

  test('ws-market-type: marketType `perp`, and `spot` beside it', async () => {
    const client = await open();
    const perp = await client.subscribe({ market: SCENE.name, marketType: 'perp' });
    expect(perp).toMatchObject({ marketType: 'perp', marketIndex: SCENE.marketIndex });
    const spot = await client.subscribe({ market: 'SOL', marketType: 'spot' });
    expect(spot).toMatchObject({ marketName: 'SOL', marketType: 'spot' });
    expect(client.frames.map(({ channel }) => channel)).toContain('orderbook_spot_1');
  });

  test('ws-market: market is a market symbol', async () => {
    const client = await open();
    const names = ['SOL-PERP', 'BTC-PERP', SCENE.name];
    for (const market of names) {
      await client.subscribe({ market });
      await client.frame(({ marketName }) => marketName === market);
    }
    client.send({ ...message, market: 'NO-PERP' });
    await until(() => client.errors.length === 1);
    expect(client.errors).toMatchObject([{ code: 'UNKNOWN_MARKET' }]);
  });

  test('ws-grouping: grouping is a multiplier of the price step', async () => {
    await scene.place(
      1,
      bid(99_000_100n),
      bid(99_000_900n),
      bid(98_999_900n),
      ask(101n * ONE + 100n),
    );
    await scene.book(({ bids }) => bids.length === 3);
    const client = await open();
    const grouped = await client.subscribe({ market: SCENE.name, grouping: 10 });
    expect(rows(grouped.bids)).toEqual([
      ['99000000', '2000000000'],
      ['98999000', '1000000000'],
    ]);
    expect(rows(grouped.asks)).toEqual([['101001000', '1000000000']]);
    expect(client.frames[0]?.channel).toBe(`${SCENE.channel}_grouped_10`);
    const { bids, asks } = await scene.l2('&grouping=10');
    expect({ bids: grouped.bids, asks: grouped.asks }).toEqual({ bids, asks });
    await scene.clear(1);
  });
});

describe('the server sends', () => {
  test('ws-updates: JSON text messages with orderbook updates', async () => {
    const client = await open();
    await client.subscribe({ market: SCENE.name });
    for (let change = 1n; change <= 3n; change += 1n) {
      await scene.place(1, bid(90n * ONE + change * SCENE.tick), ask(110n * ONE));
      const holds = ({ bids }: SceneBook) =>
        bids[0]?.price === `${90n * ONE + change * SCENE.tick}`;
      const { book, channel } = await client.frame(holds);
      expect(channel).toBe(SCENE.channel);
      const { bids, asks } = await scene.l2('&depth=20');
      expect({ bids: book.bids, asks: book.asks }).toEqual({ bids, asks });
    }
    await scene.clear(1);
    expect([client.strange, client.errors]).toEqual([[], []]);
  });

  test('ws-cadence: updates come at sub-second cadence', async () => {
    const client = await open();
    await client.subscribe({ market: SCENE.name });
    const late: number[] = [];
    for (let change = 0; change < CHANGES; change += 1) {
      const price = 90n * ONE + BigInt(change) * SCENE.tick;
      const holds = ({ bids }: SceneBook) => bids[0]?.price === `${price}`;
      await scene.place(1, bid(price));
      const bookMs = await scene.book(holds).then(() => performance.now());
      const { atMs } = await client.frame(holds);
      late.push(atMs - bookMs);
    }
    expect(Math.max(...late)).toBeLessThan(CADENCE_MS_MAX);
    await scene.clear(1);
  });
});

test('does-2: levels and orders over HTTP, and live updates over WebSocket', async () => {
  await scene.place(1, ask(102n * ONE), ask(102n * ONE));
  const level = { price: '102000000', size: '2000000000', sources: { dlob: '2000000000' } };
  const { asks } = await scene.book((book) => book.asks[0]?.size === '2000000000');
  expect(asks).toEqual([level]);
  expect((await scene.l3()).asks).toHaveLength(2);
  const client = await open();
  expect((await client.subscribe({ market: SCENE.name })).asks).toEqual([level]);
  await scene.place(1, ask(102n * ONE));
  await client.frame((book) => book.asks[0]?.size === '1000000000');
  await scene.clear(1);
});

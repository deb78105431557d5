/** Bytes or JSON: what a client asks for, and what it does where there are no bytes. */
import { afterEach, describe, expect, test, vi } from 'vitest';
import { WebSocket } from 'ws';
import { type ClientError, StreamClient } from '../../src/client/index.js';
import { BINARY_LOAD_MS_MAX } from '../../src/client/limits.js';
import { crc32 } from '../../src/client/stream/followed-book.js';
import type { Topic } from '../../src/client/stream/topic.js';
import { ClientWorld, settle } from '../support/client-world.js';
import { StreamScene } from '../support/stream-scene.js';
import { until } from '../support/until.js';

const LOADER = '../../src/client/binary/binary-topics.js';
const topic = { channel: 'book', market: 'SOL-PERP', depth: 10 } as const;
const name = 'book:SOL-PERP:10';
const snapshot = {
  ...{ type: 'snapshot', topic: name, channel: 'book', market: 'SOL-PERP', epoch: 'e' },
  ...{ seq: 1, slot: 1, ts: 1, state: 'live', reset: false },
  ...{ bids: [['100', '5', { dlob: '5' }]], asks: [], crc: crc32('100:5') },
};

const stops: (() => unknown)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
  vi.doUnmock(LOADER);
  vi.resetModules();
});

/** Loads the readers of bytes: a client gives up one that a busy machine takes five seconds for. */
async function loadReaders(): Promise<void> {
  await import(LOADER);
}

/** A client of a scripted service, which has subscribed by bytes. */
async function subscribeByBytes() {
  await loadReaders();
  const world = new ClientWorld();
  const { clock } = world;
  const client = new StreamClient({ url: 'http://service', ...world, clock, encoding: 'binary' });
  stops.push(() => client.close());
  const subscription = client.subscribe(topic);
  world.socket.open();
  await until(() => world.socket.sent.length > 0);
  expect(world.socket.sent).toEqual([expect.objectContaining({ ...topic, encoding: 'binary' })]);
  return { world, subscription };
}

describe('an older service', () => {
  test('that ignores the encoding is followed in JSON, also where another one has bytes', async () => {
    const { world, subscription } = await subscribeByBytes();
    world.socket.say({ type: 'subscribed', id: 1, topic: name }, snapshot);
    expect(subscription.view).toMatchObject({ isFollowing: true, bestBidPrice: 100n });
    world.socket.lose();
    await world.reconnect();
    await settle();
    const [resumed] = world.socket.sent;
    expect(resumed).toMatchObject({ type: 'subscribe', resume: { epoch: 'e', seq: 1 } });
    expect(resumed).not.toHaveProperty('encoding');
  });

  test('that refuses the encoding is asked for JSON', async () => {
    const { world, subscription } = await subscribeByBytes();
    const message = 'encoding is not a member of this channel';
    world.socket.say({ type: 'error', code: 'INVALID_PARAM', message, id: 1 });
    expect(subscription.error).toBeUndefined();
    await world.reconnect();
    await settle();
    expect(world.socket.sent).toHaveLength(1);
    expect(world.socket.sent[0]).not.toHaveProperty('encoding');
    world.socket.say({ type: 'subscribed', id: 2, topic: name }, snapshot);
    expect(subscription.view).toMatchObject({ isFollowing: true, bestBidPrice: 100n });
  });

  test('that refuses anything else ends the subscription, as in JSON', async () => {
    const { world, subscription } = await subscribeByBytes();
    world.socket.say({ type: 'error', code: 'UNKNOWN_MARKET', message: 'no SOL-PERP', id: 1 });
    expect(subscription.error).toMatchObject({ code: 'UNKNOWN_MARKET' });
  });
});

describe('bytes that cannot be read', () => {
  test('resume nothing: their like would come again', async () => {
    const { world, subscription } = await subscribeByBytes();
    world.socket.say({ type: 'subscribed', id: 1, topic: `${name}:binary` }, snapshot);
    const ofNoSnapshot = new Uint8Array([0b1001_0100, 1, 2, 3, 4]).buffer;
    world.socket.sayBytes(ofNoSnapshot);
    await world.reconnect();
    await settle();
    expect(world.socket.sent[0]).toMatchObject({ ...topic, encoding: 'binary' });
    expect(world.socket.sent[0]).not.toHaveProperty('resume');
    expect(subscription.error).toBeUndefined();
  });

  test('because a class of sockets gives them in another form are asked for as JSON', async () => {
    const { world } = await subscribeByBytes();
    world.socket.say({ type: 'subscribed', id: 1, topic: `${name}:binary` });
    world.socket.sayBytes({} as ArrayBuffer);
    await world.reconnect();
    await settle();
    expect(world.socket.sent[0]).not.toHaveProperty('encoding');
  });
});

test('a topic that is left after bytes were refused has the name that it has now', async () => {
  const { world, subscription } = await subscribeByBytes();
  world.socket.say({ type: 'subscribed', id: 1, topic: `${name}:binary` }, snapshot);
  const message = 'encoding is not a member of this channel';
  world.socket.say({ type: 'error', code: 'INVALID_PARAM', message, id: 1 });
  await world.reconnect();
  await settle();
  subscription.close();
  expect(world.socket.sent.at(-1)).toEqual(
    expect.objectContaining({ type: 'unsubscribe', topic: name }),
  );
});

test('a market that is called encoding is refused like any other', async () => {
  const { world, subscription } = await subscribeByBytes();
  const message = 'there is no market encoding';
  world.socket.say({ type: 'error', code: 'UNKNOWN_MARKET', message, id: 1 });
  expect(subscription.error).toMatchObject({ code: 'UNKNOWN_MARKET' });
});

describe('a decoder that is not loaded', () => {
  /** The client, whose import of the decoder ends as it is given. */
  async function followWithout(load: () => unknown) {
    vi.resetModules();
    vi.doMock(LOADER, load as () => object);
    const { StreamClient: Fresh } = await import('../../src/client/stream/client.js');
    const world = new ClientWorld();
    const { clock } = world;
    const client = new Fresh({ url: 'http://service', ...world, clock, encoding: 'binary' });
    stops.push(() => client.close());
    const subscription = client.subscribe(topic);
    const retries: ClientError[] = [];
    subscription.onRetry((error) => retries.push(error));
    world.socket.open();
    // A decoder that does not come is waited for by the client's own clock.
    await until(async () => {
      await clock.pass(BINARY_LOAD_MS_MAX / 10);
      return world.socket.sent.length > 0;
    });
    world.socket.say({ type: 'subscribed', id: 1, topic: name }, snapshot);
    return { world, subscription, retries };
  }

  test.each([
    [
      'cannot be imported',
      () => {
        throw new Error('a policy forbids it');
      },
    ],
    ['does not come', () => new Promise(() => {})],
  ])(
    'because it %s is reported, and JSON is read',
    async (_, load) => {
      const { world, subscription, retries } = await followWithout(load);
      expect(retries).toEqual([expect.objectContaining({ code: 'BINARY_NOT_LOADED' })]);
      expect(world.socket.sent[0]).not.toHaveProperty('encoding');
      expect(subscription.view).toMatchObject({ isFollowing: true, bestBidPrice: 100n });
      world.socket.lose();
      await world.reconnect();
      await settle();
      expect(world.socket.sent[0]).toMatchObject({ resume: { epoch: 'e', seq: 1 } });
      expect(retries).toHaveLength(1);
    },
    30_000,
  );
});

// Specification: does-2.
test('by default a service is followed by bytes, with the books of JSON, also over a cut', async () => {
  await loadReaders();
  const scene = await StreamScene.start();
  stops.push(() => scene.stop());
  const sockets: WebSocket[] = [];
  class KeptSocket extends WebSocket {
    constructor(url: string) {
      super(url);
      sockets.push(this);
    }
  }
  const topics: Topic[] = [
    topic,
    { channel: 'book', market: 'SOL-PERP', depth: 50, grouping: 10, includeVamm: true },
    { channel: 'bbo', market: 'SOL-PERP' },
    { channel: 'l3', market: 'SOL-PERP', depth: 50, timing: true },
  ];
  const repairs: string[] = [];
  const onRepair = ({ message }: Error) => repairs.push(message);
  const followed = [{}, { encoding: 'json' } as const].map((options) => {
    const client = new StreamClient({
      url: scene.url,
      WebSocket: KeptSocket,
      onRepair,
      ...options,
    });
    stops.push(() => client.close());
    return topics.map((each) => client.subscribe(each));
  });
  const [byBytes = [], byJson = []] = followed;
  const shown = (subscriptions: typeof byBytes): string =>
    JSON.stringify(
      subscriptions.map(({ view }) => [view?.isFollowing, view?.seq, view?.bids, view?.asks]),
      (_, value) => (typeof value === 'bigint' ? `${value}` : value),
    );
  const untilEqual = () =>
    until(() => byBytes.every(({ view }) => view?.isFollowing) && shown(byBytes) === shown(byJson));
  await untilEqual();
  expect(byBytes.map(({ topicName }) => topicName)).toEqual(
    byJson.map(({ topicName }) => `${topicName}:binary`),
  );
  for (let round = 0; round < 10; round += 1) {
    scene.live(5);
    if (round % 4 === 3) for (const socket of sockets.splice(0)) socket.terminate();
    await untilEqual();
  }
  expect(byBytes.every(({ view }) => (view?.bids.length ?? 0) > 0)).toBe(true);
  expect(repairs).toEqual([]);
}, 60_000);

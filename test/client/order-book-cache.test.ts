/** The order book cache on its way from one request to another, on sockets that the test speaks on. */
import { beforeEach, describe, expect, test } from 'vitest';
import { OrderBookCache } from '../../src/client/caches/order-book.js';
import type { ClientError } from '../../src/client/error.js';
import { StreamClient } from '../../src/client/stream/client.js';
import { crc32 } from '../../src/client/stream/followed-book.js';
import type { BookView } from '../../src/client/stream/topic.js';
import { ClientWorld } from '../support/client-world.js';

/** The best bid, and the price of its group of 100. */
const [BEST, GROUP] = ['157', '100'] as const;

let world: ClientWorld;
let stream: StreamClient;
let cache: OrderBookCache;
let told: BookView[];
let errors: string[];

beforeEach(() => {
  world = new ClientWorld();
  stream = new StreamClient({ url: 'http://service', ...world, clock: world.clock });
  cache = new OrderBookCache(stream);
  told = [];
  errors = [];
  cache.onUpdate((book) => told.push(book));
  cache.onError(({ code }: ClientError) => errors.push(code));
});

/** The topic that the service gives the newest subscription of a channel and grouping. */
const nameOf = (channel: string, grouping = 1) => `${channel} ${grouping}`;
const head = { epoch: 'e1', slot: 10, ts: 1, state: 'live' };

function asked(channel: string, grouping = 1): number {
  const isMeant = (sent: Record<string, unknown>) =>
    sent['channel'] === channel && (sent['grouping'] ?? 1) === grouping;
  return Number(world.socket.sent.findLast(isMeant)?.['id']);
}

function answer(channel: 'book' | 'bbo', price: string, grouping = 1): void {
  const topic = nameOf(channel, grouping);
  const rows =
    channel === 'bbo'
      ? { bid: [price, '7'], ask: null }
      : { bids: [[price, '7', { dlob: '7' }]], asks: [] };
  const frame = { ...head, type: 'snapshot', topic, market: 'SOL-PERP', seq: 5, ...rows };
  const id = asked(channel, grouping);
  world.socket.say({ type: 'subscribed', id, topic }, { ...frame, crc: crc32(`${price}:7`) });
}

/** A frame of the grouped book without a change. */
function advanceTo(seq: number): void {
  const topic = nameOf('book', 100);
  world.socket.say({ ...head, type: 'heartbeat', topic, seq: 5, slot: seq });
}

function refuse(channel: string, grouping = 1, code = 'INVALID_PARAM'): void {
  world.socket.say({ type: 'error', id: asked(channel, grouping), code, message: 'a text' });
}

function showGrouped(): void {
  cache.updateSubscription({ market: 'SOL-PERP', grouping: 100 });
  world.socket.open();
  answer('book', GROUP, 100);
  answer('bbo', BEST);
}

const bestBids = () => told.map(({ bestBidPrice }) => bestBidPrice);

describe('best prices are those of the market', () => {
  test('on the way to single ticks, and when that is refused', () => {
    showGrouped();
    cache.updateSubscription({ grouping: 1 });
    advanceTo(11);
    refuse('book', 1);
    advanceTo(12);
    expect(bestBids()).toEqual([157n, 157n, 157n]);
    expect(told.at(-1)?.slot).toBe(12);
    expect(errors).toEqual(['INVALID_PARAM']);
  });

  test('on the way back to groups', () => {
    cache.updateSubscription({ market: 'SOL-PERP' });
    world.socket.open();
    answer('book', BEST);
    cache.updateSubscription({ grouping: 100 });
    answer('book', GROUP, 100);
    expect(told.map(({ bids }) => bids[0]?.price)).toEqual([157n]);
    answer('bbo', BEST);
    expect(told.map(({ bids }) => bids[0]?.price)).toEqual([157n, 100n]);
    expect(bestBids()).toEqual([157n, 157n]);
  });

  test('also while the connection is lost: they are the last known ones', () => {
    showGrouped();
    world.socket.lose();
    expect(new Set(bestBids())).toEqual(new Set([157n]));
    expect(cache.store?.isFollowing).toBe(false);
  });

  test('which the service does not tell any longer: the book is followed no longer', () => {
    showGrouped();
    world.socket.say({ type: 'error', topic: nameOf('bbo'), code: 'UNKNOWN_MARKET', message: '' });
    expect(cache.store).toMatchObject({ isFollowing: false, bestBidPrice: 157n });
    expect(errors).toEqual(['UNKNOWN_MARKET']);
    advanceTo(11);
    expect(cache.store?.slot).toBe(10);
  });
});

describe('a request that is refused', () => {
  test('is forgotten by the next', () => {
    showGrouped();
    cache.updateSubscription({ grouping: 7 });
    refuse('book', 7);
    cache.updateSubscription({ depth: 20 });
    expect(world.socket.sent.at(-1)).toMatchObject({
      market: 'SOL-PERP',
      grouping: 100,
      depth: 20,
    });
  });

  test('leaves no market where there was none', () => {
    cache.updateSubscription({ market: 'NOPE' });
    world.socket.open();
    refuse('book', 1, 'UNKNOWN_MARKET');
    expect(() => cache.updateSubscription({ grouping: 10 })).toThrow('market is missing');
  });

  test('for now is told as trouble, and asked again', async () => {
    const troubles: string[] = [];
    cache.onRetry(({ code }) => troubles.push(code));
    cache.updateSubscription({ market: 'SOL-PERP' });
    world.socket.open();
    refuse('book', 1, 'LIMIT_EXCEEDED');
    await world.clock.pass(1_000);
    answer('book', BEST);
    expect([troubles, errors, bestBids()]).toEqual([['LIMIT_EXCEEDED'], [], [157n]]);
  });
});

describe('destroy', () => {
  test('ends the loops that wait, and those that come', async () => {
    cache.updateSubscription({ market: 'SOL-PERP' });
    const loop = cache[Symbol.asyncIterator]();
    const next = loop.next();
    cache.destroy();
    expect(await next).toEqual({ done: true, value: undefined });
    const after = await cache[Symbol.asyncIterator]().next();
    expect(after.done).toBe(true);
  });

  test('takes no request any more, and leaves the stream to its owner', () => {
    showGrouped();
    cache.destroy();
    expect(() => cache.updateSubscription({ grouping: 1 })).toThrow('destroyed');
    expect(stream.subscribe({ channel: 'bbo', market: 'SOL-PERP' }).isOpen).toBe(true);
  });
});

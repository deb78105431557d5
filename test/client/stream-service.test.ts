/** The stream client against the service's own streams: whole, spoilt on the way, and cut off. */
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { OrderBookCache } from '../../src/client/caches/order-book.js';
import type { Level } from '../../src/client/generated/rows.js';
import { StreamClient, type StreamOptions } from '../../src/client/stream/client.js';
import type { Subscription } from '../../src/client/stream/subscription.js';
import type { Best, BookTopic, BookView } from '../../src/client/stream/topic.js';
import { Random } from '../../src/sim/random.js';
import { FrameProxy } from '../support/frame-proxy.js';
import { StreamScene } from '../support/stream-scene.js';
import { until } from '../support/until.js';

/** Between two changes: each has a frame of its own. */
const ROUND_MS = 20;

const stops: (() => Promise<unknown> | unknown)[] = [];

afterEach(async () => {
  for (const stop of stops.splice(0).reverse()) await stop();
});

const book: BookTopic = { channel: 'book', market: 'SOL-PERP', depth: 10 };

async function startScene(): Promise<StreamScene> {
  const scene = await StreamScene.start({ socketsPerIp: 100 });
  stops.push(() => scene.stop());
  return scene;
}

function startClient(url: string, options: Partial<StreamOptions> = {}): StreamClient {
  const client = new StreamClient({ url, WebSocket, ...options });
  stops.push(() => client.close());
  return client;
}

/** Rows with texts in place of bigints, as the service writes them. */
function plain(rows: readonly Best[]): unknown {
  const asText = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value);
  return JSON.parse(JSON.stringify(rows, asText));
}

type Query = Parameters<StreamScene['engine']['l2']>[0];

/** What the service's own book shows. */
function shownLevels({ engine }: StreamScene, query: Omit<Query, 'market'>) {
  const market = engine.findMarket('SOL-PERP')?.id ?? -1;
  const { bids, asks } = JSON.parse(Buffer.from(engine.l2({ market, ...query })).toString());
  return { bids, asks };
}

function shownOrders({ engine }: StreamScene, depth: number) {
  const market = engine.findMarket('SOL-PERP')?.id ?? -1;
  const { bids, asks } = JSON.parse(Buffer.from(engine.l3({ market, depth })).toString());
  return { bids, asks };
}

const rowsOf = (view: BookView<Best> | undefined) => ({
  bids: plain(view?.bids ?? []),
  asks: plain(view?.asks ?? []),
});

const isFollowing = ({ view }: Subscription<Level>) => view?.isFollowing === true;

describe('many topics of one client', () => {
  test('have the rows of /l2 and /l3 after each change, and nothing has to be mended', async () => {
    const scene = await startScene();
    const healed: string[] = [];
    const client = startClient(scene.url, { onRepair: ({ rule }) => healed.push(rule) });
    const levels = client.subscribe(book);
    const grouped = client.subscribe({ ...book, depth: 100, grouping: 50, includeVamm: true });
    const best = client.subscribe({ channel: 'bbo', market: 'SOL-PERP' });
    const orders = client.subscribe({ channel: 'l3', market: 'SOL-PERP', depth: 500 });
    const isEqual = (): boolean => {
      const top = shownLevels(scene, { depth: 1 });
      const bare = (rows: { price: string; size: string }[]) =>
        rows.map(({ price, size }) => ({ price, size }));
      const pairs = [
        [rowsOf(levels.view), shownLevels(scene, { depth: 10 })],
        [rowsOf(grouped.view), shownLevels(scene, { depth: 100, grouping: 50, vamm: true })],
        [rowsOf(best.view), { bids: bare(top.bids), asks: bare(top.asks) }],
        [rowsOf(orders.view), shownOrders(scene, 500)],
      ];
      return pairs.every(([read, shown]) => JSON.stringify(read) === JSON.stringify(shown));
    };
    for (let round = 0; round < 30; round += 1) {
      scene.live(10);
      await until(isEqual);
    }
    expect(healed).toEqual([]);
    const { bestBidPrice, bids } = levels.view ?? {};
    expect(bestBidPrice).toBe(bids?.[0]?.price);
  });
});

describe('spoilt frames', () => {
  test('are found and mended, each of them, and the book is right at the end', async () => {
    const scene = await startScene();
    // The proxy spoils texts.
    const proxy = await FrameProxy.start(scene.url, new Random(17));
    stops.push(() => proxy.stop());
    const client = startClient(`${proxy.url}/ws`, { encoding: 'json' });
    const subscription = client.subscribe(book);
    await until(() => isFollowing(subscription));
    for (let round = 0; round < 400; round += 1) {
      scene.live(1);
      await sleep(ROUND_MS);
      if (round % 10 === 9) await until(() => isFollowing(subscription));
    }
    await until(() => proxy.settle());
    scene.live(5);
    const wanted = JSON.stringify(shownLevels(scene, { depth: 10 }));
    await until(() => JSON.stringify(rowsOf(subscription.view)) === wanted);
    const injected = Object.values(proxy.counts).reduce((sum, { injected }) => sum + injected, 0);
    expect(injected).toBeGreaterThan(10);
    expect(proxy.missed).toEqual([]);
    expect(proxy.falseAlarms).toBe(0);
  });
});

describe('the order book cache', () => {
  // Specification: client-book-callbacks, client-book-grouping, client-book-unsubscribe, event-book.
  test('changes its grouping while it is followed, without a moment without a book', async () => {
    const scene = await startScene();
    const cache = new OrderBookCache(startClient(scene.url));
    stops.push(() => cache.destroy());
    const seen: BookView<Level>[] = [];
    cache.onUpdate((view) => seen.push(view));
    cache.updateSubscription({ market: 'SOL-PERP', depth: 20, includeVamm: false });
    for (const grouping of [1, 10, 100, 1_000, 1]) {
      cache.updateSubscription({ grouping });
      scene.live(3);
      await until(() => {
        const wanted = JSON.stringify(shownLevels(scene, { depth: 20, grouping }));
        return JSON.stringify(rowsOf(cache.store)) === wanted;
      });
      expect(cache.store?.isFollowing).toBe(true);
    }
    expect(seen.every(({ bids, asks }) => bids.length > 0 && asks.length > 0)).toBe(true);
    const { store } = cache;
    const best = [store?.bids[0]?.price, store?.asks[0]?.price];
    expect([store?.bestBidPrice, store?.bestAskPrice]).toEqual(best);
    // Of a group of a thousand ticks the best prices are still those of the market.
    cache.updateSubscription({ grouping: 1_000 });
    await until(() => {
      const { bids, bestBidPrice, bestAskPrice } = cache.store ?? {};
      const prices = JSON.stringify([`${bestBidPrice}`, `${bestAskPrice}`]);
      return prices === JSON.stringify(best.map(String)) && bids?.[0]?.price !== bestBidPrice;
    });
    cache.unsubscribe();
    const count = seen.length;
    scene.live(20);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect([cache.store, seen.length]).toEqual([undefined, count]);
  });

  test('shows another market, keeps what else was wished for, and can be read in a loop', async () => {
    const scene = await startScene();
    const cache = new OrderBookCache(startClient(scene.url));
    stops.push(() => cache.destroy());
    expect(() => cache.updateSubscription({ grouping: 10 })).toThrow('market is missing');
    cache.updateSubscription({ market: 'SOL-PERP', depth: 10, grouping: 100, includeVamm: false });
    const markets: string[] = [];
    for await (const { market } of cache) {
      if (markets.at(-1) !== market) markets.push(market);
      if (market === 'SOL-PERP') cache.updateSubscription({ market: 'BTC-PERP' });
      else break;
    }
    expect(markets).toEqual(['SOL-PERP', 'BTC-PERP']);
    const { engine } = scene;
    const market = engine.findMarket('BTC-PERP')?.id ?? -1;
    const body = engine.l2({ market, depth: 10, grouping: 100 });
    const { bids } = JSON.parse(Buffer.from(body).toString());
    expect(rowsOf(cache.store).bids).toEqual(bids);
  });

  test('tells what the service refuses', async () => {
    const scene = await startScene();
    const cache = new OrderBookCache(startClient(scene.url));
    const refused = new Promise<string>((resolve) => cache.onError(({ code }) => resolve(code)));
    cache.updateSubscription({ market: 'NOPE-PERP' });
    expect(await refused).toBe('UNKNOWN_MARKET');
  });
});

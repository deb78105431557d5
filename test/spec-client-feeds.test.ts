/** What the specification says of the library's candles, order book and price caches, name by name. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import {
  type BookView,
  type Candle,
  CandleClient,
  type L2Book,
  MarkPriceCache,
  OraclePriceCache,
  OrderBookCache,
  rawPrice,
  StreamClient,
} from '../src/client/index.js';
import { CandleService, candleAt } from './support/candle-service.js';
import { settle } from './support/client-world.js';
import { StreamScene } from './support/stream-scene.js';
import { until } from './support/until.js';

const MINUTE = 60;

describe('candles', () => {
  let service: CandleService;
  let client: CandleClient;

  beforeEach(() => {
    service = new CandleService();
    service.fill(30, MINUTE);
    const { fetch, world } = service;
    client = new CandleClient({ url: 'http://service', fetch, ...world, clock: world.clock });
  });

  afterEach(() => client.close());

  const params = { env: 'mainnet-beta', marketId: 'perp_0', resolution: '1' } as const;
  const now = (): number => service.nowS - (service.nowS % MINUTE);

  async function subscribe(key: string): Promise<void> {
    const subscribed = client.subscribe(params, key);
    await settle();
    service.world.socket.open();
    service.world.socket.say({ type: 'subscription', symbol: 'SOL-PERP', resolution: '1' });
    await subscribed;
  }

  function tell(ts: number, volume: number): void {
    const candle = { symbol: 'SOL-PERP', resolution: '1', ...candleAt(ts, volume) };
    service.world.socket.say({ type: 'update', candle, trades: [] });
  }

  test('client-candle-fetch: every candle of a range, in order', async () => {
    const [fromTs, toTs] = [now() - 10 * MINUTE, now()];
    const candles: Candle[] = await client.fetch({ ...params, fromTs, toTs });
    expect(candles.map(({ ts }) => ts)).toEqual(
      Array.from({ length: 11 }, (_, index) => fromTs + index * MINUTE),
    );
    const { ts, fillOpen, fillHigh, fillLow, fillClose, baseVolume } = candles[0] ?? candleAt(0);
    const sent = candleAt(fromTs);
    expect({ ts, fillOpen, fillHigh, fillLow, fillClose, baseVolume }).toEqual({
      ...{ ts: sent.ts, fillOpen: sent.fillOpen, fillHigh: sent.fillHigh, fillLow: sent.fillLow },
      ...{ fillClose: sent.fillClose, baseVolume: sent.baseVolume },
    });
  });

  test('client-candle-subscribe: a listener of a key is told', async () => {
    const heard: string[] = [];
    await subscribe('chart');
    client.on('chart', 'candle-update', () => heard.push('chart'));
    client.on('other', 'candle-update', () => heard.push('other'));
    tell(now(), 2);
    expect(heard).toEqual(['chart']);
  });

  test('client-candle-unsubscribe: nothing is told any more', async () => {
    const heard: Candle[] = [];
    client.on('chart', 'candle-update', (candle) => heard.push(candle));
    await subscribe('chart');
    client.unsubscribe('chart');
    tell(now(), 2);
    expect(heard).toEqual([]);
    expect(service.world.socket.sent.at(-1)).toMatchObject({ type: 'unsubscribe' });
  });

  test('event-candle-update: a new candle, and one that has changed', async () => {
    const heard: [number, number][] = [];
    client.on('chart', 'candle-update', ({ ts, baseVolume }) => heard.push([ts, baseVolume]));
    await subscribe('chart');
    tell(now(), 2);
    tell(now(), 3);
    tell(now() + MINUTE, 1);
    expect(heard).toEqual([
      [now(), 2],
      [now(), 3],
      [now() + MINUTE, 1],
    ]);
  });
});

describe('prices', () => {
  const reading = { hasSufficientNumberOfDataPoints: true, confidence: rawPrice(5n) };

  /** What the caches read of a body of /l2. */
  function book(marketIndex: number, slot: number, price: bigint): L2Book {
    const [mark, bid, ask] = [price, price - 1n, price + 1n].map(rawPrice);
    if (mark === undefined || bid === undefined || ask === undefined) throw new Error('three');
    return {
      ...{ bids: [], asks: [], marketName: 'X', marketType: 'perp', marketIndex, ts: slot * 400 },
      ...{ slot, markPrice: mark, oracle: mark, marketSlot: slot, seq: 1, epoch: 'e' },
      ...{ state: 'live', crossed: false, bestBidPrice: bid, bestAskPrice: ask },
      ...{ spreadPct: 1n, spreadQuote: null, mmOracleData: {} },
      oracleData: { ...reading, price: mark, slot: BigInt(slot) },
    };
  }

  test('client-mark-data: markPrice, bestBid, bestAsk and lastUpdateSlot, all integers', () => {
    const marks = new MarkPriceCache();
    expect(marks.getMarkPriceData('perp_0')).toBeNull();
    marks.updateMarkPrices([book(0, 7, 150_000_000n)]);
    expect(marks.getMarkPriceData('perp_0')).toEqual({
      ...{ markPrice: 150_000_000n, bestBid: 149_999_999n, bestAsk: 150_000_001n },
      lastUpdateSlot: 7,
    });
    expect(marks.getMarkPrice('perp_0')).toBe(150_000_000n);
  });

  test('client-oracle-data: a price by market', () => {
    const oracles = new OraclePriceCache();
    oracles.updateOraclePrices([book(0, 7, 150n), { ...book(1, 7, 9n), oracleData: {} }]);
    expect(oracles.getOraclePriceData('perp_0')).toEqual({
      ...reading,
      ...{ price: 150n, mmPrice: null, slot: 7 },
    });
    expect(oracles.getOraclePrice('perp_1')).toBeNull();
  });

  test('client-keyed-market: the store has the newest of each market', () => {
    const marks = new MarkPriceCache();
    marks.updateMarkPrices([book(0, 7, 150n), book(3, 7, 30n)]);
    expect(Object.keys(marks.store)).toEqual(['perp_0', 'perp_3']);
    expect(marks.store['perp_3']?.markPrice).toBe(30n);
  });

  test('client-mark-callbacks: those that are registered, until they leave', () => {
    const marks = new MarkPriceCache();
    const heard: number[] = [];
    const off = marks.onUpdate(() => heard.push(1));
    marks.onUpdate(() => heard.push(2));
    marks.updateMarkPrices([book(0, 7, 150n)]);
    off();
    marks.updateMarkPrices([book(0, 8, 150n)]);
    marks.destroy();
    marks.updateMarkPrices([book(0, 9, 150n)]);
    expect(heard).toEqual([1, 2, 2]);
  });

  test('client-oracle-callbacks: only for what is newer, or another price within its slot', () => {
    const oracles = new OraclePriceCache();
    const heard: (bigint | undefined)[] = [];
    oracles.onUpdate(({ perp_0 }) => heard.push(perp_0?.price));
    const tell = (slot: number, price: bigint, others: Partial<L2Book> = {}) =>
      oracles.updateOraclePrices([{ ...book(0, slot, price), ...others }]);
    tell(7, 150n);
    tell(7, 150n);
    tell(6, 140n);
    tell(7, 151n);
    tell(7, 152n, { ts: 1 });
    tell(8, 153n);
    // After a restart the service may be behind where it was: its word of now holds.
    tell(5, 154n, { epoch: 'f' });
    expect(heard).toEqual([150n, 151n, 153n, 154n]);
  });

  test('event-mark: a lookup of the markets that have changed, and of no others', () => {
    const marks = new MarkPriceCache();
    const heard: unknown[] = [];
    marks.onUpdate((changed) => heard.push(changed));
    marks.updateMarkPrices([book(0, 7, 150n), book(1, 7, 30n)]);
    marks.updateMarkPrices([book(0, 7, 150n), book(1, 8, 31n)]);
    const data = (price: bigint, lastUpdateSlot: number) => {
      return { markPrice: price, bestBid: price - 1n, bestAsk: price + 1n, lastUpdateSlot };
    };
    expect(heard).toEqual([
      { perp_0: data(150n, 7), perp_1: data(30n, 7) },
      { perp_1: data(31n, 8) },
    ]);
  });

  test('client-event-oracle: a lookup of the markets that have changed, and of no others', () => {
    const oracles = new OraclePriceCache();
    const heard: unknown[] = [];
    oracles.onUpdate((changed) => heard.push(Object.keys(changed)));
    oracles.updateOraclePrices([book(0, 7, 150n), book(1, 7, 30n)]);
    oracles.updateOraclePrices([book(0, 8, 151n), book(1, 7, 30n)]);
    expect(heard).toEqual([['perp_0', 'perp_1'], ['perp_0']]);
  });
});

describe('the order book', () => {
  let scene: StreamScene;
  let cache: OrderBookCache;
  let stream: StreamClient;
  let heard: BookView[];

  beforeEach(async () => {
    scene = await StreamScene.start({ socketsPerIp: 100 });
    stream = new StreamClient({ url: scene.url, WebSocket });
    cache = new OrderBookCache(stream);
    heard = [];
    cache.onUpdate((book) => heard.push(book));
    cache.updateSubscription({ market: 'SOL-PERP', depth: 20, includeVamm: false });
    await until(() => heard.length > 0);
  });

  afterEach(async () => {
    cache.destroy();
    stream.close();
    await scene.stop();
  });

  /** Prices and sizes that the service's own book shows. */
  function shown(grouping: number): string {
    const { bids, asks } = scene.levels(`book:SOL-PERP:20${grouping === 1 ? '' : `:g${grouping}`}`);
    return [...bids, ...asks].map(([price, size]) => `${price} ${size}`).join();
  }

  const textOf = (book: BookView | undefined): string =>
    [...(book?.bids ?? []), ...(book?.asks ?? [])].map((row) => `${row.price} ${row.size}`).join();

  test('client-book-callbacks: every change comes to those who are registered', async () => {
    scene.live(30);
    await until(() => textOf(heard.at(-1)) === shown(1));
    expect(heard.length).toBeGreaterThan(2);
  });

  test('client-book-grouping: on a live subscription', async () => {
    cache.updateSubscription({ grouping: 100 });
    scene.live(3);
    await until(() => textOf(cache.store) === shown(100));
    expect(textOf(cache.store)).not.toBe(shown(1));
  });

  test('client-book-unsubscribe: no callback comes any more', async () => {
    cache.unsubscribe();
    const { length } = heard;
    scene.live(20);
    const other = stream.subscribe({ channel: 'bbo', market: 'SOL-PERP' });
    await until(() => other.view !== undefined);
    expect([heard.length, cache.store]).toEqual([length, undefined]);
  });

  test('event-book: bids, asks, bestBidPrice and bestAskPrice', () => {
    const { bids, asks, bestBidPrice, bestAskPrice } = heard[0] ?? {};
    expect(textOf(heard[0])).toBe(shown(1));
    expect([bestBidPrice, bestAskPrice]).toEqual([bids?.[0]?.price, asks?.[0]?.price]);
    expect(bestBidPrice).not.toBeNull();
  });
});

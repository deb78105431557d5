/** The candle client beyond the faults of others: keys, loops, clocks that are apart, long series. */
import { beforeEach, expect, test } from 'vitest';
import { CandleClient } from '../../src/client/candles/client.js';
import { CandleSeries } from '../../src/client/candles/series.js';
import type { Resolution } from '../../src/client/generated/lists.js';
import { perpMarket } from '../../src/client/keys.js';
import { CandleService, candleAt } from '../support/candle-service.js';
import { settle } from '../support/client-world.js';

const MINUTE = 60;
const DAY = 86_400;
const params = { marketId: 'SOL-PERP', resolution: '1' } as const;

let service: CandleService;
let client: CandleClient;

beforeEach(() => {
  service = new CandleService();
  const { fetch, world } = service;
  client = new CandleClient({ url: 'http://service', fetch, ...world, clock: world.clock });
});

const named = (message: object, resolution = '1') => ({
  symbol: 'SOL-PERP',
  resolution,
  ...message,
});
const now = (): number => service.nowS - (service.nowS % MINUTE);
const update = (ts: number, volume = 1) => ({
  type: 'update',
  candle: named(candleAt(ts, volume)),
});

async function subscribed(key: string, signal?: AbortSignal): Promise<void> {
  const call = client.subscribe(params, key, { signal });
  await settle();
  service.world.socket.open();
  service.world.socket.say(named({ type: 'subscription' }));
  await call;
}

test('a market is named by its id, its key or its symbol', async () => {
  service.fill(3, MINUTE);
  const range = { resolution: '1', fromTs: now(), toTs: now() } as const;
  for (const marketId of [perpMarket(0), 'perp_0', 'SOL-PERP']) {
    expect(await client.fetch({ ...range, marketId })).toHaveLength(1);
  }
  expect(service.asked.filter((path) => path.startsWith('/markets'))).toHaveLength(1);
  const unknown = client.fetch({ ...range, marketId: 'perp_9' });
  await expect(unknown).rejects.toMatchObject({ code: 'UNKNOWN_MARKET' });
});

test.each([
  ['ahead', -100],
  ['behind', 100],
])('a service whose clock is %s gives its newest candle', async (_, behindS) => {
  service.behindS = behindS;
  service.fill(5, MINUTE);
  const nowS = Math.floor(service.world.clock.unixMs() / 1_000);
  const candles = await client.fetch({ ...params, fromTs: nowS - 1_000, toTs: nowS + 1_000 });
  expect(candles.at(-1)?.ts).toBe(now());
  expect(candles).toHaveLength(5);
});

test.each<[Resolution, number]>([
  ['240', 4 * 3_600],
  ['1440', DAY],
  ['D', DAY],
  ['W', 7 * DAY],
])('a series of %s has no hole over many pages', async (resolution, lengthS) => {
  service.fill(2_300, lengthS);
  service.candles = service.candles.filter(({ ts }) => ts >= 1_668_470_400);
  const candles = await client.fetch({ ...params, resolution, fromTs: 0, toTs: service.nowS });
  expect(candles).toHaveLength(service.candles.length);
  const apart = candles.slice(1).map(({ ts }, index) => ts - (candles[index]?.ts ?? 0));
  expect(new Set(apart)).toEqual(new Set([lengthS]));
});

test('months of any length are no end of a page', async () => {
  const starts = [1, 2, 3, 4, 5].map((month) => Date.UTC(2025, month, 1) / 1_000);
  service.candles = starts.map((ts) => candleAt(ts));
  const range = { fromTs: starts[1] ?? 0, toTs: service.nowS };
  const candles = await client.fetch({ ...params, resolution: 'M', ...range });
  expect(candles.map(({ ts }) => ts)).toEqual(starts.slice(1));
});

test.each([
  ['before there were markets', 0, 1],
  ['within a second', 1_700_000_000.2, 1_700_000_000.4],
])('a range %s has no candle, and its market is checked all the same', async (_, fromTs, toTs) => {
  const range = { ...params, fromTs, toTs };
  expect(await client.fetch(range)).toEqual([]);
  const error = { code: 'UNKNOWN_MARKET', message: 'there is no market NONE', param: 'symbol' };
  service.replies.push(new Response(JSON.stringify({ error }), { status: 404 }));
  const unknown = client.fetch({ ...range, marketId: 'NONE' });
  await expect(unknown).rejects.toMatchObject({ code: 'UNKNOWN_MARKET' });
});

test('a range that runs backwards is refused, whatever it is made of', async () => {
  for (const [fromTs, toTs] of [
    [2, 1],
    [Number.NaN, 1],
  ] as const) {
    const call = client.fetch({ ...params, fromTs, toTs });
    await expect(call).rejects.toMatchObject({ code: 'INVALID_OPTION', param: 'fromTs' });
  }
});

test('a key that is used again follows the new series alone, with the listeners that it has', async () => {
  const heard: string[] = [];
  client.on('chart', 'candle-update', ({ ts }) => heard.push(String(ts)));
  await subscribed('chart');
  const second = client.subscribe({ ...params, resolution: '5' }, 'chart');
  await settle();
  const { socket } = service.world;
  expect(socket.sent.map(({ type, resolution }) => [type, resolution])).toEqual([
    ['subscribe', '1'],
    ['unsubscribe', '1'],
    ['subscribe', '5'],
  ]);
  socket.say(named({ type: 'subscription' }, '5'));
  await second;
  socket.say(update(now()), { type: 'update', candle: named(candleAt(300), '5') });
  expect(heard).toEqual(['300']);
});

test('D is another name of 1440, also in what the service says', async () => {
  const heard: number[] = [];
  client.on('k', 'candle-update', ({ ts }) => heard.push(ts));
  const call = client.subscribe({ ...params, resolution: '1440' }, 'k');
  await settle();
  service.world.socket.open();
  service.world.socket.say(named({ type: 'subscription' }, 'D'));
  await call;
  service.world.socket.say({ type: 'update', candle: named(candleAt(DAY), 'D') });
  expect(heard).toEqual([DAY]);
});

// Specification: client-candle-unsubscribe.
test('unsubscribe ends a key, unsubscribeAll all of them, and an abort its own', async () => {
  const heard: string[] = [];
  const ending = new AbortController();
  for (const key of ['a', 'b', 'c']) client.on(key, 'candle-update', () => heard.push(key));
  await subscribed('a', ending.signal);
  await client.subscribe(params, 'b');
  await client.subscribe(params, 'c');
  const { socket } = service.world;
  socket.say(update(now(), 1));
  client.unsubscribe('b');
  socket.say(update(now(), 2));
  ending.abort();
  socket.say(update(now(), 3));
  client.unsubscribeAll();
  socket.say(update(now(), 4));
  expect(heard.join('')).toBe('abcacc');
  expect(socket.sent.filter(({ type }) => type === 'unsubscribe')).toHaveLength(1);
});

test('what cannot be read is asked for again after ever longer pauses', async () => {
  await subscribed('k');
  const { world } = service;
  const lostMs: number[] = [];
  for (let attempt = 0; attempt < 5; attempt += 1) {
    world.socket.say(named({ type: 'init', candle: {} }));
    lostMs.push(world.clock.monotonicMs());
    await world.reconnect();
  }
  const pauses = lostMs.slice(1).map((ms, index) => ms - (lostMs[index] ?? 0));
  expect(pauses).toEqual([150, 250, 500, 1_000]);
});

test('a closed client leaves no timer, which would keep a program from its end', async () => {
  await subscribed('k');
  client.close();
  await settle();
  expect(service.world.clock.timers).toBe(0);
});

test('a key that is given up before the service answers rejects its subscription', async () => {
  const call = client.subscribe(params, 'k');
  const refused = expect(call).rejects.toMatchObject({ code: 'CLOSED' });
  await settle();
  client.unsubscribe('k');
  await refused;
});

test('a key that is given up before the names of the markets come rejects its subscription', async () => {
  const fetch = () => new Promise<Response>(() => {});
  const { world } = service;
  const slow = new CandleClient({ url: 'http://service', fetch, ...world, clock: world.clock });
  const call = slow.subscribe({ ...params, marketId: 'perp_0' }, 'k').catch(({ code }) => code);
  const loop = slow.follow({ ...params, marketId: 'perp_0' }).next();
  const left = loop.catch(({ code }: { code: string }) => code);
  await settle();
  slow.close();
  expect(await Promise.race([Promise.all([call, left]), settle()])).toEqual(['CLOSED', 'CLOSED']);
});

test('a hole in what comes live is fetched before what is behind it is told', async () => {
  service.fill(3, MINUTE);
  const ts = now();
  const heard: number[] = [];
  client.on('k', 'candle-update', (candle) => heard.push(candle.ts));
  await subscribed('k');
  service.world.socket.say(update(ts));
  await service.world.passAlive(4_000 * MINUTE);
  service.fill(10, MINUTE);
  service.world.socket.say(update(now()));
  await settle();
  expect(heard).toEqual(Array.from({ length: 5 }, (_, index) => ts + index * MINUTE));
});

test('where the service has left something out, it is fetched', async () => {
  service.fill(3, MINUTE);
  const ts = now();
  const heard: [number, number][] = [];
  client.on('k', 'candle-update', (candle) => heard.push([candle.ts, candle.baseVolume]));
  await subscribed('k');
  service.world.socket.say(update(ts, 1));
  service.candles = [candleAt(ts, 5), candleAt(ts + MINUTE, 2)];
  service.world.socket.say(named({ type: 'init', candle: candleAt(ts + MINUTE, 1) }));
  expect(heard).toEqual([[ts, 1]]);
  await settle();
  expect(heard.slice(1)).toEqual([
    [ts, 5],
    [ts + MINUTE, 2],
  ]);
});

test('a loop is given the newest state of each candle, and ends its subscription', async () => {
  const heard: [number, number][] = [];
  const ts = now();
  const loop = (async () => {
    for await (const candle of client.follow(params)) {
      heard.push([candle.ts, candle.baseVolume]);
      if (candle.baseVolume === 9) break;
    }
  })();
  await settle();
  const { socket } = service.world;
  socket.open();
  socket.say(named({ type: 'subscription' }), update(ts, 1), update(ts, 2), update(ts + MINUTE, 1));
  await settle();
  socket.say(update(ts + MINUTE, 9));
  await loop;
  expect(heard).toEqual([
    [ts, 2],
    [ts + MINUTE, 1],
    [ts + MINUTE, 9],
  ]);
  expect(socket.sent.at(-1)).toMatchObject({ type: 'unsubscribe' });
});

test('a loop is thrown what ends the series', async () => {
  const loop = client.follow(params);
  const first = loop.next();
  await settle();
  const { socket } = service.world;
  socket.open();
  socket.say(named({ type: 'subscription' }));
  await settle();
  socket.say(named({ type: 'error', code: 'UNKNOWN_MARKET', message: 'gone' }));
  await expect(first).rejects.toMatchObject({ code: 'UNKNOWN_MARKET' });
});

test('of two readings of a candle the one with the later trade stays', () => {
  const series = new CandleSeries();
  const live = { ...candleAt(60, 5), lastFillRecordId: 12n };
  series.putCandle(live);
  expect(series.mergeCandle({ ...candleAt(60, 9), lastFillRecordId: 11n })).toBe(false);
  expect(series.mergeCandle(candleAt(60, 4) as never)).toBe(false);
  expect(series.last).toBe(live);
  expect(series.mergeCandle({ ...candleAt(60, 6), lastFillRecordId: 13n })).toBe(true);
  // On one socket the order is the service's: it may take a trade back.
  expect(series.putCandle({ ...candleAt(60, 1), lastFillRecordId: 10n })).toBe(true);
  expect(series.putCandle({ ...candleAt(60, 1), lastFillRecordId: 10n })).toBe(false);
});

test('a series keeps its newest candles only', () => {
  const series = new CandleSeries();
  for (let index = 0; index < 10_050; index += 1)
    series.putCandle({ ...candleAt(index * 60) } as never);
  expect(series.first?.ts).toBe(50 * 60);
  expect(series.last?.ts).toBe(10_049 * 60);
});

/** What the candle client of the system in use gets wrong: its known faults, each as a test. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { CandleClient } from '../../src/client/candles/client.js';
import type { Candle } from '../../src/client/generated/candles.js';
import { CandleService, candleAt } from '../support/candle-service.js';
import { settle } from '../support/client-world.js';

const MINUTE = 60;
const params = { marketId: 'SOL-PERP', resolution: '1' } as const;

let service: CandleService;
let client: CandleClient;

const make = (url: string | Record<string, string> = 'http://service:81'): CandleClient =>
  new CandleClient({ url, fetch: service.fetch, ...service.world, clock: service.world.clock });

beforeEach(() => {
  service = new CandleService();
  client = make();
});

afterEach(() => client.close());

const tsOf = (candles: readonly { readonly ts: number }[]) => candles.map(({ ts }) => ts);

/** Every start from one to another, a minute apart. */
function minutes(fromTs: number, toTs: number): number[] {
  const first = Math.ceil(fromTs / MINUTE) * MINUTE;
  const count = Math.floor((toTs - first) / MINUTE) + 1;
  return Array.from({ length: count }, (_, index) => first + index * MINUTE);
}

/** The start of the candle of now. */
const now = (): number => service.nowS - (service.nowS % MINUTE);

const named = (candle: object) => ({ symbol: 'SOL-PERP', resolution: '1', ...candle });
const update = (ts: number, volume = 1) => ({
  type: 'update',
  candle: named(candleAt(ts, volume)),
  trades: [],
});
const create = (ts: number) => ({ ...update(ts), type: 'create' });
const init = (ts: number, volume = 1) => ({
  ...named({}),
  type: 'init',
  candle: candleAt(ts, volume),
});
const acknowledgement = named({ type: 'subscription', channelType: 'candle' });

/** Subscribes, and answers as the service does: the candle of now, then yes. */
async function subscribe(key = 'k', volume = 1): Promise<Candle[]> {
  const heard: Candle[] = [];
  client.on(key, 'candle-update', (candle) => heard.push(candle));
  const subscribed = client.subscribe(params, key);
  await settle();
  service.world.socket.open();
  service.world.socket.say(init(now(), volume), acknowledgement);
  await subscribed;
  await settle();
  return heard;
}

// Specification: client-candle-fetch.
test('1: a history of many pages has every candle once, at both ends as well', async () => {
  service.fill(5_000, MINUTE);
  for (const count of [1, 999, 1_000, 1_001, 1_500, 2_000, 3_333]) {
    const toTs = now() - 400 * MINUTE;
    const fromTs = toTs - (count - 1) * MINUTE;
    const candles = await client.fetch({ ...params, fromTs, toTs });
    expect(tsOf(candles)).toEqual(minutes(fromTs, toTs));
    expect(candles).toHaveLength(count);
  }
});

test('2: what came live is in a later fetch, without another request', async () => {
  service.fill(10, MINUTE);
  const ts = now();
  await subscribe();
  service.world.socket.say(update(ts, 7));
  await service.world.passAlive(MINUTE * 1_000);
  service.world.socket.say(create(ts + MINUTE));
  const asked = service.asked.length;
  const live = await client.fetch({ ...params, fromTs: ts, toTs: ts + MINUTE });
  expect(live.map(({ ts: at, baseVolume }) => [at, baseVolume])).toEqual([
    [ts, 7],
    [ts + MINUTE, 1],
  ]);
  expect(service.asked).toHaveLength(asked);
  const more = await client.fetch({ ...params, fromTs: ts - 5 * MINUTE, toTs: ts + 600 });
  expect(tsOf(more)).toEqual(minutes(ts - 5 * MINUTE, ts + MINUTE));
  expect(more.at(-2)?.baseVolume).toBe(7);
  expect(service.asked).toHaveLength(asked + 1);
  await client.fetch({ ...params, fromTs: ts - 5 * MINUTE, toTs: ts });
  expect(service.asked).toHaveLength(asked + 1);
});

test('3: two environments, and two clients, do not share candles', async () => {
  const urls = { devnet: 'http://one', 'mainnet-beta': 'http://other' };
  const both = make(urls);
  const asked: string[] = [];
  const { fetch } = service;
  const spied = new CandleClient({
    url: urls,
    fetch: (url, options) => {
      asked.push(new URL(url).host);
      return fetch(url, options);
    },
    ...service.world,
    clock: service.world.clock,
  });
  service.fill(3, MINUTE);
  const range = { ...params, fromTs: now() - MINUTE, toTs: now() };
  await spied.fetch({ ...range, env: 'devnet' });
  await spied.fetch({ ...range, env: 'mainnet-beta' });
  expect(asked).toEqual(['one', 'other']);
  await expect(both.fetch({ ...range, env: 'staging' })).rejects.toMatchObject({
    ...{ code: 'INVALID_OPTION', param: 'env' },
  });
});

// Specification: client-candle-subscribe, event-candle-update.
test('4: the first message of a bucket, and the one at the start, are told', async () => {
  const heard = await subscribe();
  const ts = now();
  await service.world.passAlive(MINUTE * 1_000);
  service.world.socket.say(create(ts + MINUTE), update(ts + MINUTE, 3));
  expect(heard.map(({ ts: at, baseVolume }) => [at, baseVolume])).toEqual([
    [ts, 1],
    [ts + MINUTE, 1],
    [ts + MINUTE, 3],
  ]);
});

test('5: what was missed while the connection was lost is told first, and nothing twice', async () => {
  service.fill(3, MINUTE);
  const ts = now();
  const heard = await subscribe();
  expect(tsOf(heard.splice(0))).toEqual([ts]);
  service.world.socket.lose();
  await service.world.clock.pass(5 * MINUTE * 1_000);
  service.fill(9, MINUTE);
  // The candle that was open when the connection was lost had another trade.
  service.candles = service.candles.map((one) => (one.ts === ts ? candleAt(ts, 4) : one));
  await service.world.reconnect();
  service.world.socket.say(init(now(), 2), acknowledgement, update(now(), 3));
  await settle();
  expect(tsOf(heard)).toEqual(minutes(ts, now()));
  expect(heard.map(({ baseVolume }) => baseVolume)).toEqual([4, 1, 1, 1, 1, 3]);
  const { socket } = service.world;
  expect(socket.sent.filter(({ type }) => type === 'subscribe')).toHaveLength(1);
  const asked = service.asked.length;
  const whole = await client.fetch({ ...params, fromTs: ts, toTs: now() });
  expect(tsOf(whole)).toEqual(minutes(ts, now()));
  expect(service.asked).toHaveLength(asked);
});

test.each([
  ['lost', 1_000],
  ['lost', -1_000],
])(
  '5: what was missed while the connection was %s is told by a clock that is %i s apart',
  async (_, apartS) => {
    service.behindS = apartS;
    service.fill(3, MINUTE);
    const ts = now();
    const heard = await subscribe();
    service.world.socket.lose();
    await service.world.clock.pass(3 * MINUTE * 1_000);
    service.fill(6, MINUTE);
    await service.world.reconnect();
    service.world.socket.say(init(now()), acknowledgement);
    await settle();
    expect(tsOf(heard)).toEqual(minutes(ts, now()));
  },
);

test.each(['lost', 'slow'])(
  '5: older candles that changed while the connection was %s are told, and fetched',
  async (how) => {
    service.fill(3, MINUTE);
    const ts = now();
    const heard = await subscribe();
    await client.fetch({ ...params, fromTs: ts - 2 * MINUTE, toTs: ts });
    await service.world.passAlive(MINUTE * 1_000);
    service.world.socket.say(create(now()));
    service.fill(4, MINUTE);
    // A trade came late: it is of the candle before the last one, and of the first.
    service.candles = service.candles.map((one) => (one.ts === now() ? one : candleAt(one.ts, 7)));
    if (how === 'lost') {
      service.world.socket.lose();
      await service.world.reconnect();
    }
    service.world.socket.say(init(now()), acknowledgement);
    await settle();
    expect(heard.findLast((candle) => candle.ts === ts)?.baseVolume).toBe(7);
    const whole = await client.fetch({ ...params, fromTs: ts - 2 * MINUTE, toTs: now() });
    expect(whole.map(({ baseVolume }) => baseVolume)).toEqual([7, 7, 7, 1]);
  },
);

test('5: a repair begins anew when the service leaves out more', async () => {
  const ts = now();
  const heard = await subscribe();
  await service.world.passAlive(MINUTE * 1_000);
  service.fill(4, MINUTE);
  // The page of the first is made before the second.
  service.world.socket.say(create(now()), init(now()));
  service.candles = service.candles.map((one) => candleAt(one.ts, 7));
  service.world.socket.say(init(now(), 7));
  await settle();
  expect(heard.findLast((candle) => candle.ts === ts)?.baseVolume).toBe(7);
});

test('5: a repair that fails is tried again, and what comes meanwhile waits for it', async () => {
  service.fill(3, MINUTE);
  const ts = now();
  const heard = await subscribe();
  const troubles: string[] = [];
  client.on('k', 'retry', ({ code }) => troubles.push(code));
  heard.length = 0;
  service.world.socket.lose();
  await service.world.clock.pass(3 * MINUTE * 1_000);
  service.fill(6, MINUTE);
  service.replies.push(...Array.from({ length: 5 }, () => new TypeError('fetch failed')));
  await service.world.reconnect();
  service.world.socket.say(acknowledgement, update(now(), 9));
  await settle();
  expect(heard).toEqual([]);
  await service.world.clock.pass(30_000);
  expect(troubles).toEqual(['UNREACHABLE']);
  expect(tsOf(heard)).toEqual(minutes(ts + MINUTE, ts + 3 * MINUTE));
  expect(heard.at(-1)?.baseVolume).toBe(9);
});

test('6: a socket that says nothing is pinged, and given up when that is not answered', async () => {
  await subscribe();
  const { world } = service;
  await world.clock.pass(10_500);
  expect(world.socket.sent.at(-1)).toMatchObject({ type: 'ping' });
  world.socket.say({ type: 'pong', id: 'alive', ts: 1 });
  await world.clock.pass(5_000);
  expect(world.sockets).toHaveLength(1);
  await world.clock.pass(30_000);
  expect(world.sockets.length).toBeGreaterThan(1);
});

test('7: an error status is an error with a code, another try may mend it, and an abort ends it', async () => {
  const range = { ...params, fromTs: now() - MINUTE, toTs: now() };
  const page = () => new Response('<html>slow down</html>', { status: 429 });
  service.replies.push(page(), page(), page(), page(), page());
  const failing = expect(client.fetch(range)).rejects.toMatchObject({
    code: 'HTTP_STATUS',
    status: 429,
  });
  await service.world.clock.pass(60_000);
  await failing;
  service.fill(2, MINUTE);
  service.replies.push(page());
  const call = client.fetch(range);
  await service.world.clock.pass(5_000);
  expect(tsOf(await call)).toEqual(tsOf(await client.fetch(range)));
  const aborted = client.fetch(range, { signal: AbortSignal.abort() });
  await expect(aborted).rejects.toMatchObject({ code: 'ABORTED' });
});

test('8: nothing outside the range is in it, whatever its ends are', async () => {
  service.fill(50, MINUTE);
  const ts = now() - 20 * MINUTE;
  const fetch = (fromTs: number, toTs: number) => client.fetch({ ...params, fromTs, toTs });
  expect(tsOf(await fetch(ts - 90, ts + 90))).toEqual([ts - MINUTE, ts, ts + MINUTE]);
  expect(tsOf(await fetch(ts, ts))).toEqual([ts]);
  expect(tsOf(await fetch(ts + 1, ts + 59))).toEqual([]);
  expect(tsOf(await fetch(0, ts))).toEqual(minutes(now() - 49 * MINUTE, ts));
  expect(tsOf(await fetch(now() + 3_600, now() + 7_200))).toEqual([]);
});

test('9: what comes before there is a listener is told to the first', async () => {
  const subscribed = client.subscribe(params, 'k');
  await settle();
  service.world.socket.open();
  const ts = now();
  service.world.socket.say(init(ts), acknowledgement, update(ts, 2), create(ts + MINUTE));
  await subscribed;
  const heard: [number, number][] = [];
  client.on('k', 'candle-update', ({ ts: at, baseVolume }) => heard.push([at, baseVolume]));
  expect(heard).toEqual([
    [ts, 2],
    [ts + MINUTE, 1],
  ]);
});

test('10: the socket is that of the address, and equal subscriptions are one', async () => {
  const first = await subscribe('one');
  expect(service.world.socket.url).toBe('ws://service:81/ws');
  const second: Candle[] = [];
  client.on('other', 'candle-update', (candle) => second.push(candle));
  await client.subscribe({ marketId: 'perp_0', resolution: '1' }, 'other');
  expect(tsOf(second)).toEqual([now()]);
  service.world.socket.say(update(now(), 5));
  expect([first.at(-1)?.baseVolume, second.at(-1)?.baseVolume]).toEqual([5, 5]);
  expect(service.world.sockets).toHaveLength(1);
  client.unsubscribe('one');
  expect(service.world.socket.sent).toHaveLength(1);
  client.unsubscribe('other');
  expect(service.world.socket.sent.at(-1)).toMatchObject({ type: 'unsubscribe', resolution: '1' });
  const secure = make('https://service/prefix');
  void secure.subscribe(params, 'k').catch(() => {});
  await settle();
  expect(service.world.socket.url).toBe('wss://service/prefix/ws');
  secure.close();
});

test('11: that the feed is lost or refused is told', async () => {
  await subscribe();
  const states: string[] = [];
  client.on('k', 'connection', (state) => states.push(state));
  const ends: string[] = [];
  client.on('k', 'end', ({ code }) => ends.push(code));
  service.world.socket.lose();
  expect(states).toEqual(['pausing']);
  await service.world.reconnect();
  const error = named({ type: 'error', code: 'UNKNOWN_MARKET', message: 'gone' });
  service.world.socket.say(error);
  expect(ends).toEqual(['UNKNOWN_MARKET']);
  const refused = client.subscribe({ ...params, marketId: 'NOPE' }, 'other');
  await settle();
  service.world.socket.say({ type: 'error', code: 'UNKNOWN_MARKET', message: 'no NOPE' });
  await expect(refused).rejects.toMatchObject({ code: 'UNKNOWN_MARKET', message: 'no NOPE' });
});

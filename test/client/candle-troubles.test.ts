/** The candle client when something ends, fails, is refused, or comes late. */
import { beforeEach, expect, test } from 'vitest';
import { CandleClient } from '../../src/client/candles/client.js';
import { CandleService, candleAt } from '../support/candle-service.js';
import { ClientWorld, settle } from '../support/client-world.js';

const MINUTE = 60;
const params = { marketId: 'SOL-PERP', resolution: '1' } as const;
const byKey = { ...params, marketId: 'perp_0' } as const;
/** What a service takes of one socket. */
const SUBSCRIPTIONS_MAX = 1_024;

let service: CandleService;
let client: CandleClient;

beforeEach(() => {
  service = new CandleService();
  const { fetch, world } = service;
  client = new CandleClient({ url: 'http://service', fetch, ...world, clock: world.clock });
});

const named = (message: object) => ({ symbol: 'SOL-PERP', resolution: '1', ...message });
const acknowledgement = named({ type: 'subscription' });
const now = (): number => service.nowS - (service.nowS % MINUTE);
const update = (ts: number, volume = 1) => ({
  type: 'update',
  candle: named(candleAt(ts, volume)),
});
const refusal = (code: string) => named({ type: 'error', code, message: 'a text' });

/** A key that is followed from the candle of now on. */
async function followed(key: string): Promise<void> {
  const call = client.subscribe(params, key);
  await settle();
  service.world.socket.open();
  service.world.socket.say(update(now()), acknowledgement);
  await call;
}

test('listeners stay when a subscription fails, and are told by the next', async () => {
  const heard: number[] = [];
  client.on('k', 'candle-update', ({ ts }) => heard.push(ts));
  service.replies.push(new Response('{}', { status: 404 }));
  await expect(client.subscribe(byKey, 'k')).rejects.toMatchObject({ code: 'HTTP_STATUS' });
  await followed('k');
  expect(heard).toEqual([now()]);
});

test.each([
  ['close', () => client.close()],
  ['unsubscribeAll', () => client.unsubscribeAll()],
])('%s ends the loops that wait', async (_, end) => {
  const loop = client.follow(params);
  const first = loop.next();
  await settle();
  service.world.socket.open();
  service.world.socket.say(acknowledgement, update(now()));
  expect((await first).value).toMatchObject({ ts: now() });
  const second = loop.next();
  await settle();
  end();
  expect(await second).toEqual({ done: true, value: undefined });
});

test('a loop whose client is closed before the service answers is told so', async () => {
  const first = client.follow(params).next();
  await settle();
  client.close();
  await expect(first).rejects.toMatchObject({ code: 'CLOSED' });
});

test('an abort is heeded while the market is looked up, and ends no lookup of others', async () => {
  const { world, fetch } = service;
  let answer = (): void => {};
  const slow = new CandleClient({
    ...{ url: 'http://service', ...world, clock: world.clock },
    fetch: async (url, init) => {
      if (url.endsWith('/markets')) await new Promise<void>((resolve) => (answer = resolve));
      return fetch(url, init);
    },
  });
  const { signal, ...ending } = abortable();
  const range = { ...byKey, fromTs: now(), toTs: now() };
  const calls = [slow.fetch(range, { signal }), slow.subscribe(byKey, 'k', { signal })];
  const other = slow.fetch(range);
  ending.abort('enough');
  for (const call of calls) {
    await expect(call).rejects.toMatchObject({ code: 'ABORTED', cause: 'enough' });
  }
  answer();
  expect(await other).toEqual([]);
  expect(world.sockets).toEqual([]);
});

function abortable() {
  const ending = new AbortController();
  return { signal: ending.signal, abort: (reason: string) => ending.abort(reason) };
}

test('a series that was refused is begun anew for the next key', async () => {
  await followed('a');
  const { socket } = service.world;
  socket.say(refusal('UNKNOWN_MARKET'));
  const second = client.subscribe(params, 'b');
  await settle();
  socket.say(acknowledgement);
  await second;
  const heard: number[] = [];
  client.on('b', 'candle-update', ({ baseVolume }) => heard.push(baseVolume));
  client.unsubscribe('a');
  socket.say(update(now(), 5));
  expect(heard).toEqual([5]);
  expect(socket.sent.map(({ type }) => type)).toEqual(['subscribe', 'subscribe']);
});

test('what the service cannot do now is told, and asked again', async () => {
  const troubles: string[] = [];
  client.on('k', 'retry', ({ code }) => troubles.push(code));
  const call = client.subscribe(params, 'k');
  await settle();
  const { socket, clock } = service.world;
  socket.open();
  for (const code of ['LIMIT_EXCEEDED', 'NOT_READY']) {
    socket.say(refusal(code));
    await clock.pass(1_000);
  }
  expect(troubles).toEqual(['LIMIT_EXCEEDED', 'NOT_READY']);
  expect(socket.sent).toHaveLength(3);
  socket.say(acknowledgement);
  await call;
});

test('a key that is given up when it hears of a trouble is not asked for again', async () => {
  await followed('k');
  client.on('k', 'retry', () => client.unsubscribe('k'));
  service.replies.push(...Array.from({ length: 5 }, () => new TypeError('fetch failed')));
  service.world.socket.say(update(now() + 10 * MINUTE));
  await service.world.passAlive(60_000);
  expect(service.asked).toHaveLength(5);
});

test('a subscription beyond those of a socket is refused', async () => {
  const calls = Array.from({ length: SUBSCRIPTIONS_MAX + 1 }, (_, index) =>
    client.subscribe({ ...params, marketId: `M${index}` }, `k${index}`),
  );
  await settle();
  const { socket } = service.world;
  socket.open();
  socket.say({ ...refusal('LIMIT_EXCEEDED'), symbol: `M${SUBSCRIPTIONS_MAX}` });
  const settled = Promise.allSettled(calls.slice(0, -1));
  await expect(calls.at(-1)).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
  client.close();
  expect((await settled).every(({ status }) => status === 'rejected')).toBe(true);
});

test('fractions of a second leave the pages as they are', async () => {
  service.fill(3_000, MINUTE);
  const toTs = service.nowS + 0.25;
  const fromTs = toTs - 2_000 * MINUTE;
  const candles = await client.fetch({ ...params, fromTs, toTs });
  const whole = { fromTs: Math.ceil(fromTs), toTs: Math.floor(toTs) };
  expect(candles).toEqual(await client.fetch({ ...params, ...whole }));
  expect(candles).toHaveLength(2_000);
  expect(service.asked.filter((path) => path.includes('.'))).toEqual([]);
});

test('a candle of before the series that changes late is told, and makes no hole', async () => {
  service.fill(100, MINUTE);
  await followed('k');
  const ts = now();
  const heard: [number, number][] = [];
  client.on('k', 'candle-update', (candle) => heard.push([candle.ts, candle.baseVolume]));
  service.world.socket.say(update(ts - 5 * MINUTE, 2));
  expect(heard.at(-1)).toEqual([ts - 5 * MINUTE, 2]);
  const range = { ...params, fromTs: ts - 10 * MINUTE, toTs: ts };
  expect(await client.fetch(range)).toHaveLength(11);
});

test('a page from before a late change is not kept', async () => {
  const world = new ClientWorld();
  service.fill(100, MINUTE);
  const page = service.fetch;
  let isLate = false;
  client = new CandleClient({
    ...{ url: 'http://service', ...world, clock: world.clock },
    fetch: async (url, init) => {
      const answer = await page(url, init);
      if (isLate) world.socket.say(update(now() - 5 * MINUTE, 9));
      return answer;
    },
  });
  const call = client.subscribe(params, 'k');
  await settle();
  world.socket.open();
  world.socket.say(update(now()), acknowledgement);
  await call;
  const range = { ...params, fromTs: now() - 10 * MINUTE, toTs: now() };
  isLate = true;
  await client.fetch(range);
  isLate = false;
  service.candles = service.candles.map((one) =>
    one.ts === now() - 5 * MINUTE ? candleAt(one.ts, 9) : one,
  );
  const candles = await client.fetch(range);
  expect(candles.map(({ baseVolume }) => baseVolume)).toEqual([1, 1, 1, 1, 1, 9, 1, 1, 1, 1, 1]);
});

/** What one client, and all of them together, may ask of the WebSockets. */
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { SocketScene, TOPICS_MAX, TOPICS_PER_SOCKET } from '../../../test/support/socket-scene.js';
import { until } from '../../../test/support/until.js';
import { LIMITS } from '../../config/limits.js';
import { SETTINGS } from '../../config/settings.js';
import { MessageLimiter } from '../admission/admission.js';

let scene: SocketScene;

beforeEach(async () => {
  scene = await SocketScene.start();
});

afterEach(() => scene?.stop());

const wish = { type: 'subscribe', channel: 'orderbook', marketType: 'perp', market: 'SOL-PERP' };

describe('messages a second', () => {
  test('a burst is allowed, then there are errors, then it closes', async () => {
    await scene.stop();
    scene = await SocketScene.start({ messagesPerSecond: 10 });
    const client = await scene.open();
    for (let count = 0; count < 200; count += 1) client.send({ type: 'ping' });
    const closed = await client.closed;
    expect(closed).toEqual({ code: 1006, reason: '' });
    const kinds = client.texts.map((text) => JSON.parse(text).code ?? 'pong');
    const refused = 10 * LIMITS.messageDebtSecondsMax;
    expect(kinds).toEqual([...Array(10).fill('pong'), ...Array(refused).fill('RATE_LIMITED')]);
    expect(scene.sockets.readStats()).toMatchObject({
      closes: { rateLimited: 1 },
      errors: { RATE_LIMITED: refused },
    });
  });

  test('a client that subscribes to all that it may in one burst gets all of it', async () => {
    await scene.stop();
    const { topicsPerSocket, topicsPerIp, topicsMax, messagesPerSecond, messageBurst } = SETTINGS;
    scene = await SocketScene.start({
      ...{ topicsPerSocket: topicsPerSocket.default, topicsPerIp: topicsPerIp.default },
      ...{ topicsMax: topicsMax.default, messagesPerSecond: messagesPerSecond.default },
      messageBurst: messageBurst.default,
    });
    const client = await scene.open();
    const book = { type: 'subscribe', channel: 'book', market: 'SOL-PERP' };
    for (let grouping = 1; grouping <= topicsPerSocket.default; grouping += 1) {
      client.send({ ...book, grouping });
    }
    // A machine that takes seconds sends heartbeats in between, and snapshots again to a reader that was slow.
    const heard = { subscribed: new Set<string>(), snapshot: new Set<string>() };
    let read = 0;
    await until('all replies and snapshots', () => {
      for (const text of client.texts.slice(read)) {
        const { type, topic } = JSON.parse(text) as { readonly type: string; topic: string };
        expect(['subscribed', 'snapshot', 'heartbeat']).toContain(type);
        if (type === 'subscribed' || type === 'snapshot') heard[type].add(topic);
      }
      read = client.texts.length;
      const { subscribed, snapshot } = heard;
      return Math.min(subscribed.size, snapshot.size) === topicsPerSocket.default;
    });
    const { closes, errors } = scene.sockets.readStats();
    expect([closes, errors]).toEqual([{}, {}]);
  });

  test('ping frames count as messages', async () => {
    await scene.stop();
    scene = await SocketScene.start({ messagesPerSecond: 10 });
    const client = await scene.open();
    for (let count = 0; count < 200; count += 1) client.socket.ping();
    expect((await client.closed).code).toBe(1006);
    expect(scene.sockets.readStats().closes).toEqual({ rateLimited: 1 });
  });

  test('a rate that is kept is never refused', () => {
    const rate = new MessageLimiter({ perSecond: 50 }, 0);
    for (let ms = 0; ms < 60_000; ms += 20) expect(rate.countMessage(ms)).toBe('allowed');
  });

  test('what is owed is paid by waiting', () => {
    const rate = new MessageLimiter({ perSecond: 10 }, 0);
    const verdicts = Array.from({ length: 30 }, () => rate.countMessage(0));
    expect(verdicts).toEqual([...Array(10).fill('allowed'), ...Array(20).fill('refused')]);
    expect(rate.countMessage(1_900)).toBe('refused');
    expect(rate.countMessage(2_200)).toBe('allowed');
    expect(rate.countMessage(2_200)).toBe('refused');
  });

  test('a burst is its own limit, and comes back at the rate', () => {
    const rate = new MessageLimiter({ perSecond: 50, burst: 1_024 }, 0);
    const verdicts = (count: number, atMs: number) =>
      Array.from({ length: count }, () => rate.countMessage(atMs));
    expect(new Set(verdicts(1_024, 0))).toEqual(new Set(['allowed']));
    expect(new Set(verdicts(100, 0))).toEqual(new Set(['refused']));
    expect(rate.countMessage(0)).toBe('abusive');
    expect(rate.countMessage(2_100)).toBe('allowed');
    expect(new Set(verdicts(1_024, 60_000))).toEqual(new Set(['allowed']));
    expect(rate.countMessage(60_000)).toBe('refused');
  });

  test('a burst below the rate is the rate', () => {
    const rate = new MessageLimiter({ perSecond: 10, burst: 1 }, 0);
    const verdicts = Array.from({ length: 11 }, () => rate.countMessage(0));
    expect(verdicts).toEqual([...Array(10).fill('allowed'), 'refused']);
  });

  test('quiet times are not saved up for a larger burst', () => {
    const rate = new MessageLimiter({ perSecond: 10 }, 0);
    const verdicts = Array.from({ length: 11 }, () => rate.countMessage(60_000));
    expect(verdicts).toEqual([...Array(10).fill('allowed'), 'refused']);
  });

  test('a client that goes on regardless is abusive', () => {
    const rate = new MessageLimiter({ perSecond: 10 }, 0);
    const verdicts = Array.from({ length: 200 }, (_, count) => rate.countMessage(count * 25));
    expect(verdicts.slice(0, 10)).not.toContain('refused');
    expect(verdicts).toContain('refused');
    expect(verdicts.at(-1)).toBe('abusive');
  });
});

describe('one message', () => {
  test('of 4 KiB is read', async () => {
    const client = await scene.open();
    const filler = ' '.repeat(LIMITS.socketMessageBytesMax - JSON.stringify(wish).length);
    expect(await client.ask(JSON.stringify(wish) + filler)).toHaveLength(2);
  });

  test('of more is cut off', async () => {
    const client = await scene.open();
    client.send(' '.repeat(LIMITS.socketMessageBytesMax + 1));
    expect((await client.closed).code).toBe(1006);
    await expect.poll(() => scene.sockets.readStats().closes).toEqual({ tooLarge: 1 });
  });

  test('that is no UTF-8 is cut off', async () => {
    const client = await scene.open();
    client.socket.send(Buffer.from([0xff, 0xfe]), { binary: false });
    expect((await client.closed).code).toBe(1006);
    await expect.poll(() => scene.sockets.readStats().closes).toEqual({ notUtf8: 1 });
  });

  test('in a binary frame is malformed, whatever it holds', async () => {
    const client = await scene.open();
    client.socket.send(Buffer.from(JSON.stringify(wish)), { binary: true });
    expect(await client.hear(1)).toMatchObject([{ type: 'error', code: 'MALFORMED_MESSAGE' }]);
  });

  test.each([
    ['its members twice: the last ones count', '{"type":"x","type":"ping"}', undefined],
    ['a prototype of its own', '{"__proto__":{"type":"ping"}}', 'MALFORMED_MESSAGE'],
    ['constructors', '{"constructor":{"prototype":{"type":"ping"}}}', 'MALFORMED_MESSAGE'],
    ['lists in lists', '['.repeat(4_000), 'MALFORMED_MESSAGE'],
    ['objects in objects', `${'{"a":'.repeat(600)}1${'}'.repeat(600)}`, 'MALFORMED_MESSAGE'],
    ['half a character', '{"type":"subscribe","channel":"\\ud800"}', 'UNKNOWN_CHANNEL'],
    [
      'a name without end',
      `{"type":"subscribe","channel":"${'x'.repeat(4_000)}"}`,
      'UNKNOWN_CHANNEL',
    ],
    ['control characters', '{"type":"subscribe","channel":"\\u0000\\n"}', 'UNKNOWN_CHANNEL'],
    ['numbers beyond all', '{"type":"subscribe","channel":1e999,"id":1e999}', 'INVALID_PARAM'],
  ])('has %s', async (_, text, code) => {
    const client = await scene.open();
    client.send(text);
    const [answer] = (await client.hear(1)) as [{ code?: string; channel?: string }];
    expect(answer.code).toBe(code);
    expect(answer.channel?.length ?? 0).toBeLessThanOrEqual(LIMITS.errorValueCharsMax + 3);
    expect(scene.faults).toEqual([]);
  });

  test.each([
    ['a text', '"a"', 'a'],
    ['a whole number', '7', 7],
    ['a negative fraction', '-1.5', -1.5],
    ['the longest text', JSON.stringify('x'.repeat(64)), 'x'.repeat(64)],
    ['a longer text', JSON.stringify('x'.repeat(65)), undefined],
    ['a number beyond all', '1e999', undefined],
    ['null', 'null', undefined],
    ['true', 'true', undefined],
    ['a list', '[1]', undefined],
    ['an object', '{"id":1}', undefined],
  ])('with %s for its id', async (_, id, expected) => {
    const client = await scene.open();
    client.send(`{"type":"ping","id":${id}}`);
    client.send(`{"type":"nothing","id":${id}}`);
    const [pong, error] = (await client.hear(2)) as [{ id?: unknown }, { id?: unknown }];
    expect([pong.id, error.id]).toEqual([expected, expected]);
    expect('id' in pong).toBe(expected !== undefined);
  });
});

describe('topics', () => {
  test('a socket has a limit, and another one after it has left one', async () => {
    const client = await scene.open();
    for (let grouping = 1; grouping <= TOPICS_PER_SOCKET; grouping += 1) {
      client.send({ ...wish, grouping });
    }
    await client.hear(TOPICS_PER_SOCKET * 2);
    expect(await client.ask({ ...wish, grouping: TOPICS_PER_SOCKET + 1, id: 1 })).toMatchObject([
      { code: 'LIMIT_EXCEEDED', id: 1, channel: 'orderbook' },
    ]);
    expect(await client.ask({ ...wish, grouping: TOPICS_PER_SOCKET })).toHaveLength(2);
    await client.ask({ ...wish, type: 'unsubscribe', grouping: 1 });
    expect(await client.ask({ ...wish, grouping: TOPICS_PER_SOCKET + 1 })).toHaveLength(2);
  });

  /** Subscribes to all of them on as many sockets as they need, which stay open. */
  async function subscribe(wishes: object[], answersEach: number): Promise<void> {
    while (wishes.length > 0) {
      const client = await scene.open();
      const share = wishes.splice(0, TOPICS_PER_SOCKET);
      for (const one of share) client.send(one);
      await client.hear(share.length * answersEach);
    }
  }

  const many = <T>(count: number, make: (at: number) => T): T[] =>
    Array.from({ length: count }, (_, at) => make(at));

  test('of all sockets have a limit, and all are gone with the sockets', async () => {
    await subscribe(
      many(TOPICS_MAX, (at) => ({ ...wish, grouping: at + 2 })),
      2,
    );
    const late = await scene.open();
    const another = { ...wish, grouping: TOPICS_MAX + 2 };
    expect(await late.ask(another)).toMatchObject([{ code: 'LIMIT_EXCEEDED' }]);
    expect(await late.ask({ ...wish, grouping: 5 })).toHaveLength(2);
    // The common topics have room of their own.
    expect(await late.ask(wish)).toHaveLength(2);
    expect(await late.ask({ type: 'subscribe', channel: 'bbo', market: 'SOL' })).toHaveLength(2);
    await scene.closeProbes();
    await expect.poll(() => scene.sockets.readStats()).toMatchObject({ sockets: 0, topics: 0 });
    const next = await scene.open();
    expect(await next.ask(another)).toHaveLength(2);
  });

  test('of makers that do not exist take no room from those that do', async () => {
    const ordersOf = { type: 'subscribe', channel: 'l3', market: 'SOL-PERP' };
    const invented = many(LIMITS.unknownMakerTopicsMax + 1, (at) => `maker ${at}`);
    for (const maker of invented) scene.book.unknownMakers.add(maker);
    await subscribe(
      invented.slice(1).map((maker) => ({ ...ordersOf, maker })),
      2,
    );
    const client = await scene.open();
    expect(await client.ask({ ...ordersOf, maker: invented[0] })).toMatchObject([
      { code: 'LIMIT_EXCEEDED', message: expect.stringContaining('makers without an account') },
    ]);
    await subscribe(
      many(TOPICS_MAX, (at) => ({ ...ordersOf, maker: `real ${at}` })),
      2,
    );
    expect(await client.ask({ ...ordersOf, maker: 'late' })).toMatchObject([
      { code: 'LIMIT_EXCEEDED' },
    ]);
    expect(await client.ask(ordersOf)).toHaveLength(2);
  });
});

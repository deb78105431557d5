/** The WebSocket limits of one client and of all clients. */
import { describe, expect, test, vi } from 'vitest';
import { type FakeClient, newServer, openOn } from '../../../test/support/fake-client.js';
import { LIMITS } from '../../config/limits.js';
import { SETTINGS } from '../../config/settings.js';
import { MessageLimiter } from '../admission/admission.js';
import { FakeBook } from '../testing/running-server.js';

const wish = { type: 'subscribe', channel: 'orderbook', marketType: 'perp', market: 'SOL-PERP' };

describe('messages a second', () => {
  test.each<[string, (client: FakeClient) => void]>([
    ['messages', (client) => client.say({ type: 'ping' })],
    ['ping frames', (client) => client.session?.onPing()],
  ])('a burst of %s is allowed, then there are errors, then it closes', async (what, send) => {
    const server = newServer({ messagesPerSecond: 10 });
    const client = openOn(server);
    for (let count = 0; count < 200; count += 1) send(client);
    // The transport discards replies of the turn in which it closes.
    expect(client.closedWith).toBeUndefined();
    await vi.advanceTimersByTimeAsync(0);
    const codes = client.taken().map(({ code }) => code);
    const refused: unknown[] = Array(10 * LIMITS.messageDebtSecondsMax).fill('RATE_LIMITED');
    if (what === 'messages') expect(codes).toEqual([...Array(10).fill(undefined), ...refused]);
    expect([client.closedWith, server.readStats().closes]).toEqual([1006, { rateLimited: 1 }]);
  });

  test('a client that subscribes to all that it may in one burst gets all of it', () => {
    const { topicsPerSocket, topicsPerIp, topicsMax, messagesPerSecond, messageBurst } = SETTINGS;
    const server = newServer({
      ...{ topicsPerSocket: topicsPerSocket.default, topicsPerIp: topicsPerIp.default },
      ...{ topicsMax: topicsMax.default, messagesPerSecond: messagesPerSecond.default },
      messageBurst: messageBurst.default,
    });
    const client = openOn(server);
    for (let grouping = 1; grouping <= topicsPerSocket.default; grouping += 1) {
      client.say({ type: 'subscribe', channel: 'book', market: 'SOL-PERP', grouping });
    }
    const types = client.taken().map(({ type }) => type);
    expect(types).toEqual(Array(topicsPerSocket.default).fill(['subscribed', 'snapshot']).flat());
  });
});

describe('the rate of messages', () => {
  const allowed = (count: number): string[] => Array(count).fill('allowed');
  const refused = (count: number): string[] => Array(count).fill('refused');

  test.each<[string, object, readonly (readonly [atMs: number, verdicts: readonly string[]])[]]>([
    [
      'what is owed is paid by waiting',
      {},
      [
        [0, [...allowed(10), ...refused(20)]],
        [1_900, refused(1)],
        [2_200, ['allowed', 'refused']],
      ],
    ],
    [
      'a burst is its own limit, and comes back at the rate',
      { perSecond: 50, burst: 1_024 },
      [
        [0, [...allowed(1_024), ...refused(100), 'abusive']],
        [2_100, allowed(1)],
        [60_000, [...allowed(1_024), 'refused']],
      ],
    ],
    ['a burst below the rate is the rate', { burst: 1 }, [[0, [...allowed(10), 'refused']]]],
    ['quiet times are not saved up', {}, [[60_000, [...allowed(10), 'refused']]]],
  ])('%s', (_, options, steps) => {
    const rate = new MessageLimiter({ perSecond: 10, ...options }, 0);
    for (const [atMs, verdicts] of steps) {
      expect(verdicts.map(() => rate.countMessage(atMs))).toEqual(verdicts);
    }
  });

  test('is never refused while it is kept, and abusive where it is passed on and on', () => {
    const kept = new MessageLimiter({ perSecond: 50 }, 0);
    for (let ms = 0; ms < 60_000; ms += 20) expect(kept.countMessage(ms)).toBe('allowed');
    const rate = new MessageLimiter({ perSecond: 10 }, 0);
    const verdicts = Array.from({ length: 200 }, (_, count) => rate.countMessage(count * 25));
    expect([...new Set(verdicts)]).toEqual(['allowed', 'refused', 'abusive']);
    expect([verdicts.indexOf('refused') > 9, verdicts.at(-1)]).toEqual([true, 'abusive']);
  });
});

describe('one message', () => {
  test.each([
    ['bytes', null, 'MALFORMED_MESSAGE'],
    ['its members twice: the last ones count', '{"type":"x","type":"ping"}', undefined],
    ['a prototype of its own', '{"__proto__":{"type":"ping"}}', 'MALFORMED_MESSAGE'],
    ['constructors', '{"constructor":{"prototype":{"type":"ping"}}}', 'MALFORMED_MESSAGE'],
    ['lists in lists', '['.repeat(4_000), 'MALFORMED_MESSAGE'],
    ['objects in objects', `${'{"a":'.repeat(600)}1${'}'.repeat(600)}`, 'MALFORMED_MESSAGE'],
    ['half a character', '{"type":"subscribe","channel":"\\ud800"}', 'UNKNOWN_CHANNEL'],
    [
      'a name without end',
      JSON.stringify({ ...wish, channel: 'x'.repeat(4e3) }),
      'UNKNOWN_CHANNEL',
    ],
    ['control characters', '{"type":"subscribe","channel":"\\u0000\\n"}', 'UNKNOWN_CHANNEL'],
    ['numbers beyond all', '{"type":"subscribe","channel":1e999,"id":1e999}', 'INVALID_PARAM'],
  ])('has %s', (_, text, code) => {
    const client = openOn(newServer());
    client.session?.onMessage(text);
    const [answer, ...more] = client.taken();
    expect([answer?.['code'], more]).toEqual([code, []]);
    const { length } = String(answer?.['channel'] ?? '');
    expect(length).toBeLessThanOrEqual(LIMITS.errorValueCharsMax + 3);
  });

  test.each<[string, unknown]>([
    ['"a"', 'a'],
    ['7', 7],
    ['-1.5', -1.5],
    [JSON.stringify('x'.repeat(64)), 'x'.repeat(64)],
    [JSON.stringify('x'.repeat(65)), undefined],
    ...['null', 'true', '[1]', '{"id":1}'].map((id): [string, unknown] => [id, undefined]),
  ])('with %s for its id', (id, expected) => {
    const client = openOn(newServer());
    for (const type of ['ping', 'nothing']) {
      client.session?.onMessage(`{"type":"${type}","id":${id}}`);
      const [answer] = client.taken();
      expect([answer?.['id'], 'id' in (answer ?? {})]).toEqual([expected, expected !== undefined]);
    }
  });
});

/** Has no share of its own, and may take all of a quota. */
const LOOPBACK = '127.0.0.1';

describe('topics', () => {
  const shape = (grouping: number) => ({ ...wish, grouping, id: 1 });
  const refusal = [{ code: 'LIMIT_EXCEEDED', id: 1, channel: 'orderbook' }];

  test('a socket has a limit, and another one after it has left one', () => {
    const client = openOn(newServer({ topicsPerSocket: 3 }));
    for (const grouping of [1, 2, 3]) expect(client.ask(shape(grouping))).toHaveLength(2);
    expect(client.ask(shape(4))).toMatchObject(refusal);
    expect(client.ask(shape(3))).toHaveLength(2);
    client.say({ ...shape(1), type: 'unsubscribe' });
    expect(client.ask(shape(4))).toHaveLength(2);
  });

  test('of all sockets have a limit, and all are gone with the sockets', () => {
    const server = newServer({ topicsMax: 2 });
    const [client, late] = [openOn(server, LOOPBACK), openOn(server, LOOPBACK)];
    for (const grouping of [2, 3]) client.say(shape(grouping));
    expect(late.ask(shape(4))).toMatchObject(refusal);
    expect(late.ask(shape(3))).toHaveLength(2);
    // Common topics have a separate quota.
    expect(late.ask(wish)).toHaveLength(2);
    expect(late.ask({ type: 'subscribe', channel: 'bbo', market: 'SOL' })).toHaveLength(2);
    for (const one of [client, late]) one.session?.onClose('client');
    expect(server.readStats()).toMatchObject({ sockets: 0, topics: 0 });
    expect(openOn(server).ask(shape(4))).toHaveLength(2);
  });

  test('of accounts are chosen ones, of which no address has more than stays free', () => {
    const server = newServer({ topicsMax: 8, topicsPerIp: 0 });
    const taken = ['A', 'B', 'C'].map((name, at) => {
      const client = openOn(server, `203.0.113.${at}`);
      const follows = (digit: string): boolean => {
        const account = `${'1'.repeat(30)}${name}${digit}`;
        return client.ask({ type: 'subscribe', channel: 'user', account }).length === 2;
      };
      return ['2', '3', '4', '5', '6', '7'].filter(follows).length;
    });
    expect(taken).toEqual([4, 2, 1]);
  });

  test('of makers that do not exist take no room from those that do', () => {
    const { unknownMakerTopicsMax } = LIMITS;
    const book = new FakeBook();
    const topicsPerSocket = 2 * unknownMakerTopicsMax;
    const server = newServer({ book, topicsPerSocket, topicsPerIp: 0, messagesPerSecond: 1_000 });
    const client = openOn(server, LOOPBACK);
    const ordersOf = (maker: string) =>
      client.ask({ type: 'subscribe', channel: 'l3', market: 'SOL-PERP', maker });
    for (let at = 0; at <= unknownMakerTopicsMax; at += 1) book.unknownMakers.add(`maker ${at}`);
    for (let at = 0; at < unknownMakerTopicsMax; at += 1) {
      expect(ordersOf(`maker ${at}`)).toHaveLength(2);
    }
    expect(ordersOf(`maker ${unknownMakerTopicsMax}`)).toMatchObject([
      { code: 'LIMIT_EXCEEDED', message: expect.stringContaining('makers without an account') },
    ]);
    expect(ordersOf('real')).toHaveLength(2);
  });
});

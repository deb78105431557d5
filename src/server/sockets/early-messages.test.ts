/** Subscriptions that come before the first live book. */
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { type FakeClient, newServer, openOn } from '../../../test/support/fake-client.js';
import { FakeMarketStreams } from '../../../test/support/fake-market-streams.js';
import { LIMITS } from '../../config/limits.js';
import type { ReplayListener } from '../../contract/replay-source.js';
import { systemTimers } from '../../rpc/timers.js';
import { ScriptedReplay } from '../testing/scripted-replay.js';
import { EarlyMessages, type EarlySession } from './early-messages.js';
import type { SocketServer } from './socket-server.js';

const book = { type: 'subscribe', channel: 'orderbook', marketType: 'perp', market: 'SOL-PERP' };
const stream = { type: 'subscribe', channel: 'book', market: 'SOL-PERP', id: 3 };
const candles = { type: 'subscribe', symbol: 'SOL-PERP', resolution: '1' };
const trades = { ...book, channel: 'trades' };
const received = { message: expect.stringMatching(/^Subscribe received for channel: /) };

let readiness: { everLive: boolean; state: 'live'; reason: null; slot: number };
let history: FakeMarketStreams;
let server: SocketServer;
let client: FakeClient;

beforeEach(() => {
  readiness = { everLive: false, state: 'live', reason: null, slot: 1 };
  history = new FakeMarketStreams();
  server = newServer({
    ...{ history, readiness: () => readiness, messagesPerSecond: 10_000, socketsPerIp: 100 },
  });
  client = openOn(server);
});

afterEach(() => vi.restoreAllMocks());

async function goLive(): Promise<void> {
  readiness.everLive = true;
  server.handleEarlyMessages();
  await vi.advanceTimersByTimeAsync(1);
}

describe('a subscription before the first live book', () => {
  test.each([
    ['orderbook', book, [received, { channel: 'orderbook_0' }]],
    [
      'book',
      stream,
      [
        { type: 'subscribed', id: 3 },
        { type: 'snapshot', id: 3 },
      ],
    ],
    ['trades', trades, [received]],
    ['orderbook of an unknown market', { ...book, market: 'NO' }, [{ code: 'UNKNOWN_MARKET' }]],
  ])('to %s is answered when there is one', async (_, message, answers) => {
    client.say(message);
    expect(client.taken()).toEqual([]);
    await goLive();
    expect(client.taken()).toMatchObject(answers);
  });

  test('to candles is answered when their history is open as well', async () => {
    history.state = 'starting';
    client.say(candles);
    readiness.everLive = true;
    server.handleEarlyMessages();
    await vi.advanceTimersByTimeAsync(LIMITS.marketShowMsMax * 2);
    expect(client.taken()).toEqual([]);
    history.send('candle:perp_0:1', ['reset', { type: 'init' }]);
    expect(client.taken()).toMatchObject([{ type: 'init' }, { type: 'subscription' }]);
    history.state = 'live';
  });

  test('is answered in its turn, and a ping and what cannot be read at once', async () => {
    client.say({ type: 'ping', id: 1 });
    client.say({ type: 'subscribe' });
    client.session?.onMessage('no JSON');
    expect(client.taken()).toMatchObject([
      { type: 'pong', id: 1 },
      { code: 'MALFORMED_MESSAGE' },
      { code: 'MALFORMED_MESSAGE' },
    ]);
    client.say(book);
    client.say({ ...book, grouping: 10 });
    client.say({ ...book, type: 'unsubscribe' });
    readiness.everLive = true;
    // A new message must not overtake waiting messages.
    client.say({ ...book, market: 'NO' });
    expect(client.taken()).toEqual([]);
    await goLive();
    const unsubscribed = { message: expect.stringContaining('Unsubscribe received') };
    const answers = [received, { channel: 'orderbook_0' }, received, { channel: 'orderbook_0' }];
    expect(client.taken()).toMatchObject([...answers, unsubscribed, { code: 'UNKNOWN_MARKET' }]);
    expect(server.readStats().topics).toBe(1);
  });

  test('to the past is answered before what follows about its replay', async () => {
    const asked: string[] = [];
    const openReplay = (_: object, listener: ReplayListener): ScriptedReplay => {
      const replay = new ScriptedReplay(listener);
      replay.sendCommand = ({ kind, id }) => void asked.push(`${kind} ${id}`);
      return replay;
    };
    server = newServer({ readiness: () => readiness, replays: { openReplay } });
    client = openOn(server);
    client.say({ ...stream, from: { slot: 5 } });
    client.say({ type: 'pause', id: 4, topic: 'book:SOL-PERP:50' });
    client.say({ type: 'pause', id: 5, topic: 'bbo:SOL-PERP' });
    expect(client.taken()).toEqual([]);
    await goLive();
    const answers = [
      { type: 'subscribed', id: 3 },
      { code: 'NOT_SUBSCRIBED', id: 5 },
    ];
    expect([client.taken(), asked]).toMatchObject([answers, ['pause 4']]);
  });

  test('of a client that has much to read waits until it has', async () => {
    for (const grouping of [2, 3]) client.say({ ...book, grouping });
    client.buffered = LIMITS.socketBacklogBytesMax + 1;
    await goLive();
    expect(client.taken()).toEqual([]);
    client.drainTo(0);
    await vi.advanceTimersByTimeAsync(1);
    expect(client.taken()).toHaveLength(4);
  });

  test('ends with its socket', async () => {
    client.say(book);
    client.session?.onClose('client');
    await goLive();
    expect(client.taken()).toEqual([]);
    expect(server.readStats().topics).toBe(0);
  });
});

describe('early subscriptions are limited', () => {
  test('for a socket, as its topics are, and on this machine as well', () => {
    const here = openOn(server, '127.0.0.1');
    for (let count = 0; count < 64; count += 1) here.say(book);
    expect(here.taken()).toEqual([]);
    here.say(book);
    expect(here.taken()).toMatchObject([{ code: 'LIMIT_EXCEEDED' }]);
  });

  test('in all, by their bytes, of which no address holds more than are free', () => {
    const early = new EarlyMessages({
      timers: systemTimers,
      ...{ readiness: () => readiness, topicsPerSocket: 64, earlyBytesMax: 12 },
      ...{ messageBurst: 64, messagesPerSecond: 64 },
    });
    const [first, second] = [sessionAt('203.0.113.1'), sessionAt('203.0.113.2')];
    early.keepMessage(first, '123456');
    expect(() => early.keepMessage(first, '1')).toThrow(/messages of 6 bytes may wait/);
    early.keepMessage(second, '123');
    early.removeSession(first);
    early.keepMessage(second, '123');
  });
});

describe('messages beyond the time of a turn', () => {
  /** One message of each kind; without a time budget, a turn handles only the first. */
  const burst = [
    { ...stream, id: 1 },
    { ...stream, id: 2, depth: 20 },
    { type: 'ping', id: 3 },
    { type: 'unsubscribe', id: 4, topic: 'book:SOL-PERP:20' },
    { ...stream, id: 5, market: 'NO' },
    { type: 'subscribe', id: 6 },
  ];
  const types = ['subscribed', 'snapshot', 'subscribed', 'snapshot', 'pong', 'unsubscribed'];
  const replies = [...types, 'error', 'error'];

  beforeEach(() => {
    readiness.everLive = true;
    const options = { topicsPerIp: 0, messagesPerSecond: 10_000, socketsPerIp: 100 };
    server = newServer({ readiness: () => readiness, messageSliceMs: 0, ...options });
    client = openOn(server);
    let readMs = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => (readMs += 0.01));
  });

  test('wait for the next ones, and are answered in their order', async () => {
    for (const message of burst) client.say(message);
    const other = openOn(server);
    other.say({ ...stream, id: 7 });
    expect(client.taken()).toMatchObject([{ type: 'subscribed', id: 1 }, { type: 'snapshot' }]);
    expect(other.taken()).toEqual([]);
    await vi.advanceTimersByTimeAsync(1);
    const rest = client.taken();
    expect(rest).toMatchObject(replies.slice(2).map((type) => ({ type })));
    const ids = rest.filter(({ type }) => type !== 'snapshot').map(({ id }) => id);
    expect(ids).toEqual([2, 3, 4, 5, 6]);
    expect(other.taken()).toMatchObject([{ type: 'subscribed', id: 7 }, { type: 'snapshot' }]);
  });

  test('are not kept beyond a burst for a client that reads nothing', () => {
    const early = new EarlyMessages({
      timers: systemTimers,
      ...{ readiness: () => readiness, topicsPerSocket: 1 },
      ...{ messageBurst: 3, messagesPerSecond: 2 },
    });
    const deaf = { ...sessionAt('203.0.113.1'), socket: { ip: '', bufferedBytes: () => 1e9 } };
    for (const text of ['1', '2', '3']) early.keepMessage(deaf, text);
    expect(() => early.keepMessage(deaf, '4')).toThrow(/have 3 waiting messages/);
    early.stop();
  });

  test('are forgotten with their socket', async () => {
    for (const message of burst) client.say(message);
    client.session?.onClose('client');
    await vi.advanceTimersByTimeAsync(1);
    expect(client.taken()).toHaveLength(2);
    expect(server.readStats().topics).toBe(0);
  });
});

function sessionAt(ip: string): EarlySession {
  return { socket: { ip, bufferedBytes: () => 0 }, handleEarly: () => {} };
}

/** Candles and trades on /ws, from the history to the clients' messages. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type FakeClient, newServer, openOn, startOn } from '../../../test/support/fake-client.js';
import { FakeMarketStreams } from '../../../test/support/fake-market-streams.js';
import { LIMITS } from '../../config/limits.js';
import { RESOLUTION_NAMES } from '../../contract/resolutions.js';
import { FakeBook } from '../testing/running-server.js';
import type { SocketServer } from './socket-server.js';

const topic = 'candle:perp_0:1';
const candles = { type: 'subscribe', symbol: 'SOL-PERP', resolution: '1' };
const trades = { type: 'subscribe', channelType: 'trades', symbol: 'SOL-PERP' };
const channel = { type: 'subscribe', channel: 'trades', marketType: 'perp', market: 'SOL-PERP' };
const init = { type: 'init', at: 1 };
const ack = {
  type: 'subscription',
  message: 'Subscribed to SOL-PERP 1',
  channelType: 'candle',
  channel: 'candle:SOL-PERP:1',
  symbol: 'SOL-PERP',
  resolution: '1',
};

let history: FakeMarketStreams;
let server: SocketServer;

beforeEach(() => {
  history = new FakeMarketStreams();
  serve();
});

function serve(options: Parameters<typeof newServer>[0] = {}): void {
  server = newServer({ history, messagesPerSecond: 1_000, socketsPerIp: 100, ...options });
  startOn(server);
}

const open = (): FakeClient => openOn(server);

/** A client that takes part in the candles. */
function follower(): FakeClient {
  const client = open();
  client.say(candles);
  const isFirst = history.asked.filter((asked) => asked === `+${topic}`).length === 1;
  history.send(topic, [isFirst ? 'reset' : 'snapshot', init]);
  expect(client.taken()).toEqual([init, ack]);
  return client;
}

describe('a subscription to candles', () => {
  // Specification: live-type, live-symbol, live-resolution.
  test.each([
    ['the shorter form', candles],
    ['the longer form', { ...candles, channelType: 'candle' }],
    ['a symbol in another case', { ...candles, symbol: 'sol-perp' }],
    ['a resolution as a number', { ...candles, resolution: 1 }],
    ['a type in another case', { ...candles, type: 'Subscribe' }],
  ])('by %s is shown its candle, and then acknowledged', (_, message) => {
    const client = open();
    client.say(message);
    expect(history.asked).toEqual([`+${topic}`]);
    expect(client.taken()).toEqual([]);
    history.send(topic, ['reset', init]);
    expect(client.taken()).toEqual([init, ack]);
    history.send(topic, ['update', { type: 'update', at: 2 }]);
    expect(client.taken()).toEqual([{ type: 'update', at: 2 }]);
  });

  test('of a market without a candle is acknowledged alone', () => {
    const client = open();
    client.say({ ...candles, id: 'mine' });
    history.send(topic, ['reset', '']);
    expect(client.taken()).toEqual([{ ...ack, id: 'mine' }]);
  });

  test.each([
    ['1440', '1440'],
    ['d', 'D'],
    ['W', 'W'],
    ['m', 'M'],
  ])('of %s keeps the name that was asked for', (resolution, name) => {
    const client = open();
    client.say({ ...candles, resolution });
    history.send(`candle:perp_0:${name}`, ['reset', '']);
    expect(client.taken()).toMatchObject([
      { channel: `candle:SOL-PERP:${name}`, resolution: name },
    ]);
  });

  test('of a spot market goes by its symbol', () => {
    open().say({ ...candles, symbol: 'sol' });
    expect(history.asked).toEqual(['+candle:spot_1:1']);
  });

  // Specification: event-market.
  test('misses nothing that is told between its question and its answer, and hears nothing twice', () => {
    const first = follower();
    const second = open();
    second.say(candles);
    history.send(
      topic,
      ['update', { at: 2 }],
      ['snapshot', { type: 'init', at: 3 }],
      ['update', { at: 4 }],
    );
    expect(first.taken()).toEqual([{ at: 2 }, { at: 4 }]);
    expect(second.taken()).toEqual([{ type: 'init', at: 3 }, ack, { at: 4 }]);
  });

  test('asks the history once for all who come together', () => {
    const three = [open(), open(), open()];
    for (const client of three) client.say(candles);
    expect(history.asked).toEqual([`+${topic}`]);
    history.send(topic, ['reset', init]);
    expect(three.map((client) => client.taken())).toEqual([
      [init, ack],
      [init, ack],
      [init, ack],
    ]);
  });

  test('ends with an acknowledgement, and the topic with its last reader', () => {
    const [first, second] = [follower(), follower()];
    first.say({ ...candles, type: 'unsubscribe' });
    const ended = { ...ack, type: 'unsubscription', message: 'Unsubscribed from SOL-PERP 1' };
    expect(first.taken()).toEqual([ended]);
    history.send(topic, ['update', { at: 2 }]);
    expect([first.taken(), second.taken()]).toEqual([[], [{ at: 2 }]]);
    expect(history.asked).not.toContain(`-${topic}`);
    second.session?.onClose('client');
    expect(history.asked.at(-1)).toBe(`-${topic}`);
    first.say({ ...candles, type: 'unsubscribe' });
    expect(first.taken()).toMatchObject([{ type: 'error', code: 'NOT_SUBSCRIBED' }]);
  });

  test('that ends before it was shown is acknowledged, and told nothing of it', () => {
    const client = open();
    client.say({ ...candles, id: 1 });
    client.say({ ...candles, id: 2 });
    client.say({ ...candles, type: 'unsubscribe', id: 3 });
    expect(client.taken()).toMatchObject([
      { type: 'subscription', id: 1 },
      { type: 'subscription', id: 2 },
      { type: 'unsubscription', id: 3 },
    ]);
    history.send(topic, ['reset', init], ['update', { at: 2 }]);
    expect(client.taken()).toEqual([]);
    expect(history.asked).toEqual([`+${topic}`, `-${topic}`]);
    expect(server.readStats().topics).toBe(0);
  });

  test('counts as a topic like every other', () => {
    const client = open();
    for (const resolution of ['1', '5', '15', '60', '240', 'D'])
      client.say({ ...candles, resolution });
    expect(client.taken()).toMatchObject([{ type: 'error', code: 'LIMIT_EXCEEDED' }]);
    expect(server.readStats().topics).toBe(5);
    client.session?.onClose('client');
    expect(server.readStats().topics).toBe(0);
  });
});

describe('a message of market data that is wrong', () => {
  test.each([
    [{ symbol: 'NO-PERP' }, 'UNKNOWN_MARKET', 'NO-PERP'],
    [{ symbol: 5 }, 'INVALID_PARAM', 'symbol was of type number'],
    [{ resolution: '7' }, 'INVALID_PARAM', `"7", must be one of ${RESOLUTION_NAMES.join(', ')}`],
    [{ resolution: '01' }, 'INVALID_PARAM', '"01"'],
    [{ resolution: null }, 'INVALID_PARAM', 'resolution was null'],
    [{ resolution: ['1'] }, 'INVALID_PARAM', 'resolution was a list'],
    [{ resolution: 1.5 }, 'INVALID_PARAM', '"1.5"'],
    [{ channelType: 'user' }, 'UNKNOWN_CHANNEL', 'user: it must be candle or trades or orderbook'],
    [{ channelType: 7 }, 'INVALID_PARAM', 'channelType was of type number'],
    [{ channelType: 'candle', resolution: undefined }, 'MISSING_PARAM', 'resolution is missing'],
    [{ channelType: 'trades', symbol: undefined }, 'MISSING_PARAM', 'symbol is missing'],
    [{ channelType: '__proto__' }, 'UNKNOWN_CHANNEL', '__proto__'],
  ])('as %j is answered %s', (change, code, text) => {
    for (const type of ['subscribe', 'unsubscribe']) {
      const client = open();
      client.say({ ...candles, ...change, type, id: 9 });
      const [error, ...rest] = client.taken();
      expect(error).toMatchObject({ type: 'error', code, id: 9 });
      expect(error?.['message']).toContain(text);
      expect(rest).toEqual([]);
    }
    expect(history.asked).toEqual([]);
  });

  test('names what it was about', () => {
    const client = open();
    client.say({ ...candles, resolution: '7' });
    expect(client.taken()).toMatchObject([
      { channelType: 'candle', symbol: 'SOL-PERP', resolution: '7' },
    ]);
  });

  test('with a channel is of the book, whatever else it has', () => {
    const client = open();
    client.say({ ...candles, channel: 'orderbook', marketType: 'perp', market: 'SOL-PERP' });
    expect(client.taken()).toMatchObject([{ message: expect.stringContaining('orderbook') }, {}]);
    client.say({ ...candles, channel: 'candle' });
    expect(client.taken()).toMatchObject([{ code: 'UNKNOWN_CHANNEL', channel: 'candle' }]);
  });
});

describe('a subscription to trades alone', () => {
  // Specification: live-open.
  test('is shown the newest, acknowledged, and told the others', () => {
    const client = open();
    client.say(trades);
    history.send('trades:perp_0', ['reset', init], ['update', { at: 2 }]);
    const [shown, answer, told] = client.taken();
    expect([shown, told]).toEqual([init, { at: 2 }]);
    expect(answer).toEqual({
      type: 'subscription',
      message: 'Subscribed to SOL-PERP trades',
      ...{ channelType: 'trades', channel: 'trades:SOL-PERP', symbol: 'SOL-PERP' },
    });
  });
});

describe('the trades channel of the compatible dialect', () => {
  const topicOfChannel = 'channel:perp_0';
  const message = 'Subscribe received for channel: trades, market: SOL-PERP, marketType: perp';

  test('is acknowledged at once, begins without a snapshot, and has the beat', () => {
    const client = open();
    client.say(channel);
    expect(client.taken()).toEqual([{ message }]);
    history.send(topicOfChannel, ['reset', { leftOut: 'trades_perp_0' }]);
    expect(client.taken()).toEqual([]);
    history.send(topicOfChannel, ['update', { channel: 'trades_perp_0', data: '{}' }]);
    expect(client.taken()).toEqual([{ channel: 'trades_perp_0', data: '{}' }]);
    client.say({ ...channel, type: 'unsubscribe' });
    expect(client.taken()).toEqual([{ message: message.replace('Subscribe', 'Unsubscribe') }]);
    expect([...client.topics]).toEqual([expect.stringMatching(/^heartbeat /)]);
  });

  test('says where trades were left out of a client that did not read', () => {
    const client = open();
    client.say(channel);
    history.send(topicOfChannel, ['reset', { leftOut: 'trades_perp_0' }]);
    client.taken();
    client.fill();
    history.send(topicOfChannel, ['update', { at: 2 }]);
    client.drainTo(0);
    history.send(topicOfChannel, ['snapshot', { leftOut: 'trades_perp_0' }], ['update', { at: 3 }]);
    expect(client.taken()).toEqual([{ leftOut: 'trades_perp_0' }, { at: 3 }]);
  });

  test('of an unknown market is refused in its own words', () => {
    const client = open();
    client.say({ ...channel, market: 'NO-PERP' });
    expect(client.taken()).toMatchObject([
      { channel: 'trades', error: 'Error subscribing to channel', code: 'UNKNOWN_MARKET' },
    ]);
  });
});

describe('a client that does not read', () => {
  test('is shown the candle anew when it has, and told nothing in between', () => {
    const client = follower();
    client.fill();
    history.send(topic, ['update', { at: 2 }], ['update', { at: 3 }]);
    client.drainTo(0);
    history.send(topic, ['update', { at: 4 }]);
    expect(client.taken()).toEqual([]);
    history.send(topic, ['snapshot', { type: 'init', at: 4 }], ['update', { at: 5 }]);
    expect(client.taken()).toEqual([{ type: 'init', at: 4 }, { at: 5 }]);
    expect(server.readStats()).toMatchObject({ slow: 1, resets: 1 });
  });

  test('while it is to be shown its first candle gets that anew, and not what is old by then', () => {
    const client = open();
    client.say(candles);
    client.fill();
    history.send(topic, ['reset', init], ['update', { at: 2 }]);
    expect(client.taken()).toEqual([]);
    client.drainTo(0);
    history.send(topic, ['snapshot', { type: 'init', at: 2 }]);
    expect(client.taken()).toEqual([{ type: 'init', at: 2 }, ack]);
  });

  test('is closed in time, and one that only waits for the history is not', async () => {
    const [full, patient] = [follower(), open()];
    full.fill();
    history.send(topic, ['update', { at: 2 }]);
    patient.say({ ...candles, resolution: '5' });
    await vi.advanceTimersByTimeAsync(LIMITS.slowMsMax + LIMITS.slowCloseGraceMsMax + 1);
    expect(full.closedWith).toBeDefined();
    expect(patient.closedWith).toBeUndefined();
  });
});

describe('the history', () => {
  test('that is off, or is not there, is said at once', () => {
    history.state = 'off';
    const client = open();
    for (const message of [candles, trades, channel]) client.say(message);
    const codes = client.taken().map(({ code }) => code);
    expect(codes).toEqual(['NOT_READY', 'NOT_READY', 'NOT_READY']);
    expect(server.readStats().topics).toBe(0);
    server = newServer({ book: new FakeBook() });
    const other = openOn(server);
    other.say(candles);
    for (const message of [trades, channel]) other.say(message);
    expect(other.taken().map(({ code }) => code)).toEqual(Array(3).fill('NO_HISTORY'));
  });

  test('that refuses ends the subscription with its reason', () => {
    const client = open();
    client.say(candles);
    history.send(topic, ['refused', 'the history cannot be read']);
    expect(client.taken()).toEqual([
      {
        ...{ type: 'error', code: 'NOT_READY', message: 'the history cannot be read' },
        ...{ channelType: 'candle', symbol: 'SOL-PERP', resolution: '1' },
      },
    ]);
    expect(server.readStats().topics).toBe(0);
    expect(history.asked.at(-1)).toBe(`-${topic}`);
  });

  test('that does not answer is not waited for longer than five seconds', async () => {
    const client = open();
    client.say(candles);
    await vi.advanceTimersByTimeAsync(LIMITS.marketShowMsMax);
    expect(client.taken()).toMatchObject([{ type: 'error', code: 'NOT_READY' }]);
    history.send(topic, ['reset', init]);
    expect(client.taken()).toEqual([]);
  });

  test.each(['starting', 'failing'] as const)(
    'that is %s is waited for, and shown when it is open',
    async (state) => {
      history.state = state;
      const client = open();
      client.say(candles);
      client.say(channel);
      await vi.advanceTimersByTimeAsync(LIMITS.marketShowMsMax * 3);
      expect(client.taken()).toMatchObject([{ message: expect.stringContaining('received for') }]);
      history.send(topic, ['reset', init]);
      expect(client.taken()).toEqual([init, ack]);
      history.state = 'live';
      await vi.advanceTimersByTimeAsync(LIMITS.marketShowMsMax);
      expect(client.taken()).toMatchObject([{ type: 'error', code: 'NOT_READY' }]);
    },
  );

  test('that has begun anew shows every topic to all its readers', () => {
    const [first, second] = [follower(), follower()];
    history.send(topic, ['reset', { type: 'init', at: 9 }]);
    expect([first.taken(), second.taken()]).toEqual([
      [{ type: 'init', at: 9 }],
      [{ type: 'init', at: 9 }],
    ]);
  });

  test('that tells more than may wait is asked to show every topic anew', () => {
    const flood = Array.from({ length: LIMITS.marketFramesMax + 1 }, () => ['update', {}] as const);
    const client = follower();
    history.asked.splice(0);
    history.send(topic, ...flood);
    expect(client.taken()).toEqual([]);
    expect(history.asked).toEqual([`+${topic}`]);
    history.send(topic, ['snapshot', { type: 'init', at: 9 }], ['update', { at: 10 }]);
    expect(client.taken()).toEqual([{ type: 'init', at: 9 }, { at: 10 }]);
  });

  test('that tells much at once is published over several turns, in order', async () => {
    serve({ sliceMs: 0.015 });
    const client = follower();
    let nowMs = performance.now();
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (nowMs += 0.01));
    history.send(topic, ['update', { at: 1 }], ['update', { at: 2 }], ['update', { at: 3 }]);
    expect(client.taken()).toEqual([{ at: 1 }]);
    await vi.advanceTimersByTimeAsync(1);
    expect(client.taken()).toEqual([{ at: 2 }, { at: 3 }]);
    clock.mockRestore();
  });
});

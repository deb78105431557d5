/**
 * The compatible channels message by message, against section 2 of the description of the system
 * whose clients they serve. Where that system is left behind on purpose, the name of the test says so.
 */
import { beforeEach, describe, expect, test } from 'vitest';
import { type FakeClient, newServer, openOn, startOn } from '../../../test/support/fake-client.js';
import { changes, publishAll } from '../testing/market-changes.js';
import { FakeBook } from '../testing/running-server.js';
import type { SocketServer } from './socket-server.js';

let book: FakeBook;
let server: SocketServer;
let client: FakeClient;
let faults: unknown[];

beforeEach(() => {
  book = new FakeBook();
  faults = [];
  server = newServer({ book, onFault: (error) => faults.push(error) });
  client = openOn(server);
  startOn(server);
});

const wish = { type: 'subscribe', channel: 'orderbook', marketType: 'perp', market: 'SOL-PERP' };

const whole = { market: 0, depth: 20, vamm: true, indicative: false };

/** The request to the fake book, as its frame repeats it. */
function askedOf(frame: unknown): unknown {
  return JSON.parse((frame as { data: string }).data).asked;
}

const answersTo = (message: object) => client.ask(message);

/** Changes the book and returns the frames sent. */
function change(): readonly Record<string, unknown>[] {
  client.taken();
  publishAll(server, changes({ dirty: [0] }));
  return client.taken();
}

/** A message is refused with these members. */
function expectRefusal(message: object, expected: object): void {
  const answers = answersTo(message);
  expect(answers).toHaveLength(1);
  expect(answers[0]).toMatchObject({ type: 'error', message: expect.any(String), ...expected });
}

describe('2.2 what a client sends', () => {
  // Specification: ws-type.
  test.each(['subscribe', 'SUBSCRIBE', 'Subscribe'])('type in any case: %s', (type) => {
    expect(answersTo({ ...wish, type })).toHaveLength(2);
  });

  // Specification: ws-channel.
  test.each(['orderbook', 'ORDERBOOK', 'OrderBook'])('channel in any case: %s', (channel) => {
    const [ack, frame] = answersTo({ ...wish, channel });
    const message = `Subscribe received for channel: ${channel}, market: SOL-PERP, marketType: perp`;
    expect(ack).toEqual({ message });
    expect(askedOf(frame)).toEqual(whole);
  });

  test('channel orderbook_indicative is a book of its own name', () => {
    const [, frame] = answersTo({ ...wish, channel: 'ORDERBOOK_indicative' });
    expect(askedOf(frame)).toEqual({ ...whole, indicative: true });
  });

  test.each(['fills', 'priorityfees', 'heartbeat', 'constructor', '__proto__', ''])(
    'channel %j is not there',
    (channel) =>
      expectRefusal(
        { ...wish, channel },
        { channel, error: 'Error subscribing to channel', code: 'UNKNOWN_CHANNEL' },
      ),
  );

  // Specification: ws-market-type, ws-market.
  test.each([
    ['perp', 'SOL-PERP', 0],
    ['PERP', 'sol-perp', 0],
    ['spot', 'SOL', 1],
    ['Spot', 'sol', 1],
  ])('marketType %s and market %s in any case', (marketType, market, id) => {
    const [ack, frame] = answersTo({ ...wish, marketType, market });
    const message = `Subscribe received for channel: orderbook, market: ${market}, marketType: ${marketType}`;
    expect(ack).toEqual({ message });
    expect(askedOf(frame)).toEqual({ ...whole, market: id });
  });

  test.each([
    ['perp', 'SOL'],
    ['spot', 'SOL-PERP'],
    ['perp', 'NO-PERP'],
    ['perp', ''],
    ['perp', '0'],
  ])('there is no %s market %j', (marketType, market) =>
    expectRefusal({ ...wish, marketType, market }, { code: 'UNKNOWN_MARKET' }),
  );

  test.each([
    [{ marketType: 'future' }, 'INVALID_PARAM'],
    [{ marketType: undefined }, 'MISSING_PARAM'],
    [{ marketType: 0 }, 'INVALID_PARAM'],
    [{ marketType: null }, 'INVALID_PARAM'],
    [{ market: undefined }, 'MISSING_PARAM'],
    [{ market: 0 }, 'INVALID_PARAM'],
    [{ market: ['SOL-PERP'] }, 'INVALID_PARAM'],
    [{ market: { toString: 'SOL-PERP' } }, 'INVALID_PARAM'],
  ])('a market is named by two texts: %j', (change, code) =>
    expectRefusal({ ...wish, ...change }, { channel: 'orderbook', code }),
  );

  // Specification: ws-grouping.
  test.each([1, 7, 10, 100, 500, 1000, 1_000_000, '1', '10', '1000000'])(
    'grouping %j, a number or its text; not only five of them, a departure',
    (grouping) => {
      const [, frame] = answersTo({ ...wish, grouping });
      expect(askedOf(frame)).toEqual({ ...whole, grouping: Number(grouping) });
    },
  );

  test.each([0, -1, 1_000_001, '0', '99999999999999999999', 1e300, '-5'])(
    'grouping %j is out of range and not silently 1, a departure',
    (grouping) => expectRefusal({ ...wish, grouping }, { code: 'OUT_OF_RANGE' }),
  );

  test.each([1.5, '1.5', '10abc', '', ' 10', '1e3', '0x10', null, true, [10], {}])(
    'grouping %j is no whole number and not silently 1, a departure',
    (grouping) => expectRefusal({ ...wish, grouping }, { code: 'INVALID_PARAM' }),
  );

  test('without grouping every level stands by itself, under its own name, a departure', () => {
    const [, frame] = answersTo(wish);
    expect(askedOf(frame)).toEqual(whole);
  });

  test.each([1, 50, '1000'])('depth %j, an addition', (depth) => {
    const [, frame] = answersTo({ ...wish, depth });
    expect(askedOf(frame)).toEqual({ ...whole, depth: Number(depth) });
  });

  test.each([
    [0, 'OUT_OF_RANGE'],
    [1001, 'OUT_OF_RANGE'],
    ['all', 'INVALID_PARAM'],
    [null, 'INVALID_PARAM'],
  ])('depth %j is refused', (depth, code) => expectRefusal({ ...wish, depth }, { code }));

  test.each([false, 'false', 'FALSE'])('includeVamm %j is heard, a departure', (flag) => {
    const [, frame] = answersTo({ ...wish, includeVamm: flag });
    expect(askedOf(frame)).toEqual({ ...whole, vamm: false });
  });

  test.each([true, 'true', 0, null, 'no', {}])('includeVamm %j leaves the AMM in', (flag) => {
    const [, frame] = answersTo({ ...wish, includeVamm: flag });
    expect(askedOf(frame)).toEqual(whole);
  });

  test('one socket has several subscriptions, each with its own books', () => {
    client.ask(wish);
    client.ask({ ...wish, market: 'SOL', marketType: 'spot' });
    client.ask({ ...wish, grouping: 10 });
    expect(change().map(askedOf)).toEqual([whole, { ...whole, grouping: 10 }]);
  });

  test('subscribing twice acknowledges and shows twice, and is one subscription', () => {
    expect(client.ask(wish)).toHaveLength(2);
    expect(client.ask(wish)).toHaveLength(2);
    expect(change()).toHaveLength(1);
    expect(client.ask({ ...wish, type: 'unsubscribe' })).toHaveLength(1);
    expect(change()).toEqual([]);
  });
});

describe('2.3 what the server sends', () => {
  // Specification: ws-updates.
  test('an update is a channel and a text that is parsed once more', () => {
    client.ask(wish);
    const [update] = change();
    expect(Object.keys(update as object)).toEqual(['channel', 'data']);
    expect(typeof (update as { data: unknown }).data).toBe('string');
    expect(askedOf(update)).toEqual(whole);
  });

  test('a book comes at once with the acknowledgement, as it was meant to (2.6)', () => {
    const [ack, frame, ...more] = answersTo(wish);
    expect(ack).toHaveProperty('message');
    expect(frame).toHaveProperty('data');
    expect(more).toEqual([]);
  });

  test('an unsubscribe is acknowledged, a departure', () => {
    client.ask(wish);
    const [ack] = client.ask({ ...wish, type: 'UNSUBSCRIBE' });
    const message =
      'Unsubscribe received for channel: orderbook, market: SOL-PERP, marketType: perp';
    expect(ack).toEqual({ message });
    expect(server.readStats().topics).toBe(0);
  });

  test.each([{}, { grouping: 10 }, { depth: 19 }, { includeVamm: false }, { market: 'nope' }])(
    'an unsubscribe with %j of what was not subscribed says so',
    (change) => {
      if (Object.keys(change).length > 0) client.ask(wish);
      const [answer] = client.ask({ ...wish, ...change, type: 'unsubscribe', id: 'u' });
      const code = 'market' in change ? 'UNKNOWN_MARKET' : 'NOT_SUBSCRIBED';
      const error = 'Error unsubscribing from channel';
      expect(answer).toMatchObject({ channel: 'orderbook', error, type: 'error', code, id: 'u' });
    },
  );

  test('a bad subscribe has the channel as sent, the known text, and why', () => {
    const [answer] = answersTo({ ...wish, channel: 'ORDERbook', grouping: 0, id: 9 });
    expect(answer).toEqual({
      channel: 'ORDERbook',
      error: 'Error subscribing to channel',
      type: 'error',
      code: 'OUT_OF_RANGE',
      message: 'grouping was 0, must be 1 to 1000000',
      id: 9,
    });
  });

  test('a subscribe without a channel is answered and not closed, a departure', () =>
    expectRefusal({ type: 'subscribe', market: 'SOL-PERP' }, { code: 'MALFORMED_MESSAGE' }));

  test.each([5, null, true, [], {}, ['orderbook']])(
    'channel %j is answered and ends no process, a departure',
    (channel) =>
      expectRefusal(
        { ...wish, channel },
        { error: 'Error subscribing to channel', code: 'INVALID_PARAM' },
      ),
  );

  test('a book that cannot be made is an error and no subscription', () => {
    book.broken = true;
    expect(client.ask(wish)).toMatchObject([{ channel: 'orderbook', code: 'INTERNAL' }]);
    expect(faults).toHaveLength(1);
    book.broken = false;
    expect(client.ask({ ...wish, type: 'unsubscribe' })).toMatchObject([
      { code: 'NOT_SUBSCRIBED' },
    ]);
  });
});

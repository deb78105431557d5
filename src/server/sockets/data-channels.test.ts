/** The channels `orderbook`, `markets` and `pricing` of market data, from the book to the clients' frames. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type FakeClient, newServer, openOn, startOn } from '../../../test/support/fake-client.js';
import { LIMITS } from '../../config/limits.js';
import type { L2Request } from '../../contract/book-requests.js';
import { changes, publishAll } from '../testing/market-changes.js';
import { FakeBook } from '../testing/running-server.js';
import type { SocketServer } from './socket-server.js';
import type { SummarySource } from './summary-topics.js';

const { dataBookIntervalMs, pricingIntervalMs, marketSummariesIntervalMs } = LIMITS;

/** A body of the core, and the request for it. */
class BodyBook extends FakeBook {
  readonly asked: L2Request[] = [];
  body: Record<string, unknown> = {
    bids: [{ price: '149980000', size: '2500000000', sources: { dlob: '2500000000' } }],
    asks: [{ price: '150020000', size: '123', sources: { vamm: '123' } }],
    ...{ oracle: 150_000_500, markPrice: '150000000', spreadQuote: '40000', spreadPct: '26666' },
  };

  override l2(request: L2Request): Uint8Array {
    this.asked.push(request);
    return Buffer.from(JSON.stringify(this.body));
  }
}

const orderbook = { type: 'subscribe', channelType: 'orderbook', symbol: 'sol-perp' };
const markets = { type: 'subscribe', channelType: 'markets' };
const pricing = { type: 'subscribe', channelType: 'pricing' };

let book: BodyBook;
let source: Record<keyof SummarySource, () => string>;
let server: SocketServer;
let faults: unknown[];
let everLive: boolean;

beforeEach(() => {
  book = new BodyBook();
  source = { markets: () => '[{"symbol":"SOL-PERP"}]', pricing: () => '[{"price":"1.000000"}]' };
  faults = [];
  everLive = true;
  serve();
});

function serve(options: Parameters<typeof newServer>[0] = {}): void {
  server = newServer({
    ...{ book, summaries: source, messagesPerSecond: 1_000, socketsPerIp: 100 },
    readiness: () => ({ everLive, state: everLive ? 'live' : 'starting', reason: null, slot: 1 }),
    onFault: (error) => void faults.push(error),
    ...options,
  });
  startOn(server);
}

const open = (): FakeClient => openOn(server);

const bookMessage = {
  type: 'update',
  channelType: 'orderbook',
  channel: 'orderbook:SOL-PERP',
  data: {
    symbol: 'SOL-PERP',
    levels: [[['149.980000', '2.500000000']], [['150.020000', '0.000000123']]],
    ...{ oraclePrice: '150.000500', markPrice: '150.000000' },
    ...{ spreadQuote: '0.040000', spreadPercent: '0.026666' },
  },
};

describe('orderbook', () => {
  const ack = {
    type: 'subscription',
    message: 'Subscribed to SOL-PERP orderbook',
    channelType: 'orderbook',
    channel: 'orderbook:SOL-PERP',
    symbol: 'SOL-PERP',
  };

  test('is acknowledged and shown in decimals, with the AMM and quotes', () => {
    const client = open();
    client.say({ ...orderbook, id: 4 });
    expect(client.taken()).toEqual([{ ...ack, id: 4 }, bookMessage]);
    const shape = { depth: 20, grouping: 1, vamm: true, indicative: true };
    expect(book.asked.at(-1)).toEqual({ market: 0, ...shape });
  });

  test('comes with each change, at most once in its interval, with the newest book', () => {
    const client = open();
    client.say(orderbook);
    client.taken();
    publishAll(server, changes({ dirty: [0] }));
    expect(client.taken()).toEqual([bookMessage]);
    book.body = { ...book.body, oracle: 7 };
    publishAll(server, changes({ dirty: [0] }));
    vi.advanceTimersByTime(dataBookIntervalMs - 1);
    book.body = { ...book.body, oracle: 8 };
    expect(client.taken()).toEqual([]);
    vi.advanceTimersByTime(2);
    const data = { ...bookMessage.data, oraclePrice: '0.000008' };
    expect(client.taken()).toEqual([{ ...bookMessage, data }]);
  });

  test('has empty texts for the spread of a book with an empty side', () => {
    const { bids, oracle, markPrice } = book.body;
    book.body = { bids, asks: [], oracle, markPrice };
    const client = open();
    client.say(orderbook);
    const [, shown] = client.taken();
    expect(shown?.['data']).toMatchObject({ spreadQuote: '', spreadPercent: '' });
    expect(shown?.['data']).toMatchObject({ levels: [[['149.980000', '2.500000000']], []] });
  });

  test('ends with an unsubscribe, which is acknowledged', () => {
    const client = open();
    client.say(orderbook);
    client.say({ ...orderbook, type: 'unsubscribe' });
    expect(client.taken().at(-1)).toEqual({
      ...ack,
      ...{ type: 'unsubscription', message: 'Unsubscribed from SOL-PERP orderbook' },
    });
    publishAll(server, changes({ dirty: [0] }));
    expect(client.taken()).toEqual([]);
    expect(server.readStats().topics).toBe(0);
  });

  test.each([
    [{ ...orderbook, symbol: 'NOPE' }, 'UNKNOWN_MARKET'],
    [{ type: 'subscribe', channelType: 'orderbook' }, 'MISSING_PARAM'],
    [{ ...orderbook, type: 'unsubscribe' }, 'NOT_SUBSCRIBED'],
  ])('%j is refused', (message, code) => {
    const client = open();
    client.say(message);
    expect(client.taken()).toMatchObject([{ type: 'error', code, channelType: 'orderbook' }]);
  });
});

describe.each([
  ['markets', markets, 'markets:summary', marketSummariesIntervalMs, [{ symbol: 'SOL-PERP' }]],
  ['pricing', pricing, 'pricing', pricingIntervalMs, [{ price: '1.000000' }]],
] as const)('%s', (channelType, message, channel, intervalMs, data) => {
  const init = { type: 'init', channelType, data };
  const ack = {
    ...{ type: 'subscription', message: `Subscribed to ${channelType} updates` },
    ...{ channelType, channel },
  };
  const update = { type: 'update', channelType, channel, data };

  test('is shown, acknowledged, and then told at its own pace', () => {
    const client = open();
    client.say({ ...message, id: 'a' });
    expect(client.taken()).toEqual([init, { ...ack, id: 'a' }]);
    vi.advanceTimersByTime(intervalMs - 1);
    const other = open();
    other.say(message);
    expect([client.taken(), other.taken()]).toEqual([[], [init, ack]]);
    vi.advanceTimersByTime(1);
    expect([client.taken(), other.taken()]).toEqual([[update], [update]]);
    expect(server.readStats()).toMatchObject({ topics: 1, failed: 0 });
  });

  test('is acknowledged and shown again when it is asked for again', () => {
    const client = open();
    client.say(message);
    client.say(message);
    expect(client.taken()).toEqual([init, ack, init, ack]);
    vi.advanceTimersByTime(intervalMs);
    expect(client.taken()).toEqual([update]);
  });

  test('makes nothing without a reader', () => {
    const client = open();
    client.say(message);
    client.say({ ...message, type: 'unsubscribe' });
    expect(client.taken().at(-1)).toMatchObject({ type: 'unsubscription', channelType, channel });
    source[channelType] = () => {
      throw new Error('must not be asked for');
    };
    vi.advanceTimersByTime(3 * intervalMs);
    expect([client.taken(), faults]).toEqual([[], []]);
    expect(server.readStats().topics).toBe(0);
  });

  test('that cannot be made is counted and reported, and goes on afterwards', () => {
    const client = open();
    client.say(message);
    client.taken();
    const { [channelType]: working } = source;
    source[channelType] = () => {
      throw new Error('deliberate');
    };
    vi.advanceTimersByTime(intervalMs);
    expect(client.taken()).toEqual([]);
    expect([faults, server.readStats().failed]).toEqual([[new Error('deliberate')], 1]);
    source[channelType] = working;
    vi.advanceTimersByTime(intervalMs);
    expect(client.taken()).toEqual([update]);
  });

  test('begins again for a client that had not read', () => {
    const client = open();
    client.say(message);
    client.taken();
    client.isFull = true;
    vi.advanceTimersByTime(intervalMs);
    client.drainTo(0);
    expect(client.taken()).toEqual([init]);
    vi.advanceTimersByTime(intervalMs);
    expect(client.taken()).toEqual([update]);
  });

  test('is unknown to a service without statistics', () => {
    const client = openOn(newServer({ book }));
    client.say(message);
    expect(client.taken()).toMatchObject([{ type: 'error', code: 'UNKNOWN_CHANNEL' }]);
  });
});

describe('all of them', () => {
  test('wait for the first book, in the order of the messages', () => {
    everLive = false;
    const client = open();
    for (const message of [orderbook, pricing, markets]) client.say(message);
    expect(client.taken()).toEqual([]);
    everLive = true;
    server.handleEarlyMessages();
    const kinds = client.taken().map(({ type, channelType }) => `${type} ${channelType}`);
    expect(kinds).toEqual([
      ...['subscription orderbook', 'update orderbook', 'init pricing', 'subscription pricing'],
      ...['init markets', 'subscription markets'],
    ]);
  });

  test('count for a socket and an address, and always have room in the service', () => {
    serve({ topicsPerSocket: 2, topicsMax: 1 });
    const client = open();
    client.say({ type: 'subscribe', channel: 'book', market: 'SOL-PERP', grouping: 7 });
    client.say(pricing);
    client.taken();
    client.say(markets);
    expect(client.taken()).toMatchObject([{ type: 'error', code: 'LIMIT_EXCEEDED' }]);
    const other = open();
    other.say(orderbook);
    expect(other.taken()).toMatchObject([{ type: 'subscription' }, { type: 'update' }]);
  });

  test('end the heartbeat of the compatible channels, as candles do', () => {
    const client = open();
    expect(client.topics.size).toBe(1);
    client.say(pricing);
    expect([...client.topics]).toEqual(['pricing']);
  });
});

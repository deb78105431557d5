/** A subscription is to a market: what its reader learns when the market gets another name. */
import { beforeEach, expect, test } from 'vitest';
import { type FakeClient, newServer, openOn, startOn } from '../../../test/support/fake-client.js';
import { FakeMarketStreams } from '../../../test/support/fake-market-streams.js';
import type { MarketInfo } from '../../contract/markets.js';
import { changes, publishAll } from '../testing/market-changes.js';
import { FakeBook } from '../testing/running-server.js';
import type { SocketServer } from './socket-server.js';

/** A book with a body for the channel of market data. */
class BodyBook extends FakeBook {
  override l2(): Uint8Array {
    return Buffer.from('{"bids":[],"asks":[],"oracle":7,"markPrice":"7"}');
  }
}

let book: FakeBook;
let history: FakeMarketStreams;
let server: SocketServer;
let client: FakeClient;

beforeEach(() => {
  book = new BodyBook();
  history = new FakeMarketStreams();
  server = newServer({ book, history });
  client = openOn(server);
  startOn(server);
});

/** Gives the markets other symbols, by their ids, in one turn. */
function rename(symbols: Readonly<Record<number, string>>): void {
  const renamed = (row: MarketInfo): MarketInfo => {
    const symbol = symbols[row.id] ?? row.symbol;
    return { ...row, symbol, name: symbol };
  };
  book.rows = book.rows.map(renamed);
  publishAll(server, changes({ dirty: Object.keys(symbols).map(Number) }));
}

const compatible = { marketType: 'perp', market: 'SOL-PERP' };

test.each([
  ['book', { channel: 'book', market: 'SOL-PERP' }, { topic: 'book:SOL-PERP:50' }],
  ['book by the key', { channel: 'book', market: 'PERP_0' }, { topic: 'book:SOL-PERP:50' }],
  ['l3', { channel: 'l3', market: 'SOL-PERP' }, { topic: 'l3:SOL-PERP:50' }],
  ['orderbook', { channel: 'orderbook', ...compatible }, { channel: 'orderbook' }],
  ['trades', { channel: 'trades', ...compatible }, { channel: 'trades' }],
  ['candles', { symbol: 'SOL-PERP', resolution: '1' }, { symbol: 'SOL-PERP', resolution: '1' }],
  [
    'books of market data',
    { channelType: 'orderbook', symbol: 'sol-perp' },
    { symbol: 'sol-perp' },
  ],
])(
  'a reader of %s is told of the new name, and nothing of the market after it',
  (_, said, told) => {
    client.ask({ type: 'subscribe', id: 5, ...said });
    for (const topic of ['candle:perp_0:1', 'channel:perp_0'])
      history.send(topic, ['reset', { type: 'init' }]);
    publishAll(server, changes({ dirty: [0] }));
    client.taken();
    rename({ 0: 'NEW-PERP' });
    const message = 'the market SOL-PERP is now NEW-PERP, and still perp_0';
    const ends = client.taken();
    expect(ends).toMatchObject([{ type: 'error', code: 'UNKNOWN_MARKET', message, ...told }]);
    expect(ends[0]).not.toHaveProperty('id');
    expect(client.ask({ type: 'unsubscribe', ...said })).toMatchObject([{ type: 'error' }]);
    expect(server.readStats().topics).toBe(0);
  },
);

test('a market that is served no more ends its readers, and others read on', () => {
  client.ask({ type: 'subscribe', channel: 'orderbook', ...compatible });
  client.ask({ type: 'subscribe', channel: 'book', market: 'SOL' });
  book.rows = book.rows.slice(1);
  publishAll(server, changes({ dirty: [0] }));
  expect(client.taken()).toMatchObject([
    { code: 'UNKNOWN_MARKET', message: 'the market SOL-PERP is no longer served' },
  ]);
  expect(server.readStats().topics).toBe(1);
});

test('all markets stay in a subscription to all while they swap their names', () => {
  const all = { type: 'subscribe', channel: 'bbo', market: '*' };
  expect(client.ask(all)[0]).toMatchObject({ topics: ['bbo:SOL-PERP', 'bbo:SOL'] });
  rename({ 0: 'SOL', 1: 'SOL-PERP' });
  const said = client.taken();
  const ended = said.filter(({ type }) => type === 'error').map(({ topic }) => topic);
  expect(ended).toEqual(['bbo:SOL-PERP', 'bbo:SOL']);
  const begun = said.filter(({ type }) => type !== 'error');
  expect(begun.slice(0, 1)).toMatchObject([
    { type: 'subscribed', topic: 'bbo:*', topics: ['bbo:SOL', 'bbo:SOL-PERP'] },
  ]);
  expect(begun.filter(({ type }) => type === 'snapshot')).toHaveLength(2);
  expect(server.readStats().topics).toBe(2);
});

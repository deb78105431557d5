/** `"market":"*"`: one message and one reply for the topics of all markets, including later ones. */
import { beforeEach, expect, test, vi } from 'vitest';
import { type FakeClient, newServer, openOn } from '../../../test/support/fake-client.js';
import { changes, publishAll } from '../testing/market-changes.js';
import { FakeBook } from '../testing/running-server.js';
import type { SocketServer } from './socket-server.js';

let book: FakeBook;
let server: SocketServer;
let client: FakeClient;

beforeEach(() => {
  book = new FakeBook();
  server = newServer({ book });
  client = openOn(server);
});

const all = { type: 'subscribe', id: 7, channel: 'book', market: '*', depth: 20 };
const NAME = 'book:*:20';

type Message = Readonly<Record<string, unknown>>;

const ask = (message: object): readonly Message[] => client.ask(message);
const topicsOfNow = (): readonly string[] => book.rows.map(({ symbol }) => `book:${symbol}:20`);
const snapshotsIn = (messages: readonly Message[]) =>
  messages.filter(({ type }) => type === 'snapshot');

/** Adds a market, which the service sees at the engine's next turn. */
function list(symbol: string): void {
  const [first] = book.rows;
  if (first === undefined) throw new Error('no market');
  const id = book.rows.length;
  book.rows = [...book.rows, { ...first, id, symbol, marketIndex: 40 }];
  publishAll(server, changes({ dirty: [id] }));
}

test('one reply lists the topics, and each begins with its snapshot', () => {
  const [reply, ...frames] = ask(all);
  expect(reply).toEqual({ type: 'subscribed', id: 7, topic: NAME, topics: topicsOfNow() });
  expect(snapshotsIn(frames).map(({ topic, id }) => [topic, id])).toEqual(
    topicsOfNow().map((topic) => [topic, 7]),
  );
  expect(server.readStats().topics).toBe(topicsOfNow().length);
});

test('a market that appears later is in it, once', () => {
  ask(all);
  list('NEW-PERP');
  publishAll(server, changes({ dirty: [] }));
  const later = client.taken();
  expect(later).toMatchObject([
    { type: 'subscribed', topic: NAME, topics: ['book:NEW-PERP:20'] },
    { type: 'snapshot', topic: 'book:NEW-PERP:20' },
  ]);
  expect(later[0]).not.toHaveProperty('id');
});

test.each([
  ['its name', { type: 'unsubscribe', id: 8, topic: NAME }],
  ['its members', { ...all, type: 'unsubscribe', id: 8 }],
])('all of it ends by %s, with later markets', (_, message) => {
  ask(all);
  list('NEW-PERP');
  expect(ask(message)).toContainEqual({ type: 'unsubscribed', id: 8, topic: NAME });
  expect(server.readStats().topics).toBe(0);
  list('LATE-PERP');
  expect(server.readStats().topics).toBe(0);
  expect(ask(message)).toMatchObject([{ code: 'NOT_SUBSCRIBED', id: 8 }]);
});

test('asked for again it begins again, and counts once', () => {
  ask(all);
  const again = ask({ ...all, id: 9 });
  expect(snapshotsIn(again)).toHaveLength(topicsOfNow().length);
  ask({ type: 'unsubscribe', topic: NAME });
  expect(server.readStats().topics).toBe(0);
});

test('a topic that was left by itself stays left', () => {
  ask(all);
  ask({ type: 'unsubscribe', topic: topicsOfNow()[0] });
  list('NEW-PERP');
  expect(server.readStats().topics).toBe(topicsOfNow().length - 1);
});

test('where there is no room for all of it, there is none of it', () => {
  server = newServer({ book, topicsPerSocket: book.rows.length });
  client = openOn(server);
  ask({ ...all, market: 'SOL-PERP', depth: 50 });
  const [refusal] = ask(all);
  expect(refusal).toMatchObject({ type: 'error', code: 'LIMIT_EXCEEDED', id: 7 });
  expect(refusal).toHaveProperty(
    'message',
    expect.stringMatching(/^none of \d+ topics .* a socket/),
  );
  expect(server.readStats().topics).toBe(1);
  ask({ type: 'unsubscribe', topic: 'book:SOL-PERP:50' });
  expect(ask(all)[0]).toMatchObject({ type: 'subscribed' });
  list('NEW-PERP');
  expect(client.taken()).toContainEqual(
    expect.objectContaining({ code: 'LIMIT_EXCEEDED', topic: 'book:NEW-PERP:20' }),
  );
});

test('a topic that cannot begin ends with an error, and the others begin', () => {
  const faults: unknown[] = [];
  server = newServer({ book, onFault: (error) => void faults.push(error) });
  client = openOn(server);
  const broken = new Error('broken');
  vi.spyOn(book.topics, 'renderSnapshot').mockImplementationOnce(() => {
    throw broken;
  });
  const [reply, ...frames] = ask(all);
  expect(reply).toMatchObject({ type: 'subscribed', topics: topicsOfNow() });
  expect(frames[0]).toMatchObject({ type: 'error', topic: topicsOfNow()[0], code: 'INTERNAL' });
  expect(snapshotsIn(frames)).toHaveLength(topicsOfNow().length - 1);
  expect(server.readStats().topics).toBe(topicsOfNow().length - 1);
  expect(faults).toEqual([broken]);
});

test('it cannot be resumed, as each market has a seq of its own', () => {
  const resume = { epoch: 'epoch-1', seq: 1 };
  expect(ask({ ...all, resume })).toMatchObject([{ code: 'INVALID_PARAM', id: 7 }]);
  expect(server.readStats().topics).toBe(0);
});

test.each([
  [{ depth: 7 }, 'OUT_OF_RANGE'],
  [{ intervalMs: 20 }, 'OUT_OF_RANGE'],
  [{ channel: 'l3', maker: '' }, 'INVALID_PARAM'],
])('with %j it is refused as one market would be', (member, code) => {
  expect(ask({ ...all, ...member })).toMatchObject([{ code, id: 7 }]);
});

/** A topic requested after a change without a mark: its readers wait for the next mark. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type FakeClient, newServer, openOn } from '../../../test/support/fake-client.js';
import { LIMITS } from '../../config/limits.js';
import { changes, publishAll } from '../testing/market-changes.js';
import { FakeBook } from '../testing/running-server.js';
import type { SocketServer } from './socket-server.js';

const stream = { type: 'subscribe', channel: 'book', market: 'SOL-PERP', depth: 10 };
const KEY = 'book:SOL-PERP:10';

let book: FakeBook;
let server: SocketServer;
let faults: unknown[];
let client: FakeClient;

beforeEach(() => {
  book = new FakeBook();
  faults = [];
  server = newServer({ book, messagesPerSecond: 10_000, onFault: (error) => faults.push(error) });
  server.start({ publish: () => undefined });
  client = openOn(server);
  // A change of the market that will be published later.
  publishAll(server, changes({ dirty: [0] }), []);
});

function mark(): void {
  book.current = { ...book.current, seq: book.current.seq + 1 };
  publishAll(server, changes({ dirty: [0] }));
}

describe('a reader of it', () => {
  test('is acknowledged at once, and shown the book of the next mark', () => {
    client.say({ ...stream, id: 1 });
    expect(client.taken()).toEqual([{ type: 'subscribed', id: 1, topic: KEY }]);
    vi.advanceTimersByTime(LIMITS.streamHeartbeatMs * 3);
    expect([client.taken(), client.topics.has(KEY)]).toEqual([[], false]);
    mark();
    expect(client.taken()).toMatchObject([{ type: 'snapshot', id: 1, seq: 8, reset: false }]);
    expect(client.topics.has(KEY)).toBe(true);
  });

  test('that asks twice is shown it twice, and leaves it once', () => {
    client.say({ ...stream, id: 1 });
    client.say({ ...stream, id: 2 });
    client.taken();
    mark();
    expect(client.taken()).toMatchObject([
      { type: 'snapshot', id: 1 },
      { type: 'snapshot', id: 2 },
    ]);
    client.say({ type: 'unsubscribe', topic: KEY });
    expect(client.topics.has(KEY)).toBe(false);
    expect(server.readStats().topics).toBe(0);
  });

  test('that leaves before is shown nothing', () => {
    client.say({ ...stream, id: 1 });
    client.say({ type: 'unsubscribe', id: 2, topic: KEY });
    client.taken();
    mark();
    expect([client.taken(), client.topics.has(KEY)]).toEqual([[], false]);
    expect(server.readStats().topics).toBe(0);
  });

  test('that has no room then is shown it when it has read', () => {
    client.say({ ...stream, id: 1 });
    client.taken();
    client.buffered = LIMITS.socketBacklogBytesMax + 1;
    mark();
    expect(client.taken()).toEqual([]);
    client.buffered = 0;
    mark();
    client.session?.onDrain();
    expect(client.taken()).toMatchObject([{ type: 'snapshot', id: 1, seq: 9 }]);
  });

  test('whose book cannot be made is told so, and the others are shown it', () => {
    const other = openOn(server, '203.0.113.8');
    for (const one of [client, other]) {
      one.say({ ...stream, id: 1 });
      one.taken();
    }
    vi.spyOn(book.topics, 'renderSnapshot').mockImplementationOnce(() => {
      throw new Error('deliberate');
    });
    mark();
    expect(client.taken()).toMatchObject([{ type: 'error', topic: KEY, code: 'INTERNAL' }]);
    expect(other.taken()).toMatchObject([{ type: 'snapshot', id: 1 }]);
    expect(faults).toHaveLength(1);
  });
});

test('a market that never changed is shown in its new state by the mark of a change of all', () => {
  // Market 1 has its restored state, without a change.
  const [, other] = book.rows;
  if (other === undefined) throw new Error('there are two markets');
  client.say({ ...stream, market: other.symbol, id: 1 });
  expect(client.taken()).toMatchObject([{ type: 'subscribed' }, { type: 'snapshot', id: 1 }]);
  book.current = { ...book.current, state: 'lagging' };
  const frames = vi.spyOn(book.topics, 'renderDelta');
  publishAll(server, changes({ allChanged: true }), [{ market: other.id, classes: 0xff }]);
  expect(frames.mock.calls.length).toBeGreaterThan(0);
});

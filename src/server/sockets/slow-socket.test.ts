/** The states of a full socket, step by step, on a fake transport. */

import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type FakeClient, newServer, openOn } from '../../../test/support/fake-client.js';
import { LIMITS } from '../../config/limits.js';
import { changes, publishAll } from '../testing/market-changes.js';
import { FakeBook } from '../testing/running-server.js';
import type { SocketServer } from './socket-server.js';

const stream = { type: 'subscribe', channel: 'book', market: 'SOL-PERP', depth: 10 };
const whole = { type: 'subscribe', channel: 'orderbook', marketType: 'perp', market: 'SOL-PERP' };

let book: FakeBook;
let server: SocketServer;
/** The number of the client's topics at each published frame. */
let topicsAtFrames: number[];
let client: FakeClient;

beforeEach(() => {
  book = new FakeBook();
  server = newServer({ book, messagesPerSecond: 10_000 });
  topicsAtFrames = [];
  client = openOn(server);
  server.start({ publish: () => void topicsAtFrames.push(client.topics.size) });
  client.say(stream);
  client.say(whole);
  client.taken();
});

function change(): void {
  book.current = { ...book.current, seq: book.current.seq + 1 };
  publishAll(server, changes({ dirty: [0] }));
}

/** The transport has found the socket full while it published. */
function fill(): void {
  client.fill();
  client.session?.onDropped();
}

describe('a full socket', () => {
  test('leaves no topic while the transport publishes, and all books before the next frame', () => {
    const before = [...client.topics];
    expect(before).toHaveLength(3);
    fill();
    expect([...client.topics]).toEqual(before);
    change();
    expect(topicsAtFrames).toEqual([1, 1]);
    expect(server.readStats()).toMatchObject({ slow: 1, dropped: 1, topics: 2 });
  });

  test('is shown each book anew when most is read, and is in the topics again', () => {
    fill();
    change();
    client.drainTo(LIMITS.socketBacklogBytesMax + 1);
    expect(client.sent).toEqual([]);
    client.drainTo(LIMITS.socketBacklogBytesMax);
    const [first, second] = client.taken();
    expect(first).toMatchObject({ type: 'snapshot', reset: true, seq: book.current.seq });
    expect(first).not.toHaveProperty('id');
    expect(second).toHaveProperty('data');
    expect(client.topics.size).toBe(3);
    expect(server.readStats()).toMatchObject({ slow: 1, resets: 2 });
  });

  test('that reads before the next frame is shown its books anew all the same', () => {
    fill();
    client.drainTo(0);
    expect(client.taken()).toMatchObject([{ type: 'snapshot', reset: true }, {}]);
    expect(client.topics.size).toBe(3);
    change();
    expect(client.topics.size).toBe(3);
  });

  test('that is full again on the way is shown again what it was shown before', () => {
    fill();
    change();
    const { send } = client;
    // The first book fits; the second fills the socket.
    client.send = (text) => {
      client.isFull = client.sent.length > 0;
      return send.call(client, text);
    };
    client.buffered = 0;
    client.session?.onDrain();
    expect(client.taken()).toMatchObject([{ type: 'snapshot', reset: true }]);
    client.send = send;
    vi.advanceTimersByTime(1_000);
    expect(client.topics.size).toBe(1);
    client.drainTo(0);
    expect(client.taken()).toMatchObject([{ type: 'snapshot', reset: true }, {}]);
    expect(client.topics.size).toBe(3);
  });

  test('that was not shown its first book yet is shown it as the first one', () => {
    client.buffered = LIMITS.socketBacklogBytesMax + 1;
    client.say({ ...stream, depth: 20, id: 'mine' });
    expect(client.taken()).toMatchObject([{ type: 'subscribed' }]);
    fill();
    client.drainTo(0);
    const texts = client.taken();
    expect(texts).toHaveLength(3);
    expect(texts.find(({ topic }) => topic === 'book:SOL-PERP:20')).toMatchObject({
      ...{ type: 'snapshot', id: 'mine', reset: false },
    });
  });

  test('keeps the answers to what it asks, up to a number', () => {
    fill();
    for (let id = 1; id <= LIMITS.socketRepliesMax; id += 1) client.say({ type: 'ping', id });
    expect(client.closedWith).toBeUndefined();
    client.drainTo(0);
    const answers = client.taken().slice(0, LIMITS.socketRepliesMax);
    expect(answers.map(({ id }) => id)).toEqual(answers.map((_, at) => at + 1));
    fill();
    for (let id = 0; id <= LIMITS.socketRepliesMax; id += 1) client.say({ type: 'ping', id });
    expect(client.closedWith).toBe(1006);
    expect(server.readStats()).toMatchObject({ sockets: 0, topics: 0, closes: { slowReader: 1 } });
  });
});

describe('a full socket that is not read', () => {
  test('is cut after its time and the time to say farewell', () => {
    fill();
    vi.advanceTimersByTime(LIMITS.slowMsMax - 1);
    expect(server.readStats().topics).toBe(2);
    vi.advanceTimersByTime(1);
    expect(server.readStats()).toMatchObject({ sockets: 1, topics: 0 });
    vi.advanceTimersByTime(LIMITS.slowCloseGraceMsMax - 1);
    expect(client.closedWith).toBeUndefined();
    vi.advanceTimersByTime(1);
    expect(client.closedWith).toBe(1006);
    expect(server.readStats()).toMatchObject({ sockets: 0, closes: { slowReader: 1 } });
  });

  test('and then is, too late, is cut, as it has a compatible channel', () => {
    fill();
    vi.advanceTimersByTime(LIMITS.slowMsMax);
    client.say(stream);
    client.drainTo(1);
    expect(client.closedWith).toBeUndefined();
    client.drainTo(0);
    expect(client.closedWith).toBe(1006);
    expect(client.sent).toEqual([]);
  });

  test('and then is, too late, is told why where it has streaming channels alone', () => {
    client = openOn(server);
    client.say(stream);
    client.taken();
    fill();
    vi.advanceTimersByTime(LIMITS.slowMsMax);
    client.drainTo(0);
    expect(client.closedWith).toBe(1013);
  });

  test('has its time anew whenever most is read', () => {
    for (let round = 0; round < 5; round += 1) {
      fill();
      vi.advanceTimersByTime(LIMITS.slowMsMax - 1);
      client.drainTo(0);
    }
    vi.advanceTimersByTime(LIMITS.slowMsMax * 3);
    expect(client.closedWith).toBeUndefined();
  });

  test('has its time anew, and no more, when it is full again on the way', () => {
    fill();
    vi.advanceTimersByTime(LIMITS.slowMsMax - 1);
    const { send } = client;
    client.send = (text) => {
      client.isFull = client.sent.length > 0;
      return send.call(client, text);
    };
    client.buffered = 0;
    client.session?.onDrain();
    expect(client.taken()).toHaveLength(1);
    client.buffered = LIMITS.socketBacklogBytesMax + 1;
    vi.advanceTimersByTime(LIMITS.slowMsMax - 1);
    expect(server.readStats().topics).toBe(2);
    vi.advanceTimersByTime(1 + LIMITS.slowCloseGraceMsMax);
    expect(client.closedWith).toBe(1006);
  });

  test('has no more time for being owed a first book only', () => {
    client.buffered = LIMITS.socketBacklogBytesMax + 1;
    client.say({ ...stream, depth: 20 });
    vi.advanceTimersByTime(LIMITS.slowMsMax + LIMITS.slowCloseGraceMsMax);
    expect(client.closedWith).toBe(1006);
  });
});

test('a book that cannot be shown anew ends its subscription, and not the others', () => {
  const faults: unknown[] = [];
  const other = newServer({ book, onFault: (error) => void faults.push(error) });
  client = openOn(other);
  client.say(whole);
  client.say(stream);
  client.taken();
  fill();
  book.broken = true;
  client.drainTo(0);
  const [error, snapshot] = client.taken();
  expect(error).toMatchObject({ type: 'error', code: 'INTERNAL' });
  expect(snapshot).toMatchObject({ type: 'snapshot', reset: true });
  expect([...client.topics].filter((name) => !name.startsWith('heartbeat '))).toEqual([
    'book:SOL-PERP:10',
  ]);
  expect([other.readStats().topics, faults.length]).toEqual([1, 1]);
});

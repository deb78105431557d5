/** The handover of a replay to the live topic: its failures, and messages of the client during the handover. */
import { beforeEach, describe, expect, test, vi } from 'vitest';
import { type FakeClient, newServer, openOn } from '../../../test/support/fake-client.js';
import { LIMITS } from '../../config/limits.js';
import type { ReplayListener } from '../../contract/replay-source.js';
import { changes, publishAll } from '../testing/market-changes.js';
import { FakeBook } from '../testing/running-server.js';
import { ScriptedReplay } from '../testing/scripted-replay.js';
import type { SocketServer } from './socket-server.js';

const stream = { type: 'subscribe', channel: 'book', market: 'SOL-PERP', depth: 10 };
const past = { ...stream, id: 1, from: { ts: 1_750_000_000_000 } };
const KEY = 'book:SOL-PERP:10';

let book: FakeBook;
let server: SocketServer;
let faults: unknown[];
let client: FakeClient;
let replays: ScriptedReplay[];
/** The topics of all frames that were published to readers. */
let published: string[];

beforeEach(() => {
  book = new FakeBook();
  [faults, replays] = [[], []];
  const openReplay = (_: object, listener: ReplayListener): ScriptedReplay => {
    const replay = new ScriptedReplay(listener);
    replays.push(replay);
    return replay;
  };
  server = newServer({
    ...{ book, messagesPerSecond: 10_000, replays: { openReplay } },
    onFault: (error) => faults.push(error),
  });
  published = [];
  server.start({ publish: (topic) => void published.push(topic) });
  client = openOn(server);
});

/** Starts a replay and drops its acknowledgement. */
function begin(): ScriptedReplay {
  client.say(past);
  expect(client.taken()).toEqual([{ type: 'subscribed', id: 1, topic: KEY }]);
  const replay = replays.at(-1);
  if (replay === undefined) throw new Error('it has begun');
  return replay;
}

/** A change of the market without a mark. */
function change(): void {
  publishAll(server, changes({ dirty: [0] }), []);
}

function mark(): void {
  book.current = { ...book.current, seq: book.current.seq + 1 };
  publishAll(server, changes({ dirty: [0] }));
}

/** The client gets this code as the replay's end, and the replay is released. */
function expectEnd(replay: ScriptedReplay, code: string): void {
  expect(client.taken()).toMatchObject([{ type: 'error', topic: KEY, code }]);
  expect(replay.sent.at(-1)).toBe('close');
  expect(server.readStats().topics).toBe(0);
  client.say({ type: 'pause', id: 2, topic: KEY });
  expect(client.taken()).toMatchObject([{ id: 2, code: 'NOT_SUBSCRIBED' }]);
}

describe('a handover that fails ends the replay, and nothing else', () => {
  test('where its market has gone meanwhile', () => {
    const replay = begin();
    book.rows = book.rows.filter(({ symbol }) => symbol !== 'SOL-PERP');
    replay.listener.onEnd();
    expectEnd(replay, 'UNKNOWN_MARKET');
    expect([faults, book.streams.size]).toEqual([[], 0]);
  });

  test('where its market has another name, and another market has its own', () => {
    const replay = begin();
    const [first, second] = book.rows;
    if (first === undefined || second === undefined) throw new Error('two markets are needed');
    book.rows = [
      { ...first, symbol: 'SOLD-PERP' },
      { ...second, symbol: 'SOL-PERP' },
    ];
    replay.listener.onEnd();
    expectEnd(replay, 'UNKNOWN_MARKET');
    expect([faults, book.streams.size]).toEqual([[], 0]);
  });

  test('where the live topic cannot be opened', () => {
    const replay = begin();
    vi.spyOn(book.topics, 'openTopic').mockImplementationOnce(() => {
      throw new Error('deliberate');
    });
    replay.listener.onEnd();
    expectEnd(replay, 'INTERNAL');
    expect(faults).toHaveLength(1);
  });

  test('where its publication cannot be read in the mark that begins it, which all others are sent', () => {
    change();
    const replay = begin();
    const other = openOn(server, '203.0.113.8');
    other.say({ ...stream, id: 1 });
    other.say({ ...stream, id: 2, market: 'SOL' });
    replay.listener.onEnd();
    other.taken();
    vi.spyOn(book.topics, 'renderHeartbeat').mockImplementationOnce(() => {
      throw new Error('deliberate');
    });
    mark();
    expect(other.taken()).toMatchObject([{ type: 'snapshot', id: 1 }]);
    expect(client.taken()).toMatchObject([{ type: 'error', topic: KEY, code: 'INTERNAL' }]);
    expect([replay.sent, faults.length]).toEqual([['close'], 1]);
  });
});

const at = { slot: 1_000, ts: 1_750_000_000_000 };
const caughtUp = { kind: 'caughtUp', epoch: 'epoch-1', seq: 7 } as const;

test('an end that its client has not read when it goes elsewhere leaves the way to now open', () => {
  const replay = begin();
  client.buffered = LIMITS.socketBacklogBytesMax + 1;
  replay.add({ kind: 'ended', at, reason: 'until' });
  client.say({ type: 'seek', id: 2, topic: KEY, from: { ts: at.ts }, until: null });
  replay.listener.onEnd();
  replay.add({ kind: 'sought', id: '2' }, caughtUp);
  client.drainTo(0);
  expect(client.taken()).toMatchObject([
    { type: 'ended', reason: 'until' },
    { type: 'sought', id: 2 },
    { type: 'live', seq: 7 },
  ]);
  expect(client.topics.has(KEY)).toBe(true);
  expect([replay.sent, faults]).toEqual([['seek', 'finish', 'close'], []]);
});

test('what a replay has not answered when it ends is refused', () => {
  const refused = { type: 'error', code: 'NOT_SUBSCRIBED' };
  const replay = begin();
  for (const id of [2, 3]) client.say({ type: 'pause', id, topic: KEY });
  replay.add({ kind: 'paused', id: '2', at });
  client.say({ type: 'unsubscribe', id: 4, topic: KEY });
  expect(client.taken()).toMatchObject([
    { type: 'paused', id: 2 },
    { ...refused, id: 3 },
    { type: 'unsubscribed', id: 4 },
  ]);
  const next = begin();
  client.say({ type: 'pause', id: 5, topic: KEY });
  next.add({ kind: 'failed', refusal: { kind: 'notKept', message: 'deliberate' } });
  expect(client.taken()).toMatchObject([
    { ...refused, id: 5 },
    { topic: KEY, code: 'MOMENT_NOT_KEPT' },
  ]);
});

test('a live topic whose number is behind the market, with a change that no mark has, is read all the same', () => {
  const other = openOn(server, '203.0.113.8');
  other.say({ ...stream, id: 1 });
  // The change affects the market and not the topic.
  book.current = { ...book.current, seq: 12 };
  const replay = begin();
  replay.listener.onEnd();
  change();
  replay.add({ ...caughtUp, seq: 12 });
  // Its next heartbeat has the number of its last frame.
  const snapshot = { type: 'snapshot', seq: 7, reset: true };
  expect(client.taken()).toMatchObject([{ type: 'live', seq: 12 }, snapshot]);
  expect(client.topics.has(KEY)).toBe(true);
  published = [];
  mark();
  expect([published, faults]).toEqual([[KEY], []]);
});

describe('a client that asks for something else on the way to now', () => {
  test('has the live topic closed, and opened again when the replay is there again', () => {
    const replay = begin();
    replay.listener.onEnd();
    client.say({ type: 'pause', id: 2, topic: KEY });
    replay.add(caughtUp, { kind: 'paused', id: '2', at });
    published = [];
    mark();
    expect(published).not.toContain(KEY);
    client.say({ type: 'resume', id: 3, topic: KEY });
    replay.add({ kind: 'resumed', id: '3', speed: 1 });
    replay.listener.onEnd();
    replay.add({ ...caughtUp, seq: book.current.seq });
    const answers = client.taken().map(({ type }) => type);
    expect(answers).toEqual(['paused', 'resumed', 'live']);
    expect(replay.sent).toEqual(['finish', 'pause', 'resume', 'finish', 'close']);
    published = [];
    mark();
    expect([published, faults]).toEqual([[KEY], []]);
  });

  test('does not leave the thread waiting for a topic that has yet to begin', () => {
    change();
    const replay = begin();
    replay.listener.onEnd();
    expect(replay.sent).toEqual([]);
    client.say({ type: 'pause', id: 2, topic: KEY });
    mark();
    expect(replay.sent).toEqual(['finish', 'pause']);
  });
});

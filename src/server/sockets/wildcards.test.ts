/** `"market":"*"`: one message and one reply for the topics of all markets, of now and of later. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { type Probe, SocketScene } from '../../../test/support/socket-scene.js';
import { changes, publishAll } from '../testing/market-changes.js';

let scene: SocketScene;
let client: Probe;

beforeEach(async () => {
  scene = await SocketScene.start();
  client = await scene.open();
});

afterEach(async () => {
  await scene?.stop();
  expect(scene.faults).toEqual([]);
});

const all = { type: 'subscribe', id: 7, channel: 'book', market: '*', depth: 20 };
const NAME = 'book:*:20';

interface Message {
  readonly type: string;
  readonly id?: number;
  readonly topic?: string;
  readonly topics?: readonly string[];
  readonly code?: string;
}

const ask = async (message: object) => (await client.ask(message)) as readonly Message[];
const topicsOfNow = (): readonly string[] =>
  scene.book.rows.map(({ symbol }) => `book:${symbol}:20`);
const snapshotsIn = (messages: readonly Message[]) =>
  messages.filter(({ type }) => type === 'snapshot');

/** A market appears, as the service sees it: with the next turn of the engine. */
function list(symbol: string): void {
  const [first] = scene.book.rows;
  if (first === undefined) throw new Error('no market');
  const id = scene.book.rows.length;
  scene.book.rows = [...scene.book.rows, { ...first, id, symbol, marketIndex: 40 }];
  publishAll(scene.sockets, changes({ dirty: [id] }));
}

test('one reply lists the topics, and each begins with its snapshot', async () => {
  const [reply, ...frames] = await ask(all);
  expect(reply).toEqual({ type: 'subscribed', id: 7, topic: NAME, topics: topicsOfNow() });
  expect(snapshotsIn(frames).map(({ topic, id }) => [topic, id])).toEqual(
    topicsOfNow().map((topic) => [topic, 7]),
  );
  expect(scene.sockets.readStats().topics).toBe(topicsOfNow().length);
});

test('a market that appears later is in it, once', async () => {
  await ask(all);
  list('NEW-PERP');
  publishAll(scene.sockets, changes({ dirty: [] }));
  const later = (await client.settle()).slice(-2) as readonly Message[];
  expect(later).toMatchObject([
    { type: 'subscribed', topic: NAME, topics: ['book:NEW-PERP:20'] },
    { type: 'snapshot', topic: 'book:NEW-PERP:20' },
  ]);
  expect(later[0]).not.toHaveProperty('id');
});

test.each([
  ['its name', { type: 'unsubscribe', id: 8, topic: NAME }],
  ['its members', { ...all, type: 'unsubscribe', id: 8 }],
])('all of it ends by %s, with later markets', async (_, message) => {
  await ask(all);
  list('NEW-PERP');
  expect(await ask(message)).toContainEqual({ type: 'unsubscribed', id: 8, topic: NAME });
  expect(scene.sockets.readStats().topics).toBe(0);
  list('LATE-PERP');
  expect(scene.sockets.readStats().topics).toBe(0);
  expect(await ask(message)).toMatchObject([{ code: 'NOT_SUBSCRIBED', id: 8 }]);
});

test('asked for again it begins again, and counts once', async () => {
  await ask(all);
  const again = await ask({ ...all, id: 9 });
  expect(snapshotsIn(again)).toHaveLength(topicsOfNow().length);
  await ask({ type: 'unsubscribe', topic: NAME });
  expect(scene.sockets.readStats().topics).toBe(0);
});

test('a topic that was left by itself stays left', async () => {
  await ask(all);
  await ask({ type: 'unsubscribe', topic: topicsOfNow()[0] });
  list('NEW-PERP');
  expect(scene.sockets.readStats().topics).toBe(topicsOfNow().length - 1);
});

test('where there is no room for all of it, there is none of it', async () => {
  await scene.stop();
  scene = await SocketScene.start({ topicsPerSocket: scene.book.rows.length });
  client = await scene.open();
  await ask({ ...all, market: 'SOL-PERP', depth: 50 });
  const [refusal] = await ask(all);
  expect(refusal).toMatchObject({ type: 'error', code: 'LIMIT_EXCEEDED', id: 7 });
  expect(refusal).toHaveProperty(
    'message',
    expect.stringMatching(/^none of \d+ topics .* a socket/),
  );
  expect(scene.sockets.readStats().topics).toBe(1);
  await ask({ type: 'unsubscribe', topic: 'book:SOL-PERP:50' });
  expect((await ask(all))[0]).toMatchObject({ type: 'subscribed' });
  list('NEW-PERP');
  expect(await client.settle()).toContainEqual(
    expect.objectContaining({ code: 'LIMIT_EXCEEDED', topic: 'book:NEW-PERP:20' }),
  );
});

test('it cannot be resumed, as each market has a seq of its own', async () => {
  const resume = { epoch: 'epoch-1', seq: 1 };
  expect(await ask({ ...all, resume })).toMatchObject([{ code: 'INVALID_PARAM', id: 7 }]);
  expect(scene.sockets.readStats().topics).toBe(0);
});

test.each([
  [{ depth: 7 }, 'OUT_OF_RANGE'],
  [{ intervalMs: 20 }, 'OUT_OF_RANGE'],
  [{ channel: 'l3', maker: '' }, 'INVALID_PARAM'],
])('with %j it is refused as one market would be', async (member, code) => {
  expect(await ask({ ...all, ...member })).toMatchObject([{ code, id: 7 }]);
});

/** Books of the past against a demo that keeps a journal: they are those that were live. */
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import type { Level } from '../../src/client/generated/rows.js';
import { PastBook, type PastBookOptions } from '../../src/client/replay/index.js';
import { StreamClient } from '../../src/client/stream/client.js';
import { strictChecks } from '../../src/client/stream/strict-checks.js';
import type { BookTopic, BookView } from '../../src/client/stream/topic.js';
import { ClientWorld } from '../support/client-world.js';
import { DemoService } from '../support/demo-service.js';
import { until } from '../support/until.js';

const topic: BookTopic = { channel: 'book', market: 'SOL-PERP', depth: 20 };

let service: DemoService;
let stream: StreamClient;
/** What was live, from the beginning on. */
const live: BookView<Level>[] = [];

beforeAll(async () => {
  service = await DemoService.start({ rate: '40', makers: '20', fills: '5' });
  stream = new StreamClient({ url: service.url, WebSocket });
  stream.subscribe(topic).onUpdate((view) => {
    // A heartbeat is no other book.
    if (view.seq !== live.at(-1)?.seq) live.push(view);
  });
  await until('some books', () => live.length > 40);
});

afterAll(async () => {
  stream?.close();
  await service?.stop();
});

const opened: { close(): void }[] = [];

afterEach(() => {
  for (const one of opened.splice(0)) one.close();
});

function pastBook(options: Partial<PastBookOptions> = {}): PastBook<BookTopic> {
  const checks = strictChecks;
  return new PastBook({ url: service.url, WebSocket, checks, ...options }, topic);
}

/** Plays, and collects the books. */
function record(...[options, socket]: [Parameters<PastBook<BookTopic>['replay']>[0], object?]) {
  const replay = pastBook(socket).replay(options);
  opened.push(replay);
  const views: BookView<Level>[] = [];
  const events: string[] = [];
  replay.onUpdate((view) => views.push(view));
  replay.onEvent(({ type }) => events.push(type));
  return { replay, views, events };
}

const textOf = ({ epoch, seq, slot, ts, state, bids, asks }: BookView<Level>): string => {
  const asText = (_: string, value: unknown) => (typeof value === 'bigint' ? `${value}` : value);
  return JSON.stringify({ epoch, seq, slot, ts, state, bids, asks }, asText);
};

/** The place of a number among the books that were live. */
const placeOf = (seq: number | undefined): number => live.findLastIndex((view) => view.seq === seq);

const wait = (at: number) => until('a live book', () => live[at]);

test('the book of a moment is the one that was live', async () => {
  const book = pastBook();
  const { epoch, seq, ts, slot } = await wait(20);
  const same = [...live].reverse().find((view) => view.seq === seq) as BookView<Level>;
  expect(textOf(await book.at({ epoch, seq }))).toBe(textOf(same));
  for (const moment of [{ ts }, { slot }]) {
    const { bids, asks, seq: shown, ...at } = await book.at(moment);
    // What the topic does not show has changed in between.
    const last = live.findLast((view) => view.seq <= shown) as BookView<Level>;
    expect(textOf({ ...last, slot: at.slot, ts: at.ts })).toBe(
      textOf({ ...last, ...at, bids, asks }),
    );
    expect(at.slot).toBeGreaterThanOrEqual(slot);
  }
});

test('a replay has each book that was live, and becomes the live one', async () => {
  const { epoch, seq } = await wait(5);
  const { replay, views, events } = record({ from: { epoch, seq }, speed: 1_000 });
  await until('it is live', () => replay.isLive);
  const { length } = views;
  await until('books behind it', () => views.length > length + 5);
  const last = views.at(-1)?.seq;
  await until('the same book live', () => placeOf(last) >= 0);
  const sent = live.slice(placeOf(seq), placeOf(last) + 1).map(textOf);
  // Where it became live the same book may come again as a whole.
  const played = views.map(textOf).filter((text, at, all) => text !== all[at - 1]);
  const end = played.indexOf(sent.at(-1) ?? '') + 1;
  expect(played.slice(0, end)).toEqual(sent);
  expect(events).toEqual(['live']);
  await expect(replay.pause()).rejects.toMatchObject({ code: 'NOT_SUBSCRIBED' });
});

test('it pauses, goes on and goes elsewhere, and stays where it was when that is not kept', async () => {
  const [early, late] = [await wait(5), await wait(30)];
  const end = { ts: late.ts };
  const { replay, views, events } = record({ from: { ts: early.ts }, until: end });
  await until('a book', () => views.length > 0);
  await replay.pause();
  const { length } = views;
  await expect(replay.seek({ slot: 5 })).rejects.toMatchObject({ code: 'MOMENT_NOT_KEPT' });
  expect(views).toHaveLength(length);
  await replay.seek({ epoch: early.epoch, seq: early.seq });
  await until('its book', () => views.at(-1)?.seq === early.seq);
  // Before it paused it may have come to its end.
  events.splice(0);
  await replay.resume(1_000);
  await until('its end', () => events.length > 0);
  expect(events).toEqual(['ended']);
  expect(views.at(-1)?.ts).toBeLessThanOrEqual(late.ts);
  replay.close();
  await expect(replay.resume()).rejects.toMatchObject({ code: 'CLOSED' });
});

test('a loop ends where the replay does, after its last book', async () => {
  const [early, late] = [await wait(5), await wait(30)];
  const range = { from: { ts: early.ts }, until: { ts: late.ts }, speed: 1_000 };
  const { replay, views, events } = record(range);
  let last: BookView<Level> | undefined;
  for await (const view of replay) last = view;
  expect([events, last]).toEqual([['ended'], views.at(-1)]);
  const other = record(range);
  await until('its end', () => other.events.length > 0);
  // It may go elsewhere from its end.
  await other.replay.seek({ epoch: early.epoch, seq: early.seq });
  const again: (number | undefined)[] = [];
  for await (const { seq } of other.replay) again.push(seq);
  expect(again.slice(1)).toContain(last?.seq);
  const third = record(range);
  await until('its end', () => third.events.length > 0);
  for await (const view of third.replay) expect(view).toBe(third.views.at(-1));
});

test('after its connection broke it goes on where it was', async () => {
  let socket: WebSocket | undefined;
  class Socket extends WebSocket {
    constructor(address: string) {
      super(address);
      socket = this;
    }
  }
  const { epoch, seq } = await wait(3);
  const asked = { from: { epoch, seq }, speed: 2 };
  const { replay, views } = record(asked, { WebSocket: Socket });
  await until('some books', () => views.length > 5);
  socket?.terminate();
  const { length } = views;
  await until('more of them', () => views.length > length + 5);
  const seqs = [...new Set(views.map((view) => view.seq))];
  await until('the same books live', () => placeOf(seqs.at(-1)) >= 0);
  const first = placeOf(seq);
  const sent = [...new Set(live.slice(first).map((view) => view.seq))];
  expect(seqs).toEqual(sent.slice(0, seqs.length));
  expect(replay.error).toBeUndefined();
});

test('a loop has the newest books, and ends with the replay', async () => {
  const { ts } = await wait(10);
  let books = 0;
  for await (const { bestBidPrice } of pastBook().replay({ from: { ts }, speed: 100 })) {
    expect(typeof bestBidPrice).toBe('bigint');
    books += 1;
    if (books > 3) break;
  }
  expect(books).toBe(4);
});

/** A replay whose service is the test. */
function scripted() {
  const scene = new ClientWorld();
  const options = { url: 'http://service', ...scene, clock: scene.clock };
  const say = (type: string, members: object = {}) =>
    scene.socket.say({
      ...{ type, id: 1, topic: 'T', channel: 'book', market: 'SOL-PERP', epoch: 'e1', seq: 5 },
      ...{ slot: 1, ts: 1, state: 'live', reset: false, bids: [], asks: [], crc: 0, ...members },
    });
  return { scene, book: new PastBook(options, topic), say };
}

test('a moment without a book is not kept', async () => {
  const { scene, book, say } = scripted();
  const found = book.at({ slot: 1 });
  scene.socket.open();
  say('subscribed');
  say('ended', { reason: 'until' });
  await expect(found).rejects.toMatchObject({ code: 'MOMENT_NOT_KEPT' });
  expect(scene.socket.isClosed).toBe(true);
});

test('one that is live says that its connection is lost, and one of the past is as it was', async () => {
  const { scene, book, say } = scripted();
  const replay = book.replay({ from: { slot: 1 } });
  const seen: boolean[] = [];
  replay.onUpdate(({ isFollowing }) => seen.push(isFollowing));
  for (const next of ['past', 'live', 'resumed']) {
    await scene.reconnect();
    say('subscribed');
    if (next === 'past') say('snapshot');
    else say('heartbeat');
    if (next === 'live') say('live');
    scene.socket.lose();
  }
  expect(seen).toEqual([true, false, true, false]);
});

test('a call that waits is rejected as the replay ended', async () => {
  const ends = [
    ['CLOSED', (replay: { close(): void }) => replay.close()],
    ['ABORTED', (_: unknown, ending: AbortController) => ending.abort()],
  ] as const;
  for (const [code, end] of ends) {
    const { scene, book, say } = scripted();
    const ending = new AbortController();
    const replay = book.replay({ from: { slot: 1 }, signal: ending.signal });
    scene.socket.open();
    say('subscribed');
    const paused = replay.pause();
    end(replay, ending);
    await expect(paused).rejects.toMatchObject({ code });
  }
});

test('one that is live has the silence of a live book, and one of the past a longer one', async () => {
  const { scene, book, say } = scripted();
  book.replay({ from: { slot: 1 } });
  scene.socket.open();
  say('subscribed');
  say('snapshot');
  await scene.clock.pass(14_000);
  expect(scene.sockets).toHaveLength(1);
  say('live');
  await scene.clock.pass(3_500);
  expect(scene.sockets).toHaveLength(2);
});

test('what cannot be is refused, and an abort ends it', async () => {
  const book = pastBook();
  await expect(book.at({ ts: 1 })).rejects.toMatchObject({ code: 'MOMENT_NOT_KEPT' });
  const other = { ...topic, market: 'NOPE' };
  const none = new PastBook({ url: service.url, WebSocket }, other);
  await expect(none.at({ ts: 1 })).rejects.toMatchObject({ code: 'UNKNOWN_MARKET' });
  const signal = AbortSignal.abort();
  await expect(book.at({ ts: 1 }, { signal })).rejects.toMatchObject({ code: 'ABORTED' });
  const { replay } = record({ from: { ts: Date.now() }, speed: 0 });
  await until('its refusal', () => replay.error !== undefined);
  expect(replay.error?.code).toBe('OUT_OF_RANGE');
});

/**
 * Readers that do not keep up, over real sockets: each is brought back without a silent hole or closed,
 * and no other one notices.
 */
import { afterEach, expect, test } from 'vitest';
import type { ModelClient } from './support/model-client.js';
import { SocketScene } from './support/socket-scene.js';
import { expectShown, StreamScene } from './support/stream-scene.js';
import { until } from './support/until.js';

let scene: StreamScene | SocketScene;

afterEach(async () => {
  await scene?.stop();
  expect(scene?.faults).toEqual([]);
});

/** So many topics, so that a turn is more than one batch. */
const wishes = Array.from({ length: 64 }, (_, at) => ({
  channel: 'book',
  market: 'SOL-PERP',
  depth: [10, 50, 100, 500][at % 4],
  grouping: 1 + Math.floor(at / 4),
}));

async function followAll(client: ModelClient): Promise<void> {
  for (const wish of wishes) await client.subscribe(wish);
  await client.settle();
}

/** Lets the life go on until sockets were full so many times in all, while others read. */
async function liveUntilSlow(on: StreamScene, times: number, reader: ModelClient): Promise<void> {
  for (let round = 0; on.sockets.readStats().slow < times; round += 1) {
    if (round === 1_000) throw new Error('no socket was full');
    on.live(10);
    await reader.settle();
  }
}

test('no frame follows one that was left out until the book is shown anew', async () => {
  const streams = await StreamScene.start();
  scene = streams;
  const [slow, healthy] = [await streams.open(), await streams.open()];
  await followAll(slow);
  await followAll(healthy);
  for (const round of [1, 2]) {
    slow.socket.pause();
    await liveUntilSlow(streams, round, healthy);
    // The socket has left its topics: what is published now is not for it.
    streams.live(50);
    slow.socket.resume();
    // It reads while the life goes on.
    for (let turn = 0; turn < 100; turn += 1) {
      streams.live(1);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(`reset ${round} of all topics`, () => slow.resets >= wishes.length * round);
    streams.live(20);
    await expectShown(streams, slow);
  }
  await expectShown(streams, healthy);
  expect([slow.books.size, healthy.books.size]).toEqual([wishes.length, wishes.length]);
  for (const { counts } of healthy.books.values()) expect(counts.snapshot).toBe(1);
  const figures = streams.sockets.readStats();
  expect(figures).toMatchObject({ closes: {}, failed: 0 });
  expect(figures.resets).toBeGreaterThanOrEqual(wishes.length * 2);
  expect(figures.dropped).toBeGreaterThanOrEqual(2);
});

test('one that asks while it is full is answered, in order, before the books', async () => {
  const streams = await StreamScene.start();
  scene = streams;
  const [slow, healthy] = [await streams.open(), await streams.open()];
  await followAll(slow);
  await followAll(healthy);
  slow.socket.pause();
  await liveUntilSlow(streams, 1, healthy);
  const ids = Array.from({ length: 20 }, (_, at) => `ask ${at}`);
  for (const id of ids) slow.send({ type: 'ping', id });
  slow.send({ type: 'unsubscribe', id: 'end', topic: 'book:SOL-PERP:10' });
  slow.send({ type: 'subscribe', id: 'bbo', channel: 'bbo', market: 'SOL-PERP' });
  const { topics } = streams.sockets.readStats();
  await until('the messages to be read', () => streams.sockets.readStats().topics === topics + 1);
  slow.socket.resume();
  await until('the book that was asked for', () => slow.books.has('bbo:SOL-PERP'));
  streams.live(20);
  await slow.settle();
  const answered = slow.answers.map(({ id }) => id).filter((id) => typeof id === 'string');
  expect(answered).toEqual([...ids, 'end', 'bbo']);
  expect(slow.faults).toEqual([]);
  const end = slow.order.lastIndexOf('unsubscribed book:SOL-PERP:10');
  expect(slow.order.slice(end).filter((text) => text.endsWith(' book:SOL-PERP:10'))).toHaveLength(
    1,
  );
});

test('one that does not read in time is told so, behind what waited for it', async () => {
  const streams = await StreamScene.start({ slowMsMax: 100 });
  scene = streams;
  const [slow, healthy] = [await streams.open(), await streams.open()];
  await followAll(slow);
  await followAll(healthy);
  slow.socket.pause();
  await liveUntilSlow(streams, 1, healthy);
  await new Promise((resolve) => setTimeout(resolve, 150));
  slow.socket.resume();
  expect(await slow.closed).toEqual({ code: 1013, reason: 'slow reader' });
  expect(slow.faults).toEqual([]);
  await until('the close to be seen', () => streams.sockets.readStats().sockets === 1);
  expect(streams.sockets.readStats()).toMatchObject({ slow: 1, closes: { slowReader: 1 } });
  await expectShown(streams, healthy);
});

test('of a compatible channel gets the newest book and those after it', async () => {
  const sockets = await SocketScene.start();
  scene = sockets;
  sockets.book.filler = 'x'.repeat(300_000);
  const wish = {
    type: 'subscribe',
    ...{ channel: 'orderbook', marketType: 'perp', market: 'SOL-PERP' },
  };
  const [slow, reader] = [await sockets.open(), await sockets.open()];
  await slow.ask(wish);
  await reader.ask(wish);
  slow.socket.pause();
  let changes = 0;
  while (sockets.sockets.readStats().slow === 0) {
    changes += 1;
    sockets.change(0);
    await reader.hear(3 + changes);
  }
  for (let more = 0; more < 5; more += 1) sockets.change(0);
  sockets.book.filler = 'newest';
  const heard = slow.texts.length;
  slow.socket.resume();
  const last = (): string => slow.texts.at(-1) ?? '';
  await until('the newest book', () => last().includes('newest'));
  expect(slow.texts.length).toBeLessThan(heard + changes + 5);
  sockets.book.filler = 'after it';
  sockets.change(0);
  await until('the next book', () => last().includes('after it'));
  expect(sockets.sockets.readStats()).toMatchObject({ closes: {}, resets: 1, slow: 1 });
});

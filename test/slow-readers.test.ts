/** A reader that does not keep up, over real sockets: it is brought back without a silent hole, and no other notices. */
import { afterEach, expect, test } from 'vitest';
import type { ModelClient } from './support/model-client.js';
import { expectShown, StreamScene } from './support/stream-scene.js';
import { until } from './support/until.js';

let scene: StreamScene;

afterEach(async () => {
  await scene?.stop();
  expect(scene?.faults).toEqual([]);
});

/** So many topics, so that a turn is more than one batch. */
const requests = Array.from({ length: 64 }, (_, at) => ({
  channel: 'book',
  market: 'SOL-PERP',
  depth: [10, 50, 100, 500][at % 4],
  grouping: 1 + Math.floor(at / 4),
}));

async function followAll(client: ModelClient): Promise<void> {
  for (const request of requests) await client.subscribe(request);
  await client.settle();
}

/** Lets the life go on until sockets were full so many times in all, while others read. */
async function liveUntilSlow(times: number, reader: ModelClient): Promise<void> {
  for (let round = 0; scene.sockets.readStats().slow < times; round += 1) {
    if (round === 1_000) throw new Error('no socket was full');
    scene.live(10);
    await reader.settle();
  }
}

test('no frame follows one that was left out until the book is shown anew', async () => {
  scene = await StreamScene.start();
  const [slow, healthy] = [await scene.open(), await scene.open()];
  await followAll(slow);
  await followAll(healthy);
  for (const round of [1, 2]) {
    slow.socket.pause();
    await liveUntilSlow(round, healthy);
    // The socket has left its topics: what is published now is not for it.
    scene.live(50);
    slow.socket.resume();
    // It reads while the life goes on.
    for (let turn = 0; turn < 100; turn += 1) {
      scene.live(1);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await until(`reset ${round} of all topics`, () => slow.resets >= requests.length * round);
    scene.live(20);
    await expectShown(scene, slow);
  }
  await expectShown(scene, healthy);
  expect([slow.books.size, healthy.books.size]).toEqual([requests.length, requests.length]);
  for (const { counts } of healthy.books.values()) expect(counts.snapshot).toBe(1);
  const figures = scene.sockets.readStats();
  expect(figures).toMatchObject({ closes: {}, failed: 0 });
  expect(figures.resets).toBeGreaterThanOrEqual(requests.length * 2);
  expect(figures.dropped).toBeGreaterThanOrEqual(2);
});

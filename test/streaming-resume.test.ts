/** Readers of the streaming channels that were cut off and come back, over real sockets. */
import { afterEach, describe, expect, test } from 'vitest';
import type { ModelClient } from './support/model-client.js';
import { expectShown, StreamScene } from './support/stream-scene.js';

let scene: StreamScene;

afterEach(async () => {
  await scene?.stop();
  expect(scene?.faults).toEqual([]);
});

const sol = { channel: 'book', market: 'SOL-PERP' };

const expectEqual = (client: ModelClient): Promise<void> => expectShown(scene, client);

describe('a reader that comes back', () => {
  /** A reader that was cut off after some changes, and where it was. */
  async function cutReader(request: object = sol) {
    const client = await scene.open();
    const book = await client.follow(request);
    scene.live(20);
    await client.settle();
    const { epoch = '', seq } = book;
    await client.close();
    return { book, resume: { epoch, seq } };
  }

  test('gets what it has missed, although nobody else reads the topic', async () => {
    scene = await StreamScene.start();
    const { book, resume } = await cutReader();
    scene.live(200);
    const client = await scene.open();
    client.books.set(book.topic, book);
    await client.subscribe({ ...sol, resume });
    scene.live(20);
    await expectEqual(client);
    expect(book.counts.snapshot).toBe(1);
    expect(book.counts.delta).toBeGreaterThan(50);
  });

  test('with nothing missed is not shown anything', async () => {
    scene = await StreamScene.start();
    const { book, resume } = await cutReader();
    const client = await scene.open();
    client.books.set(book.topic, book);
    await client.subscribe({ ...sol, resume });
    await client.settle();
    expect(client.order).toEqual([`subscribed ${book.topic}`, 'pong']);
    scene.live(20);
    await expectEqual(client);
  });

  test('hears of a state that changed meanwhile, although no level did', async () => {
    scene = await StreamScene.start();
    const { book, resume } = await cutReader();
    scene.engine.setState('stale');
    scene.turn([]);
    const client = await scene.open();
    client.books.set(book.topic, book);
    await client.subscribe({ ...sol, resume });
    await expectEqual(client);
    expect(book.state).toBe('stale');
  });
});

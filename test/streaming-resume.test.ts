/** Readers of the streaming channels that were cut off and come back, over real sockets. */
import { afterEach, describe, expect, test } from 'vitest';
import { LIMITS } from '../src/config/limits.js';
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
  async function cutReader(wish: object = sol) {
    const client = await scene.open();
    const book = await client.follow(wish);
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

  test.each([
    ['of another epoch', { epoch: 'e0', seq: 30 }],
    ['of a seq that never was', { epoch: 'e1', seq: 1_000_000 }],
    ['from long ago', { epoch: 'e1', seq: 0 }],
  ])('%s gets a snapshot', async (_, resume) => {
    scene = await StreamScene.start();
    await cutReader();
    scene.live(20);
    const client = await scene.open();
    const { topic } = await client.follow({ ...sol, resume });
    scene.live(20);
    await expectEqual(client);
    expect(client.order.slice(0, 2)).toEqual([`subscribed ${topic}`, `snapshot ${topic}`]);
    expect(client.book(topic).counts.snapshot).toBe(1);
  });

  test('from a time of which the ring knows no more gets a snapshot', async () => {
    scene = await StreamScene.start();
    const { book, resume } = await cutReader({ ...sol, depth: 500 });
    // Far more deltas than fit in the ring of a topic.
    scene.live(6_000);
    expect(scene.sockets.readStats().ringBytes).toBeLessThanOrEqual(LIMITS.ringBytesPerTopicMax);
    const client = await scene.open();
    await client.follow({ ...sol, depth: 500, resume });
    await expectEqual(client);
    expect(client.book(book.topic).counts).toMatchObject({ snapshot: 1, delta: 0 });
  });
});

test('another epoch is a snapshot that resets, and nothing before it is resumed', async () => {
  scene = await StreamScene.start();
  const [client, other] = [await scene.open(), await scene.open()];
  const book = await client.follow(sol);
  scene.live(20);
  await client.settle();
  const resume = { epoch: 'e1', seq: book.seq };
  scene.engine.setEpoch('e2');
  scene.live(20);
  await expectEqual(client);
  expect(client.resets).toBe(1);
  expect(book).toMatchObject({ epoch: 'e2', counts: { snapshot: 2 } });
  await other.follow({ ...sol, resume });
  await expectEqual(other);
  expect(other.order).toContain('snapshot book:SOL-PERP:50');
});

/** The streaming channels end to end: real sockets, the real engine, readers that check every frame. */
import { afterEach, describe, expect, test } from 'vitest';
import type { ModelClient } from './support/model-client.js';
import { expectShown, StreamScene } from './support/stream-scene.js';

let scene: StreamScene;

afterEach(async () => {
  await scene?.stop();
  expect(scene?.faults).toEqual([]);
});

const sol = { channel: 'book', market: 'SOL-PERP' };

/** Turns between two comparisons of what readers have with what the service shows. */
const CHECKPOINT_TURNS = 250;

const expectEqual = (client: ModelClient): Promise<void> => expectShown(scene, client);

test('readers of all channels have the book of /l2 and /l3 at every checkpoint', async () => {
  scene = await StreamScene.start();
  const maker = scene.life.makers[0]?.pubkey ?? '';
  const requests = [
    ...[10, 50, 500].map((depth) => ({ ...sol, depth })),
    ...[10, 1_000].map((grouping) => ({ ...sol, grouping })),
    { channel: 'book', market: 'ETH-PERP', depth: 20, timing: true },
    { channel: 'bbo', market: 'SOL-PERP' },
    { channel: 'l3', market: 'SOL-PERP', depth: 100 },
    { channel: 'l3', market: 'SOL-PERP', depth: 500, maker },
    { channel: 'book', market: 'sol', includeVamm: true, includeIndicative: true },
  ];
  const clients = [await scene.open(), await scene.open()];
  for (const client of clients) for (const request of requests) await client.follow(request);
  for (let checkpoint = 0; checkpoint < 12; checkpoint += 1) {
    scene.live(CHECKPOINT_TURNS);
    if (checkpoint === 6) await clients[1]?.follow({ ...sol, depth: 100 });
    for (const client of clients) await expectEqual(client);
  }
  const [client] = clients;
  for (const book of client?.books.values() ?? []) {
    expect(book.counts.snapshot, book.topic).toBe(1);
  }
  const deltas = [...(client?.books.values() ?? [])].map(({ counts }) => counts.delta);
  expect(deltas.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(2_000);
});

describe('a subscription', () => {
  test.each([
    ['by its topic', { topic: 'book:SOL-PERP:50' }],
    ['by its members', { ...sol, depth: 50, grouping: 1 }],
  ])('that is ended %s gets nothing more', async (_, members) => {
    scene = await StreamScene.start();
    const client = await scene.open();
    await client.follow(sol);
    await client.follow({ ...sol, depth: 10 });
    // Published in this very turn of the loop, and ended in it or after it.
    scene.live(5);
    client.send({ type: 'unsubscribe', id: 'u', ...members });
    scene.live(5);
    await client.settle();
    scene.live(20);
    await client.settle();
    const topic = 'book:SOL-PERP:50';
    expect(client.answers.at(-3)).toEqual({ type: 'unsubscribed', id: 'u', topic });
    const end = client.order.indexOf(`unsubscribed ${topic}`);
    expect(client.order.slice(end + 1).filter((text) => text.endsWith(topic))).toEqual([]);
    expect(client.order.slice(end + 1)).toContain('delta book:SOL-PERP:10');
    expect(client.faults).toEqual([]);
  });

  const refusals: readonly (readonly [object, string, string])[] = [
    [{ ...sol, depth: 11 }, 'OUT_OF_RANGE', 'depth was 11, must be one of 10, 20, 50, 100, 500'],
    [{ ...sol, depth: 0 }, 'OUT_OF_RANGE', 'depth was 0, must be 1 to 1000'],
    [{ ...sol, depth: 'x' }, 'INVALID_PARAM', 'depth was "x", must be a whole number'],
    [{ ...sol, grouping: 0 }, 'OUT_OF_RANGE', 'grouping was 0, must be 1 to 1000000'],
    [{ ...sol, includeVamm: 'true' }, 'INVALID_PARAM', 'must be true or false'],
    [{ ...sol, timing: null }, 'INVALID_PARAM', 'must be true or false'],
    [{ ...sol, market: 'NONE' }, 'UNKNOWN_MARKET', 'there is no market NONE'],
    [{ channel: 'book' }, 'MISSING_PARAM', 'market is missing'],
    [{ ...sol, channel: 'l3', maker: 'x' }, 'INVALID_PARAM', 'maker was "x"'],
    [{ ...sol, channel: 'l3', maker: '' }, 'INVALID_PARAM', 'maker was ""'],
    [{ ...sol, resume: 7 }, 'INVALID_PARAM', 'resume was of type number, must be an object'],
    [{ ...sol, resume: { epoch: 'e1' } }, 'MISSING_PARAM', 'resume.seq is missing'],
    [{ ...sol, resume: { seq: 1 } }, 'MISSING_PARAM', 'resume.epoch is missing'],
    [{ ...sol, resume: { epoch: 'e1', seq: -1 } }, 'OUT_OF_RANGE', 'resume.seq was -1'],
  ];

  test('that cannot be is refused in the words of this dialect', async () => {
    scene = await StreamScene.start();
    const client = await scene.open();
    for (const [request, code, text] of refusals) {
      client.send({ type: 'subscribe', id: 'r', ...request });
      await client.settle();
      expect(client.answers.at(-2)).toEqual({
        ...{ type: 'error', id: 'r', code },
        message: expect.stringContaining(text),
      });
    }
    client.send({ type: 'unsubscribe', id: 'n', ...sol });
    await client.settle();
    expect(client.answers.at(-2)).toMatchObject({ code: 'NOT_SUBSCRIBED', id: 'n' });
    expect(scene.sockets.readStats().topics).toBe(0);
  });

  test('whatever it asks for, each message has one answer, and none is a fault', async () => {
    scene = await StreamScene.start();
    const client = await scene.open();
    const values = ['book', 'l3', 'sol-perp', 'x', '', '10', -1, 10, 1e18, 0.5, true, null, [], {}];
    const names = ['channel', 'market', 'depth', 'grouping', 'maker', 'timing', 'resume', 'topic'];
    let seed = 20_261_121;
    const pick = <Value>(list: readonly Value[]): Value => {
      seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
      return list[(seed >>> 16) % list.length] as Value;
    };
    for (let id = 0; id < 2_000; id += 1) {
      const members = names.map((name) => [name, pick(values)]).filter(() => pick([true, false]));
      const type = pick(['subscribe', 'unsubscribe']);
      client.send({ ...sol, ...Object.fromEntries(members), type, id: `${id}` });
    }
    await client.settle();
    const answered = client.answers.flatMap(({ id }) => (typeof id === 'string' ? [id] : []));
    expect(answered).toEqual(Array.from({ length: 2_000 }, (_, id) => `${id}`));
    expect(client.answers.filter(({ code }) => code === 'INTERNAL')).toEqual([]);
    expect(client.answers.some(({ type }) => type === 'unsubscribed')).toBe(true);
    scene.live(20);
    await expectEqual(client);
  });
});

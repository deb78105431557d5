/** The states of a stream client, by the table of docs/streaming-client.md, on a clock that is turned by hand. */
import { describe, expect, test } from 'vitest';
import { StreamClient } from '../../src/client/stream/client.js';
import { ClientWorld } from '../support/client-world.js';
import {
  answer,
  delta,
  following,
  heartbeat,
  sizes,
  snapshot,
  start,
  T,
  topic,
} from '../support/followed-stream.js';

describe('following', () => {
  test('begins with a subscription to what was asked for', () => {
    const { world, views, states } = following();
    expect(world.socket.url).toBe('ws://service:80/ws');
    expect(world.socket.sent).toEqual([{ type: 'subscribe', id: 1, ...topic }]);
    expect(states).toEqual(['connecting', 'open']);
    expect(views).toHaveLength(1);
    expect(views[0]).toMatchObject({
      ...{ market: 'SOL-PERP', epoch: 'e1', seq: 5, slot: 10, ts: 1_000, state: 'live' },
      ...{ isFollowing: true, bids: [{ price: 100n, size: 7n, sources: { dlob: 7n } }], asks: [] },
      ...{ bestBidPrice: 100n, bestAskPrice: null, timing: null },
    });
  });

  test('takes deltas, passes the state on, and leaves what was told before as it was', () => {
    const started = following();
    started.world.socket.say(
      delta(5, 8, ['100', '9']),
      delta(8, 8, ['100', '9'], { state: 'stale' }),
    );
    expect(sizes(started)).toEqual([7, 9, 9]);
    expect(started.views.map(({ state }) => state)).toEqual(['live', 'live', 'stale']);
  });

  test('a level that goes is no longer shown, and one that comes is', () => {
    const started = following();
    const [gone, back] = [
      ['100', '0'],
      ['99', '4'],
    ] as const;
    started.world.socket.say(delta(5, 6, gone, { crc: 0 }), delta(6, 7, back));
    expect(started.views.map(({ bids }) => bids.map(({ price }) => price))).toEqual([
      [100n],
      [],
      [99n],
    ]);
    expect(started.views.map(({ bestBidPrice }) => bestBidPrice)).toEqual([100n, null, 99n]);
  });

  test('a heartbeat brings slot, time and state, and the same rows', () => {
    const { world, views } = following();
    world.socket.say(heartbeat(5, { state: 'lagging' }));
    expect(views[1]).toMatchObject({ slot: 11, ts: 2_000, state: 'lagging' });
    expect(views[1]?.bids).toBe(views[0]?.bids);
  });

  test('frames between a second subscription and its answer are left out', () => {
    const started = following();
    started.world.socket.say(delta(6, 8, ['100', '9']), delta(8, 9, ['100', '1']));
    expect(sizes(started)).toEqual([7, 7]);
    expect(started.healed).toEqual(['gap']);
  });
});

describe('a broken book', () => {
  test.each([
    ['gap', delta(6, 8, ['100', '9']), true],
    ['repeated', delta(4, 5, ['100', '9']), true],
    ['repeated', delta(3, 4, ['100', '9']), true],
    ['gap', heartbeat(6), true],
    ['crc', delta(5, 8, ['100', '9'], { crc: 1 }), false],
    ['epoch', delta(5, 8, ['100', '9'], { epoch: 'e2' }), false],
    ['absent', delta(5, 8, ['101', '0']), false],
    ['malformed', delta(5, 8, ['x', '9']), false],
    ['malformed', delta(5, 8, ['100', '9'], { asks: null }), false],
    ['malformed', delta(5, 8, ['100', '9'], { state: 'odd' }), false],
  ])('after %s is shown as not followed, and asked for anew', (rule, frame, isResumed) => {
    const started = following();
    started.world.socket.say(frame);
    expect(started.healed).toEqual([rule]);
    const last = started.views.at(-1);
    expect(last).toMatchObject({ isFollowing: false, seq: 5, bids: [{ size: 7n }] });
    const resume = isResumed ? { resume: { epoch: 'e1', seq: 5 } } : {};
    expect(started.world.socket.sent.at(-1)).toEqual({
      ...{ type: 'subscribe', id: 2, ...topic, ...resume },
    });
    answer(started, snapshot(9, ['100', '3']));
    expect(started.views.at(-1)).toMatchObject({ isFollowing: true, seq: 9, bids: [{ size: 3n }] });
    expect(started.world.sockets).toHaveLength(1);
  });

  test('that breaks again within a second is not mended on this connection', async () => {
    const started = following();
    started.world.socket.say(delta(6, 8, ['100', '9']));
    answer(started, snapshot(9, ['100', '3']), delta(9, 10, ['100', '4'], { crc: 1 }));
    expect(started.world.socket.isClosed).toBe(true);
    expect(started.client.connection).toBe('pausing');
    await started.world.clock.pass(300);
    started.world.socket.open();
    expect(started.world.socket.sent).toEqual([{ type: 'subscribe', id: 3, ...topic }]);
  });

  test('goes on from what was missed', () => {
    const started = following();
    started.world.socket.say(delta(6, 8, ['100', '9']));
    answer(started, delta(5, 6, ['100', '8']), delta(6, 8, ['100', '9']));
    expect(sizes(started)).toEqual([7, 7, 8, 9]);
    expect(started.views.at(-1)?.isFollowing).toBe(true);
  });

  test('a reset and another epoch come with a snapshot, which is taken as it is', () => {
    const started = following();
    started.world.socket.say(snapshot(1, ['90', '2'], { reset: true, epoch: 'e2' }));
    expect(started.views.at(-1)).toMatchObject({ epoch: 'e2', seq: 1, bestBidPrice: 90n });
    expect(started.healed).toEqual([]);
  });
});

describe('a lost connection', () => {
  test('is told, and the next one goes on from where the book was', async () => {
    const started = following();
    started.world.socket.lose();
    expect(started.views.at(-1)).toMatchObject({ isFollowing: false, seq: 5 });
    await started.world.clock.pass(300);
    started.world.socket.open();
    const resume = { epoch: 'e1', seq: 5 };
    expect(started.world.socket.sent).toEqual([{ type: 'subscribe', id: 2, ...topic, resume }]);
    answer(started, heartbeat(5));
    expect(started.views.at(-1)).toMatchObject({ isFollowing: true, seq: 5 });
    expect(started.states).toEqual(['connecting', 'open', 'pausing', 'connecting', 'open']);
  });

  test('comes again at random after ever longer pauses, and never gives up', async () => {
    const { world, states } = start();
    const { clock } = world;
    clock.chance = 0.5;
    for (let attempt = 0; attempt < 50; attempt += 1) {
      const before = world.sockets.length;
      world.socket.lose();
      while (world.sockets.length === before) await clock.pass(50);
    }
    expect(states.at(-1)).toBe('connecting');
    const pauses = clock.waits.filter((ms) => ms !== 250 && ms <= 5_000).slice(0, 7);
    expect(pauses).toEqual([125, 500, 1_000, 2_000, 2_500, 2_500, 2_500]);
    expect(world.sockets).toHaveLength(51);
  });

  test('waits as long as the service asks for', async () => {
    const started = following();
    started.world.socket.say({ type: 'closing', reconnectAfterMs: 1_500 });
    started.world.socket.lose();
    await started.world.clock.pass(1_499);
    expect(started.world.sockets).toHaveLength(1);
    await started.world.clock.pass(1);
    expect(started.world.sockets).toHaveLength(2);
  });

  test('that dies without a word is found by its silence', async () => {
    const started = following({ silenceMsMax: 3_000 });
    for (let second = 0; second < 5; second += 1) {
      await started.world.clock.pass(1_000);
      started.world.socket.say(heartbeat(5));
    }
    expect(started.healed).toEqual([]);
    await started.world.clock.pass(3_500);
    expect(started.healed).toEqual(['silence']);
    expect(started.world.sockets[0]?.isClosed).toBe(true);
    started.world.socket.open();
    expect(started.world.socket.sent[0]).toMatchObject({ resume: { epoch: 'e1', seq: 5 } });
    // What the dead one still says is of the past.
    answer(started, heartbeat(5));
    started.world.sockets[0]?.say(delta(5, 6, ['100', '1']));
    expect(started.views.at(-1)).toMatchObject({ isFollowing: true, seq: 5 });
  });

  test('has the interval of a topic to begin with', async () => {
    const world = new ClientWorld();
    const client = new StreamClient({ url: 'http://service:80/', ...world, clock: world.clock });
    client.subscribe({ ...topic, intervalMs: 5_000 });
    world.socket.open();
    world.socket.say({ type: 'subscribed', id: 1, topic: T });
    await world.clock.pass(7_900);
    expect(world.sockets).toHaveLength(1);
    await world.clock.pass(700);
    expect(world.sockets).toHaveLength(2);
  });

  test('that never opens is given up after ten seconds', async () => {
    const { world } = start();
    await world.clock.pass(10_300);
    expect(world.sockets).toHaveLength(2);
    expect(world.sockets[0]?.isClosed).toBe(true);
  });

  test('a subscription without an answer is given up after five seconds', async () => {
    const { world, healed } = start();
    world.socket.open();
    await world.clock.pass(5_500);
    expect(healed).toEqual(['silence']);
    expect(world.sockets).toHaveLength(2);
  });

  test('a clock that stood still tells nothing about the service', async () => {
    const started = following();
    const { clock } = started.world;
    // The machine sleeps: one timer comes late, and the frames of that time come behind it.
    const { monotonicMs } = clock;
    clock.monotonicMs = () => monotonicMs.call(clock) + 60_000;
    await clock.pass(250);
    expect(started.healed).toEqual([]);
    started.world.socket.say(heartbeat(5));
    await clock.pass(1_000);
    expect(started.healed).toEqual([]);
  });
});

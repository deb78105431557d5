/** The states of a stream client, by the table of docs/streaming-client.md, on a clock that is turned by hand. */
import { describe, expect, test } from 'vitest';
import type { Level } from '../../src/client/generated/rows.js';
import { StreamClient } from '../../src/client/stream/client.js';
import { crc32 } from '../../src/client/stream/followed-book.js';
import type { Subscription } from '../../src/client/stream/subscription.js';
import type { BookView } from '../../src/client/stream/topic.js';
import { ClientWorld, settle } from '../support/client-world.js';
import { thrownLater } from '../support/thrown-later.js';

const T = 'book:SOL-PERP:50';
const topic = { channel: 'book', market: 'SOL-PERP' } as const;

type Row = readonly [price: string, size: string];

const level = ([price, size]: Row) => [price, size, size === '0' ? {} : { dlob: size }];

/** The checksum of one bid. */
const crcOf = (row: Row | undefined): number => crc32(row === undefined ? '' : row.join(':'));

function snapshot(seq: number, bid: Row, others: object = {}) {
  return {
    ...{ type: 'snapshot', topic: T, channel: 'book', market: 'SOL-PERP', epoch: 'e1', seq },
    ...{ slot: 10, ts: 1_000, state: 'live', reset: false, bids: [level(bid)], asks: [] },
    ...{ crc: crcOf(bid), ...others },
  };
}

/** The one bid gets another size. */
function delta(prev: number, seq: number, bid: Row, others: object = {}) {
  return { ...snapshot(seq, bid), type: 'delta', prev, ...others };
}

const heartbeat = (seq: number, others: object = {}) => ({
  ...{ type: 'heartbeat', topic: T, epoch: 'e1', seq, slot: 11, ts: 2_000, state: 'live' },
  ...others,
});

function start(options: { silenceMsMax?: number } = {}) {
  const world = new ClientWorld();
  const healed: string[] = [];
  const states: string[] = [];
  const client = new StreamClient({
    ...{ url: 'http://service:80/', ...world, clock: world.clock, ...options },
    onRepair: ({ rule }) => healed.push(rule),
  });
  client.onConnection((state) => states.push(state));
  const subscription = client.subscribe(topic);
  const views: BookView[] = [];
  subscription.onUpdate((view) => views.push(view));
  return { world, client, subscription, views, healed, states };
}

type Started = ReturnType<typeof start>;

/** Answers the newest subscription of the newest socket, and says these frames. */
function answer({ world: { socket } }: Started, ...frames: readonly object[]): void {
  const { id } = socket.sent.findLast(({ type }) => type === 'subscribe') ?? {};
  socket.say({ type: 'subscribed', id, topic: T }, ...frames);
}

/** A client that follows a book of one bid at seq 5. */
function following(options?: { silenceMsMax?: number }): Started {
  const started = start(options);
  started.world.socket.open();
  answer(started, snapshot(5, ['100', '7']));
  return started;
}

const sizes = ({ views }: Started) => views.map(({ bids }) => Number(bids[0]?.size ?? 0n));

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

describe('a refusal', () => {
  const refuse = (started: Started, code: string, others: object = { id: 1 }) =>
    started.world.socket.say({ type: 'error', code, message: 'a text', ...others });

  test.each(['NOT_READY', 'LIMIT_EXCEEDED', 'INTERNAL'])(
    '%s is asked again after a second',
    async (code) => {
      const started = start();
      started.world.socket.open();
      refuse(started, code);
      expect(started.world.socket.sent).toHaveLength(1);
      await started.world.clock.pass(1_000);
      expect(started.world.socket.sent).toHaveLength(2);
      answer(started, snapshot(5, ['100', '7']));
      expect(started.views).toHaveLength(1);
    },
  );

  test('that passes is told each time, and is no error', async () => {
    const started = start();
    const [troubles, errors]: [string[], string[]] = [[], []];
    started.subscription.onRetry(({ code }) => troubles.push(code));
    started.subscription.onError(({ code }) => errors.push(code));
    started.world.socket.open();
    for (const id of [1, 2, 3]) {
      refuse(started, 'LIMIT_EXCEEDED', { id });
      await started.world.clock.pass(1_000);
    }
    expect(troubles).toEqual(Array(3).fill('LIMIT_EXCEEDED'));
    expect(errors).toEqual([]);
  });

  test('of one subscription more than a socket may have ends it alone', async () => {
    const started = start();
    for (let index = 0; index < 1_023; index += 1) {
      started.client.subscribe({ channel: 'bbo', market: `M${index}` });
    }
    const surplus = started.client.subscribe({ channel: 'bbo', market: 'M1023' });
    started.world.socket.open();
    await started.world.clock.pass(1_000);
    const loop = surplus[Symbol.asyncIterator]().next();
    refuse(started, 'LIMIT_EXCEEDED', { id: 1_025 });
    await expect(loop).rejects.toMatchObject({ code: 'LIMIT_EXCEEDED' });
    expect(started.subscription.isOpen).toBe(true);
    refuse(started, 'LIMIT_EXCEEDED', { id: 1_024 });
    await started.world.clock.pass(1_000);
    expect(started.world.socket.sent.at(-1)).toMatchObject({ type: 'subscribe', market: 'M1022' });
  });

  test('RATE_LIMITED names no message: whatever is not answered is asked again', async () => {
    const started = start();
    started.world.socket.open();
    refuse(started, 'RATE_LIMITED', {});
    await started.world.clock.pass(1_000);
    expect(started.world.socket.sent.map(({ id }) => id)).toEqual([1, 2]);
  });

  test('for good ends the subscription and is told once', async () => {
    const started = start();
    const errors: string[] = [];
    started.subscription.onError(({ code }) => errors.push(code));
    const loop = started.subscription[Symbol.asyncIterator]();
    started.world.socket.open();
    refuse(started, 'UNKNOWN_MARKET');
    await expect(loop.next()).rejects.toMatchObject({ code: 'UNKNOWN_MARKET', message: 'a text' });
    expect(await loop.next()).toEqual({ done: true, value: undefined });
    expect(errors).toEqual(['UNKNOWN_MARKET']);
    expect(started.subscription.isOpen).toBe(false);
    expect(started.subscription.error?.code).toBe('UNKNOWN_MARKET');
    await expect(started.subscription[Symbol.asyncIterator]().next()).rejects.toThrow('a text');
  });

  test.each([{ code: null }, { code: 7 }])(
    'that is malformed, %j, ends the connection and no subscription',
    async (member) => {
      const started = following();
      refuse(started, 'UNKNOWN_MARKET', { topic: T, ...member });
      expect([started.subscription.isOpen, started.healed]).toEqual([true, ['malformed']]);
      await started.world.clock.pass(1_000);
      started.world.socket.open();
      answer(started, snapshot(6, ['100', '8']));
      expect(started.views.at(-1)).toMatchObject({ isFollowing: true, seq: 6 });
    },
  );

  test('for good ends all subscriptions, and one made meanwhile is another', () => {
    const started = start();
    let later: Subscription<Level> | undefined;
    started.subscription.onError(() => {
      later = started.client.subscribe(topic);
    });
    const second = started.client.subscribe(topic);
    started.world.socket.open();
    refuse(started, 'UNKNOWN_MARKET');
    expect([started.subscription.isOpen, second.isOpen, later?.isOpen]).toEqual([
      false,
      false,
      true,
    ]);
    answer(started, snapshot(5, ['100', '7']));
    expect(later?.view?.seq).toBe(5);
    started.client.subscribe({ channel: 'bbo', market: 'X' });
    later?.close();
    expect(started.world.socket.sent.at(-1)).toEqual({ type: 'unsubscribe', topic: T });
  });

  test('of a topic that is served no longer ends it', () => {
    const started = following();
    refuse(started, 'UNKNOWN_MARKET', { topic: T });
    expect(started.subscription.isOpen).toBe(false);
    expect(started.views.at(-1)?.isFollowing).toBe(false);
  });
});

describe('subscriptions', () => {
  test('equal ones are one for the service, and the last to leave ends it', async () => {
    const started = following();
    const second = started.client.subscribe({ ...topic, market: 'sol-perp', depth: 50 });
    const heard: number[] = [];
    second.onUpdate(({ seq }) => heard.push(seq));
    expect(heard).toEqual([5]);
    started.subscription.close();
    expect(started.world.socket.sent).toHaveLength(1);
    second.close();
    expect(started.world.socket.sent.at(-1)).toEqual({ type: 'unsubscribe', topic: T });
    await started.world.clock.pass(300);
    expect(started.world.socket.isClosed).toBe(true);
    expect(started.client.connection).toBe('idle');
  });

  test('another one after all have ended connects again', async () => {
    const started = following();
    started.subscription.close();
    await started.world.clock.pass(300);
    started.client.subscribe(topic);
    expect(started.world.sockets).toHaveLength(2);
  });

  test('a closed one hears nothing any more', () => {
    const started = following();
    const other = started.client.subscribe(topic);
    started.subscription.close();
    started.world.socket.say(delta(5, 6, ['100', '8']));
    expect(started.views).toHaveLength(1);
    expect(other.view?.seq).toBe(6);
  });

  test('a loop that is slow is given the newest book only, and leaving it ends the subscription', async () => {
    const started = following();
    const seen: number[] = [];
    const loop = (async () => {
      for await (const { seq } of started.subscription) {
        seen.push(seq);
        if (seq === 9) break;
      }
    })();
    await settle();
    started.world.socket.say(delta(5, 6, ['100', '8']), delta(6, 7, ['100', '9']));
    await settle();
    started.world.socket.say(delta(7, 9, ['100', '1']));
    await loop;
    expect(seen).toEqual([5, 7, 9]);
    expect(started.subscription.isOpen).toBe(false);
  });

  test('an abort ends it, and is thrown in its loop', async () => {
    const { client, world } = following();
    const ending = new AbortController();
    const subscription = client.subscribe(
      { channel: 'bbo', market: 'X' },
      { signal: ending.signal },
    );
    const loop = subscription[Symbol.asyncIterator]().next();
    ending.abort('enough');
    await expect(loop).rejects.toMatchObject({ code: 'ABORTED', cause: 'enough' });
    expect(world.socket.sent.at(-1)).toEqual({ type: 'unsubscribe', channel: 'bbo', market: 'X' });
  });

  test('an abort before it begins leaves nothing behind', async () => {
    const { client, world } = following();
    const signal = AbortSignal.abort();
    const subscription = client.subscribe({ channel: 'bbo', market: 'X' }, { signal });
    expect(subscription.isOpen).toBe(false);
    const { sent } = world.socket;
    expect(sent.slice(1).map(({ type }) => type)).toEqual(['subscribe', 'unsubscribe']);
  });

  test('what a listener throws is its own fault', async () => {
    const started = following();
    started.subscription.onUpdate(({ seq }) => {
      if (seq === 6) throw new Error('a fault of the page');
    });
    const later: number[] = [];
    started.subscription.onUpdate(({ seq }) => later.push(seq));
    const thrown = await thrownLater(async () => {
      started.world.socket.say(delta(5, 6, ['100', '8']), delta(6, 7, ['100', '9']));
      await settle();
    });
    expect(later).toEqual([5, 6, 7]);
    expect(thrown).toEqual([new Error('a fault of the page')]);
  });

  test('a thousand come at once, and others as a service takes them', async () => {
    const world = new ClientWorld();
    const client = new StreamClient({ url: 'ws://service/ws', ...world, clock: world.clock });
    for (let index = 0; index < 1_024; index += 1) {
      client.subscribe({ channel: 'bbo', market: `M${index}` });
    }
    world.socket.open();
    expect(world.socket.sent).toHaveLength(1_000);
    await world.clock.pass(1_000);
    expect(world.socket.sent).toHaveLength(1_024);
    for (let index = 0; index < 100; index += 1)
      client.subscribe({ channel: 'l3', market: `${index}` });
    expect(world.socket.sent).toHaveLength(1_040);
    await world.clock.pass(2_000);
    expect(world.socket.sent).toHaveLength(1_120);
  });

  test('two clients share nothing', () => {
    const [one, other] = [following(), following()];
    one.world.socket.say(delta(5, 6, ['100', '8']));
    expect([one.subscription.view?.seq, other.subscription.view?.seq]).toEqual([6, 5]);
  });

  test('one to all markets, of which each has its own book, is refused', () => {
    const { client } = following();
    expect(() => client.subscribe({ ...topic, market: '*' })).toThrow('market was *');
  });

  test('a closed client ends all of them and opens none', () => {
    const started = following();
    started.client.close();
    expect(started.subscription.isOpen).toBe(false);
    expect(started.world.socket.isClosed).toBe(true);
    expect(() => started.client.subscribe(topic)).toThrow('closed');
  });
});

test('without a class WebSocket the client says so', () => {
  const { WebSocket: known } = globalThis;
  Reflect.deleteProperty(globalThis, 'WebSocket');
  const make = () => new StreamClient({ url: 'ws://service' }).subscribe(topic);
  expect(make).toThrow('pass one as the option WebSocket');
  if (known !== undefined) globalThis.WebSocket = known;
});

/** Refusals and subscriptions of a stream client, by docs/streaming-client.md, on a clock that is turned by hand. */
import { describe, expect, test } from 'vitest';
import type { Level } from '../../src/client/generated/rows.js';
import { StreamClient } from '../../src/client/stream/client.js';
import type { Subscription } from '../../src/client/stream/subscription.js';
import { ClientWorld, settle } from '../support/client-world.js';
import {
  answer,
  delta,
  following,
  heartbeat,
  type Started,
  snapshot,
  start,
  T,
  topic,
} from '../support/followed-stream.js';
import { thrownLater } from '../support/thrown-later.js';

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

  test('one that begins while a listener closes the client is closed', async () => {
    const world = new ClientWorld();
    const client = new StreamClient({ url: 'ws://service/ws', ...world, clock: world.clock });
    client.onConnection(() => client.close());
    const loop = client.subscribe(topic)[Symbol.asyncIterator]();
    expect(await Promise.race([loop.next(), settle()])).toEqual({ done: true, value: undefined });
    await world.clock.pass(300);
    expect(world.clock.timers).toBe(0);
  });

  test('one under another name of a market that is followed is refused, and the first goes on', async () => {
    const started = following();
    const other = started.client.subscribe({ ...topic, market: 'perp_0' });
    answer(started, snapshot(6, ['100', '8']));
    expect(other.error?.code).toBe('INVALID_OPTION');
    expect(started.world.socket.sent).toHaveLength(2);
    started.world.socket.say(delta(6, 7, ['100', '9']));
    expect(started.subscription.view).toMatchObject({ isFollowing: true, seq: 7 });
    started.world.socket.lose();
    await started.world.reconnect();
    answer(started, heartbeat(7));
    expect([started.subscription.phase, started.healed]).toEqual(['following', []]);
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

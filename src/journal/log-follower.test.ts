/** The log of a core on a NATS server, and followers that rebuild its book. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import {
  Core,
  Edge,
  newSetup,
  openLog,
  server,
  startFollowed,
  useLogServer,
} from '../../test/support/log-scene.js';
import { until } from '../../test/support/until.js';
import type { FeedState } from '../contract/feed-status.js';
import { LOG_HEARTBEAT_MS } from './model/limits.js';
import type { FromJournal } from './model/messages.js';
import { bucketOf, subjectOf } from './nats/connect.js';

useLogServer();

const OTHER_PROGRAM = '11111111111111111111111111111112';
const HELD_MS = 2_000;
/** More messages than a core writes within a test. */
const FOREIGN = 300;

describe('a follower', () => {
  test('says that its log is silent without a sequence number of its own, and misses nothing', async (context) => {
    const setup = newSetup(context);
    const core = await Core.start(setup, { seed: 6 });
    await core.writeSlots(3);
    const edge = new Edge(setup, { drainAfterMs: 1 });
    await edge.showsBook(core.book);
    const before = edge.engine.version(0);
    await server.kill();
    edge.freshness = 'stale';
    await core.writeSlots(10);
    await until(() => edge.engine.version(0).state === 'stale' && edge.gate.includes('away'));
    expect(edge.engine.version(0)).toEqual({ ...before, state: 'stale' });
    await until(() => core.state === 'stopped');
    await server.startAgain();
    edge.freshness = 'live';
    await edge.showsBook(core.book);
    await until(() => edge.follower.status().state === 'live' && edge.gate.at(-1) === 'in');
    await core.writeSlots(3);
    await edge.showsBook(core.book);
    expect(core.state).toBe('writing');
    expect(edge.follower.stats().logRestores).toBe(1);
  });

  test('begins again where messages are missing, and where another core has begun', async (context) => {
    const setup = newSetup(context);
    const { core, edge } = await startFollowed(setup, { seed: 7 }, 5);
    await core.service.stop();
    const other = await Core.start(setup, { seed: 8, epoch: 'second' });
    await other.writeSlots(5);
    await edge.showsBook(other.book);
    expect(edge.gate).toEqual(['away', 'in']);
    expect(edge.engine.epoch).toBe('second');
    expect(edge.follower.stats().logRestores).toBe(2);
  });

  test('of another program ends, and says so', async (context) => {
    const setup = newSetup(context);
    const core = await Core.start(setup, { seed: 9 });
    await core.writeSlots(2);
    const edge = new Edge(setup, { programId: OTHER_PROGRAM });
    await expect(edge.ended).rejects.toMatchObject({ code: 'LOG_MISMATCH' });
  });
});

describe('a book that the core held back', () => {
  test('is not shown as live while it is appended', async (context) => {
    const setup = newSetup(context);
    const core = await Core.start(setup, { seed: 11 });
    await core.writeSlots(3);
    const states: FeedState[] = [];
    const edge = new Edge(setup, {
      freshness: (ageMs) => (ageMs < HELD_MS ? 'live' : 'lagging'),
      onTurn: () => void states.push(edge.engine.state),
    });
    await edge.showsBook(core.book);
    await server.kill();
    // The first one is in flight when the server is gone; the others are queued.
    await core.writeSlots(1);
    await until(() => core.state === 'stopped');
    await core.writeSlots(10);
    const heldAtMs = performance.now();
    await until(() => core.waitingBytes > 0 && performance.now() - heldAtMs > 2 * HELD_MS);
    states.length = 0;
    await server.startAgain();
    await edge.showsBook(core.book);
    await until(async () => {
      await core.service.receiveMessage({ kind: 'alive' });
      return edge.engine.state === 'live';
    });
    const [lagging, live] = [states.indexOf('lagging'), states.indexOf('live')];
    expect({ lagging, live }).toEqual({ lagging: 0, live: states.lastIndexOf('live') });
    expect(live).toBeGreaterThanOrEqual(11);
    await until('nothing is held back', () => core.waitingBytes === 0);
  });

  test('is not shown as live while the event loop of the core stands still', async (context) => {
    const setup = newSetup(context);
    const core = await Core.start(setup, { seed: 12 });
    await core.writeSlots(3);
    const edge = new Edge(setup, {
      freshness: (ageMs) => (ageMs < 3 * LOG_HEARTBEAT_MS ? 'live' : 'lagging'),
    });
    await edge.showsBook(core.book);
    await until(() => edge.engine.state === 'lagging');
    // Its thread sends signs of life as soon as the main thread does.
    await until(async () => {
      await core.service.receiveMessage({ kind: 'alive' });
      return edge.engine.state === 'live';
    });
  });
});

describe('a log', () => {
  test('on a server that vanishes without a word is given up soon', async (context) => {
    const setup = newSetup(context);
    const { nats } = await openLog(setup);
    let isLost = false;
    void (async () => {
      for await (const { type } of nats.status()) isLost ||= type === 'disconnect';
    })();
    await server.pause();
    await until(() => isLost);
    server.resume();
  });

  test('has a checkpoint soon that could not be stored at first', async (context) => {
    const setup = newSetup(context);
    const core = await Core.start(setup, { seed: 13 });
    await core.writeSlots(2);
    await until('a stored checkpoint', () => core.stored === 1);
    const { manager, openObjects } = await openLog(setup);
    await manager.streams.delete(`OBJ_${bucketOf(setup.log)}`);
    // A bucket of another configuration cannot be made again.
    await manager.streams.add({ name: `OBJ_${bucketOf(setup.log)}`, subjects: ['elsewhere'] });
    await core.beginSegment();
    await core.writeSlots(1);
    const isTold = (message: FromJournal): boolean =>
      message.kind === 'log' && message.message === 'a checkpoint could not be stored';
    await until('a failure', () => core.messages.some(isTold));
    await manager.streams.delete(`OBJ_${bucketOf(setup.log)}`);
    await openObjects({ replicas: 1 });
    await until('a stored checkpoint', () => core.stored === 2);
  });

  test('is left alone by a core that finds another one writing, and taken by the next one', async (context) => {
    const setup = newSetup(context);
    const first = await Core.start(setup, { seed: 3 });
    await first.writeSlots(2);
    const edge = new Edge(setup);
    await edge.showsBook(first.book);
    const second = await Core.start(setup, { seed: 4, epoch: 'second' });
    const refusals = () => second.messages.filter(({ kind }) => kind === 'refused');
    await until(async () => {
      await sleep(100);
      await first.writeSlots(1);
      await second.writeSlots(1);
      return refusals().length > 0;
    });
    expect(refusals()).toMatchObject([{ code: 'LOG_FENCED' }]);
    await edge.showsBook(first.book);
    await first.service.stop();
    const third = await Core.start(setup, { seed: 5, epoch: 'third' });
    await until(async () => {
      await third.writeSlots(1);
      return edge.engine.epoch === 'third';
    });
    await edge.showsBook(third.book);
  });
});

describe('a log whose stream is deleted', () => {
  test('is read again from the one that the core makes, though that counts from 1', async (context) => {
    const setup = newSetup(context);
    const core = await Core.start(setup, { seed: 21 });
    await core.writeSlots(3);
    const { manager, nats } = await openLog(setup);
    for (let at = 0; at < FOREIGN; at += 1) nats.publish(subjectOf(setup.log), 'foreign');
    await nats.flush();
    const edge = new Edge(setup);
    await core.writeSlots(3);
    await edge.showsBook(core.book);
    await manager.streams.delete(setup.log.stream);
    await until('live from another checkpoint', async () => {
      await sleep(500);
      await core.writeSlots(1);
      return edge.follower.stats().logRestores > 1 && edge.follower.status().state === 'live';
    });
    await edge.showsBook(core.book);
  });
});

test('a reader whose consumer is deleted reads on within four seconds', async (context) => {
  const setup = newSetup(context);
  const { core, edge } = await startFollowed(setup, { seed: 22 }, 3);
  const { manager } = await openLog(setup);
  for await (const { name } of manager.consumers.list(setup.log.stream))
    await manager.consumers.delete(setup.log.stream, name);
  await core.writeSlots(3);
  const sinceMs = performance.now();
  await edge.showsBook(core.book);
  expect(performance.now() - sinceMs).toBeLessThan(4_000);
});

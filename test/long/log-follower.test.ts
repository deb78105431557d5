/** The log of a core on a real NATS server, and followers that make its book again. */
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import type { FeedState } from '../../src/contract/feed-status.js';
import { LOG_HEARTBEAT_MS } from '../../src/journal/model/limits.js';
import type { LogSetup } from '../../src/journal/model/log-place.js';
import type { FromJournal } from '../../src/journal/model/messages.js';
import { CheckpointStore } from '../../src/journal/nats/checkpoint-store.js';
import { bucketOf } from '../../src/journal/nats/connect.js';
import { LogAppender, type NewMessage } from '../../src/journal/nats/log-appender.js';
import { Core, Edge, newSetup, openLog, server } from '../support/log-scene.js';
import { until } from '../support/until.js';

const OTHER_PROGRAM = '11111111111111111111111111111112';
/** How old a log is that lags in these tests. */
const HELD_MS = 2_000;

describe('a follower', () => {
  test('shows the book of a log over its segments, and joins it at the newest checkpoint', async (context) => {
    const setup = newSetup(context);
    const core = await Core.start(setup, { seed: 5 });
    const first = new Edge(setup);
    for (let segment = 0; segment < 3; segment += 1) {
      await core.writeSlots(12);
      await first.showsBook(core.book);
      // The checkpoint of a segment is dropped where the next one comes before its first message is acknowledged.
      await until(() => core.stored === segment + 1);
      await core.beginSegment();
    }
    await core.writeSlots(5);
    await first.showsBook(core.book);
    await until(() => core.stored === 4);
    const second = new Edge(setup);
    await second.showsBook(core.book);
    await core.writeSlots(5);
    for (const edge of [first, second]) await edge.showsBook(core.book);
    // One went on from segment to segment, the other one read a part of the log.
    expect(first.follower.stats().logRestores).toBe(1);
    expect(first.follower.stats().logTurns).toBeGreaterThan(2 * second.follower.stats().logTurns);
    expect(second.follower.status()).toMatchObject({ everLive: true, state: 'live', reason: null });
    const seqs = [core.book.engine, first.engine, second.engine].map((engine) =>
      engine.markets().map(({ id }) => engine.version(id)),
    );
    expect(seqs[1]).toEqual(seqs[0]);
    expect(seqs[2]).toEqual(seqs[0]);
  });

  test('says that its log is silent without a sequence number of its own, and misses nothing', async (context) => {
    const setup = newSetup(context);
    const core = await Core.start(setup, { seed: 6 });
    await core.writeSlots(3);
    const edge = new Edge(setup, { sendAwayAfterMs: 1 });
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
    const core = await Core.start(setup, { seed: 7 });
    await core.writeSlots(5);
    const edge = new Edge(setup);
    await edge.showsBook(core.book);
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

  test('with a wrong password ends, and says so', async (context) => {
    const setup = newSetup(context);
    const log = { ...setup.log, servers: [server.urlOf('slotbook', 'guess')] };
    await expect(new Edge({ ...setup, log }).ended).rejects.toMatchObject({ code: 'LOG_REFUSED' });
    const core = await Core.start({ ...setup, log }, { seed: 1 });
    expect(core.messages).toMatchObject([{ kind: 'refused', code: 'LOG_REFUSED' }]);
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
    // The first one is on its way when the server is gone; the others wait behind it.
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
    // Its thread goes on to say that it is alive as soon as the main thread does.
    await until(async () => {
      await core.service.receiveMessage({ kind: 'alive' });
      return edge.engine.state === 'live';
    });
  });
});

/** A message with some bytes. */
function newMessage(id: string): NewMessage {
  return { id, bytes: Buffer.from(id) };
}

describe('a log', () => {
  async function newAppender(setup: LogSetup): Promise<LogAppender> {
    const appender = new LogAppender(await openLog(setup), setup);
    await appender.prepareStream();
    appender.goOnBehind(await appender.readLast());
    return appender;
  }

  test('is of one writer: one that comes back after another has written is refused', async (context) => {
    const setup = newSetup(context);
    const first = await newAppender(setup);
    await first.appendMessage(newMessage('a.1.0'));
    const second = await newAppender(setup);
    await second.appendMessage(newMessage('b.1.0'));
    await expect(first.appendMessage(newMessage('a.1.1'))).rejects.toMatchObject({
      code: 'LOG_FENCED',
    });
    expect((await second.readLast()).id).toBe('b.1.0');
  });

  test('has a message once whose acknowledgement was lost', async (context) => {
    const setup = newSetup(context);
    const appender = await newAppender(setup);
    await appender.appendMessage(newMessage('a.1.0'));
    await server.pause();
    const late = appender.appendMessage(newMessage('a.1.1'));
    await expect(late).rejects.toMatchObject({ code: 'LOG_UNREACHABLE' });
    server.goOn();
    await until(async () => (await appender.readLast().catch(() => null))?.id === 'a.1.1');
    expect(await appender.appendMessage(newMessage('a.1.1'))).toBe(2);
    expect(await appender.appendMessage(newMessage('a.1.2'))).toBe(3);
  });

  test('goes on behind a message that was given up when its acknowledgement was lost', async (context) => {
    const setup = newSetup(context);
    const appender = await newAppender(setup);
    await appender.appendMessage(newMessage('a.1.0'));
    await server.pause();
    await expect(appender.appendMessage(newMessage('a.1.1'))).rejects.toThrow();
    server.goOn();
    await until(async () => (await appender.readLast().catch(() => null))?.id === 'a.1.1');
    // More waited than may: what goes on is the next segment.
    const unreachable = { code: 'LOG_UNREACHABLE' };
    await expect(appender.appendMessage(newMessage('a.3.0'))).rejects.toMatchObject(unreachable);
    expect(await appender.appendMessage(newMessage('a.3.0'))).toBe(3);
  });

  test('on a server that vanishes without a word is given up soon', async (context) => {
    const setup = newSetup(context);
    const { nats } = await openLog(setup);
    let isLost = false;
    void (async () => {
      for await (const { type } of nats.status()) isLost ||= type === 'disconnect';
    })();
    await server.pause();
    await until(() => isLost);
    server.goOn();
  });

  test('has checkpoints of its own stream and of the core that writes it alone', async (context) => {
    const setup = newSetup(context);
    const first = await newAppender(setup);
    await first.appendMessage(newMessage('a.1.0'));
    const connection = await openLog(setup);
    const checkpoints = await CheckpointStore.openStore(setup.log, connection, { replicas: 1 });
    const ofFirst = { bytes: Buffer.from('a'), next: 1 };
    await checkpoints.storeCheckpoint(ofFirst, 'a');
    expect(await checkpoints.readNewest()).toMatchObject({ next: 1 });
    await first.appendMessage(newMessage('b.1.0'));
    // As of a core that was suspended while it stored one.
    const fenced = { code: 'LOG_FENCED' };
    await expect(checkpoints.storeCheckpoint(ofFirst, 'a')).rejects.toMatchObject(fenced);
    await connection.manager.streams.delete(setup.log.stream);
    const second = await newAppender(setup);
    for (const id of ['c.1.0', 'c.1.1']) await second.appendMessage(newMessage(id));
    expect(await checkpoints.readNewest()).toBe(null);
    for (const next of [1, 2]) {
      await checkpoints.storeCheckpoint({ bytes: Buffer.from('c'), next }, 'c');
    }
    expect(await checkpoints.readNewest()).toMatchObject({ next: 2 });
  });

  test('has a checkpoint soon that could not be stored at first', async (context) => {
    const setup = newSetup(context);
    const core = await Core.start(setup, { seed: 13 });
    await core.writeSlots(2);
    await until('a stored checkpoint', () => core.stored === 1);
    const { manager, openObjects } = await openLog(setup);
    await manager.streams.delete(`OBJ_${bucketOf(setup.log)}`);
    await core.beginSegment();
    await core.writeSlots(1);
    const isTold = (message: FromJournal): boolean =>
      message.kind === 'log' && message.message === 'a checkpoint could not be stored';
    await until('a failure', () => core.messages.some(isTold));
    await openObjects({ replicas: 1 });
    await until('a stored checkpoint', () => core.stored === 2);
  });

  test('that is gone is told apart from one that another core writes', async (context) => {
    const setup = newSetup(context);
    const appender = await newAppender(setup);
    await appender.appendMessage(newMessage('a.1.0'));
    await (await openLog(setup)).manager.streams.delete(setup.log.stream);
    const lost = { code: 'LOG_LOST' };
    await expect(appender.appendMessage(newMessage('a.1.1'))).rejects.toMatchObject(lost);
    await appender.prepareStream();
    await expect(appender.appendMessage(newMessage('a.1.1'))).rejects.toMatchObject(lost);
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

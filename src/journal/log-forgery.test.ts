/** A log into whose stream others write, and from whose servers others delete. */
import { headers } from '@nats-io/transport-node';
import { expect, test } from 'vitest';
import {
  Core,
  Edge,
  newSetup,
  openLog,
  startFollowed,
  useLogServer,
} from '../../test/support/log-scene.js';
import { until } from '../../test/support/until.js';
import { systemTimers } from '../rpc/timers.js';
import { CHECKPOINT_CHECK_MS } from './model/limits.js';
import type { LogSetup } from './model/log-place.js';
import { CheckpointStore } from './nats/checkpoint-store.js';
import { bucketOf, subjectOf } from './nats/connect.js';
import { AFTER_HEADER, LogAppender } from './nats/log-appender.js';
import { parseId, textOfId } from './nats/message-id.js';

useLogServer();

interface Forged {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly after?: string;
}

/** Publishes as a login of NATS can that may write to the subject of the log. */
async function forge(setup: LogSetup, { name, bytes, after }: Forged): Promise<void> {
  const { stream } = await openLog(setup);
  const marks = headers();
  if (name !== '') marks.set('Nats-Msg-Id', name);
  if (after !== undefined) marks.set(AFTER_HEADER, after);
  await stream.publish(subjectOf(setup.log), bytes, { headers: marks });
}

/** The last message that a core has written. */
async function lastOf(setup: LogSetup) {
  const connection = await openLog(setup);
  const appender = new LogAppender(connection, setup);
  const { sequence } = await appender.readLast();
  const id = await appender.readId(sequence);
  const message = await connection.manager.streams.getMessage(setup.log.stream, { seq: sequence });
  if (message === null || id === null) throw new Error('the last message is a core\u2019s');
  return { id, name: message.header.get('Nats-Msg-Id'), bytes: message.data };
}

type Last = Awaited<ReturnType<typeof lastOf>>;

const FORGERIES: readonly (readonly [string, 'withoutKey' | 'withKey', (last: Last) => Forged])[] =
  [
    ['without a name', 'withoutKey', ({ bytes }) => ({ name: '', bytes })],
    ['with a name of another form', 'withoutKey', ({ bytes }) => ({ name: 'mine', bytes })],
    [
      'under the next name',
      'withKey',
      ({ id, bytes }) => ({ name: textOfId({ ...id, index: id.index + 1 }), bytes }),
    ],
    [
      'under the next name with a seal of its own',
      'withKey',
      ({ id, bytes }) => ({
        name: `${textOfId({ ...id, index: id.index + 1 })}.${'A'.repeat(22)}`,
        bytes,
      }),
    ],
    [
      'as the next segment',
      'withKey',
      ({ id }) => ({
        name: textOfId({ run: id.run, segment: id.segment + 1, index: 0 }),
        bytes: Buffer.from('x'),
      }),
    ],
    [
      'as another core that takes over',
      'withKey',
      ({ id }) => ({ name: 'other.0.0', bytes: new Uint8Array(0), after: textOfId(id) }),
    ],
  ];

test.each(FORGERIES)('a message %s is passed by core and edges: %s', async (_, key, forgedOf) => {
  const plain = newSetup({ skip: () => undefined } as never);
  const setup = key === 'withKey' ? { ...plain, log: { ...plain.log, key: 'a secret' } } : plain;
  const { core, edge } = await startFollowed(setup, { seed: 31 }, 3);
  await forge(setup, forgedOf(await lastOf(setup)));
  await core.writeSlots(3);
  await edge.showsBook(core.book);
  expect(edge.follower.stats()).toMatchObject({ logForeign: 1, logRestores: 1 });
  // One that joins later passes it as well.
  const late = new Edge(setup);
  await late.showsBook(core.book);
  await until(() => core.state === 'writing');
  expect(core.messages.filter(({ kind }) => kind === 'refused')).toEqual([]);
  const counted = core.messages.findLast((message) => message.kind === 'state');
  expect(counted?.stats.events.foreignMessages).toBe(1);
});

test('a message that is published again is passed, whenever it was written', async (context) => {
  const plain = newSetup(context);
  const setup = { ...plain, log: { ...plain.log, key: 'a secret' } };
  const { core, edge } = await startFollowed(setup, { seed: 32 }, 2);
  const { name, bytes } = await lastOf(setup);
  const { manager } = await openLog(setup);
  // After the window in which the server itself drops a repeated name.
  const { config } = await manager.streams.info(setup.log.stream);
  const windowMs = (config.duplicate_window ?? 0) / 1e6;
  const untilMs = systemTimers.nowMs() + windowMs + 1_000;
  await until('the end of the window', () => systemTimers.nowMs() > untilMs, windowMs + 5_000);
  await forge(setup, { name, bytes });
  await core.writeSlots(2);
  await edge.showsBook(core.book);
  expect(edge.follower.stats()).toMatchObject({ logForeign: 1, logRestores: 1 });
});

test('a reader without the key of a log, or with another one, has no book of it', async (context) => {
  const setup = newSetup(context);
  const core = await Core.start({ ...setup, log: { ...setup.log, key: 'one' } }, { seed: 33 });
  await core.writeSlots(3);
  await until('a stored checkpoint', () => core.stored === 1);
  const edge = new Edge({ ...setup, log: { ...setup.log, key: 'two' } });
  await until(() => edge.follower.status().reason === 'the log has no checkpoint yet');
  expect(edge.engine.markets()).toEqual([]);
});

test('a forged checkpoint is read by nobody, and the core deletes it', async (context) => {
  const plain = newSetup(context);
  const setup = { ...plain, log: { ...plain.log, key: 'a secret' } };
  const core = await Core.start(setup, { seed: 34 });
  await core.writeSlots(3);
  await until('a stored checkpoint', () => core.stored === 1);
  const connection = await openLog(setup);
  const forger = await CheckpointStore.openStore(plain.log, connection);
  const { next, bytes } = await until(() => forger.readNewest());
  await core.writeSlots(3);
  await new Edge(setup).showsBook(core.book);
  await forger.storeCheckpoint({ next: next + 1, bytes }, core.book.engine.epoch);
  const reader = await CheckpointStore.openStore(setup.log, connection);
  expect(await reader.readNewest()).toMatchObject({ next });
  await core.beginSegment();
  await core.writeSlots(1);
  await until('another checkpoint', () => core.stored === 2);
  const objects = await connection.openObjects();
  const names = (await objects.list()).map(({ name }) => name);
  expect(names).toContain(`${core.book.engine.epoch}-${next}`);
  expect(names).not.toContain(`${core.book.engine.epoch}-${next + 1}`);
});

test.each([
  ['the bucket of checkpoints', (setup: LogSetup) => `OBJ_${bucketOf(setup.log)}`],
  ['the message after the newest checkpoint', () => null],
])('%s is deleted: the core notices, and stores another one', async (_, bucket) => {
  const setup = newSetup({ skip: () => undefined } as never);
  const core = await Core.start(setup, { seed: 35 });
  await core.writeSlots(3);
  await until('a stored checkpoint', () => core.stored === 1);
  const { manager } = await openLog(setup);
  const name = bucket(setup);
  if (name !== null) await manager.streams.delete(name);
  else await manager.streams.purge(setup.log.stream, { seq: 3 });
  const noticed = async (): Promise<boolean> => {
    await core.writeSlots(1);
    return core.stored > 1;
  };
  await until('another checkpoint', noticed, 3 * CHECKPOINT_CHECK_MS);
  await new Edge(setup).showsBook(core.book);
});

test('a reader that finds no checkpoint gets one before the next segment', async (context) => {
  const setup = newSetup(context);
  const core = await Core.start(setup, { seed: 36 });
  await core.writeSlots(3);
  await until('a stored checkpoint', () => core.stored === 1);
  const { manager } = await openLog(setup);
  await manager.streams.delete(`OBJ_${bucketOf(setup.log)}`);
  const edge = new Edge(setup);
  const sinceMs = systemTimers.nowMs();
  await until('another checkpoint', async () => {
    await core.writeSlots(1);
    return core.stored > 1;
  });
  await edge.showsBook(core.book);
  expect(systemTimers.nowMs() - sinceMs).toBeLessThan(CHECKPOINT_CHECK_MS / 2);
});

test('a core whose clock is an hour behind is not live at an edge', async (context) => {
  const setup = newSetup(context);
  const core = await Core.start(setup, { seed: 37 });
  await core.writeSlots(3);
  const coreMs = Number([...core.book.shown.keys()].at(-1)?.split(' ')[1]);
  const timers = { ...systemTimers, unixMs: () => coreMs + 3_600_000 };
  const freshness = (ageMs: number) => (ageMs > 10_000 ? 'stale' : 'live');
  const edge = new Edge(setup, { timers, freshness, clockSkewMaxMs: 30_000 });
  await until(() => edge.follower.status().reason?.includes('clock') === true);
  expect(edge.engine.state).toBe('stale');
  const other = { ...systemTimers, unixMs: () => coreMs + 20_000 };
  const sound = new Edge(setup, { timers: other, freshness, clockSkewMaxMs: 30_000 });
  await until(() => sound.follower.status().state === 'live');
});

test('names are parsed with and without a seal', () => {
  const id = { run: 'a', segment: 1, index: 2 };
  expect(parseId(`a.1.2.${'-'.repeat(22)}`)).toEqual(id);
  expect(parseId('a.1.2')).toEqual(id);
  expect(parseId('a.1.2.x')).toBeNull();
});

/** Followers of a log with holes, on a NATS server: the state that their readers see meanwhile. */
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
import type { LogSetup } from './model/log-place.js';
import { CheckpointStore } from './nats/checkpoint-store.js';
import { subjectOf } from './nats/connect.js';
import { LogAppender } from './nats/log-appender.js';
import { type LogMessageId, textOfId } from './nats/message-id.js';

useLogServer();

test('a follower of a log of another version waits, and says so', async (context) => {
  const setup = newSetup(context);
  const core = await Core.start(setup, { seed: 9 });
  await core.writeSlots(2);
  await until('a stored checkpoint', () => core.stored === 1);
  const connection = await openLog(setup);
  const checkpoints = await CheckpointStore.openStore(setup.log, connection);
  const stored = await until(() => checkpoints.readNewest());
  const bytes = Buffer.from(stored.bytes);
  bytes.writeUInt32LE(bytes.readUInt32LE(16) + 1, 16);
  await checkpoints.storeCheckpoint({ ...stored, bytes }, core.book.engine.epoch);
  const edge = new Edge(setup);
  await until(() => edge.follower.status().reason?.includes('version') === true);
  expect(edge.follower.status()).toMatchObject({ everLive: false, state: 'starting' });
  // It reads that checkpoint at growing intervals, and the next one immediately.
  const sinceMs = performance.now();
  await until('some tries', () => performance.now() - sinceMs > 3_000);
  expect(edge.follower.stats().logFailures).toBeLessThan(9);
  await core.beginSegment();
  await core.writeSlots(1);
  await edge.showsBook(core.book);
});

test('a follower whose log has a hole is stale at once, and waits for a checkpoint behind it', async (context) => {
  const setup = newSetup(context);
  const { edge } = await startFollowed(setup, { seed: 13 }, 5);
  await until(() => edge.follower.status().state === 'live');
  const { seq } = edge.engine.version(0);
  const { logFailures } = edge.follower.stats();
  await appendBehind(setup, ({ run, segment, index }) => ({ run, segment, index: index + 2 }));
  await until(() => edge.follower.stats().logFailures > logFailures);
  expect(edge.engine.version(0)).toMatchObject({ seq, state: 'stale' });
  expect(edge.follower.status().reason).toContain('does not go on with message');
  const other = await Core.start(setup, { seed: 13, epoch: 'second' });
  await until(() => other.state === 'writing');
  expect(edge.engine.version(0)).toMatchObject({ seq, state: 'stale' });
  expect(edge.follower.stats()).toMatchObject({ logRestores: 1, logFailures: logFailures + 1 });
  await other.writeSlots(5);
  await edge.showsBook(other.book);
  expect(edge.follower.stats()).toMatchObject({ logRestores: 2 });
});

test('a follower whose book may be wrong shows no older one to readers that have seen it', async (context) => {
  const setup = newSetup(context);
  const core = await Core.start(setup, { seed: 14 });
  await core.writeSlots(5);
  const shown: number[] = [];
  const edge: Edge = new Edge(setup, {
    onTurn: () => {
      if (edge.engine.markets().length === 0 || edge.gate.at(-1) === 'away') return;
      shown.push(edge.engine.version(0).seq);
    },
  });
  await edge.showsBook(core.book);
  await until(() => edge.follower.status().state === 'live');
  const { logFailures } = edge.follower.stats();
  await appendBehind(setup, ({ run, segment, index }) => ({ run, segment, index: index + 1 }));
  await until(() => edge.follower.stats().logFailures > logFailures + 2);
  expect(new Set(edge.gate)).toEqual(new Set(['away']));
  expect(edge.follower.status()).toMatchObject({ everLive: false, state: 'starting' });
  expect(shown).toEqual([...shown].sort((one, other) => one - other));
});

test('a follower joins a log that holds less than a checkpoint is long', async (context) => {
  const setup = { ...newSetup(context), bytesMax: 16 * 1024 };
  const core = await Core.start(setup, { seed: 16 });
  const { manager } = await openLog(setup);
  await until('a full log', async () => {
    await core.writeSlots(1);
    const info = await manager.streams.info(setup.log.stream).catch(() => undefined);
    return (info?.state.first_seq ?? 0) > 1;
  });
  const edge = new Edge(setup);
  await edge.showsBook(core.book);
});

/** Appends corrupt bytes, and a valid block after them, with a name derived from the last one. */
async function appendBehind(
  setup: LogSetup,
  rename: (last: LogMessageId) => LogMessageId,
): Promise<void> {
  const connection = await openLog(setup);
  const appender = new LogAppender(connection, setup);
  const { sequence } = await appender.readLast();
  const id = await appender.readId(sequence);
  const last = await connection.manager.streams.getMessage(setup.log.stream, { seq: sequence });
  if (last === null || id === null) throw new Error('the log has no message');
  const bytes = Buffer.concat([Buffer.alloc(64), last.data]);
  const options = { msgID: textOfId(rename(id)) };
  await connection.stream.publish(subjectOf(setup.log), bytes, options);
}

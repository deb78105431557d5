/** The chain and the program of a log, on a NATS server: cores of another one neither write nor continue it. */
import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from 'vitest';
import {
  Core,
  Edge,
  newSetup,
  openLog,
  server,
  useLogServer,
} from '../../test/support/log-scene.js';
import { until } from '../../test/support/until.js';
import type { LogSetup } from './model/log-place.js';
import { LogAppender } from './nats/log-appender.js';

useLogServer();

const OTHER_CHAIN = '5eykt4UsFv8P8NJdTREpY1vzqKqZKvdpKuc147dw2N9d';

/** Why a core was refused; empty when it was not. */
function refusalOf({ messages }: Core): string {
  const refusal = messages.find((message) => message.kind === 'refused');
  return refusal === undefined ? '' : `${refusal.code}: ${refusal.message}`;
}

async function lengthOf(setup: LogSetup): Promise<number> {
  return (await new LogAppender(await openLog(setup), setup).readLast()).sequence;
}

test('a core of another chain or program is refused, and leaves the log as it is', async (context) => {
  const setup = newSetup(context);
  const core = await Core.start(setup, { seed: 21 });
  await core.writeSlots(3);
  await until('a stored checkpoint', () => core.stored === 1);
  await core.service.stop();
  const length = await lengthOf(setup);
  const ofChain = { ...setup, genesisHash: OTHER_CHAIN };
  for (const isStandby of [false, true]) {
    const stranger = await Core.start({ ...ofChain, isStandby }, { seed: 22 });
    await until('a refusal', () => refusalOf(stranger));
    expect(refusalOf(stranger)).toBe(
      `LOG_MISMATCH: the log is of the chain ${setup.genesisHash}, not of ${OTHER_CHAIN}: another chain needs another --nats-stream`,
    );
  }
  const stranger = await Core.start({ ...setup, programId: OTHER_CHAIN }, { seed: 22 });
  await until('a refusal', () => refusalOf(stranger));
  expect(refusalOf(stranger)).toContain('another program needs another --nats-stream');
  expect(await lengthOf(setup)).toBe(length);
  await new Edge(setup).showsBook(core.book);
});

test('a core that reaches NATS later than it starts is refused then', async (context) => {
  const setup = newSetup(context);
  const core = await Core.start(setup, { seed: 23 });
  await core.writeSlots(1);
  await server.kill();
  const stranger = await Core.start({ ...setup, genesisHash: OTHER_CHAIN }, { seed: 24 });
  expect(refusalOf(stranger)).toBe('');
  await server.startAgain();
  await until('a refusal', () => refusalOf(stranger).startsWith('LOG_MISMATCH'));
});

test('a standby whose log is replaced by that of another chain ends', async (context) => {
  const setup = newSetup(context);
  const core = await Core.start(setup, { seed: 25 });
  await core.writeSlots(2);
  const { genesisHash } = setup;
  const [standby, edge] = [new Edge(setup, { genesisHash }), new Edge(setup)];
  for (const one of [standby, edge]) await one.showsBook(core.book);
  expect(edge.follower.genesisHash).toBe(genesisHash);
  await core.service.stop();
  await (await openLog(setup)).manager.streams.delete(setup.log.stream);
  const ofChain = { ...setup, genesisHash: OTHER_CHAIN };
  const other = await Core.start(ofChain, { seed: 26, epoch: 'other' });
  let failure: unknown;
  standby.ended.catch((error: unknown) => {
    failure = error;
  });
  await until('an end', async () => {
    // After the end of the previous log.
    await other.beginSegment();
    await other.writeSlots(1);
    await sleep(500);
    return failure;
  });
  expect(failure).toMatchObject({ code: 'LOG_MISMATCH' });
  await edge.showsBook(other.book);
  expect(edge.follower.genesisHash).toBe(OTHER_CHAIN);
});

test('a log that does not say of which chain it is is that of the core that writes it next', async (context) => {
  const setup = newSetup(context);
  const core = await Core.start(setup, { seed: 27 });
  await core.writeSlots(2);
  const { streams } = (await openLog(setup)).manager;
  await streams.update(setup.log.stream, { description: 'made by hand' });
  const edge = new Edge(setup, { genesisHash: OTHER_CHAIN });
  await edge.showsBook(core.book);
  expect(edge.follower.genesisHash).toBe(null);
  await core.service.stop();
  const next = await Core.start({ ...setup, genesisHash: OTHER_CHAIN }, { seed: 28 });
  await until('a core that writes', () => next.state === 'writing');
  const { description } = (await streams.info(setup.log.stream)).config;
  expect(description).toBe(`slotbook: program ${setup.programId}, chain ${OTHER_CHAIN}`);
});

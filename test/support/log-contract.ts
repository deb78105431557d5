/**
 * The log's requirements on NATS. These tests run against the simulation's model and against a real
 * server, so that both behave the same.
 */

import { isDeepStrictEqual } from 'node:util';
import { DiscardPolicy } from '@nats-io/jetstream';
import { describe, expect, test } from 'vitest';
import { Engine } from '../../src/engine/engine.js';
import { JournalReader } from '../../src/engine/journal-reader.js';
import { takeLogOver } from '../../src/journal/log-failover.js';
import { LOG_RETRY_MS } from '../../src/journal/model/limits.js';
import type { LogSetup } from '../../src/journal/model/log-place.js';
import { CheckpointStore } from '../../src/journal/nats/checkpoint-store.js';
import { LeafStreams } from '../../src/journal/nats/leaf-streams.js';
import { Lease } from '../../src/journal/nats/lease.js';
import { LogAppender, type NewMessage } from '../../src/journal/nats/log-appender.js';
import { LogReader } from '../../src/journal/nats/log-reader.js';
import { textOfId } from '../../src/journal/nats/message-id.js';
import { QuoteLink } from '../../src/journal/nats/quote-link.js';
import { silentLog } from '../../src/rpc/log.js';
import { sleep, systemTimers } from '../../src/rpc/timers.js';
import { PROGRAM_ID } from '../../src/sim/bytes/keys.js';
import { Core, Edge, newSetup, openLog, server, startFollowed, useLogServer } from './log-scene.js';
import { NatsServer, natsMissing } from './nats-server.js';
import { until } from './until.js';

/** The tests; called once in a file. */
export function testLog(): void {
  useLogServer();
  describe('an appender', testAppender);
  describe('checkpoints', testCheckpoints);
  describe('a lease', testLease);
  describe('a follower', testFollower);
  describe('a link of quotes', testQuoteLink);
  describe('the streams of a signed log', testLeafStreams);
  describe('a writer', testDigests);
}

/**
 * The fate of an abandoned message: on a real server it depends on when the connection ended, so
 * `npm test` checks the model only.
 */
export function testGivenUp(): void {
  useLogServer();
  test('goes on behind a message that was given up when its acknowledgement was lost', async (context) => {
    const setup = newSetup(context);
    const appender = await newAppender(setup);
    await appender.appendMessage(newMessage('a.1.0'));
    await server.pause();
    await expect(appender.appendMessage(newMessage('a.1.1'))).rejects.toThrow();
    server.resume();
    await until(async () => (await lastName(appender)) === 'a.1.1');
    // The queue was full, so the log continues with the next segment.
    const unreachable = { code: 'LOG_UNREACHABLE' };
    await expect(appender.appendMessage(newMessage('a.3.0'))).rejects.toMatchObject(unreachable);
    expect(await appender.appendMessage(newMessage('a.3.0'))).toBe(3);
  });
}

/** A message with some bytes. */
function newMessage(id: string): NewMessage {
  return { id, bytes: Buffer.from(id) };
}

/** The name of the last message of a log; empty where it is no core's, or cannot be read. */
async function lastName(appender: LogAppender): Promise<string> {
  const last = await appender.readLast().catch(() => null);
  const id = last && (await appender.readId(last.sequence).catch(() => null));
  return id === null ? '' : textOfId(id);
}

async function newAppender(setup: LogSetup): Promise<LogAppender> {
  const appender = new LogAppender(await openLog(setup), setup);
  await appender.prepareStream();
  appender.goOnBehind(await appender.readLast());
  return appender;
}

function testAppender(): void {
  test('is of one writer: one that comes back after another has written is refused', async (context) => {
    const setup = newSetup(context);
    const first = await newAppender(setup);
    await first.appendMessage(newMessage('a.1.0'));
    const second = await newAppender(setup);
    await second.appendMessage(newMessage('b.1.0'));
    await expect(first.appendMessage(newMessage('a.1.1'))).rejects.toMatchObject({
      code: 'LOG_FENCED',
    });
    expect(await lastName(second)).toBe('b.1.0');
  });

  test('has a message once whose acknowledgement was lost', async (context) => {
    const setup = newSetup(context);
    const appender = await newAppender(setup);
    await appender.appendMessage(newMessage('a.1.0'));
    await server.pause();
    const late = appender.appendMessage(newMessage('a.1.1'));
    await expect(late).rejects.toMatchObject({ code: 'LOG_UNREACHABLE' });
    server.resume();
    await until(async () => (await lastName(appender)) === 'a.1.1');
    expect(await appender.appendMessage(newMessage('a.1.1'))).toBe(2);
    expect(await appender.appendMessage(newMessage('a.1.2'))).toBe(3);
  });

  test('goes on after a power cut of its server, which has all that was acknowledged', async (context) => {
    const setup = newSetup(context);
    const appender = await newAppender(setup);
    await appender.appendMessage(newMessage('a.1.0'));
    await server.kill();
    await server.startAgain();
    const isAppended = () => appender.appendMessage(newMessage('a.1.1')).catch(() => 0);
    expect(await until('an answer', isAppended)).toBe(2);
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
}

function testCheckpoints(): void {
  test('are of their own stream and of the core that writes it alone', async (context) => {
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
}

function leaseOf({ log: place }: LogSetup, holder: string, leaseMs = 60_000): Lease {
  return new Lease({ place, holder, leaseMs, replicas: 1, timers: systemTimers, log: silentLog });
}

function testLease(): void {
  test('one core has it; another one gets it when it is given back', async (context) => {
    const setup = newSetup(context);
    const [first, second] = [leaseOf(setup, 'one', 60_000), leaseOf(setup, 'two', 60_000)];
    expect(await first.tryHold()).toBe(true);
    expect(await first.tryHold()).toBe(true);
    expect(await second.tryHold()).toBe(false);
    expect([first.isHeld, second.isHeld]).toEqual([true, false]);
    const held = new Promise<void>((resolve) => second.keep(resolve));
    const sinceMs = performance.now();
    await first.stop();
    await held;
    expect(performance.now() - sinceMs).toBeLessThan(30_000);
    expect([first.isHeld, second.isHeld]).toEqual([false, true]);
    await second.stop();
  });

  test('one that is not renewed is over after its time, and its holder learns it', async (context) => {
    const setup = newSetup(context);
    const [first, second] = [leaseOf(setup, 'one', 200), leaseOf(setup, 'two', 200)];
    expect(await first.tryHold()).toBe(true);
    const held = new Promise<void>((resolve) => second.keep(resolve));
    await held;
    await until('it is lost', async () => {
      if (!(await first.tryHold())) return true;
      // A machine that stood still let the second one lose it: it tries again each 40 ms.
      await sleep(systemTimers, 400);
      return false;
    });
    expect(first.isHeld).toBe(false);
    for (const lease of [first, second]) await lease.stop();
  });

  test('while NATS cannot be reached nobody is the first', async (context) => {
    const setup = newSetup(context);
    await server.kill();
    const leases = ['one', 'two', 'three'].map((holder) => leaseOf(setup, holder, 60_000));
    let known = 0;
    const results = leases.map(async (lease) => {
      const isFirst = await lease.holdFirst();
      known += 1;
      return isFirst;
    });
    const asked = leaseOf(setup, 'four').tryHold();
    await expect(asked).rejects.toMatchObject({ code: 'LOG_UNREACHABLE' });
    expect(known).toBe(0);
    await server.startAgain();
    expect((await Promise.all(results)).filter((isFirst) => isFirst)).toHaveLength(1);
    for (const lease of leases) await lease.stop();
  });
}

function testFollower(): void {
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

  test('with a wrong password ends, and says so', async (context) => {
    const setup = newSetup(context);
    const log = { ...setup.log, servers: [server.urlOf('slotbook', 'guess')] };
    await expect(new Edge({ ...setup, log }).ended).rejects.toMatchObject({ code: 'LOG_REFUSED' });
    const core = await Core.start({ ...setup, log }, { seed: 1 });
    expect(core.messages).toMatchObject([{ kind: 'refused', code: 'LOG_REFUSED' }]);
  });

  test('a follower that joins a log whose messages are gone says so, and waits for the next checkpoint', async (context) => {
    const setup = newSetup(context);
    const core = await Core.start(setup, { seed: 15 });
    await core.writeSlots(1);
    await until(() => core.stored === 1);
    await core.writeSlots(1);
    await new Edge(setup).showsBook(core.book);
    await (await openLog(setup)).manager.streams.purge(setup.log.stream, { keep: 1 });
    const edge = new Edge(setup);
    await until(() => edge.follower.status().reason?.includes('no checkpoint') === true);
    await core.beginSegment();
    await core.writeSlots(1);
    await edge.showsBook(core.book);
    expect(edge.follower.status()).toMatchObject({ state: 'live', reason: null });
  });

  test('a take-over waits for a server that is away, and fences off the core before it', async (context) => {
    const setup = newSetup(context);
    const { core, edge } = await startFollowed(setup, { seed: 19 }, 2);
    await server.kill();
    const { signal } = context;
    const taking = takeLogOver({
      ...{ setup, follower: edge.follower, run: 'next', timers: systemTimers, signal },
    });
    await sleep(systemTimers, 2 * LOG_RETRY_MS);
    await server.startAgain();
    const { sequence } = await taking;
    const appender = await newAppender(setup);
    expect(await appender.readLast()).toMatchObject({ sequence });
    await core.writeSlots(1);
    const refused = expect.objectContaining({ kind: 'refused', code: 'LOG_FENCED' });
    await until('a core that is fenced off', () =>
      core.messages.some((message) => refused.asymmetricMatch(message)),
    );
  });

  test('a core whose turns were lost stops for good, and says why', async (context) => {
    const core = await Core.start(newSetup(context), { seed: 18 });
    await core.writeSlots(1);
    await core.service.receiveMessage({ kind: 'lost', reason: 'turns were lost' });
    await core.service.receiveMessage({ kind: 'flush', id: 1 });
    expect([core.state, core.reason]).toEqual(['stopped', 'turns were lost']);
    expect(core.messages).toContainEqual(
      expect.objectContaining({ kind: 'refused', code: 'JOURNAL_FAILED' }),
    );
  });

  test('a log that is full says so, and misses nothing when there is room again', async (context) => {
    const setup = newSetup(context);
    const { core, edge } = await startFollowed(setup, { seed: 17 }, 3);
    const { streams } = (await openLog(setup)).manager;
    const { stream } = setup.log;
    const { bytes } = (await streams.info(stream)).state;
    // As on full servers: nothing is deleted for new messages.
    await streams.update(stream, { discard: DiscardPolicy.New, max_bytes: bytes });
    await core.writeSlots(5);
    await until('a core that says so', () => core.reason.includes('the log is full'));
    expect(core.state).toBe('stopped');
    await streams.update(stream, { discard: DiscardPolicy.Old, max_bytes: setup.bytesMax });
    await edge.showsBook(core.book);
    expect(core.state).toBe('writing');
    expect(edge.follower.stats()).toMatchObject({ logRestores: 1 });
  });
}

function streamsOf({ log: place, ...origin }: LogSetup, run?: string): LeafStreams {
  const parts = { place, timers: systemTimers, log: silentLog };
  return new LeafStreams({
    ...parts,
    ...(run === undefined ? {} : { writer: { run, setup: { log: place, ...origin } } }),
  });
}

/** Reads the leaves that are there, until one of this number. */
async function leavesUntil(streams: LeafStreams, last: number): Promise<string[]> {
  const found: string[] = [];
  for await (const { index, bytes } of streams.readLeaves(0)) {
    if (bytes.length > 0) found.push(`${index} ${Buffer.from(bytes)}`);
    if (bytes.length > 0 && index >= last) break;
  }
  return found;
}

function testLeafStreams(): void {
  test('have one writer, and a leaf of a stranger is passed', async (context) => {
    const plain = newSetup(context);
    const setup = { ...plain, log: { ...plain.log, key: 'secret' } };
    const [first, second, reader] = [
      streamsOf(setup, 'a'),
      streamsOf(setup, 'b'),
      streamsOf(setup),
    ];
    context.onTestFinished(async () => {
      for (const streams of [first, second, reader]) await streams.stop();
    });
    await first.claim();
    await first.appendLeaf(0, Buffer.from('one'));
    await first.appendProof({ note: 'note', index: 0, entries: Buffer.from('entries') });
    const stranger = streamsOf({ ...setup, log: { ...setup.log, key: 'guess' } }, 'c');
    await stranger.claim();
    await stranger.appendLeaf(1, Buffer.from('forged'));
    await stranger.stop();
    await first.appendLeaf(1, Buffer.from('two'));
    const { leaves } = await second.claim();
    expect(leaves).toBe(6);
    await expect(first.appendLeaf(2, Buffer.from('late'))).rejects.toMatchObject({
      code: 'LOG_FENCED',
    });
    await second.appendLeaf(2, Buffer.from('three'));
    expect(await leavesUntil(reader, 2)).toEqual(['0 one', '1 two', '2 three']);
    for await (const { note, index, entries } of reader.readProofs()) {
      if (note === '') continue;
      expect([note, index, Buffer.from(entries).toString()]).toEqual(['note', 0, 'entries']);
      break;
    }
    const { manager } = await openLog(setup);
    const limits = async (name: string): Promise<unknown[]> => {
      const { config } = await manager.streams.info(`${setup.log.stream}-${name}`);
      return [config.max_age, config.max_bytes, config.max_msgs];
    };
    expect(await limits('leaves')).toEqual([0, -1, -1]);
    expect(await limits('proofs')).toEqual([3_600 * 1e9, 32 * 1024 * 1024, -1]);
  });
}

/** The digests of turns with a hash, as the messages of a log give them. */
async function digestsIn({ log }: LogSetup, count: number): Promise<string[]> {
  const reader = await LogReader.openLog(log, systemTimers);
  const checkpoint = await until(() => reader.readCheckpoint().catch(() => null));
  const engine = new Engine({ programId: PROGRAM_ID, epoch: '' });
  const records = new JournalReader(PROGRAM_ID);
  records.keepDigest();
  records.pushBytes(checkpoint.bytes);
  while (engine.readJournal(records).kind !== 'moreBytes');
  records.finish();
  const found: string[] = [];
  for await (const message of reader.readMessages(checkpoint.next, new AbortController().signal)) {
    if (message.id?.index === 0) records.beginTail();
    records.pushBytes(message.bytes);
    while (engine.readJournal(records).kind === 'turn') {
      const digest = records.digest();
      if (digest !== null) found.push(Buffer.from(digest).toString('hex'));
    }
    if (found.length >= count) break;
  }
  await reader.close();
  return found;
}

function testDigests(): void {
  test('a digest is that of the messages, and is given once the server has stored its turn', async (context) => {
    const setup = { ...newSetup(context), keepsDigests: true };
    const core = await Core.start(setup, { seed: 9 });
    const digests = () =>
      core.messages.flatMap((message) => (message.kind === 'taken' ? message.digests : []));
    const given = (): number => digests().length;
    await core.writeSlots(10);
    await until(() => given() >= 3);
    await server.pause();
    const before = given();
    await core.writeSlots(10);
    await sleep(systemTimers, 500);
    expect(given()).toBe(before);
    server.resume();
    await until(() => given() >= before + 3);
    const texts = digests().map(({ sha256 }) => Buffer.from(sha256).toString('hex'));
    expect(await digestsIn(setup, texts.length)).toEqual(texts);
  });
}

function testQuoteLink(): void {
  test('a link that may not subscribe says so, and goes on without', async ({
    skip,
    onTestFinished,
  }) => {
    const stream = 'denied';
    skip(natsMissing !== undefined, natsMissing);
    const denied = [`${stream}.makers`, `${stream}.quotes`];
    const server = await NatsServer.start(denied);
    onTestFinished(() => server.stop());
    const warnings: object[] = [];
    const log = { info: () => undefined, warn: (fields: object) => void warnings.push(fields) };
    const place = { servers: [server.url], stream };
    const link = new QuoteLink({ place, timers: systemTimers, log });
    link.serveRequests(async () => null);
    const running = link.start();
    onTestFinished(async () => {
      await link.stop();
      await running;
    });
    const refusals = () => warnings.filter((warning) => Object.hasOwn(warning, 'subject'));
    await until('two refusals', () => refusals().length >= 2);
    expect(refusals()).toMatchObject(denied.map((subject) => ({ subject })));
    // The reader's connection still works and reports that no core serves the request.
    await until('no core', async () => {
      const reply = await link.sendRequest('{}');
      return 'failed' in reply && reply.failed === 'noCore';
    });
  });

  test('a request is answered again after the server was away, and refused meanwhile', async (context) => {
    const { log: place } = newSetup(context);
    const log = { info: () => undefined, warn: () => undefined };
    const start = (): QuoteLink => {
      const link = new QuoteLink({ place, timers: systemTimers, log });
      const running = link.start();
      context.onTestFinished(async () => {
        await link.stop();
        await running;
      });
      return link;
    };
    const [core, edge] = [start(), start()];
    core.serveRequests(async () => 'quoted');
    const isReply = async (wanted: object) =>
      isDeepStrictEqual(await edge.sendRequest('{}'), wanted);
    await until('an answer', () => isReply({ text: 'quoted' }));
    const elsewhere: string[] = [];
    for (const link of [core, edge]) link.onMakerElsewhere((maker) => elsewhere.push(maker));
    edge.announceMaker('maker');
    await until('an announcement at the other one', () => elsewhere.length > 0);
    expect(elsewhere).toEqual(['maker']);
    await server.kill();
    await until('a refusal', () => isReply({ failed: 'noCore' }));
    await server.startAgain();
    await until('another answer', () => isReply({ text: 'quoted' }));
  });
}

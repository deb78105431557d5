/** Very many readers of streams: none that does not read hurts another, and all may come again at once. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { Random } from '../../src/sim/random.js';
import { frameBytes, OPCODE } from '../support/hostile-frames.js';
import { writeLife } from '../support/life-journal.js';
import { LinkReader } from '../support/link-reader.js';
import { RawSocket } from '../support/raw-socket.js';
import { Returner } from '../support/returner.js';
import { ServiceChild } from '../support/service-child.js';
import { writeStorm } from '../support/storm-journal.js';
import { StreamChecker } from '../support/stream-checker.js';
import { until } from '../support/until.js';

const IS_LONG = process.env['CROWD'] === 'long';
const DEAF = IS_LONG ? 500 : 30;
/** Read again after they were full. */
const SLEEPERS = IS_LONG ? 20 : 3;
/** Readers that check all they get, and those that make up the number. */
const HEALTHY = 8;
const LISTENERS = 40;
/** The processor's time is measured over so long, and over so many frames: a slow machine takes longer for them. */
const MEASURE_MS = IS_LONG ? 5_000 : 2_000;
const FRAMES_MIN = 3_000;
/** No test waits for the end of the storm, and on a slow machine it must not come before theirs. */
const STORM_SECONDS = IS_LONG ? 90 : 240;
/** Half as many in the short form: this process, which has all readers, has to keep up on any machine. */
const TICKS_PER_SECOND = IS_LONG ? 100 : 50;
/** As docs/api.md says, with what a buffer takes beside its bytes. */
const DEAF_MEGABYTES_MAX = 0.5 * 1.25;
const SLACK_MEGABYTES = 40;
const FULL_MS_MAX = 120_000;
/** Ten seconds to read, ten to hear of the close, and the looking. */
const CLOSE_MS_MAX = 60_000;
/** What the issue allows, and what a short reading cannot tell. */
const CPU_RATIO_MAX = IS_LONG ? 1.15 : 3;

const RETURNERS = IS_LONG ? 2_000 : 100;
const RETURN_MS = 5_000;
const SNAPSHOT_MS_MAX = 60_000;

/** Each is to be closed for its own sake: no total cuts them before. */
const BACKLOG = ['--socket-backlog-megabytes', '4096'];
const FLAGS = ['--lagging-after-ms', '600000', '--stale-after-ms', '900000', ...BACKLOG];

let folder: string;
let service: ServiceChild | undefined;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'slotbook-crowd-'));
});

afterEach(async () => {
  await service?.stop();
});

afterAll(() => rm(folder, { recursive: true, force: true }));

/** What the service says of its sockets. */
async function figure(name: string): Promise<number> {
  const { text } = (await service?.get('/metrics')) ?? { text: '' };
  const line = text.split('\n').find((one) => one.startsWith(`slotbook_${name} `));
  return Number(line?.split(' ')[1] ?? 0);
}

/** Microseconds of a processor for each frame that readers heard in a time. */
async function costOfDelivery(of: ServiceChild, heard: () => number): Promise<number> {
  const [frames, cpu] = [heard(), of.cpuSeconds()];
  await sleep(MEASURE_MS);
  await until(() => heard() - frames >= FRAMES_MIN, FULL_MS_MAX);
  return ((of.cpuSeconds() - cpu) * 1e6) / (heard() - frames);
}

/** The largest topics, of which each change is a large part. */
const heavy = [
  { channel: 'book', market: 'SOL-PERP', depth: 500 },
  { channel: 'l3', market: 'SOL-PERP', depth: 100 },
];

async function openDeaf(port: number, random: Random): Promise<RawSocket> {
  const deaf = await RawSocket.open(port);
  deaf.socket.pause();
  for (const request of heavy) {
    const payload = Buffer.from(JSON.stringify({ type: 'subscribe', ...request }));
    deaf.write(frameBytes(random, { opcode: OPCODE.text, payload }));
  }
  return deaf;
}

test(`${DEAF} clients that never read hurt none that does`, async () => {
  const journal = path.join(folder, 'storm');
  writeStorm(journal, {
    ...{ seed: 7, users: 60, leadMs: 2_000, calmMs: 500 },
    ...{ ticks: STORM_SECONDS * TICKS_PER_SECOND, ticksPerSecond: TICKS_PER_SECOND },
  });
  const running = await ServiceChild.replay(journal, [...FLAGS, '--messages-per-second', '100000']);
  service = running;
  const healthy = await Promise.all(
    Array.from({ length: HEALTHY }, async () => {
      const checker = await StreamChecker.open(running.url);
      await checker.follow({ channel: 'book', market: 'SOL-PERP', depth: 10 });
      await checker.follow({ channel: 'bbo', market: 'SOL-PERP' });
      return checker;
    }),
  );
  const listeners = await Promise.all(
    Array.from({ length: LISTENERS }, () =>
      LinkReader.open(running.socketUrl, [{ channel: 'bbo', market: 'SOL-PERP' }]),
    ),
  );
  // The topics of the deaf are open before they come, so that the same is made before and beside them.
  const first = await LinkReader.open(running.socketUrl, heavy);
  const heardEach = () => [
    ...healthy.map(({ client }) => client.order.length),
    ...listeners.map(({ frames }) => frames),
  ];
  const heard = () => heardEach().reduce((sum, count) => sum + count, 0);
  const isMoving = () => heard() > 5_000;
  await until(isMoving, FULL_MS_MAX);
  first.close();
  const before = await costOfDelivery(running, heard);
  const { rssMegabytes } = running.readStats();
  let most = rssMegabytes;
  const watch = setInterval(() => {
    if (running.isAlive) most = Math.max(most, running.readStats().rssMegabytes);
  }, 50);

  const random = new Random(7);
  const deaf = await Promise.all(
    Array.from({ length: DEAF }, () => openDeaf(running.port, random)),
  );
  const fullBy = (count: number) =>
    until(async () => (await figure('socket_slow_total')) >= count, FULL_MS_MAX);
  await fullBy(DEAF);
  const beside = await costOfDelivery(running, heard);
  const sleepers = await Promise.all(
    Array.from({ length: SLEEPERS }, () => LinkReader.open(running.socketUrl, heavy)),
  );
  for (const reader of sleepers) reader.socket.pause();
  await fullBy(DEAF + SLEEPERS);
  for (const reader of sleepers) reader.socket.resume();
  const areReset = () => sleepers.every(({ resets }) => resets >= heavy.length);
  await until(areReset);
  if (IS_LONG) {
    const closed = async () => (await running.get('/metrics')).text;
    const line = `slotbook_socket_closes_total{reason="slowReader"} ${DEAF}`;
    const areClosed = async () => (await closed()).includes(line);
    await until(areClosed, CLOSE_MS_MAX);
  }
  clearInterval(watch);

  for (const checker of healthy) {
    for (let round = 0; round < 5; round += 1) await checker.compareMoving();
    const { client, counts } = checker;
    expect([client.faults, client.resets, counts.differences]).toEqual([[], 0, []]);
    for (const book of client.books.values()) expect(book.counts.snapshot).toBe(1);
  }
  for (const { holes, resets } of listeners) expect([holes, resets]).toEqual([[], 0]);
  for (const { holes } of sleepers) expect(holes).toEqual([]);
  expect(most - rssMegabytes).toBeLessThan(
    (DEAF + SLEEPERS) * DEAF_MEGABYTES_MAX + SLACK_MEGABYTES,
  );
  process.stdout.write(
    `${DEAF} deaf, ${SLEEPERS} sleepers: RSS ${rssMegabytes.toFixed(0)} MB before, at most ${most.toFixed(0)} MB; ` +
      `a delivery costs ${before.toFixed(1)} us before, ${beside.toFixed(1)} us beside them; ` +
      `each of ${HEALTHY + LISTENERS} healthy had ${Math.min(...heardEach())} frames and more, none missing\n`,
  );
  for (const checker of healthy) await checker.close();
  for (const reader of [...sleepers, ...listeners]) reader.close();
  for (const socket of deaf) socket.destroy();
  expect(beside / before).toBeLessThan(CPU_RATIO_MAX);
});

test(`${RETURNERS} clients come again within five seconds`, async () => {
  const journal = path.join(folder, 'life');
  const changes = { changes: 1_000, changesPerSecond: 25 };
  writeLife(journal, { seed: 8, leadMs: 1_000, ...changes });
  const running = await ServiceChild.replay(journal, FLAGS);
  service = running;
  const random = new Random(8);
  const clients = Array.from({ length: RETURNERS }, (_, at) => new Returner(running.socketUrl, at));
  const comeAll = () =>
    Promise.all(
      clients.map(async (client) => {
        await sleep(random.nextBelow(RETURN_MS));
        return client.come(SNAPSHOT_MS_MAX);
      }),
    );
  await comeAll();
  for (const client of clients) client.leave();
  const waitedMs = (await comeAll()).sort((a, b) => a - b);
  const at = (share: number) => (waitedMs[Math.ceil(share * waitedMs.length) - 1] ?? 0).toFixed(0);
  process.stdout.write(
    `${RETURNERS} clients came again: first frame after ${at(0.5)} ms (half), ${at(0.99)} ms (99 %), ${at(1)} ms (all)\n`,
  );
  expect(waitedMs.at(-1)).toBeLessThan(SNAPSHOT_MS_MAX);
  for (const client of clients) client.leave();
});

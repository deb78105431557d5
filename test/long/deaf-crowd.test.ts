/** A crowd that reads nothing: what waits for it in all is bounded, and its memory comes back. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Random } from '../../src/sim/random.js';
import { frameBytes, OPCODE } from '../support/hostile-frames.js';
import { pooled } from '../support/hostile-ground.js';
import { ModelClient } from '../support/model-client.js';
import { RawSocket } from '../support/raw-socket.js';
import { ServiceChild } from '../support/service-child.js';
import { writeStorm } from '../support/storm-journal.js';
import { until } from '../support/until.js';

const IS_LONG = process.env['DEAF'] === 'long';
const DEAF = IS_LONG ? 1_000 : 60;
/** The default in the long form. */
const BACKLOG_MEGABYTES = IS_LONG ? 256 : 8;
/** At most so many can wait with their full share, so at least the rest of them is cut. */
const CUT_MIN = DEAF / 4;
/** Beside the bytes that wait: the sockets themselves, garbage, and what comes between two checks. */
const SLACK_MEGABYTES = IS_LONG ? 200 : 60;
/** What may be left when all have gone. */
const LEFT_MEGABYTES_MAX = IS_LONG ? 150 : 60;
const SETTLE_MS_MAX = 60_000;
const FULL_MS_MAX = 240_000;
const STORM = { ticks: IS_LONG ? 60_000 : 24_000, ticksPerSecond: 100 };
const LANES = 50;

let folder: string;
let service: ServiceChild;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'slotbook-deaf-'));
  const journal = path.join(folder, 'storm');
  writeStorm(journal, { ...{ seed: 7, users: 60, leadMs: 2_000, calmMs: 500 }, ...STORM });
  service = await ServiceChild.replay(journal, [
    ...['--lagging-after-ms', '600000', '--stale-after-ms', '900000'],
    ...['--socket-backlog-megabytes', String(BACKLOG_MEGABYTES)],
  ]);
});

afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** The largest topics, of which each change is a large part. */
const heavy = [
  { channel: 'book', market: 'SOL-PERP', depth: 500 },
  { channel: 'l3', market: 'SOL-PERP', depth: 100 },
];

/** A client that subscribes and then reads nothing. */
async function openDeaf(random: Random): Promise<RawSocket> {
  const deaf = await RawSocket.open(service.port);
  deaf.socket.pause();
  for (const request of heavy) {
    const payload = Buffer.from(JSON.stringify({ type: 'subscribe', ...request }));
    deaf.write(frameBytes(random, { opcode: OPCODE.text, payload }));
  }
  return deaf;
}

async function cutCount(): Promise<number> {
  const { text } = await service.get('/metrics');
  return Number(/slotbook_socket_closes_total\{reason="backlog"\} (\d+)/.exec(text)?.[1] ?? 0);
}

test(`${DEAF} clients that read nothing cost no more than the total`, async (context) => {
  if (process.platform !== 'linux') context.skip('needs /proc');
  const readers = await Promise.all(
    Array.from({ length: 8 }, () => ModelClient.open(service.socketUrl)),
  );
  const books = await Promise.all(
    readers.map((reader) => reader.follow({ channel: 'bbo', market: 'SOL-PERP' })),
  );
  await until(() => books.every(({ counts }) => counts.delta > 20), FULL_MS_MAX);
  const before = service.readStats().rssMegabytes;
  let most = before;
  const watch = setInterval(() => {
    if (service.isAlive) most = Math.max(most, service.readStats().rssMegabytes);
  }, 50);
  const random = new Random(7);
  const deaf: RawSocket[] = [];
  await pooled(Array.from({ length: DEAF }), LANES, async () => {
    deaf.push(await openDeaf(random));
  });
  await until(async () => (await cutCount()) >= CUT_MIN, FULL_MS_MAX);
  clearInterval(watch);
  for (const socket of deaf) socket.destroy();
  const isBack = () => service.readStats().rssMegabytes - before < LEFT_MEGABYTES_MAX;
  await until(isBack, SETTLE_MS_MAX).catch(() => undefined);
  const left = service.readStats().rssMegabytes;
  process.stdout.write(
    `${DEAF} deaf, ${await cutCount()} cut for the total of ${BACKLOG_MEGABYTES} MB; RSS ` +
      `${[before, most, left].map((megabytes) => megabytes.toFixed(0)).join(', ')} MB before, at most, after\n`,
  );
  expect(most - before).toBeLessThan(BACKLOG_MEGABYTES + SLACK_MEGABYTES);
  expect(left - before).toBeLessThan(LEFT_MEGABYTES_MAX);
  // Those that read have missed nothing.
  for (const { faults, resets } of readers) expect([faults, resets]).toEqual([[], 0]);
  for (const reader of readers) await reader.close();
});

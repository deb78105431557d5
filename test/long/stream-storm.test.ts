/** An oracle that moves a thousand times a second makes no more frames than the interval allows. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { ServiceChild } from '../support/service-child.js';
import { writeStorm } from '../support/storm-journal.js';
import { StreamChecker } from '../support/stream-checker.js';
import type { StreamRequest } from '../support/stream-follower.js';
import { until } from '../support/until.js';

const SECONDS = Number(process.env['STORM_SECONDS'] ?? 4);
const TICKS_PER_SECOND = 1_000;
const USERS = 100;
const INTERVAL_MS = 10;
/** A tick may be a little later than its frame is due, and the next ones then follow sooner. */
const FRAMES_A_SECOND_MAX = 1_000 / INTERVAL_MS + 2;
/** As busy as the machine may be. */
const FRAMES_A_SECOND_MIN = 10;
const TEST_MS_MAX = 300_000 + SECONDS * 4_000;

let folder: string;
let service: ServiceChild;
let checker: StreamChecker | undefined;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'slotbook-storm-'));
  const journal = path.join(folder, 'storm');
  writeStorm(journal, {
    ...{ seed: 5, users: USERS, ticks: SECONDS * TICKS_PER_SECOND },
    ...{ ticksPerSecond: TICKS_PER_SECOND, leadMs: 6_000, calmMs: 1_000 },
    streamIntervalMs: INTERVAL_MS,
  });
  service = await ServiceChild.replay(journal, [
    ...['--lagging-after-ms', '600000', '--stale-after-ms', '900000'],
    ...['--markets', 'SOL-PERP,BTC-PERP'],
  ]);
});

afterAll(async () => {
  await checker?.close();
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

const sol = { market: 'SOL-PERP' } as const;
const requests: readonly StreamRequest[] = [
  { ...sol, channel: 'book', depth: 10 },
  { ...sol, channel: 'book', depth: 50 },
  { ...sol, channel: 'book', depth: 100, grouping: 10 },
  { ...sol, channel: 'bbo' },
  { ...sol, channel: 'l3', depth: 50 },
];

/** The most times within any second of a list in order, in milliseconds. */
function mostInSecond(timesMs: readonly number[]): number {
  let [most, from] = [0, 0];
  timesMs.forEach((time, at) => {
    while ((timesMs[from] ?? time) <= time - 1_000) from += 1;
    most = Math.max(most, at - from + 1);
  });
  return most;
}

test('a storm of the oracle is a frame each interval, and its last state arrives', {
  timeout: TEST_MS_MAX,
}, async () => {
  checker = await StreamChecker.open(service.url);
  const madeMs = new Map<string, number[]>();
  checker.listen((frame) => {
    if (frame.type !== 'delta') return;
    const times = madeMs.get(frame.topic) ?? [];
    madeMs.set(frame.topic, times);
    times.push(Number(frame['ts']));
  });
  for (const request of requests) await checker.follow(request);
  const cpu = service.cpuSeconds();
  const isOver = () => service.stderr.includes('replay ended');
  await until(isOver, TEST_MS_MAX);
  const used = service.cpuSeconds() - cpu;
  await checker.compareAtRest();
  expect(checker.client.faults).toEqual([]);
  expect(checker.counts.differences).toEqual([]);
  expect(madeMs.size).toBe(requests.length);
  for (const [topic, times] of madeMs) {
    const most = mostInSecond(times);
    expect(most, topic).toBeLessThanOrEqual(FRAMES_A_SECOND_MAX);
    expect(times.length, topic).toBeGreaterThanOrEqual(SECONDS * FRAMES_A_SECOND_MIN);
    process.stdout.write(
      `${topic}: ${times.length} frames of ${SECONDS * TICKS_PER_SECOND} ticks in ${SECONDS} s, ` +
        `at most ${most} in a second\n`,
    );
  }
  const { bytes } = checker.client;
  process.stdout.write(
    `storm: ${(bytes / 1e6).toFixed(1)} MB, ${used.toFixed(1)} s of a processor\n`,
  );
});

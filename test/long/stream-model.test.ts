/**
 * A client of the description follows the streams of a replayed life, and has the book of /l2 and /l3
 * whenever it looks. `npm run test:long -- stream` has a million changes.
 */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { MarketSimulator } from '../../src/sim/market/market-simulator.js';
import { writeLife } from '../support/life-journal.js';
import { ServiceChild } from '../support/service-child.js';
import { StreamChecker } from '../support/stream-checker.js';
import type { StreamRequest } from '../support/stream-follower.js';

const CHANGES = Number(process.env['STREAM_CHANGES'] ?? 20_000);
/** A life of its own for each so many changes. */
const ROUND_CHANGES = Math.min(CHANGES, 100_000);
const CHANGES_PER_SECOND = CHANGES > ROUND_CHANGES ? 4_000 : 2_000;
/** Frames of a topic are as far apart, by rounds: the default, and as good as each turn. */
const INTERVALS_MS = [10, 1] as const;
const SEED = Number(process.env['SEED'] ?? 4);
const MAKERS = 60;
/** Readers come before the life begins. */
const LEAD_MS = 2_000;
/** A short life, and frames so far apart that its last changes wait for one when it is over. */
const WAITING = { changes: 1_000, intervalMs: 2_000 } as const;
/** Of the rounds of comparisons, those in which a topic has the seq of its path: 0.7 and more are usual. */
const COMPARED_SHARE_MIN = 0.1;
const ROUND_MS_MAX = 240_000;
/** Only what is in the journal changes the state, and each comparison has a ping. */
const FLAGS = ['--lagging-after-ms', '600000', '--stale-after-ms', '900000'].concat([
  '--messages-per-second',
  '100000',
]);

let folder: string;
let service: ServiceChild | undefined;
let checker: StreamChecker | undefined;

afterEach(async () => {
  await checker?.close();
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Channels, depths, groupings and source sets; one maker who quotes, and one who does not. */
function requests(seed: number): StreamRequest[] {
  const maker = new MarketSimulator({ seed, makers: MAKERS }).makers[0]?.pubkey ?? '';
  const book = { channel: 'book', market: 'SOL-PERP' } as const;
  return [
    ...[10, 20, 50, 100, 500].map((depth) => ({ ...book, depth })),
    ...[10, 100, 100_000].map((grouping) => ({ ...book, grouping })),
    { ...book, grouping: 7, depth: 20, includeVamm: true },
    { ...book, includeVamm: true, includeIndicative: true },
    { channel: 'book', market: 'ETH-PERP', depth: 20, timing: true },
    { channel: 'bbo', market: 'SOL-PERP' },
    { channel: 'bbo', market: 'BTC-PERP', includeVamm: true },
    { channel: 'l3', market: 'SOL-PERP', depth: 10 },
    { channel: 'l3', market: 'SOL-PERP', depth: 500 },
    { channel: 'l3', market: 'BTC-PERP', depth: 100, timing: true },
    { channel: 'l3', market: 'SOL-PERP', depth: 500, maker },
    { channel: 'l3', market: 'SOL-PERP', maker: '11111111111111111111111111111111' },
  ];
}

/** One life, followed to its end; answers what was seen. */
async function follow(seed: number, changes: number, intervalMs: number) {
  folder = await mkdtemp(path.join(tmpdir(), 'slotbook-stream-'));
  const journal = path.join(folder, 'life');
  writeLife(journal, {
    ...{ seed, makers: MAKERS, leadMs: LEAD_MS, interrupted: true },
    ...{ changes, changesPerSecond: CHANGES_PER_SECOND, streamIntervalMs: intervalMs },
  });
  service = await ServiceChild.replay(journal, FLAGS);
  checker = await StreamChecker.open(service.url);
  for (const request of requests(seed)) await checker.follow(request);
  while (!service.stderr.includes('replay ended')) await checker.compareMoving();
  await checker.compareAtRest();
  const { client, counts, least } = checker;
  const { text } = await service.get('/metrics');
  const resets = Number(/^slotbook_socket_resets_total (\d+)$/m.exec(text)?.[1]);
  await client.settle();
  const books = [...client.books.values()];
  const sum = (name: 'snapshot' | 'delta' | 'heartbeat') =>
    books.reduce((total, book) => total + book.counts[name], 0);
  return { client, counts, least, books, deltas: sum('delta'), resets };
}

for (let round = 0; round * ROUND_CHANGES < CHANGES; round += 1) {
  const seed = SEED + round;
  const intervalMs = INTERVALS_MS[round % INTERVALS_MS.length] ?? 0;
  const name = `a reader has the book of its path at every seq: seed ${seed}, a frame each ${intervalMs} ms`;
  test(name, { timeout: ROUND_MS_MAX }, async () => {
    const seen = await follow(seed, ROUND_CHANGES, intervalMs);
    const { client, counts, least, books, deltas, resets } = seen;
    expect(client.faults).toEqual([]);
    expect(counts.differences.slice(0, 3)).toEqual([]);
    // A busy machine has fewer rounds, and no other share of comparisons.
    expect(least.compared, least.topic).toBeGreaterThan(counts.rounds * COMPARED_SHARE_MIN);
    // Every topic began anew as the epoch changed, and else only where the service says so too: to a
    // reader that was behind at that time, one snapshot is both.
    expect(client.resets).toBeLessThanOrEqual(books.length + resets);
    expect(client.resets).toBeGreaterThanOrEqual(Math.max(books.length, resets));
    process.stdout.write(
      `seed ${seed}: ${ROUND_CHANGES} changes, ${books.length} topics, ${deltas} deltas, ` +
        `${(client.bytes / 1e6).toFixed(1)} MB, ${counts.rounds} rounds, ${counts.compared} comparisons, ` +
        `${counts.passed} without one, at least ${least.compared} of a topic, ${resets} resets\n`,
    );
  });
}

test('a reader has the last book, though its frame comes after the change', {
  timeout: ROUND_MS_MAX,
}, async () => {
  const { client, counts } = await follow(SEED, WAITING.changes, WAITING.intervalMs);
  expect(client.faults).toEqual([]);
  expect(counts.differences).toEqual([]);
});

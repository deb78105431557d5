/** Whatever goes wrong on the way to a reader, it sees it and comes to the right book again. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { Random } from '../../src/sim/random.js';
import { FrameProxy, INJECTIONS } from '../support/frame-proxy.js';
import { HealingClient } from '../support/healing-client.js';
import { writeLife } from '../support/life-journal.js';
import { ServiceChild } from '../support/service-child.js';
import { rowsOf } from '../support/stream-checker.js';
import type { StreamRequest } from '../support/stream-follower.js';
import { until } from '../support/until.js';

const FEW_CHANGES = 8_000;
const CHANGES = Number(process.env['INJECTED_CHANGES'] ?? FEW_CHANGES);
/** What piles up while a machine stands still passes at once, and few faults are injected into it. */
const CHANGES_PER_SECOND = CHANGES > FEW_CHANGES ? 2_000 : 500;
const LEAD_MS = 2_000;
const SEED = Number(process.env['SEED'] ?? 44);
const TEST_MS_MAX = 300_000 + (2 * CHANGES * 1_000) / CHANGES_PER_SECOND;
/** Of each kind, on each topic. The life goes on whatever the clients do, so a busy machine has fewer. */
const INJECTED_MIN = 1;

/** Ten rows, so that the checksum is of all that a reader has. */
const requests: readonly StreamRequest[] = [
  { channel: 'book', market: 'SOL-PERP', depth: 10 },
  { channel: 'book', market: 'SOL-PERP', depth: 10, grouping: 100 },
  { channel: 'bbo', market: 'SOL-PERP' },
  { channel: 'l3', market: 'SOL-PERP', depth: 10 },
];

let folder: string;
let service: ServiceChild;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'slotbook-injected-'));
  const journal = path.join(folder, 'life');
  const life = { seed: SEED, changes: CHANGES, changesPerSecond: CHANGES_PER_SECOND };
  writeLife(journal, { ...life, leadMs: LEAD_MS });
  service = await ServiceChild.replay(journal, [
    ...['--lagging-after-ms', '600000', '--stale-after-ms', '900000'],
  ]);
}, TEST_MS_MAX);

afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function shownBy({
  channel,
  market,
  depth = 1,
  grouping = 1,
}: StreamRequest): Promise<string> {
  const route = channel === 'l3' ? 'l3' : 'l2';
  const query = `marketName=${market}&depth=${depth}${channel === 'l3' ? '' : `&grouping=${grouping}`}`;
  return rowsOf(channel, JSON.parse((await service.get(`/${route}?${query}`)).text));
}

test('holes, doubles, wrong sums, other epochs, swaps and cuts are all seen and all healed', {
  timeout: TEST_MS_MAX,
}, async () => {
  const readers = await Promise.all(
    requests.map(async (request, at) => {
      const proxy = await FrameProxy.start(service.socketUrl, new Random(SEED + at));
      return { request, proxy, client: new HealingClient(proxy.url, request) };
    }),
  );
  await until(() => service.stderr.includes('replay ended'), TEST_MS_MAX);
  // After the last change its frame is made, sent and read; a heartbeat comes after a second.
  const wholeOf = ({ request, client: { book } }: (typeof readers)[number]) =>
    request.channel === 'l3' ? book.orders : book.levels;
  const isHealed = async (reader: (typeof readers)[number]): Promise<boolean> => {
    if (!reader.proxy.settle() || !reader.client.isFollowing) return false;
    const shown = await shownBy(reader.request);
    const { bids, asks } = wholeOf(reader);
    return reader.proxy.settle() && JSON.stringify([bids, asks]) === shown;
  };
  const areHealed = async () => (await Promise.all(readers.map(isHealed))).every(Boolean);
  await until(areHealed, 120_000);
  for (const { request, proxy, client } of readers) {
    const { book, errors, seen } = client;
    const name = JSON.stringify(request);
    expect([proxy.missed, proxy.falseAlarms, errors], name).toEqual([[], 0, []]);
    for (const kind of INJECTIONS) {
      const { injected, seen, resumed, restarted } = proxy.counts[kind];
      expect(injected, `${kind} of ${name}`).toBeGreaterThanOrEqual(INJECTED_MIN);
      expect([seen, resumed + restarted], `${kind} of ${name}`).toEqual([injected, injected]);
    }
    const counts = INJECTIONS.map(
      (kind) => `${kind} ${Object.values(proxy.counts[kind]).join('/')}`,
    );
    process.stdout.write(
      `${book.topic}: ${book.counts.delta} deltas; injected/seen/resumed/restarted: ${counts.join(', ')}; ` +
        `as ${[...seen].map(([kind, count]) => `${kind} ${count}`).join(', ')}\n`,
    );
    client.close();
    await proxy.stop();
  }
});

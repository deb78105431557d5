/** Clients of other makes follow a book by the description alone, and have the book of /l2 at the end. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, test } from 'vitest';
import { writeLife } from './support/life-journal.js';
import { ModelClient } from './support/model-client.js';
import { ServiceChild } from './support/service-child.js';
import { rowsOf } from './support/stream-checker.js';
import { type OpenStreamPeer, streamPeerKinds } from './support/stream-peers.js';
import { until } from './support/until.js';

const CHANGES = 6_000;
/** Twenty seconds, so that a client which connects late on a busy machine still hears enough. */
const CHANGES_PER_SECOND = 300;
const LEAD_MS = 4_000;
const DELTAS_MIN = 200;
const DEADLINE_MS = 120_000;
const wish = { channel: 'book', market: 'SOL-PERP', depth: 50, grouping: 10 };

const kinds = streamPeerKinds();
const ready = new Map<string, OpenStreamPeer>();
let folder: string;
let service: ServiceChild;
/** Follows the same topic, and so knows when the last change was published. */
let witness: ModelClient;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'slotbook-clients-'));
  const journal = path.join(folder, 'life');
  const life = { seed: 6, changes: CHANGES, changesPerSecond: CHANGES_PER_SECOND };
  writeLife(journal, { ...life, leadMs: LEAD_MS });
  // Compilers and browsers take their time, and the journal does not wait for them.
  const found = kinds.filter(({ missing }) => missing === undefined);
  for (const { name, prepare } of found) ready.set(name, await prepare(folder));
  service = await ServiceChild.replay(journal, [
    ...['--lagging-after-ms', '600000', '--stale-after-ms', '900000'],
  ]);
  witness = await ModelClient.open(service.socketUrl);
  await witness.follow(wish);
});

afterAll(async () => {
  await witness?.close();
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** A topic has a heartbeat when it had no frame for a second: what changed last has gone out by then. */
async function untilAllIsPublished(): Promise<void> {
  await until(() => service.stderr.includes('replay ended'), DEADLINE_MS);
  const heartbeats = () => witness.order.filter((one) => one.startsWith('heartbeat ')).length;
  const before = heartbeats();
  await until(() => heartbeats() > before + 1, DEADLINE_MS);
}

describe.concurrent('a stream is followed without a fault by', () => {
  for (const { name, missing } of kinds) {
    test(name, async (context) => {
      if (missing !== undefined) context.skip(missing);
      const { expect } = context;
      const open = ready.get(name);
      if (open === undefined) throw new Error(`Invariant: ${name} is prepared`);
      const subscribe = { type: 'subscribe', id: name, ...wish };
      const peer = await open(service.socketUrl, subscribe);
      await untilAllIsPublished();
      const { bids, asks, faults, deltas, epoch, seq } = await peer.finish();
      expect(faults).toEqual([]);
      expect(deltas).toBeGreaterThan(DELTAS_MIN);
      const { market, depth, grouping } = wish;
      const query = `marketName=${market}&depth=${depth}&grouping=${grouping}`;
      const body = JSON.parse((await service.get(`/l2?${query}`)).text);
      expect(JSON.stringify([bids, asks])).toBe(rowsOf('book', body));
      expect(epoch).toBe(body.epoch);
      expect(seq).toBeLessThanOrEqual(body.seq);
      process.stdout.write(`${name}: ${deltas} deltas without a fault\n`);
    });
  }
});

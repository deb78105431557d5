/** Clients of other makes follow a book by the description alone, and have the book of /l2 at the end. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, test, vi } from 'vitest';
import { recordLife } from './support/life-recording.js';
import { ServiceChild } from './support/service-child.js';
import { rowsOf } from './support/stream-checker.js';
import { streamPeerKinds } from './support/stream-peers.js';

const CHANGES = 6_000;
const CHANGES_PER_SECOND = 1_000;
/** A browser takes its time to start, as does a compiler. */
const LEAD_MS = 8_000;
const DELTAS_MIN = 200;
/** After the last change its frame is made, sent and read; a heartbeat comes after a second. */
const LAST_FRAME_MS = 1_500;
const wish = { channel: 'book', market: 'SOL-PERP', depth: 50, grouping: 10 };

let folder: string;
let service: ServiceChild;

beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'slotbook-clients-'));
  const file = path.join(folder, 'life');
  const life = { seed: 6, changes: CHANGES, changesPerSecond: CHANGES_PER_SECOND };
  await recordLife(file, { ...life, leadMs: LEAD_MS });
  service = await ServiceChild.replay(file, [
    ...['--lagging-after-ms', '600000', '--stale-after-ms', '900000'],
  ]);
});

afterAll(async () => {
  await service?.stop();
  await rm(folder, { recursive: true, force: true });
});

describe.concurrent('a stream is followed without a fault by', () => {
  for (const { name, missing, open } of streamPeerKinds()) {
    test(name, async (context) => {
      if (missing !== undefined) context.skip(missing);
      const { expect } = context;
      const subscribe = { type: 'subscribe', id: name, ...wish };
      const peer = await open(service.socketUrl, subscribe, folder);
      const isOver = () => service.stderr.includes('replay ended');
      await vi.waitUntil(isOver, { timeout: 120_000, interval: 50 });
      await sleep(LAST_FRAME_MS);
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

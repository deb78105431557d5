/** Requests for past moments over real files; the test controls time and the journal's flush. */
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest';
import { ManualTimers } from '../../test/support/manual-timers.js';
import type { AsOfReply, AsOfRequest } from '../contract/as-of-source.js';
import { PROGRAM_ID } from '../sim/bytes/keys.js';
import { PastLife, readsOf } from './as-of/testing.js';
import { AsOfReads } from './as-of-reads.js';
import { AS_OF_IDLE_MS, AS_OF_MS_MAX, AS_OF_WAITING_MAX } from './model/limits.js';
import { readSegments } from './store/segment-index.js';
import { summaryPath } from './store/summary-file.js';

const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-as-of-reads-'));
const life = new PastLife(folder, 3);
const isGone = (): boolean => false;
const stays = { client: undefined, isGone };

/** Flushes that the test completes. */
class HeldJournal {
  readonly flushes: (() => void)[] = [];
  isHeld = false;
  isWhole = true;

  flush(): Promise<boolean> {
    return new Promise((resolve) => {
      const end = () => resolve(this.isWhole);
      this.flushes.push(end);
      if (!this.isHeld) end();
    });
  }

  readStats() {
    return { newest: life.shown.at(-1) ?? null };
  }
}

let journal: HeldJournal;
let timers: ManualTimers;
/** Time since the last turn, by the clock. */
let quietMs = 0;
let reads: AsOfReads | undefined;

beforeAll(() => life.live(60));

afterEach(() => {
  quietMs = 0;
  return reads?.stop();
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function newReads(): AsOfReads {
  journal = new HeldJournal();
  timers = new ManualTimers();
  const log = { info: () => undefined, warn: () => undefined };
  const files = { folder, programId: PROGRAM_ID };
  timers.unixMs = () => life.nowMs + quietMs;
  reads = new AsOfReads({ files, journal, log, timers, threadsMax: 1 });
  return reads;
}

/** The book of a turn, counted back from the last. */
function request(turnsAgo: number): AsOfRequest {
  const [read] = life.markets.flatMap((market) => [...readsOf(market).values()]);
  const shown = life.shown.at(-1 - turnsAgo);
  if (read === undefined || shown === undefined) throw new Error('there is a life');
  return { moment: { by: 'ts', value: shown.ts }, bodies: { read } };
}

function kindsOf(replies: readonly AsOfReply[]): Record<string, number> {
  const kinds: Record<string, number> = {};
  for (const { kind } of replies) kinds[kind] = (kinds[kind] ?? 0) + 1;
  return kinds;
}

test('beyond the limit requests are refused, and the others have their books', async () => {
  const past = newReads();
  const asked = Array.from({ length: AS_OF_WAITING_MAX + 5 }, (_, at) =>
    past.readMoment(request(1 + (at % 40)), stays),
  );
  expect(kindsOf(await Promise.all(asked))).toEqual({ body: AS_OF_WAITING_MAX, busy: 5 });
  expect(past.readStats().threads).toBe(1);
  expect((await past.readMoment(request(5), stays)).kind).toBe('body');
  const { open, events } = past.readStats();
  const bodies = AS_OF_WAITING_MAX + 1;
  expect(open).toBe(0);
  expect(events).toMatchObject({ requests: bodies + 5, bodies, queueRefusals: 5, late: 0 });
  expect(events.restores).toBeGreaterThan(0);
  expect(events.warmHits).toBeGreaterThan(0);
  expect(events.restores + events.warmHits).toBe(bodies);
});

test('the requests of one client leave room for others, and are served in turns with theirs', async () => {
  const past = newReads();
  const order: string[] = [];
  const ask = async (client: string): Promise<AsOfReply> => {
    const reply = await past.readMoment(request(1), { client, isGone });
    if (reply.kind === 'body') order.push(client);
    return reply;
  };
  const many = Array.from({ length: AS_OF_WAITING_MAX }, () => ask('many'));
  const few = Array.from({ length: 3 }, () => ask('few'));
  expect(kindsOf(await Promise.all(many))).toEqual({ body: 32, busy: 32 });
  expect(kindsOf(await Promise.all(few))).toEqual({ body: 3 });
  expect(order.slice(0, 7).filter((client) => client === 'few')).toHaveLength(3);
});

test('a request ends at its deadline, and those after it are served', async () => {
  const past = newReads();
  journal.isHeld = true;
  const late = past.readMoment(request(0), stays);
  timers.advance(AS_OF_MS_MAX);
  expect(await late).toMatchObject({ kind: 'busy', message: expect.stringContaining('10000 ms') });
  expect(past.readStats().events).toMatchObject({ requests: 1, bodies: 0, late: 1 });
  journal.isHeld = false;
  for (const end of journal.flushes) end();
  expect((await past.readMoment(request(0), stays)).kind).toBe('body');
});

test('nothing is made for a client that has left', async () => {
  const past = newReads();
  expect((await past.readMoment(request(3), { client: undefined, isGone: () => true })).kind).toBe(
    'busy',
  );
});

test('the newest moments are written first, once for all that wait', async () => {
  const past = newReads();
  expect((await past.readMoment(request(1), stays)).kind).toBe('body');
  expect(journal.flushes).toHaveLength(0);
  journal.isHeld = true;
  const first = past.readMoment(request(0), stays);
  await vi.waitFor(() => expect(journal.flushes).toHaveLength(1));
  const others = [past.readMoment(request(0), stays), past.readMoment(request(0), stays)];
  journal.flushes[0]?.();
  await vi.waitFor(() => expect(journal.flushes).toHaveLength(2));
  journal.flushes[1]?.();
  expect(kindsOf(await Promise.all([first, ...others]))).toEqual({ body: 3 });
  expect(journal.flushes).toHaveLength(2);
});

/** The time this many milliseconds after the last turn. */
function requestAfter(afterMs: number): AsOfRequest {
  const { bodies } = request(0);
  return { moment: { by: 'ts', value: life.nowMs + afterMs }, bodies };
}

test('a time behind the last turn is kept while the journal writes, and not when it has stopped', async () => {
  const past = newReads();
  quietMs = 60_000;
  expect((await past.readMoment(requestAfter(30_000), stays)).kind).toBe('body');
  journal.isWhole = false;
  expect((await past.readMoment(requestAfter(30_000), stays)).kind).toBe('notKept');
  expect(past.readStats().events.notKept).toBe(1);
  expect((await past.readMoment(requestAfter(0), stays)).kind).toBe('body');
});

test('a time counts as kept up to the begin of the flush, not to the begin of the work', async () => {
  const past = newReads();
  journal.isHeld = true;
  const early = past.readMoment(requestAfter(10), stays);
  await vi.waitFor(() => expect(journal.flushes).toHaveLength(1));
  quietMs = 10;
  journal.flushes[0]?.();
  expect((await early).kind).toBe('notKept');
});

test('a thread without a request ends, and the next request starts one', async () => {
  const past = newReads();
  await past.readMoment(request(2), stays);
  timers.advance(AS_OF_IDLE_MS - 1);
  expect(past.readStats().threads).toBe(1);
  timers.advance(1);
  expect(past.readStats().threads).toBe(0);
  expect((await past.readMoment(request(2), stays)).kind).toBe('body');
});

test('a stop ends what waits', async () => {
  const past = newReads();
  const asked = Array.from({ length: 20 }, (_, at) => past.readMoment(request(at + 1), stays));
  await past.stop();
  const kinds = kindsOf(await Promise.all(asked));
  expect((kinds['body'] ?? 0) + (kinds['busy'] ?? 0)).toBe(20);
  expect((await past.readMoment(request(1), stays)).kind).toBe('busy');
  expect(timers.waitsMs).toEqual([]);
});

test('segments that have ended are summarized, the newest is not', async () => {
  await newReads().summarizeEnded();
  const { segments } = readSegments(folder, PROGRAM_ID);
  const summarized = segments.filter(({ number }) => existsSync(summaryPath(folder, number)));
  expect(segments.length).toBeGreaterThan(1);
  expect(summarized).toEqual(segments.slice(0, -1));
});

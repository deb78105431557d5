/**
 * A service that is killed under load leaves a journal of all that it said to be written, and each moment of it shows
 * the bytes that were served. JOURNAL_KILLS makes it longer and JOURNAL_LOSS_MS bounds what a kill may lose; SEED=n makes it another run.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { JournalStats } from '../src/contract/journal-source.js';
import { Engine } from '../src/engine/engine.js';
import { JournalReader } from '../src/engine/journal-reader.js';
import { readSegments } from '../src/journal/store/segment-index.js';
import { segmentName } from '../src/journal/store/segment-name.js';
import { PROGRAM_ID } from '../src/sim/bytes/keys.js';
import { Random } from '../src/sim/random.js';
import { ServiceChild } from './support/service-child.js';
import { SteppedDemo } from './support/stepped-demo.js';

const KILLS = Number(process.env['JOURNAL_KILLS'] ?? 10);
/** Unbounded where the machine may be slow: then only what was said to be written is looked for. */
const LOSS_MS_MAX = Number(process.env['JOURNAL_LOSS_MS'] ?? Number.POSITIVE_INFINITY);
const SEED = Number(process.env['SEED'] ?? 20_261_123);
const SYMBOL = 'SOL-PERP';
const WRITES_MAX = 60;
const WAIT = { timeout: 60_000, interval: 20 };

interface SeenBody {
  readonly epoch: string;
  readonly ts: number;
  readonly text: string;
}

const random = new Random(SEED);
let folder: string;
let demo: SteppedDemo;
let service: ServiceChild | undefined;

/** Of a service that keeps its journal in the folder, and nothing else. */
function journalFlags(): readonly string[] {
  return ['--journal', '--no-history', '--data-dir', folder];
}

beforeAll(async () => {
  process.stdout.write(`SEED=${SEED}\n`);
  folder = await mkdtemp(path.join(tmpdir(), 'slotbook-journal-kills-'));
  demo = await SteppedDemo.start({ seed: SEED % 1_000, makers: 6, slotTimeMs: 100 });
});

afterAll(async () => {
  await service?.kill();
  await demo?.stop();
  await rm(folder, { recursive: true, force: true });
});

async function journalOf(running: ServiceChild): Promise<JournalStats> {
  const { text } = await running.get('/status');
  return (JSON.parse(text) as { journal: JournalStats }).journal;
}

async function readBody(running: ServiceChild): Promise<SeenBody> {
  const { text } = await running.get(`/l2?marketName=${SYMBOL}&depth=20`);
  const { epoch, ts } = JSON.parse(text) as SeenBody;
  return { epoch, ts, text };
}

/** A life of a service under load, which ends by a kill. */
interface Life {
  readonly bodies: readonly SeenBody[];
  /** The newest moment that was said to be written. */
  readonly toldMs: number;
  readonly killedMs: number;
}

async function liveAndDie(): Promise<Life> {
  const running = await ServiceChild.start(demo.relay, journalFlags());
  service = running;
  const bodies = [await readBody(running)];
  const begin = bodies[0]?.ts ?? 0;
  const load = demo.step(10 + random.nextBelow(WRITES_MAX));
  const look = async (): Promise<number> => {
    bodies.push(await readBody(running));
    return (await journalOf(running)).newest?.ts ?? 0;
  };
  await vi.waitFor(async () => expect(await look()).toBeGreaterThan(begin), WAIT);
  for (let looks = random.nextBelow(10); looks > 0; looks -= 1) await look();
  const toldMs = await look();
  const killedMs = Date.now();
  await running.kill();
  await load;
  return { bodies, toldMs, killedMs };
}

/** What a journal shows: the bodies of the market at all its moments in their order, and the last moment of each epoch. */
async function readJournal(): Promise<{ texts: Set<string>; lastMs: Map<string, number> }> {
  const texts = new Set<string>();
  const lastMs = new Map<string, number>();
  const place = path.join(folder, 'journal');
  const { segments, skipped } = readSegments(place, PROGRAM_ID);
  // A kill may come before a file has its first moment; no other file is unreadable.
  for (const { reason } of skipped) expect(reason).toMatch(/before its first moment|too short/);
  for (const { number, epoch } of segments) {
    const engine = new Engine({ programId: PROGRAM_ID, epoch });
    const reader = new JournalReader(PROGRAM_ID);
    reader.pushBytes(await readFile(path.join(place, segmentName(number))));
    while (engine.readJournal(reader).kind !== 'moreBytes') {
      const id = engine.findMarket(SYMBOL)?.id;
      if (id !== undefined) texts.add(Buffer.from(engine.l2({ market: id, depth: 20 })).toString());
    }
    lastMs.set(epoch, reader.position().tsMs);
  }
  return { texts, lastMs };
}

test(
  `${KILLS} kills under load lose nothing that was said to be written`,
  async () => {
    const lives: Life[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) lives.push(await liveAndDie());
    const { texts, lastMs } = await readJournal();
    for (const { bodies, toldMs, killedMs } of lives) {
      const written = bodies.filter(({ ts }) => ts <= toldMs);
      expect(written.length).toBeGreaterThan(0);
      expect(written.filter(({ text }) => !texts.has(text))).toEqual([]);
      const epoch = bodies[0]?.epoch ?? '';
      expect(killedMs - (lastMs.get(epoch) ?? 0)).toBeLessThan(LOSS_MS_MAX);
    }
    // The runs before are still listed by the next one.
    service = await ServiceChild.start(demo.relay, journalFlags());
    const { ranges } = JSON.parse((await service.get('/journal')).text);
    expect(ranges.length).toBeGreaterThanOrEqual(KILLS);
  },
  300_000 + KILLS * 30_000,
);

test('a second service on the folder does not start, and says why', async () => {
  service ??= await ServiceChild.start(demo.relay, journalFlags());
  const second = ServiceChild.start(demo.relay, journalFlags());
  await expect(second).rejects.toThrow(/JOURNAL_LOCKED: another process keeps its journal there/);
  expect((await service.get('/ready')).status).toBe(200);
});

test('a stopped service has written its last moment', async () => {
  service ??= await ServiceChild.start(demo.relay, journalFlags());
  await demo.step(5);
  const body = await readBody(service);
  expect(await service.stop()).toBe(0);
  expect((await readJournal()).texts).toContain(body.text);
});

describe('slotbook replay', () => {
  test('of a folder serves the bytes that were served last', async () => {
    const last = [...(await readJournal()).texts].at(-1);
    const flags = ['--speed', '0', '--lagging-after-ms', '60000', '--stale-after-ms', '120000'];
    service = await ServiceChild.replay(folder, flags);
    const running = service;
    await vi.waitFor(() => expect(running.stderr).toContain('replay ended\n'), WAIT);
    expect((await readBody(running)).text).toBe(last);
    await running.stop();
  });

  test.each([
    [['--at', '1'], /--at is a moment that is not kept; kept are slots \d+ to \d+/],
    [['--at', 'yesterday'], /--at .*must be a slot/],
  ])('with %j says what is wrong', async (flags, message) => {
    await expect(ServiceChild.replay(folder, flags)).rejects.toThrow(message);
  });

  test('of a folder without a journal says so', async () => {
    const empty = await mkdtemp(path.join(folder, 'empty-'));
    await expect(ServiceChild.replay(empty)).rejects.toThrow('there is no journal in this folder');
  });
});

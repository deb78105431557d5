/**
 * A service that is killed under load leaves a journal of all that it said to be written, and each moment of it shows
 * the bytes that were served. LONG and JOURNAL_KILLS make it longer and JOURNAL_LOSS_MS bounds what a kill may lose; SEED=n makes it another run.
 */
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import type { JournalStats } from '../../src/contract/journal-source.js';
import { Engine } from '../../src/engine/engine.js';
import { JournalReader } from '../../src/engine/journal-reader.js';
import { readSegments } from '../../src/journal/store/segment-index.js';
import { segmentName } from '../../src/journal/store/segment-name.js';
import { PROGRAM_ID } from '../../src/sim/bytes/keys.js';
import { Random } from '../../src/sim/random.js';
import { ServiceChild } from '../support/service-child.js';
import { SteppedDemo } from '../support/stepped-demo.js';

const IS_LONG = process.env['LONG'] !== undefined;
const KILLS = Number(process.env['JOURNAL_KILLS'] ?? (IS_LONG ? 10 : 1));
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

/** A moment of a journal, and the body of the market; null before the market is known. */
interface JournalMoment {
  readonly slot: number;
  readonly ts: number;
  readonly text: string | null;
}

/** What a journal shows: the bodies of the market in their order, and the moments of each epoch. */
interface ShownJournal {
  readonly texts: Set<string>;
  readonly runs: Map<string, JournalMoment[]>;
}

async function readJournal(): Promise<ShownJournal> {
  const texts = new Set<string>();
  const runs = new Map<string, JournalMoment[]>();
  const place = path.join(folder, 'journal');
  const { segments, skipped } = readSegments(place, PROGRAM_ID);
  // A kill may come before a file has its first moment; no other file is unreadable.
  for (const { reason } of skipped)
    expect(reason).toMatch(/before its first moment|within a block|is empty/);
  for (const { number, epoch } of segments) {
    const engine = new Engine({ programId: PROGRAM_ID, epoch });
    const reader = new JournalReader(PROGRAM_ID);
    reader.pushBytes(await readFile(path.join(place, segmentName(number))));
    const moments = runs.get(epoch) ?? [];
    runs.set(epoch, moments);
    while (engine.readJournal(reader).kind !== 'moreBytes') {
      const id = engine.findMarket(SYMBOL)?.id;
      const body = id === undefined ? null : engine.l2({ market: id, depth: 20 });
      const text = body && Buffer.from(body).toString();
      if (text !== null) texts.add(text);
      const { slot, tsMs: ts } = reader.position();
      if (slot > 0) moments.push({ slot, ts, text });
    }
  }
  return { texts, runs };
}

test(
  `${KILLS} kills under load lose nothing that was said to be written`,
  async () => {
    const lives: Life[] = [];
    for (let kill = 0; kill < KILLS; kill += 1) lives.push(await liveAndDie());
    const { texts, runs } = await readJournal();
    for (const { bodies, toldMs, killedMs } of lives) {
      const written = bodies.filter(({ ts }) => ts <= toldMs);
      expect(written.length).toBeGreaterThan(0);
      expect(written.filter(({ text }) => !texts.has(text))).toEqual([]);
      const epoch = bodies[0]?.epoch ?? '';
      expect(killedMs - (runs.get(epoch)?.at(-1)?.ts ?? 0)).toBeLessThan(LOSS_MS_MAX);
    }
    // The runs before are still listed by the next one.
    service = await ServiceChild.start(demo.relay, journalFlags());
    const { ranges } = JSON.parse((await service.get('/journal')).text);
    expect(ranges.length).toBeGreaterThanOrEqual(KILLS);
  },
  300_000 + KILLS * 30_000,
);

if (IS_LONG) {
  test('a second service on the folder does not start, and says why', async () => {
    service ??= await ServiceChild.start(demo.relay, journalFlags());
    const second = ServiceChild.start(demo.relay, journalFlags());
    await expect(second).rejects.toThrow(/JOURNAL_LOCKED: another process keeps its files there/);
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
    /** Slots of the journal: some of its life, and the first of a run, at which its book was not live yet. */
    function someSlots({ runs }: ShownJournal): readonly number[] {
      const all = [...runs.values()].flat().map(({ slot }) => slot);
      const [, second = []] = runs.values();
      const shares = [0.1, 0.5, 0.9].map((share) => all[Math.floor(all.length * share)] ?? 0);
      return [...shares, second[0]?.slot ?? 0];
    }

    /** The body of a slot: of the newest run that has it, as two may, after the last turn that is not later. */
    function bodyAt({ runs }: ShownJournal, slot: number): string | null {
      const isOf = (run: readonly JournalMoment[]): boolean =>
        (run[0]?.slot ?? 0) <= slot && slot <= (run.at(-1)?.slot ?? 0);
      const run = [...runs.values()].findLast(isOf) ?? [];
      const next = run.findIndex((moment) => moment.slot > slot);
      return run.at(next < 0 ? -1 : next - 1)?.text ?? null;
    }

    test('of a folder serves the bytes that were served last', async () => {
      const last = [...(await readJournal()).texts].at(-1);
      const flags = ['--speed', '0', '--lagging-after-ms', '60000', '--stale-after-ms', '120000'];
      service = await ServiceChild.replay(folder, flags);
      const running = service;
      await vi.waitFor(() => expect(running.stderr).toContain('replay ended\n'), WAIT);
      expect((await readBody(running)).text).toBe(last);
      await running.stop();
    });

    test('with --at serves the bytes of that moment, and stands still', async () => {
      const journal = await readJournal();
      for (const slot of someSlots(journal)) {
        const text = bodyAt(journal, slot);
        service = await ServiceChild.replay(folder, ['--at', String(slot)]);
        const body = await service.get(`/l2?marketName=${SYMBOL}&depth=20`);
        if (text === null) expect(body.status).toBe(404);
        else expect(body.text).toBe(text);
        expect((await service.get('/ready')).status).toBe(200);
        await service.stop();
      }
    });

    test.each([
      [['--at', '1'], /--at is a moment that is not kept; kept are slots \d+ to \d+/],
      [['--at', 'yesterday'], /--at .*must be a slot/],
    ])('with %j says what is wrong', async (flags, message) => {
      await expect(ServiceChild.replay(folder, flags)).rejects.toThrow(message);
    });

    test('of a folder without a journal says so', async () => {
      const empty = await mkdtemp(path.join(folder, 'empty-'));
      await expect(ServiceChild.replay(empty)).rejects.toThrow(
        'there is no journal in this folder',
      );
    });
  });
}

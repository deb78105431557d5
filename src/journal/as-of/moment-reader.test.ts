/**
 * Past books from the files of a random run, with forks, quotes, audits, other chains and restarts.
 * AS_OF_MOMENTS makes it longer; SEED=n selects another run.
 */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { ManualTimers } from '../../../test/support/manual-timers.js';
import type { AsOfMoment, AsOfReply } from '../../contract/as-of-source.js';
import { PROGRAM_ID } from '../../sim/bytes/keys.js';
import { Random } from '../../sim/random.js';
import { readSegments, SegmentIndex } from '../store/segment-index.js';
import { segmentName } from '../store/segment-name.js';
import { cleanUp, journalOfLife } from '../testing.js';
import { MomentReader } from './moment-reader.js';
import { nameOf, PastLife, readsOf, type Shown } from './testing.js';

const MOMENTS = Number(process.env['AS_OF_MOMENTS'] ?? 200);
const SEED = Number(process.env['SEED'] ?? 20_261_124);
const TURNS = Math.max(120, Math.floor(MOMENTS / 3));

const random = new Random(SEED);
const folder = mkdtempSync(path.join(tmpdir(), 'slotbook-as-of-'));
const life = new PastLife(folder, SEED % 1_000);
const wanted = (): boolean => false;

beforeAll(async () => {
  process.stdout.write(`SEED=${SEED}\n`);
  for (let run = 0; run < 3; run += 1) {
    await life.live(TURNS);
    life.restart();
  }
  await life.live(TURNS);
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function pick<T>(list: readonly T[]): T {
  return list[random.nextBelow(list.length)] as T;
}

function ask(reader: MomentReader, moment: AsOfMoment, name: string): AsOfReply | undefined {
  const read = life.markets.flatMap((market) => [...readsOf(market)]).find(([at]) => at === name);
  if (read === undefined) throw new Error(`there is no read ${name}`);
  return reader.readMoment(
    { id: 1, moment, bodies: { read: read[1] }, flushedMs: life.nowMs, newestMs: lastMs() },
    wanted,
  );
}

function lastMs(): number {
  return life.shown.at(-1)?.ts ?? 0;
}

function bodyOf(reply: AsOfReply | undefined): { text: string; asOf: object } {
  if (reply?.kind !== 'body') throw new Error(`there is no body: ${JSON.stringify(reply)}`);
  const text = Buffer.from(reply.body).toString();
  return { text: text.replace(/,"asOf":\{[^}]*\}\}$/, '}'), asOf: reply.asOf };
}

function shownAt({ by, value, epoch }: AsOfMoment, name: string): Shown | undefined {
  const { shown } = life;
  const [, ...market] = name.split(' ');
  if (by === 'seq') {
    return shown.find((one) => one.epoch === epoch && one.seqs.get(market.join(' ')) === value);
  }
  if (by === 'ts' && value > life.nowMs) return undefined;
  const before = shown.findLastIndex((one) => one[by] <= value);
  const [found, next] = [shown[before], shown[before + 1]];
  const isInGap = next !== undefined && next.process !== found?.process && found?.[by] !== value;
  return isInGap ? undefined : found;
}

/** Between its last turn and the first of another chain a process has shown both books. */
function isBetweenChains({ by, value }: AsOfMoment): boolean {
  if (by === 'seq') return false;
  const before = life.shown.findLastIndex((one) => one[by] <= value);
  const [found, next] = [life.shown[before], life.shown[before + 1]];
  return found?.process === next?.process && found?.epoch !== next?.epoch;
}

function someMoment(): AsOfMoment {
  const one = pick(life.shown);
  const by = pick(['slot', 'ts', 'seq'] as const);
  if (by === 'slot') return { by, value: one.slot };
  if (by === 'ts') return { by, value: one.ts + pick([-1, 0, 1, 50]) };
  const market = pick([...one.seqs.keys()]);
  return { by, value: one.seqs.get(market) ?? 0, epoch: one.epoch };
}

function someName(moment: AsOfMoment): string {
  const market = pick(life.markets);
  const names = [...readsOf(market).keys()];
  if (moment.by !== 'seq') return pick(names);
  const has = life.markets.find((row) => {
    const shown = life.shown.filter(({ epoch }) => epoch === moment.epoch);
    return shown.some(({ seqs }) => seqs.get(nameOf(row)) === moment.value);
  });
  return pick([...readsOf(has ?? market).keys()]);
}

test(`${MOMENTS} random moments show the bytes that were shown`, () => {
  const reader = new MomentReader({ folder, programId: PROGRAM_ID }, new ManualTimers());
  let bodies = 0;
  for (let at = 0; at < MOMENTS; at += 1) {
    const moment = someMoment();
    if (isBetweenChains(moment)) continue;
    const name = someName(moment);
    const reply = ask(reader, moment, name);
    const shown = shownAt(moment, name);
    const what = `${JSON.stringify(moment)} ${name}`;
    if (shown?.bodies.get(name) === undefined) {
      expect([what, reply?.kind]).toEqual([what, shown === undefined ? 'notKept' : 'noMarket']);
      continue;
    }
    const { text, asOf } = bodyOf(reply);
    expect([what, text]).toEqual([what, shown.bodies.get(name)]);
    expect(asOf).toMatchObject({ epoch: shown.epoch, slot: shown.slot });
    bodies += 1;
  }
  expect(bodies).toBeGreaterThan(MOMENTS / 2);
}, 600_000);

/** The first read of a market that all runs have. */
function someRead(): string {
  const [market] = life.markets;
  return market === undefined ? '' : `l2 ${nameOf(market)}`;
}

function newReader(place: string = folder): MomentReader {
  return new MomentReader({ folder: place, programId: PROGRAM_ID }, new ManualTimers());
}

describe('a moment that is not there', () => {
  const last = () => life.shown.at(-1) as Shown;

  test.each<[string, () => AsOfMoment]>([
    ['before the first', () => ({ by: 'slot', value: 349_999_999 })],
    ['in the future', () => ({ by: 'ts', value: life.nowMs + 1 })],
    ['behind the newest slot', () => ({ by: 'slot', value: last().slot + 1 })],
    ['of no slot', () => ({ by: 'slot', value: 0 })],
    ['of the largest number', () => ({ by: 'slot', value: Number.MAX_SAFE_INTEGER })],
    ['of an unknown run', () => ({ by: 'slot', value: last().slot, epoch: 'none' })],
    ['of a number that no market had', () => ({ by: 'seq', value: 1e9, epoch: last().epoch })],
  ])('%s is not kept, and the message says what is', (_, moment) => {
    const reply = ask(newReader(), moment(), someRead());
    expect(reply).toMatchObject({
      kind: 'notKept',
      message: expect.stringMatching(
        /the journal has (slot \d+ to \d+, ts \d+ to \d+|nothing of this epoch; see)/,
      ),
    });
  });

  test('of a run that has ended lies behind the last turn of that run', () => {
    const end = life.shown.findLast(({ process }) => process === 0) as Shown;
    const { epoch } = end;
    for (const value of [end.ts + 1, last().ts, life.nowMs]) {
      const reply = ask(newReader(), { by: 'ts', value, epoch }, someRead());
      expect(reply?.kind).toBe('notKept');
    }
    for (const by of ['ts', 'slot'] as const) {
      const reply = ask(newReader(), { by, value: end[by], epoch }, someRead());
      expect(reply).toMatchObject({ kind: 'body', isFinal: true });
    }
  });

  test('of an empty folder says that there is nothing', () => {
    const empty = mkdtempSync(path.join(tmpdir(), 'slotbook-as-of-none-'));
    const reply = ask(newReader(empty), { by: 'slot', value: 5 }, someRead());
    expect(reply).toMatchObject({
      kind: 'notKept',
      message: expect.stringContaining('nothing yet'),
    });
    rmSync(empty, { recursive: true });
  });
});

test('only the newest moment may still change', () => {
  const reader = newReader();
  const { slot, ts } = life.shown.at(-1) as Shown;
  const isFinal = (moment: AsOfMoment): unknown => {
    const reply = ask(reader, moment, someRead());
    return reply?.kind === 'body' && reply.isFinal;
  };
  expect(isFinal({ by: 'slot', value: slot })).toBe(false);
  expect(isFinal({ by: 'ts', value: ts })).toBe(false);
  expect(isFinal({ by: 'slot', value: slot - 1 })).toBe(true);
});

test('a batch has one moment for all, with each book as it was', () => {
  const moment = { by: 'ts', value: life.shown.at(-40)?.ts ?? 0 } as const;
  const reads = life.markets.map((market) => readsOf(market).get(`l2 ${nameOf(market)}`));
  const parts = reads.flatMap((read) => (read === undefined ? [] : [{ read, absent: 'null' }]));
  const bodies = { parts: [...parts, { text: '{"error":1}' }] };
  const reply = newReader().readMoment(
    { id: 1, moment, bodies, flushedMs: life.nowMs, newestMs: 0 },
    wanted,
  );
  const { text } = bodyOf(reply);
  const shown = life.markets.map((market) =>
    shownAt(moment, 'l2')?.bodies.get(`l2 ${nameOf(market)}`),
  );
  expect(text).toBe(`{"l2s":[${[...shown, '{"error":1}'].join()}]}`);
});

test('a journal whose files the system refuses has its moments later', () => {
  const place = path.join(mkdtempSync(path.join(tmpdir(), 'slotbook-as-of-refused-')), 'journal');
  writeFileSync(place, 'not a folder');
  const reader = newReader(place);
  const moment = { by: 'ts', value: life.nowMs } as const;
  expect(ask(reader, moment, someRead())).toEqual({
    kind: 'busy',
    message: 'the files of the journal cannot be read (ENOTDIR)',
  });
  rmSync(place);
  cpSync(folder, place, { recursive: true });
  expect(ask(reader, { by: 'ts', value: lastMs() }, someRead())?.kind).toBe('body');
  rmSync(path.dirname(place), { recursive: true });
});

test('a file without a segment is read again only while it grows', () => {
  const place = mkdtempSync(path.join(tmpdir(), 'slotbook-as-of-useless-'));
  cpSync(folder, place, { recursive: true });
  const newest = readSegments(place, PROGRAM_ID).segments.at(-1)?.number ?? 0;
  const [first, last] = [1, newest].map((number) => path.join(place, segmentName(number)));
  const bytes = [first, last].map((file = '') => readFileSync(file));
  for (const file of [first, last]) writeFileSync(file ?? '', 'useless');
  const index = new SegmentIndex(place, PROGRAM_ID);
  expect(index.read().skipped).toHaveLength(2);
  for (const [at, file] of [first, last].entries()) writeFileSync(file ?? '', bytes[at] ?? '');
  expect(index.read().skipped).toMatchObject([{ name: segmentName(1) }]);
  expect(new SegmentIndex(place, PROGRAM_ID).read().skipped).toEqual([]);
  rmSync(place, { recursive: true });
});

test('a request that nobody waits for is given up', () => {
  const read = life.markets.flatMap((market) => [...readsOf(market).values()])[0];
  if (read === undefined) throw new Error('there is a market');
  const job = { id: 1, moment: { by: 'ts', value: life.nowMs } as const, bodies: { read } };
  expect(
    newReader().readMoment({ ...job, flushedMs: life.nowMs, newestMs: 0 }, () => true),
  ).toBeUndefined();
});

test('a file that has lost its end, and that the next one goes on with, shows no older book in its place', () => {
  const place = mkdtempSync(path.join(tmpdir(), 'slotbook-as-of-torn-'));
  cpSync(folder, place, { recursive: true });
  const { segments } = readSegments(place, PROGRAM_ID);
  const at = segments.findIndex((one, index) => segments[index + 1]?.epoch === one.epoch);
  const [torn, next] = segments.slice(at, at + 2);
  if (torn === undefined || next === undefined) throw new Error('there is such a file');
  const file = path.join(place, segmentName(torn.number));
  const bytes = readFileSync(file);
  const value = next.first.ts - 1;
  expect(ask(newReader(place), { by: 'ts', value }, someRead())?.kind).toBe('body');
  const end = bytes.length - END_MARK_BYTES;
  for (const spoilt of [bytes.subarray(0, end - 1), Buffer.from(bytes).fill(0, end - 9)]) {
    writeFileSync(file, spoilt);
    expect(ask(newReader(place), { by: 'ts', value }, someRead())).toMatchObject({
      kind: 'notKept',
      message: expect.stringContaining('the end of its file is lost'),
    });
    const after = { by: 'ts', value: next.first.ts } as const;
    expect(ask(newReader(place), after, someRead())?.kind).toBe('body');
  }
  rmSync(place, { recursive: true });
});

test('a newest file in which a block is bad shows no older book as that of a later moment', async () => {
  const { folder: place, book } = await journalOfLife();
  const [market] = book.engine.markets();
  const read = market && readsOf(market).get(`l2 ${nameOf(market)}`);
  if (read === undefined) throw new Error('there is a market');
  const file = path.join(place, segmentName(readSegments(place, PROGRAM_ID).numberMax));
  const bytes = readFileSync(file);
  const blocks = blocksOf(bytes);
  const [keptMs = 0, lostMs = 0, newestMs = 0] = [blocks.at(-5), blocks.at(-3), blocks.at(-1)].map(
    (block = 0) => Number(bytes.readBigUInt64LE(block + 16)),
  );
  expect(keptMs).toBeGreaterThan(0);
  const spoil = (at: number, bit: number): AsOfReply[] => {
    const spoilt = Buffer.from(bytes);
    spoilt.writeUInt8(spoilt.readUInt8(at) ^ bit, at);
    writeFileSync(file, spoilt);
    const reader = newReader(place);
    const flushedMs = newestMs + 5_000;
    return [keptMs, lostMs, newestMs, flushedMs].flatMap((value) => {
      const moment = { by: 'ts', value } as const;
      return (
        reader.readMoment({ id: 1, moment, bodies: { read }, flushedMs, newestMs }, wanted) ?? []
      );
    });
  };
  const [body, notKept] = [
    { kind: 'body' },
    { kind: 'notKept', message: expect.stringContaining('the end of its file is lost') },
  ];
  // The last block is corrupt; an earlier one claims to be longer than the file.
  const ofLast = spoil(bytes.length - END_MARK_BYTES - 1, 1);
  expect(ofLast).toMatchObject([body, body, notKept, notKept]);
  const ofLength = spoil((blocks.at(-3) ?? 0) + 2, 0x40);
  expect(ofLength).toMatchObject([body, notKept, notKept, notKept]);
  cleanUp();
});

test('a moment that is not kept is told with the end that a growing file has by then', async () => {
  const { folder: place } = await journalOfLife();
  const file = path.join(place, segmentName(readSegments(place, PROGRAM_ID).numberMax));
  const bytes = readFileSync(file);
  const blocks = blocksOf(bytes);
  const reader = newReader(place);
  const messages = [blocks.at(-2), bytes.length].map((end) => {
    writeFileSync(file, bytes.subarray(0, end));
    return ask(reader, { by: 'slot', value: 5 }, someRead());
  });
  const ends = [blocks.at(-3), blocks.at(-1)].map((at = 0) => bytes.readBigUInt64LE(at + 16));
  expect(messages).toMatchObject(
    ends.map((ts) => ({ kind: 'notKept', message: expect.stringContaining(` to ${ts}; see`) })),
  );
  cleanUp();
});

/** A file that was closed ends with a head without a block. */
const END_MARK_BYTES = 24;

/** The starts of the blocks of a file that was closed. */
function blocksOf(bytes: Buffer): readonly number[] {
  const blocks: number[] = [];
  for (let at = 20; at < bytes.length - END_MARK_BYTES; at += 24 + bytes.readUInt32LE(at))
    blocks.push(at);
  return blocks;
}

test('files that are deleted or damaged while they are read cost the moments in them, and no other', () => {
  const place = mkdtempSync(path.join(tmpdir(), 'slotbook-as-of-damaged-'));
  cpSync(folder, place, { recursive: true });
  const reader = newReader(place);
  // Within its file: at the start of a file, the previous one may have ended.
  const { segments } = readSegments(place, PROGRAM_ID);
  const holds = (ts: number) => segments.find(({ first, last }) => first.ts < ts && ts < last.ts);
  const { ts } = life.shown.find((one) => holds(one.ts) !== undefined) as Shown;
  expect(ask(reader, { by: 'ts', value: ts }, someRead())?.kind).toBe('body');
  // Its book continues with the open file.
  rmSync(path.join(place, segmentName(holds(ts)?.number ?? 0)));
  expect(ask(reader, { by: 'ts', value: ts }, someRead())?.kind).toBe('notKept');
  for (const name of readdirSync(place).sort().slice(1, -1)) {
    const file = path.join(place, name);
    const bytes = readFileSync(file);
    bytes.writeUInt8(bytes.readUInt8(bytes.length >> 1) ^ 1, bytes.length >> 1);
    writeFileSync(file, bytes);
  }
  const kinds = life.shown
    .filter((_, at) => at % 20 === 0)
    .map((one) => ask(reader, { by: 'ts', value: one.ts }, someRead()));
  const damaged = kinds.filter((reply) => reply?.kind === 'notKept');
  expect(damaged.length).toBeGreaterThan(0);
  const { slot } = life.shown.at(-1) as Shown;
  expect(ask(reader, { by: 'slot', value: slot }, someRead())?.kind).toBe('body');
  rmSync(place, { recursive: true });
});

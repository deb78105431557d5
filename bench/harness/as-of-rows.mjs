/**
 * Rows `as-of` and `replay`: the book of a random moment of a long journal, and reading it at full speed, on one
 * core. The files are in the page cache; nothing else is kept from one cold moment to the next.
 */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import path from 'node:path';
import { MomentReader } from '../../dist/src/journal/as-of/moment-reader.js';
import { readSegments } from '../../dist/src/journal/store/segment-index.js';
import { segmentName } from '../../dist/src/journal/store/segment-name.js';
import { PROGRAM_ID } from '../../dist/src/sim/bytes/keys.js';
import { journalFolder, WORKLOAD } from '../workload/journal-folder.mjs';
import { median } from './rounds.mjs';

const { Core, JournalReader } = createRequire(import.meta.url)('../../crates/node');

/** Updates of the journal; `JOURNAL_UPDATES=1000000` makes the rows smaller. */
const UPDATES = Number(process.env.JOURNAL_UPDATES ?? 10_000_000);
const MOMENTS = 100;
/** Segments that are read whole: the first one begins with an empty book. */
const SEGMENTS = 5;
const DEPTH = 20;

/** A cold moment of the journal, and the next one. */
export function asOfMoments() {
  const { folder, startMs, lastMs, turnMs } = journalFolder(UPDATES);
  const times = { cold: [], next: [] };
  for (let index = 0; index < MOMENTS; index += 1) {
    const reader = new MomentReader({ folder, programId: PROGRAM_ID });
    // The golden ratio spreads any number of moments evenly.
    const part = ((index + 1) * 0.618_033_988_75) % 1;
    const ts = startMs + turnMs * (1 + Math.floor((part * (lastMs - startMs - turnMs)) / turnMs));
    times.cold.push(timeMoment(reader, ts));
    times.next.push(timeMoment(reader, ts + turnMs));
    globalThis.gc?.();
  }
  return [
    row('as-of', '/l2 of a random moment, cold: p50', times.cold, 0.5, { bar: 200, wish: 50 }),
    row('as-of', 'the same: p99', times.cold, 0.99, { bar: 500, wish: 50 }),
    row('as-of', 'the next moment: p50', times.next, 0.5, { bar: 5, wish: 1 }),
    row('as-of', 'the same: p99', times.next, 0.99, { bar: 5, wish: 1 }),
  ];
}

function timeMoment(reader, value) {
  const read = { key: { marketType: 'perp', marketIndex: 0 }, path: 'l2' };
  const request = { market: 0, depth: DEPTH, ...SOURCES };
  const bodies = { read: { ...read, request } };
  const before = process.cpuUsage();
  const start = process.hrtime.bigint();
  const job = { id: 1, moment: { by: 'ts', value }, flushedMs: 0, bodies };
  const reply = reader.readMoment(job, () => false);
  const wallMs = Number(process.hrtime.bigint() - start) / 1e6;
  const { user, system } = process.cpuUsage(before);
  if (reply?.kind !== 'body') throw new Error(`no body of ts ${value}: ${reply?.message}`);
  if (reply.asOf.ts !== value) throw new Error(`the body of ts ${value} is of ${reply.asOf.ts}`);
  return { wallMs, cpuMs: (user + system) / 1_000 };
}

const SOURCES = { vamm: false, indicative: false };

/** Restores a checkpoint, reads the turns after it, and measures the bytes of an update. */
export function replaySpeed() {
  const { folder, updates, recordBytes } = journalFolder(UPDATES);
  const segments = readSegments(folder, PROGRAM_ID).segments.slice(1, 1 + SEGMENTS);
  const passes = segments.map(({ number }) => readWhole(path.join(folder, segmentName(number))));
  const speed = median(passes.map((pass) => (pass.updates / pass.readMs) * 1_000));
  const common = { row: 'replay', workload: WORKLOAD };
  const bytes = recordBytes / updates;
  const work = `updates a second of one core, hashes checked, ${passes[0].updates} a segment`;
  return [
    {
      ...{ ...common, work, value: speed, shown: `${Math.round(speed)}`, better: 'higher' },
      ...{ bar: 200_000, wish: 1_000_000 },
    },
    row('replay', 'restore from a checkpoint of 10,000 users: p50', passes, 0.5, {
      ...{ bar: 150, wish: 30 },
    }),
    {
      ...{ ...common, work: 'bytes of an update', value: bytes, shown: `${bytes.toFixed(1)} B` },
      ...{ better: 'lower', bar: 200, wish: 60, unit: 'B' },
    },
  ];
}

/** Reads one segment to its end: the time of its checkpoint, and CPU of its turns. */
function readWhole(file) {
  const reader = new JournalReader(PROGRAM_ID);
  const core = new Core(PROGRAM_ID, 'bench');
  reader.push(readFileSync(file));
  const [restored, checkpoint] = timed(() => reader.readTo(core, {}));
  const [read, end] = timed(() => reader.readTo(core, {}));
  const { updates, waiting } = reader.position();
  if (checkpoint !== 2 || end !== 0 || waiting !== 0) {
    throw new Error(`${file} cannot be read: ${JSON.stringify(reader.problem())}`);
  }
  reader.release();
  core.release();
  return { ...restored, readMs: read.cpuMs, updates };
}

function timed(run) {
  const before = process.cpuUsage();
  const start = process.hrtime.bigint();
  const result = run();
  const wallMs = Number(process.hrtime.bigint() - start) / 1e6;
  const { user, system } = process.cpuUsage(before);
  return [{ wallMs, cpuMs: (user + system) / 1_000 }, result];
}

/** A percentile of the wall-clock time, with that of the CPU time next to it. */
function row(name, work, times, part, bars) {
  const [wall, cpu] = ['wallMs', 'cpuMs'].map((field) => percentile(times, field, part));
  const shown = `${wall.toFixed(2)} ms (${cpu.toFixed(2)} CPU)`;
  const size = `${work}, ${UPDATES / 1e6} million updates`;
  const value = { row: name, work: size, workload: WORKLOAD, value: wall, shown };
  return { ...value, better: 'lower', unit: 'ms', ...bars };
}

function percentile(times, field, part) {
  const sorted = times.map((time) => time[field]).sort((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))];
}

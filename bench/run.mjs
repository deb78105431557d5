/**
 * `npm run bench`: compares results, times ours and the peers in turns, prints one table and writes
 * it to `bench/results`.
 *
 * A run of all rows takes most of an hour, much of it in the peers' rounds. The results of a
 * partial run are not written, so that committed results always come from one complete run.
 */
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { PROGRAM_ROWS } from './harness/program-rows.mjs';
import { describeMachine, loadAverage, summary, table, writeResults } from './harness/report.mjs';
import { ROUNDS_MIN } from './harness/rounds.mjs';
import { ROWS, ROWS_ALONE } from './harness/rows.mjs';
import { buildCore, setUp, startCore, startEngines } from './harness/setup.mjs';
import { workloadFile } from './workload/files.mjs';

const results = path.join(path.dirname(fileURLToPath(import.meta.url)), 'results');

const TABLES = { drift: ROWS, velocity: PROGRAM_ROWS };
const USAGE = `usage: npm run bench -- [--rows ${Object.keys(ROWS)}] [--rounds 5] [--program velocity]\n`;

/** The requested rows, or null after the usage was printed. */
function readOptions() {
  const { values } = parseArgs({
    options: {
      help: { type: 'boolean', short: 'h', default: false },
      rows: { type: 'string' },
      rounds: { type: 'string', default: '5' },
      program: { type: 'string', default: 'drift' },
    },
  });
  if (values.help) return null;
  const rowsById = TABLES[values.program];
  if (rowsById === undefined) {
    throw new Error(`--program was ${values.program}, must be of ${Object.keys(TABLES)}`);
  }
  const known = Object.keys(rowsById);
  const rows = values.rows?.split(',') ?? known;
  const unknown = rows.filter((row) => !known.includes(row));
  if (unknown.length > 0) throw new Error(`--rows has ${unknown}, must be of ${known}`);
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < ROUNDS_MIN) {
    throw new Error(`--rounds was ${values.rounds}, must be a whole number from ${ROUNDS_MIN}`);
  }
  return { rowsById, rows, rounds, whole: rowsById === ROWS && rows.length === known.length };
}

/** The engines that rows need: the rows of Velocity have no peer. */
function openEngines(rowsById, rows) {
  if (rows.every((row) => ROWS_ALONE.includes(row))) return {};
  if (rowsById === PROGRAM_ROWS) {
    buildCore();
    return { core: startCore() };
  }
  setUp();
  return startEngines();
}

/** The rows' access to the engines and to workloads. */
function openBench(rounds, engines) {
  const each = (names, ask) => Promise.all(names.map((name) => engines[name].ask(ask)));
  return {
    engines,
    rounds,
    load: (workload, names) => each(names, `load ${workload} ${workloadFile(workload)}`),
    drop: (workload, names) => each(names, `drop ${workload}`),
    stop: () => Promise.all(Object.values(engines).map((engine) => engine.stop())),
  };
}

/** The options, or the usage: a wrong option is one line, not a trace. */
function readOptionsOrExit() {
  try {
    const options = readOptions();
    if (options !== null) return options;
    process.stdout.write(USAGE);
    return process.exit(0);
  } catch (error) {
    process.stderr.write(`bench: ${error.message}\n${USAGE}`);
    return process.exit(2);
  }
}

async function main() {
  const { rowsById, rows, rounds, whole } = readOptionsOrExit();
  const engines = openEngines(rowsById, rows);
  const machine = describeMachine();
  const before = loadAverage();
  const bench = openBench(rounds, engines);
  const measured = [];
  for (const row of rows) {
    process.stderr.write(`bench: row ${row}\n`);
    const rowResults = await rowsById[row](bench);
    // A run takes most of an hour: results are printed and written even if a later row fails.
    process.stderr.write(`${table(rowResults).slice(2).join('\n')}\n`);
    measured.push(...rowResults);
    if (whole) writeRun(describeRun({ machine, rounds, before, measured, upTo: row }));
  }
  await bench.stop();
  const run = describeRun({ machine, rounds, before, measured });
  process.stdout.write(`${[...summary(run), '', ...table(measured)].join('\n')}\n`);
  if (whole) process.stdout.write(`\nwritten: ${writeRun(run).join(', ')}\n`);
}

/** A run as it is written; `upTo` names the last row that it has so far, where others follow. */
function describeRun({ machine, rounds, before, measured, upTo }) {
  const load = { before, after: loadAverage() };
  return { date: new Date().toISOString(), machine, rounds, load, upTo, results: measured };
}

/** Writes a run of all rows; returns the paths. */
function writeRun(run) {
  return writeResults(results, run).map((file) => path.relative(process.cwd(), file));
}

await main();

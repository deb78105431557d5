/**
 * `npm run simulate`: the service on virtual time, against a model chain with faults from a seed.
 *
 *   npm run simulate -- --seeds 1000          seeds 1 to 1,000, on all cores
 *   npm run simulate -- --seeds 100 --from 5  seeds 5 to 104
 *   npm run simulate -- --seed 7              one seed, with the record of all that happened
 *   npm run simulate -- --scenario NAME       one scenario of test/simulation/scenarios.ts, likewise
 *                                             with --unrepaired: without what repairs it
 *   npm run simulate -- --scenarios           all scenarios that hold, one after the other, in one process
 *                                             with --long: those of the long form as well
 *   npm run simulate -- --program velocity    any of these on a chain of Velocity
 *   npm run simulate -- --modules             the modules of `src` that run in it
 *
 * Exits with 1 after a violation; each violating seed is printed with the command that replays it.
 */
import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { bundleSimulation, listFolders } from './simulation-bundle.mjs';
import { runChild, runShare } from './simulation-share.mjs';

/** Virtual hours of a seed. */
const HOURS_PER_SEED = 0.1;
/**
 * Seeds of one process. The first ten take twice as long as later ones, because their code is not
 * compiled yet.
 */
const SEEDS_PER_PROCESS = 250;
/** Time between two lines of progress. */
const PROGRESS_MS = 10_000;

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '100' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    scenario: { type: 'string' },
    scenarios: { type: 'boolean', default: false },
    long: { type: 'boolean', default: false },
    hashes: { type: 'boolean', default: false },
    modules: { type: 'boolean', default: false },
    unrepaired: { type: 'boolean', default: false },
    program: { type: 'string', default: 'drift' },
    workers: { type: 'string', default: String(availableParallelism()) },
  },
});

const { outfile, modules } = await bundleSimulation();
/** The start arguments of a simulation process. */
const program = ['--expose-gc', outfile, values.program];
if (values.modules) process.stdout.write(`${listFolders(modules).join('\n')}\n`);
else if (values.seed !== undefined) await runOne([values.seed, values.seed, 'record']);
else if (values.scenarios) await runScenarios();
else if (values.scenario !== undefined) await runScenario(values.scenario);
else await runMany({ from: whole('from'), count: whole('seeds'), workers: whole('workers') });

function whole(name) {
  const value = Number(values[name]);
  if (Number.isSafeInteger(value) && value >= 1) return value;
  throw new RangeError(`--${name} was ${values[name]}, must be a whole number from 1`);
}

/** Runs one scenario, with or without its repair. */
async function runScenario(name) {
  for (const { repair, program: runner } of await listPrograms()) {
    const found = await runOne(['scenario', name, repair, 'record'], runner);
    if (found) return;
  }
  throw new RangeError(`--scenario was ${name}, must be one of test/simulation/scenarios.ts`);
}

/** Runs one seed or scenario and prints its record; returns false for an unknown scenario. */
async function runOne(given, runner = program) {
  const reports = [];
  await runChild([...runner, ...given], (line) => {
    if (line.startsWith('{')) reports.push(JSON.parse(line));
    else process.stdout.write(`${line}\n`);
  });
  const [report] = reports;
  if (report === undefined) return false;
  process.stdout.write(`hash ${report.hash}, ${report.violations.length} violations\n`);
  if (report.violations.length > 0) process.exitCode = 1;
  return true;
}

/** Runs all scenarios with their repairs, or all without, and prints the violations. */
async function runScenarios() {
  for (const { repair, program: runner } of await listPrograms()) {
    await runChild([...runner, 'scenarios', repair, values.long ? 'all' : 'short'], (line) => {
      if (!line.startsWith('{')) return;
      const { name, violations } = JSON.parse(line);
      process.stdout.write(`${name}: ${violations.length} violations\n`);
      if (violations.length > 0) process.exitCode = 1;
    });
  }
}

/** A repair is disabled by settings, or by the module's version before the repair. */
async function listPrograms() {
  if (!values.unrepaired) return [{ repair: 'repaired', program }];
  const unrepaired = await bundleSimulation({ isUnrepaired: true });
  return [
    { repair: 'settings', program },
    { repair: 'modules', program: ['--expose-gc', unrepaired.outfile, values.program] },
  ];
}

/** Runs many seeds on several processes and prints the violations. */
async function runMany({ from, count, workers }) {
  const beganMs = performance.now();
  const reports = [];
  const progress = setInterval(() => {
    process.stderr.write(`${reports.length} of ${count} seeds\n`);
  }, PROGRESS_MS);
  const last = from + count - 1;
  const perProcess = Math.min(SEEDS_PER_PROCESS, Math.ceil(count / workers));
  let next = from;
  const runShares = async () => {
    while (next <= last) {
      const start = next;
      next += perProcess;
      await runShare({ program, from: start, to: Math.min(next - 1, last) }, (report) => {
        reports.push(report);
        if (values.hashes) process.stdout.write(`seed ${report.seed} hash ${report.hash}\n`);
        printViolations(report);
      });
    }
  };
  await Promise.all(Array.from({ length: workers }, runShares));
  clearInterval(progress);
  printSummary(reports, (performance.now() - beganMs) / 1_000);
}

function printViolations({ seed, violations }) {
  if (violations.length === 0) return;
  process.exitCode = 1;
  process.stdout.write(`seed ${seed}: ${violations[0]}\n`);
  process.stdout.write(`  replay: npm run simulate -- --seed ${seed}\n`);
}

function printSummary(reports, seconds) {
  printFaults(reports);
  const cpuMs = reports.reduce((sum, report) => sum + report.cpuMs, 0);
  const each = (cpuMs / reports.length).toFixed(0);
  process.stdout.write(`${(cpuMs / 1_000).toFixed(0)} s of CPU, ${each} ms of one core a seed\n`);
  const found = reports.reduce((sum, { violations }) => sum + violations.length, 0);
  process.stdout.write(`${found} violations\n`);
  const hours = reports.length * HOURS_PER_SEED;
  const failed = reports.filter(({ violations }) => violations.length > 0).length;
  const speed = ((hours * 3_600) / seconds).toFixed(0);
  process.stdout.write(
    `${reports.length} seeds, ${hours.toFixed(1)} virtual hours in ${seconds.toFixed(0)} s ` +
      `(${speed} times as fast as time), ${failed} with violations\n`,
  );
}

/** Prints the number of faults by kind. */
function printFaults(reports) {
  const faults = {};
  for (const report of reports) {
    for (const [name, count] of Object.entries(report.faults)) {
      faults[name] = (faults[name] ?? 0) + count;
    }
  }
  const counted = Object.entries(faults).sort(([, a], [, b]) => b - a);
  const all = counted.reduce((sum, [, count]) => sum + count, 0);
  for (const [name, count] of [...counted, [`faults of ${counted.length} kinds`, all]])
    process.stdout.write(`${String(count).padStart(8)}  ${name}\n`);
}

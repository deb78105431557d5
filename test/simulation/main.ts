/** The program of one process that simulates: it is given seeds, and prints one line of JSON for each. */
import { PROGRAM_NAMES } from '../../src/contract/program.js';
import { installGlobals } from './globals.js';
import { virtualFetch } from './network.js';
import { SCENARIOS, type Scenario } from './scenarios.js';
import { type RunOptions, simulate } from './simulation.js';

const print = process.stdout.write.bind(process.stdout);

/** A run, and its name where it has one. */
interface NamedRun extends RunOptions {
  readonly name?: string;
}

/**
 * What one process runs, after the name of the program whose chain it is: the seeds `FROM TO`, the
 * scenario of a name, or all that hold; with `record` it prints everything that happens.
 */
function readRuns([name = '', ...given]: readonly string[]): NamedRun[] {
  const program = PROGRAM_NAMES.find((known) => known === name);
  if (program === undefined) throw new RangeError(`the program was ${name}`);
  return readRunsOf(given).map((run) => ({ ...run, program }));
}

function readRunsOf([first = '', second = '', third = '', fourth]: readonly string[]): NamedRun[] {
  if (first === 'scenarios') {
    const isAll = third === 'all';
    return scenarioRuns(second, ({ awaitsRepair, isLong }) => !awaitsRepair && (isAll || !isLong));
  }
  if (first === 'scenario') {
    const runs = scenarioRuns(third, ({ name }) => name === second);
    return runs.map((run) => ({ ...run, ...recordIf(fourth) }));
  }
  const [from, to] = [Number(first), Number(second)];
  const count = Math.max(0, to - from + 1);
  return Array.from({ length: count }, (_, index) => {
    return { seed: from + index, ...recordIf(third) };
  });
}

/** Scenarios as they are, or those whose repair is taken out by settings, or by modules. */
function scenarioRuns(repair: string, isWanted: (scenario: Scenario) => boolean): NamedRun[] {
  const wanted = SCENARIOS.filter(isWanted).map((scenario) => ({ seed: 1, ...scenario }));
  if (repair === 'modules') return wanted.filter(({ without }) => typeof without === 'string');
  if (repair !== 'settings') return wanted;
  return wanted.flatMap(({ without, ...run }) => {
    return typeof without === 'object' ? [{ ...run, flags: { ...run.flags, ...without } }] : [];
  });
}

function recordIf(wanted: string | undefined): Pick<RunOptions, 'writeLine'> {
  return wanted === 'record' ? { writeLine: (line) => void print(`${line}\n`) } : {};
}

/** The work of this process since its start, on all its threads. */
function workedMs(): number {
  const { user, system } = process.cpuUsage();
  return Math.round((user + system) / 1_000);
}

/** Seeds between two readings of the memory. */
const SEEDS_PER_READING = 20;
/** By how much the memory of a process may grow with each seed: it does by 0.4, and a run that is kept takes some. */
const GROWN_MIB_PER_SEED_MAX = 3;

/** The memory that seeds leave behind: a queue or map without a bound shows here. */
class MemoryWatch {
  #seeds = 0;
  #firstMib: number | null = null;

  /** After each seed; what is wrong, or null. */
  findGrowth(): string | null {
    this.#seeds += 1;
    if (this.#seeds % SEEDS_PER_READING !== 0 || globalThis.gc === undefined) return null;
    globalThis.gc();
    const { heapUsed, external } = process.memoryUsage();
    const mib = (heapUsed + external) / 2 ** 20;
    this.#firstMib ??= mib;
    const grownMax = GROWN_MIB_PER_SEED_MAX * (this.#seeds - SEEDS_PER_READING);
    if (mib - this.#firstMib <= grownMax) return null;
    return `the heap grew from ${this.#firstMib.toFixed(0)} to ${mib.toFixed(0)} MiB`;
  }
}

async function main(runs: readonly NamedRun[]): Promise<void> {
  installGlobals();
  Object.assign(globalThis, { fetch: virtualFetch });
  // What the service prints is no part of the report.
  process.stdout.write = () => true;
  const memory = new MemoryWatch();
  // The first report has the start of the process as well.
  let toldMs = 0;
  for (const run of runs) {
    const report = await simulate(run);
    const growth = memory.findGrowth();
    const violations = growth === null ? report.violations : [...report.violations, growth];
    const cpuMs = workedMs() - toldMs;
    toldMs += cpuMs;
    print(`${JSON.stringify({ name: run.name, ...report, violations, cpuMs })}\n`);
  }
}

await main(readRuns(process.argv.slice(2)));
process.exit(0);

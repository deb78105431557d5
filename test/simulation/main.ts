/** The program of one process that simulates: it is given seeds, and prints one line of JSON for each. */
import { installGlobals } from './globals.js';
import { virtualFetch } from './network.js';
import { SCENARIOS } from './scenarios.js';
import { type RunOptions, simulate } from './simulation.js';
import { realNowMs } from './virtual-time.js';

const print = process.stdout.write.bind(process.stdout);

/** What one process runs: seeds `FROM TO`, one of them `FROM TO record`, or the scenario of a name. */
function readRuns([first = '', ...rest]: readonly string[]): readonly RunOptions[] {
  if (first === 'scenario') {
    const scenario = SCENARIOS.find(({ name }) => name === rest[0]);
    if (scenario === undefined) throw new Error(`scenario was ${rest[0]}, must be one of the list`);
    return [{ ...scenario, seed: 1, ...recordIf(rest[1]) }];
  }
  const [from, to] = [Number(first), Number(rest[0])];
  const count = Math.max(0, to - from + 1);
  return Array.from({ length: count }, (_, index) => {
    return { seed: from + index, ...recordIf(rest[1]) };
  });
}

function recordIf(wanted: string | undefined): Pick<RunOptions, 'writeLine'> {
  return wanted === 'record' ? { writeLine: (line) => void print(`${line}\n`) } : {};
}

async function main(runs: readonly RunOptions[]): Promise<void> {
  installGlobals();
  Object.assign(globalThis, { fetch: virtualFetch });
  // What the service prints is no part of the report.
  process.stdout.write = () => true;
  for (const run of runs) {
    const beganMs = realNowMs();
    const report = await simulate(run);
    print(`${JSON.stringify({ ...report, ms: Math.round(realNowMs() - beganMs) })}\n`);
  }
}

if (process.argv[2] === 'scenarios') print(JSON.stringify(SCENARIOS.map(({ name }) => name)));
else await main(readRuns(process.argv.slice(2)));
process.exit(0);

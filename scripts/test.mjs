/**
 * `npm test`: every check and every test of the repository, the seconds of each part, the slowest test files, and one
 * total at the end. `npm run test:quick`: those of a developer's loop, most of a minute on two cores once everything is built.
 *
 * Cargo and the checks of TypeScript run side by side. In the whole run vitest is alone, as many of its tests are of real time.
 * Exits non-zero when anything fails, when a runner ran no test at all, and, with CI=true, when a
 * test was skipped. A check that has no tests of its own (a formatter, a linter) counts as one.
 */
import { execFileSync, spawn } from 'node:child_process';
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { localCommand, root } from './process.mjs';

const vitestReport = path.join(tmpdir(), `slotbook-vitest-${process.pid}.json`);
const isQuick = process.argv.includes('--quick');
// vitest.config.ts leaves slow files out.
if (isQuick) process.env.QUICK = '1';

const quickArgs = ['src', '--project', 'world'];
const vitestArgs = ['run', '--reporter=default', '--reporter=json', ...(isQuick ? quickArgs : [])];
/** Checks types incrementally since the last quick run, in a quarter of the CPU time. */
const TSC_QUICK = ['--incremental', '--tsBuildInfoFile', '.cache/quick.tsbuildinfo'];
/** A runner that takes longer has hung, as one does that waits for a child: a slow machine needs a third of it. */
const MINUTES_MAX = 40;
/** Number of slowest test files in the summary. */
const SLOWEST_LISTED = 10;

const DENIED = ['--', '-D', 'warnings'];
const QUICK_RUNNERS = new Set(['cargo fmt', 'biome', 'tsc', 'cargo test', 'vitest']);

const rustTests = [
  {
    name: 'cargo test',
    command: 'cargo',
    // Programs have no tests of their own.
    args: ['test', '--workspace', '--lib', '--test', '*', '--no-fail-fast'],
    count: countCargo,
  },
];

/**
 * Clippy waits for cargo's lock while `cargo test` compiles; with the same profile, C libraries and
 * build scripts are compiled once.
 */
const rustChecks = [
  {
    name: 'cargo fmt',
    command: 'cargo',
    args: ['fmt', '--all', '--check'],
    count: countCheck,
  },
  {
    name: 'cargo clippy',
    command: 'cargo',
    args: ['clippy', '--profile=test', '--workspace', '--all-targets', '--quiet', ...DENIED],
    count: countCheck,
  },
  {
    name: 'cargo test of the examples in comments',
    command: 'cargo',
    args: ['test', '--workspace', '--doc'],
    count: countCargo,
  },
];

const scriptChecks = [
  {
    name: 'tsc',
    command: localCommand('tsc'),
    args: ['--noEmit', ...(isQuick ? TSC_QUICK : [])],
    count: countCheck,
  },
  {
    name: 'svelte-check of the page',
    command: localCommand('svelte-check'),
    args: ['--workspace', 'src/page', '--tsconfig', 'tsconfig.json', '--fail-on-warnings'],
    count: countCheck,
  },
  {
    name: 'typedoc',
    command: localCommand('typedoc'),
    args: ['--options', 'src/client/typedoc.json', '--emit', 'none'],
    count: countCheck,
  },
  {
    name: 'tsc of the client, which knows no Node',
    command: localCommand('tsc'),
    args: ['--noEmit', '--project', 'src/client/tsconfig.json'],
    count: countCheck,
  },
  {
    name: 'biome',
    command: localCommand('biome'),
    args: ['check', '--error-on-warnings', '.'],
    count: countCheck,
  },
];

const tests = [
  {
    name: 'vitest',
    command: localCommand('vitest'),
    args: [...vitestArgs, `--outputFile.json=${vitestReport}`],
    count: countVitest,
  },
];

const checks = [rustTests, rustChecks, scriptChecks];
/** Steps run in order; the lanes of a step run in parallel. The quick tests are all on virtual time. */
const steps = isQuick ? [[...checks, tests]] : [checks, [tests]];

function countCheck({ code }) {
  return code === 0 ? tally({ passed: 1 }) : tally({ failed: 1 });
}

function countCargo({ code, stdout }) {
  const pattern = /^test result: \w+\. (\d+) passed; (\d+) failed; (\d+) ignored/gm;
  const sum = tally({});
  for (const [, passed, failed, ignored] of stdout.matchAll(pattern)) {
    sum.passed += Number(passed);
    sum.failed += Number(failed);
    sum.skipped += Number(ignored);
  }
  if (code !== 0 && sum.failed === 0) sum.failed = 1;
  return sum;
}

function countVitest({ code }) {
  let report;
  try {
    report = JSON.parse(readFileSync(vitestReport, 'utf8'));
  } catch {
    return tally({ failed: 1 });
  } finally {
    rmSync(vitestReport, { force: true });
  }
  slowest.push(...slowestOf(report));
  const sum = tally({
    passed: report.numPassedTests,
    failed: report.numFailedTests,
    skipped: report.numPendingTests + report.numTodoTests,
  });
  if (code !== 0 && sum.failed === 0) sum.failed = 1;
  return sum;
}

/** The slowest test files with their seconds. */
function slowestOf({ testResults }) {
  const seconds = ({ startTime, endTime }) => (endTime - startTime) / 1_000;
  const rows = testResults.map((file) => [path.relative(process.cwd(), file.name), seconds(file)]);
  return rows.sort((one, other) => other[1] - one[1]).slice(0, SLOWEST_LISTED);
}

function tally({ passed = 0, failed = 0, skipped = 0 }) {
  return { passed, failed, skipped };
}

function asText({ passed, failed, skipped }) {
  const rest = skipped > 0 ? `, ${skipped} skipped` : '';
  return `${passed} passed, ${failed} failed${rest}`;
}

/** Writes the CPU time of a command and its children to a descriptor that only this script reads. */
const TIMED = '"$@" 3>&-; code=$?; times >&3; exit $code';

/** Ends a process and all that it started; returns what they were. */
function endTree(pid) {
  const rows = execFileSync('ps', ['-eo', 'pid=,ppid=,etime=,args='], { encoding: 'utf8' })
    .split('\n')
    .map((line) => ({ line, ids: line.trim().split(/\s+/, 2).map(Number) }));
  const below = (id) =>
    rows.filter(({ ids }) => ids[1] === id).flatMap((row) => [row, ...below(row.ids[0])]);
  const ended = below(pid);
  for (const { ids } of ended) process.kill(ids[0], 'SIGKILL');
  return ended.map(({ line }) => line).join('\n');
}

/** Runs a command, collects its output, and forwards the output to `echo`. */
function runTimed({ command, args }, echo) {
  const startMs = performance.now();
  const stdio = ['ignore', 'pipe', 'pipe', 'pipe'];
  const child = spawn('sh', ['-c', TIMED, 'sh', command, ...args], { cwd: root, stdio });
  const [, stdout, stderr, times] = child.stdio;
  const kept = { output: [], stdout: [], times: [] };
  const keep = (chunk) => {
    kept.output.push(chunk);
    echo?.write(chunk);
  };
  stdout.on('data', keep).on('data', (chunk) => kept.stdout.push(chunk));
  stderr.on('data', keep);
  times.on('data', (chunk) => kept.times.push(chunk));
  const limit = setTimeout(() => {
    const text = `${command} hung for ${MINUTES_MAX} minutes and was ended:`;
    keep(Buffer.from(`\n${text}\n${endTree(child.pid)}\n`));
  }, MINUTES_MAX * 60_000);
  const textOf = (chunks) => Buffer.concat(chunks).toString('utf8');
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => {
      clearTimeout(limit);
      const seconds = (performance.now() - startMs) / 1_000;
      const cpuSeconds = secondsOf(textOf(kept.times));
      const texts = { output: textOf(kept.output), stdout: textOf(kept.stdout) };
      resolve({ code: code ?? 1, ...texts, seconds, cpuSeconds });
    });
  });
}

/** The last line of `times` is the children's time: user and system, each as `1m2.34s`. */
function secondsOf(times) {
  const parts = times
    .trim()
    .split('\n')
    .at(-1)
    .matchAll(/(\d+)m([\d.]+)s/g);
  return [...parts].reduce((sum, [, minutes, seconds]) => sum + minutes * 60 + Number(seconds), 0);
}

/** The output of a parallel runner is printed when the runner has ended. */
async function runOne(runner, isAlone) {
  const title = `\n--- ${runner.name}\n`;
  if (isAlone) process.stdout.write(title);
  const ended = await runTimed(runner, isAlone ? process.stdout : undefined);
  if (!isAlone) process.stdout.write(`${title}${ended.output}`);
  const sum = runner.count(ended);
  if (sum.passed + sum.failed === 0) {
    process.stdout.write(`${runner.name}: ran no test, which counts as a failure\n`);
    sum.failed = 1;
  }
  const [seconds, cpuSeconds] = [ended.seconds, ended.cpuSeconds].map(Math.round);
  lines.push(`${runner.name}: ${asText(sum)}, ${seconds} s, ${cpuSeconds} s of CPU`);
  for (const key of Object.keys(total)) total[key] += sum[key];
}

async function runLane(lane, isAlone) {
  for (const runner of lane) {
    if (!isQuick || QUICK_RUNNERS.has(runner.name)) await runOne(runner, isAlone);
  }
}

const slowest = [];
const total = tally({});
const lines = [];
for (const lanes of steps) {
  await Promise.all(lanes.map((lane) => runLane(lane, lanes.length === 1)));
}

process.stdout.write('\nThe slowest test files, in seconds:\n');
for (const [name, seconds] of slowest) process.stdout.write(`${seconds.toFixed(1)} ${name}\n`);
process.stdout.write(`\n${lines.join('\n')}\n${asText(total)}\n`);
const skippedInCi = process.env.CI === 'true' && total.skipped > 0;
process.exitCode = total.failed > 0 || skippedInCi ? 1 : 0;

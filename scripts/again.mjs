/**
 * Repeats the check many times. Each run appends a line to test/again.tsv: commit, time, label,
 * seconds, tests that passed and failed, and the names of the failed ones. A label with some of its
 * runs gets the missing runs. The output of a whole run with failures is kept in `.cache/again.log`.
 *
 *   node scripts/again.mjs --runs 10 --label quiet            ten runs of npm test
 *   node scripts/again.mjs --runs 5 --label busy --busy 4     next to four busy loops
 *   node scripts/again.mjs --runs 20 --files a.test.ts b.test.ts --stop
 *                                      each file alone, its worker stopped for 2 s at a random moment
 */
import { execFileSync, spawn } from 'node:child_process';
import { appendFileSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { localCommand, root, run } from './process.mjs';

const table = path.join(root, 'test', 'again.tsv');
const report = path.join(tmpdir(), `slotbook-again-${process.pid}.json`);
const failedOutput = path.join(root, '.cache', 'again.log');
const STOP_MS = 2_000;
/** The assumed duration of a file's first run; a later run uses the duration of the run before. */
const FIRST_RUN_MS = 5_000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '10' },
    label: { type: 'string', default: 'quiet' },
    busy: { type: 'string', default: '0' },
    files: { type: 'string' },
    stop: { type: 'boolean', default: false },
  },
});
const runs = Number(values.runs);
if (!(runs >= 1)) throw new RangeError(`--runs was ${values.runs}, must be a number from 1`);
if (values.stop && values.files === undefined) throw new Error('--stop needs --files');

const loops = Array.from({ length: Number(values.busy) }, () =>
  spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }),
);
process.once('exit', () => {
  for (const loop of loops) loop.kill('SIGKILL');
  rmSync(report, { force: true });
});
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));

const revision = ['rev-parse', '--short=8', 'HEAD'];
const commit = execFileSync('git', revision, { cwd: root, encoding: 'utf8' }).trim();
if (values.files === undefined) await repeat(values.label, runAll);
for (const file of values.files === undefined ? [] : [values.files, ...positionals]) {
  const label = [values.label, ...(values.stop ? ['stopped'] : []), file].join(' ');
  await repeat(label, (lastMs) => runFile(file, lastMs));
}
process.exit();

/** Makes the missing runs of a label. */
async function repeat(label, work) {
  const rows = existsSync(table) ? readFileSync(table, 'utf8').split('\n') : [];
  const done = rows.filter((row) => row.split('\t')[2] === label).length;
  let tookMs = FIRST_RUN_MS;
  for (let count = done; count < runs; count += 1) {
    const time = new Date().toISOString().slice(0, 19);
    const beganMs = performance.now();
    const { passed, failed, names } = await work(tookMs);
    tookMs = performance.now() - beganMs;
    const seconds = Math.round(tookMs / 1_000);
    const row = [commit, time, label, seconds, passed, failed, names.join('; ')].join('\t');
    appendFileSync(table, `${row}\n`);
    process.stdout.write(`${row}\n`);
  }
}

/** Runs the complete check; its last line is the summary. */
async function runAll() {
  const env = { NO_COLOR: '1' };
  const { code, stdout } = await run('npm', ['test'], { echo: 'nowhere', env });
  const [, passed, failed] = /\n(\d+) passed, (\d+) failed[^\n]*\n*$/.exec(stdout) ?? [0, 0, 0];
  const found = stdout.matchAll(/^ *FAIL +(.*)$|^test (\S+) \.\.\. FAILED$/gm);
  const names = [...new Set([...found].map(([, vitest, cargo]) => vitest ?? cargo))];
  if (code !== 0) writeFileSync(failedOutput, stdout);
  return { passed, failed: code === 0 ? failed : Math.max(1, Number(failed)), names };
}

/** Runs one file alone; a file that cannot be loaded is a failure with the file's name. */
async function runFile(file, lastMs) {
  rmSync(report, { force: true });
  const args = ['run', '--reporter=json', `--outputFile=${report}`, file];
  const child = spawn(localCommand('vitest'), args, { cwd: root, stdio: 'ignore' });
  const ended = new Promise((resolve) => child.once('exit', resolve));
  if (values.stop) await stopWorker(child, lastMs * Math.random());
  const code = await ended;
  if (!existsSync(report)) return { passed: 0, failed: 1, names: [file] };
  const { numPassedTests: passed, testResults } = JSON.parse(readFileSync(report, 'utf8'));
  const failures = testResults.flatMap(({ assertionResults }) =>
    assertionResults.filter(({ status }) => status === 'failed').map(({ fullName }) => fullName),
  );
  const names = failures.length === 0 && code !== 0 ? [file] : failures;
  return { passed, failed: names.length, names };
}

/** Pauses the process that runs the tests, then resumes it. */
async function stopWorker({ pid }, afterMs) {
  await sleep(afterMs);
  const place = `/proc/${pid}/task/${pid}/children`;
  const workers = existsSync(place) ? readFileSync(place, 'utf8').trim().split(' ') : [];
  for (const signal of ['SIGSTOP', 'SIGCONT']) {
    for (const worker of workers.filter(Boolean)) sendSignal(Number(worker), signal);
    if (signal === 'SIGSTOP') await sleep(STOP_MS);
  }
}

function sendSignal(pid, signal) {
  try {
    process.kill(pid, signal);
  } catch {
    // The process has ended.
  }
}

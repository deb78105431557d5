/**
 * `npm test`: every check and every test of the repository, the slowest test files, and one total at the end.
 * `npm run test:quick`: those of a developer's loop, a minute and a half on two cores once everything is built.
 *
 * Exits non-zero when anything fails, when a runner ran no test at all, and, with CI=true, when a
 * test was skipped. A check that has no tests of its own (a formatter, a linter) counts as one.
 */
import { readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { localCommand, run } from './process.mjs';

const vitestReport = path.join(tmpdir(), `slotbook-vitest-${process.pid}.json`);
const clippyArgs = ['clippy', '--workspace', '--all-targets', '--quiet', '--', '-D', 'warnings'];
const isQuick = process.argv.includes('--quick');

/** Tests beside the code that take some 2.5 s or more, most for servers, chains or threads of their own: not of the quick run. */
const SLOW_TESTS = [
  'src/app/export-command.test.ts',
  'src/engine/addon.test.ts',
  'src/engine/streams-life.test.ts',
  'src/engine/vamm-life.test.ts',
  'src/feed/connection/auditor.test.ts',
  'src/feed/connection/chain-check.test.ts',
  'src/feed/connection/completeness.test.ts',
  'src/feed/connection/doubt.test.ts',
  'src/feed/connection/probe.test.ts',
  'src/feed/connection/scan-node.test.ts',
  'src/feed/failover.test.ts',
  'src/feed/live-feed-reason.test.ts',
  'src/feed/live-feed-recovery.test.ts',
  'src/feed/live-feed.test.ts',
  'src/feed/reverts.test.ts',
  'src/feed/sources/random-honest.test.ts',
  'src/feed/sources/random-liars.test.ts',
  'src/history/backfill.test.ts',
  'src/history/candles/candles.test.ts',
  'src/history/history.test.ts',
  'src/history/ingest/forks-model.test.ts',
  'src/history/ingest/forks.test.ts',
  'src/history/ingest/ingest.test.ts',
  'src/history/store/candle-builder.test.ts',
  'src/history/store/faults.test.ts',
  'src/history/store/integrity.test.ts',
  'src/history/store/model.test.ts',
  'src/history/store/open.test.ts',
  'src/history/store/retention.test.ts',
  'src/history/worker/service-file.test.ts',
  'src/history/worker/service-grpc.test.ts',
  'src/history/worker/service-time.test.ts',
  'src/journal/as-of/moment-reader.test.ts',
  'src/journal/journal.test.ts',
  'src/journal/replayer.test.ts',
  'src/journal/verify-journal.test.ts',
  'src/journal/worker/service.test.ts',
  'src/rpc/socket.test.ts',
  'src/server/sockets/socket-limits.test.ts',
  'src/server/transport/request-bodies.test.ts',
  'src/server/transport/unsent-replies.test.ts',
  'src/sim/market/market-simulator.test.ts',
  'src/sim/market/simulated-markets.test.ts',
  'src/venues/venue-poller.test.ts',
];
/** Without a process of its own a file costs what its tests do: half of the time is loading modules. */
const quickArgs = ['src', '--no-isolate', ...SLOW_TESTS.flatMap((file) => ['--exclude', file])];
const vitestArgs = ['run', '--reporter=default', '--reporter=json', ...(isQuick ? quickArgs : [])];
/** Types of what has changed since the last quick run: a quarter of the CPU time. */
const TSC_QUICK = ['--incremental', '--tsBuildInfoFile', '.cache/quick.tsbuildinfo'];
/** How many of the slowest test files are listed at the end. */
const SLOWEST_LISTED = 10;

const QUICK_RUNNERS = new Set(['cargo fmt', 'biome', 'tsc', 'cargo test', 'vitest']);

/** All runners, cheap ones first. `count` turns a finished run into a tally. */
const runners = [
  {
    name: 'cargo fmt',
    command: 'cargo',
    args: ['fmt', '--all', '--check'],
    count: countCheck,
  },
  {
    name: 'biome',
    command: localCommand('biome'),
    args: ['check', '--error-on-warnings', '.'],
    count: countCheck,
  },
  {
    name: 'typedoc',
    command: localCommand('typedoc'),
    args: ['--options', 'src/client/typedoc.json', '--emit', 'none'],
    count: countCheck,
  },
  {
    name: 'rustdoc',
    command: 'cargo',
    args: ['doc', '--workspace', '--no-deps', '--quiet'],
    env: { RUSTDOCFLAGS: '-D warnings' },
    count: countCheck,
  },
  {
    name: 'tsc',
    command: localCommand('tsc'),
    args: ['--noEmit', ...(isQuick ? TSC_QUICK : [])],
    count: countCheck,
  },
  {
    name: 'tsc of the client, which knows no Node',
    command: localCommand('tsc'),
    args: ['--noEmit', '--project', 'src/client/tsconfig.json'],
    count: countCheck,
  },
  {
    name: 'svelte-check of the page',
    command: localCommand('svelte-check'),
    args: ['--workspace', 'src/page', '--tsconfig', 'tsconfig.json', '--fail-on-warnings'],
    count: countCheck,
  },
  { name: 'cargo clippy', command: 'cargo', args: clippyArgs, count: countCheck },
  {
    name: 'cargo test',
    command: 'cargo',
    args: ['test', '--workspace', '--no-fail-fast'],
    count: countCargo,
  },
  {
    name: 'vitest',
    command: localCommand('vitest'),
    args: [...vitestArgs, `--outputFile.json=${vitestReport}`],
    count: countVitest,
  },
];

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

/** The test files that took longest, each with its seconds. */
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

const slowest = [];
const total = tally({});
const lines = [];
const chosen = runners.filter(({ name }) => !isQuick || QUICK_RUNNERS.has(name));
for (const { name, command, args, env, count } of chosen) {
  process.stdout.write(`\n--- ${name}\n`);
  const startMs = performance.now();
  const sum = count(await run(command, args, { echo: 'stdout', env }));
  if (sum.passed + sum.failed === 0) {
    process.stdout.write(`${name}: ran no test, which counts as a failure\n`);
    sum.failed = 1;
  }
  const seconds = Math.round((performance.now() - startMs) / 1_000);
  lines.push(`${name}: ${asText(sum)}, ${seconds} s`);
  for (const key of Object.keys(total)) total[key] += sum[key];
}

process.stdout.write('\nThe slowest test files, in seconds:\n');
for (const [name, seconds] of slowest) process.stdout.write(`${seconds.toFixed(1)} ${name}\n`);
process.stdout.write(`\n${lines.join('\n')}\n${asText(total)}\n`);
const skippedInCi = process.env.CI === 'true' && total.skipped > 0;
process.exitCode = total.failed > 0 || skippedInCi ? 1 : 0;

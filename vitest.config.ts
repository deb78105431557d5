import { defineConfig } from 'vitest/config';
import { worldPlugin } from './test/world/plugin.js';

/** Only `npm run test:long` runs the tests of many processes: `scripts/test-long.mjs` sets LONG. */
const long = process.env['LONG'] === undefined ? ['test/long/**'] : [];

/** Tests of `src` that need a real part: a socket, a thread, a process, the machine's clock. */
const REAL = [
  'src/app/**',
  'src/feed/surfpool.test.ts',
  'src/history/postgres/**',
  'src/history/worker-link.test.ts',
  'src/history/worker/service-grpc.test.ts',
  'src/journal/threads.test.ts',
  'src/rpc/grpc/subscribe-call.test.ts',
  'src/server/metrics/timings.test.ts',
  'src/server/transport/**',
  'src/sim/**',
];
/** Tests of `src` that mock a module, which the others of a process must not share. */
const MOCKING = ['src/history/backfill.test.ts', 'src/history/ingest/ingest.test.ts'];
/** Tests of several rooms that run on virtual time. */
const OF_WORLD = [
  'test/one-book-a-seq.test.ts',
  'test/default-sources.test.ts',
  'test/grpc.test.ts',
  'test/keys-in-urls.test.ts',
  'test/merged-sources.test.ts',
  'test/service-epoch.test.ts',
  'test/sources-command.test.ts',
  'test/sources.test.ts',
  'test/replay-limits.test.ts',
  'test/service*.test.ts',
  'test/spec-*.test.ts',
  'test/streaming-replay.test.ts',
  'test/udf.test.ts',
  'test/verify.test.ts',
  'test/world/**/*.test.ts',
];

const exclude = ['**/node_modules/**', 'dist/**', 'target/**', ...long];

/**
 * The tests share two cores with a Rust service and a local chain, so files run two at a time. The
 * timeouts are for what hangs: a slow machine must not fail a test, and each wait in it may take up
 * to a minute.
 */
export default defineConfig({
  test: {
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
    projects: [
      {
        extends: true,
        plugins: [worldPlugin()],
        test: {
          name: 'world',
          include: ['src/**/*.test.ts', ...OF_WORLD],
          exclude: [...exclude, ...REAL, ...MOCKING],
          isolate: false,
          setupFiles: ['test/world/setup.ts'],
        },
      },
      {
        extends: true,
        plugins: [worldPlugin()],
        test: { name: 'world-apart', include: MOCKING, setupFiles: ['test/world/setup.ts'] },
      },
      {
        extends: true,
        test: {
          name: 'real',
          include: [
            ...REAL.map((one) => one.replace(/\*\*$/, '**/*.test.ts')),
            'test/**/*.test.ts',
          ],
          exclude: [...exclude, ...OF_WORLD],
        },
      },
    ],
  },
});

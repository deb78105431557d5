import { defineConfig } from 'vitest/config';
import { worldPlugin } from './test/world/plugin.js';

/** Only `npm run test:long` runs the tests of many processes: `scripts/test-long.mjs` sets LONG. */
const long = process.env['LONG'] === undefined ? ['test/long/**/*.test.ts'] : [];

/** Tests that need a real part: a socket of the system, a thread, a process, the machine's clock, the files of the repository. */
const REAL = [
  'src/app/**/*.test.ts',
  'src/history/postgres/**/*.test.ts',
  'src/client/chain/signed-order-feed.test.ts',
  'src/history/worker-link.test.ts',
  'src/journal/threads.test.ts',
  'src/rpc/grpc/subscribe-call.test.ts',
  'src/server/metrics/timings.test.ts',
  'src/server/transport/**/*.test.ts',
  'src/sim/**/*.test.ts',
  'test/bench*.test.ts',
  'test/boards.test.ts',
  'test/client/encoding.test.ts',
  'test/client/generated.test.ts',
  'test/client/readme.test.ts',
  'test/codes.test.ts',
  'test/deployment.test.ts',
  'test/documents.test.ts',
  'test/generated-documents.test.ts',
  'test/golden-ts.test.ts',
  'test/grpc-streams.test.ts',
  'test/licences.test.ts',
  'test/long/**/*.test.ts',
  'test/operations.test.ts',
  'test/process/**/*.test.ts',
  'test/rooms.test.ts',
  'test/setup.test.ts',
  'test/simulation/**/*.test.ts',
  'test/stream-binary.test.ts',
  'test/tidy.test.ts',
];

/** Tests of a world that mock a module: each has its modules to itself. */
const APART = ['src/history/backfill.test.ts', 'src/history/ingest/ingest.test.ts'];

/** Tests of `src` on virtual time that take more than a second; `npm run test:quick` sets QUICK and omits them. */
const SLOW = [
  'src/engine/{streams,vamm}-life.test.ts',
  'src/feed/connection/{absences,auditor,doubt,genesis-check}.test.ts',
  'src/feed/log-witness.test.ts',
  'src/feed/sources/random-*.test.ts',
  'src/history/bodies/archive-body.test.ts',
  'src/history/candles/candles.test.ts',
  'src/history/ingest/{forks,forks-model,refused}.test.ts',
  'src/history/store/{candle-builder,integrity,model,open,retention}.test.ts',
  'src/history/worker/service-time.test.ts',
  'src/journal/{export-rows,log-forgery,replayer}.test.ts',
  'src/journal/as-of/{liquidity-history,moment-reader}.test.ts',
  'src/journal/replays/replay-host.test.ts',
  'src/journal/worker/service.test.ts',
  'src/proof/{proof-log,tree}.test.ts',
  'src/server/admission/admission.test.ts',
  'src/server/api/openapi.test.ts',
];
const slow = process.env['QUICK'] === undefined ? [] : SLOW;

const others = ['**/node_modules/**', 'dist/**', 'target/**', ...long];

/**
 * Tests of `world` run on virtual time, all in two processes; those of `real` share two cores
 * with what they start. The timeouts are for what hangs: a slow machine must not fail a test.
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
          include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
          exclude: [...others, ...REAL, ...APART, ...slow],
          isolate: false,
          setupFiles: ['test/world/setup.ts'],
        },
      },
      {
        extends: true,
        plugins: [worldPlugin()],
        test: { name: 'world-apart', include: APART, setupFiles: ['test/world/setup.ts'] },
      },
      { extends: true, test: { name: 'real', include: REAL, exclude: others } },
    ],
  },
});

import { defineConfig } from 'vitest/config';

/** What has no short form: `npm run test:long -- export` installs the packages that it loads exports with. */
const longAlone = process.env['EXPORT_PYTHON'] === undefined ? ['test/export-python.test.ts'] : [];

/**
 * The tests share two cores with a Rust service and a local chain, so files run two at a time. The
 * timeouts are for what hangs: a slow machine must not fail a test, and each wait in it may take up
 * to a minute.
 */
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'dist/**', 'target/**', ...longAlone],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});

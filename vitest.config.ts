import { defineConfig } from 'vitest/config';

/** What has no short form, by what `npm run test:long` installs or builds for it and then names. */
const LONG_ALONE = {
  EXPORT_PYTHON: 'test/export-python.test.ts',
  GEYSER_PLUGIN: 'test/geyser.test.ts',
};
const longAlone = Object.entries(LONG_ALONE).flatMap(([name, file]) =>
  process.env[name] === undefined ? [file] : [],
);

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

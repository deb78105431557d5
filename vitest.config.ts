import { defineConfig } from 'vitest/config';

/**
 * The tests share two cores with a Rust service and a local chain, so files run two at a time. The
 * timeouts are for what hangs: a slow machine must not fail a test, and each wait in it may take up
 * to a minute.
 */
export default defineConfig({
  test: {
    include: ['src/**/*.test.ts', 'test/**/*.test.ts'],
    exclude: ['**/node_modules/**', 'dist/**', 'target/**'],
    pool: 'forks',
    maxWorkers: 2,
    testTimeout: 300_000,
    hookTimeout: 300_000,
    expect: { poll: { timeout: 60_000 } },
  },
});

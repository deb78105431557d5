import { expect, test } from 'vitest';
import { giveBackLargeBuffers } from './memory.js';

/** Node's report includes a glibc version only where the process uses glibc. */
const report = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } };
const hasGlibc = report.header?.glibcVersionRuntime !== undefined;

test('the allocator takes the setting where it has one, and the process goes on', () => {
  expect(giveBackLargeBuffers()).toBe(hasGlibc);
  // The second call has the same result, and buffers below and above the threshold can be freed.
  expect(giveBackLargeBuffers()).toBe(hasGlibc);
  const sizes = [1_000, 128 * 1024 - 1, 128 * 1024, 8 * 1024 * 1024];
  for (const size of sizes) expect(Buffer.alloc(size, 1).at(-1)).toBe(1);
});

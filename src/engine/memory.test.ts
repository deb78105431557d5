import { expect, test } from 'vitest';
import { giveBackLargeBuffers } from './memory.js';

/** Node's report names glibc's version where the process runs on it. */
const report = process.report?.getReport() as { header?: { glibcVersionRuntime?: string } };
const hasGlibc = report.header?.glibcVersionRuntime !== undefined;

test('the allocator takes the setting where it has one, and the process goes on', () => {
  expect(giveBackLargeBuffers()).toBe(hasGlibc);
  // Again, and buffers on both sides of the threshold come and go.
  expect(giveBackLargeBuffers()).toBe(hasGlibc);
  const sizes = [1_000, 128 * 1024 - 1, 128 * 1024, 8 * 1024 * 1024];
  for (const size of sizes) expect(Buffer.alloc(size, 1).at(-1)).toBe(1);
});

/** Two processes that publish at the marks of one log send the same frames, whatever is open in each. */
import { expect, test } from 'vitest';
import { MarkLife } from './support/mark-life.js';

/** `MARK_LIVES=10000` runs more, `SEED=n` one alone. */
const { MARK_LIVES = '100', SEED } = process.env;

/** A life takes 25 ms on a quiet machine. */
const timeout = 300_000 + Number(MARK_LIVES) * 500;

test('two processes send equal frames but for prev of topics opened later', { timeout }, () => {
  const seeds = SEED === undefined ? [...Array(Number(MARK_LIVES)).keys()] : [Number(SEED)];
  let [compared, otherLinks] = [0, 0];
  for (const seed of seeds) {
    const counts = new MarkLife(seed).run();
    compared += counts.compared;
    otherLinks += counts.otherLinks;
  }
  if (SEED !== undefined) return;
  // Neither an empty comparison, nor one in which no topic was opened later.
  expect(compared).toBeGreaterThan(5 * seeds.length);
  expect(otherLinks).toBeGreaterThan(seeds.length / 10);
});

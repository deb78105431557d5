/** Round labels of axes. */
import { expect, test } from 'vitest';
import { multiplesWithin, priceStep, timeStepMs } from './axis.js';

test('a step of prices is 1, 2 or 5 times a power of ten', () => {
  const least = [0.000_12, 0.004, 0.05, 0.21, 1, 1.01, 6, 2_400];
  expect(least.map(priceStep).map((step) => Number(step.toPrecision(6)))).toEqual([
    0.000_2, 0.005, 0.05, 0.5, 1, 2, 10, 5_000,
  ]);
});

test('a step of time is whole minutes or hours', () => {
  expect([1, 61_000, 700_000, 4_000_000, 9e9].map((ms) => timeStepMs(ms) / 60_000)).toEqual([
    1, 2, 15, 120, 1_440,
  ]);
});

test('labels are the multiples of the step within the axis', () => {
  expect(
    multiplesWithin({ low: 84.93, high: 85.11 }, 0.05).map((price) => price.toFixed(2)),
  ).toEqual(['84.95', '85.00', '85.05', '85.10']);
  expect(multiplesWithin({ low: 60, high: 180 }, 60)).toEqual([60, 120, 180]);
  expect(multiplesWithin({ low: 61, high: 119 }, 60)).toEqual([]);
});

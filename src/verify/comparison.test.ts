import { expect, test } from 'vitest';
import { Comparison } from './comparison.js';

type Row = readonly [service: string | null, before: string | null, after: string | null];

/** Compares one row over these readings, two seconds apart; null is a missing row. */
function compared(readings: readonly Row[], intervalMs = 2_000): Comparison {
  const comparison = new Comparison();
  const rows = (value: string | null) => new Map(value === null ? [] : [['row', value]]);
  for (const [index, [service, before, after]] of readings.entries()) {
    const atMs = 1_000 + index * intervalMs;
    const shown = rows(service);
    comparison.addReading({ atMs, service: shown, before: rows(before), after: rows(after) });
  }
  return comparison;
}

function judged(readings: readonly Row[]): string {
  const comparison = compared(readings);
  const [difference] = comparison.listDifferences();
  if (difference !== undefined) return `${difference.service} for ${difference.chain}`;
  return comparison.decided ? 'equal' : 'moving';
}

const times = (count: number, row: Row): readonly Row[] => Array(count).fill(row);

test.each<[string, readonly Row[], string]>([
  ['equal at once', [['a', 'a', 'a']], 'equal'],
  ['no rows at all', [[null, null, null]], 'equal'],
  ['changed while it was read', [['a', 'a', 'b']], 'equal'],
  [
    'changed before the service had it',
    [
      ['a', 'a', 'a'],
      ['a', 'b', 'b'],
    ],
    'equal',
  ],
  [
    'new and under way',
    [
      [null, 'b', 'b'],
      ['b', 'b', 'b'],
    ],
    'equal',
  ],
  ['different once or twice', times(2, ['a', 'b', 'b']), 'moving'],
  ['different for long', times(3, ['a', 'b', 'b']), 'a for b'],
  ['missing for long', times(3, [null, 'b', 'b']), 'null for b'],
  ['there and never gone', times(3, ['a', null, null]), 'a for null'],
  [
    'frozen while the chain goes on',
    [
      ['a', 'b', 'b'],
      ['a', 'c', 'c'],
      ['a', 'd', 'd'],
    ],
    'a for d',
  ],
  [
    'moving beside a chain that stands',
    [
      ['a', 'z', 'z'],
      ['b', 'z', 'z'],
      ['c', 'z', 'z'],
    ],
    'c for z',
  ],
  [
    'moving on both sides',
    [
      ['a', 'b', 'b'],
      ['c', 'd', 'd'],
      ['e', 'f', 'f'],
      ['g', 'h', 'h'],
    ],
    'moving',
  ],
  ['healed', [...times(5, ['a', 'b', 'b']), ['b', 'b', 'b']], 'equal'],
])('a row that is %s', (_, readings, verdict) => {
  expect(judged(readings)).toBe(verdict);
});

test('readings in too short a time find no difference: clocks may be seconds apart', () => {
  const row = ['a', null, null] as const;
  expect(compared(times(8, row), 500)).toMatchObject({ decided: false, moving: 1 });
  expect(compared(times(9, row), 500)).toMatchObject({ decided: true, spanMs: 4_000 });
});

test('two readings decide nothing, however long the time between them', () => {
  expect(answers(2)).toEqual({ differences: 0, decided: false });
  expect(answers(3)).toEqual({ differences: 1, decided: true });
});

/** The verdicts on a constant difference, with a minute between readings. */
function answers(readings: number) {
  const comparison = compared(times(readings, ['a', 'b', 'b']), 60_000);
  return { differences: comparison.listDifferences().length, decided: comparison.decided };
}

test('nothing is decided before the first reading', () => {
  const { decided, moving } = new Comparison();
  expect({ decided, moving }).toEqual({ decided: false, moving: 0 });
});

import { describe, expect, test } from 'vitest';

/** The harness is plain JavaScript that also runs without a build, so its types are stated here. */
const { median, timeInTurns } = await harness('rounds');
const { assertSameTops } = await harness('equality');
const { verdictOf } = await harness('report');

function harness(name: string) {
  return import(new URL(`../bench/harness/${name}.mjs`, import.meta.url).href);
}

describe('bench: rounds', () => {
  test('bench: the median is the middle, or between the two in the middle', () => {
    expect(median([3, 1, 2])).toBe(2);
    expect(median([4, 1, 2, 3])).toBe(2.5);
  });

  test('bench: sides take turns, and the ratio is the median of the rounds', async () => {
    const order: string[] = [];
    const peerTimes = [0, 30, 10, 20];
    const side = (name: string, wallNs: () => number) => () => {
      order.push(name);
      return Promise.resolve({ operations: 10, wallNs: wallNs(), cpuNs: 10 });
    };
    const ours = side('ours', () => 10);
    const peer = side('peer', () => peerTimes.shift() ?? 0);
    const times = await timeInTurns({ ours, peer, rounds: 3, warmUp: [peer] });
    expect(order).toEqual(['peer', 'ours', 'peer', 'ours', 'peer', 'ours', 'peer']);
    expect(times.ratio).toBe(2);
    expect([times.ratioMin, times.ratioMax]).toEqual([1, 3]);
    expect(times.ours.wallNs).toBe(1);
  });
});

test('bench: a row over its time budget makes three rounds, and says so', async () => {
  let time = 0;
  const slow = () => {
    time += 1_000_000;
    return Promise.resolve({ operations: 1, wallNs: 1, cpuNs: 1 });
  };
  const now = () => time;
  const times = await timeInTurns({ ours: slow, peer: slow, rounds: 5, warmUp: [], now });
  expect(times.rounds).toHaveLength(3);
});

describe('bench: equality comes first', () => {
  const bids = [['100', '5']];
  const plain = { market: 0, bids, asks: [] };
  const body = { bids: [{ price: '100', size: '5', sources: {} }], asks: [] };

  test('bench: a body equals the plain levels it shows', () => {
    const sides = [
      { name: 'a', tops: [{ market: 0, body }] },
      { name: 'b', tops: [plain] },
    ];
    expect(assertSameTops(...sides)).toBe(1);
  });

  test('bench: another size, another count of books or no book at all is refused', () => {
    const a = { name: 'a', tops: [plain] };
    const other = { ...plain, bids: [['100', '6']] };
    for (const tops of [[other], [plain, plain], []]) {
      expect(() => assertSameTops(a, { name: 'b', tops })).toThrow();
    }
    expect(() => assertSameTops({ name: 'a', tops: [] }, { name: 'b', tops: [] })).toThrow();
  });
});

test('bench: a missed bar is called missed, in both directions', () => {
  const higher = { better: 'higher', bar: 50, wish: 100 };
  expect(verdictOf({ ...higher, ratio: 49.9 })).toBe('MISSED');
  expect(verdictOf({ ...higher, ratio: 50 })).toBe('bar met');
  expect(verdictOf({ ...higher, ratio: 100 })).toBe('wish met');
  const lower = { better: 'lower', bar: 3, wish: 1.3 };
  expect(verdictOf({ ...lower, ratio: 3.1 })).toBe('MISSED');
  expect(verdictOf({ better: 'lower', bar: 0, wish: 0, value: 1 })).toBe('MISSED');
  expect(verdictOf({ ...higher, bar: null, wish: null, ratio: 1 })).toBe('-');
});

/** The figures of liquidity over time: columns, scales and cells. */
import type { LiquidityHistory } from '@slotbook/client';
import { expect, test } from 'vitest';
import { columnAt, columnOf, type HeatColumn, paintHeat, viewOf } from './heat.js';

type Row = LiquidityHistory['rows'][number];

const depth = { bps: 10, bidBase: 3_000_000_000n, askBase: 4_000_000_000n };
const row = {
  ...{ ts: 10_000, state: 'live', bestBidPrice: 99_900_000n, bestAskPrice: 100_100_000n },
  ...{ spreadBps: 20, bandStep: 100_000n, bidBand: 99_900_000n, askBand: 100_100_000n },
  depth: [{ ...depth, bidQuote: 0n, askQuote: 0n }],
  bids: [1_000_000_000n, 0n, 4_000_000_000n],
  asks: [4_000_000_000n],
} as unknown as Row;

function columns(...rows: readonly Row[]): HeatColumn[] {
  return rows.flatMap((one) => columnOf(one) ?? []);
}

test('a row is a column of prices and sizes, without a side it is none', () => {
  expect(columnOf(row)).toEqual({
    ...{ ts: 10_000, bid: 99.9, ask: 100.1, spreadBps: 20, bidDepth: 3, askDepth: 4 },
    bids: { from: 99.9, step: -0.1, sizes: [1, 0, 4] },
    asks: { from: 100.1, step: 0.1, sizes: [4] },
  });
  expect(columnOf({ ...row, bestBidPrice: null })).toBeUndefined();
});

test('the scales have the orders, or as far as most orders rest', () => {
  const time = { fromTs: 0, toTs: 30_000, stepMs: 10_000 };
  const near = viewOf(columns(row), time);
  expect(near.low).toBeCloseTo(99.7, 6);
  expect(near.high).toBeCloseTo(100.3, 6);
  const far = viewOf(columns({ ...row, asks: new Array(100).fill(1n) } as Row), time);
  expect(far.high).toBeCloseTo(100 * 1.003, 6);
  // One large order does not pale the others.
  const large = { ...row, asks: [1_000_000_000_000n] } as unknown as Row;
  expect(viewOf(columns(row, row, large), time).sizeMax).toBe(4);
});

test('cells are painted in their column, row and strength', () => {
  const view = { fromTs: 0, toTs: 30_000, stepMs: 10_000, low: 99.6, high: 100.4, sizeMax: 4 };
  const painted: string[] = [];
  paintHeat(columns(row), { view, height: 8 }, ({ x, y }, part, side) => {
    painted.push(`${side} ${x} ${y} ${part}`);
  });
  expect(painted).toEqual(['bid 1 4 0.5', 'bid 1 6 1', 'ask 1 2 1']);
});

test('the column of a time is the newest one by then', () => {
  const all = columns(row, { ...row, ts: 20_000 });
  expect(columnAt(all, 19_999)?.ts).toBe(10_000);
  expect(columnAt(all, 9_999)).toBeUndefined();
});

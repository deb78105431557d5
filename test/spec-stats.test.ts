/**
 * The specification's statistics of markets, row by row: captured accounts in the core, a store on a
 * disk, and the server before both.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { engineWith, ORACLE, PERP, SPOT } from '../src/engine/testing.js';
import { MarketDataScene } from './support/market-data-scene.js';

type Row = Readonly<Record<string, unknown>>;

/** Of the captured accounts: long base at 1e9, the oracle at 1e6, the rate of 1e9 over 1e6. */
const CAPTURED = { base: 422_751.35, oracle: 143.798202, rate: -0.000987625 / 85.029676 };

let scene: MarketDataScene;
let rows: readonly Row[];
let perp: Row;
let spot: Row;

beforeAll(async () => {
  scene = await MarketDataScene.start(engineWith(PERP, SPOT, ORACLE));
  scene.fill({ ts: scene.ts - 60, quoteAssetAmountFilled: 200_000_001n });
  scene.fill({ ts: scene.ts - 23 * 3_600, quoteAssetAmountFilled: 300_000_000n });
  scene.fill({ ts: scene.ts - 25 * 3_600, quoteAssetAmountFilled: 700_000_000n });
  scene.fill({
    ...{ marketType: 'spot', marketIndex: 1, ts: scene.ts },
    quoteAssetAmountFilled: 5_000_000n,
  });
  const rates = [60_000_000n, 20_000_000n, 10_000_000n];
  for (const [hour, fundingRate] of rates.entries()) {
    scene.fundingRate({
      ts: scene.ts - (2 - hour) * 3_600,
      fundingRate,
      oraclePriceTwap: 100_000_000n,
    });
  }
  rows = await scene.rows('/stats/markets');
  [perp = {}, spot = {}] = rows;
});

afterAll(() => scene?.stop());

test('stats-path: GET /stats/markets is an array of all markets', () => {
  expect(rows.map(({ symbol }) => symbol)).toEqual(['SOL-PERP', 'SOL']);
});

test('stats-index: marketIndex is an integer', () => {
  expect([perp['marketIndex'], spot['marketIndex']]).toEqual([0, 1]);
});

test('stats-symbol: symbol is the name of the market', () => {
  expect([perp['symbol'], spot['symbol']]).toEqual(['SOL-PERP', 'SOL']);
});

test('stats-type: marketType is perp for perpetual markets', () => {
  expect([perp['marketType'], spot['marketType']]).toEqual(['perp', 'spot']);
});

test('stats-oracle: oraclePrice is a decimal in human units', () => {
  expect(perp['oraclePrice']).toBe(CAPTURED.oracle);
});

test('stats-volume: volume24h is the quote of the trades of 24 hours', () => {
  expect(perp['volume24h']).toBe(500.000001);
  expect(spot['volume24h']).toBe(5);
});

test('stats-interest: openInterest is the long base at the price of the oracle', () => {
  expect(perp['openInterest']).toBeCloseTo(CAPTURED.base * CAPTURED.oracle, 5);
  expect(perp['longOpenInterest']).toBe(CAPTURED.base);
  expect(perp['shortOpenInterest']).toBe(-425_175.12);
  expect(spot['openInterest']).toBe(0);
});

test('stats-funding: fundingRate is the last one, a fraction of the price for an hour', () => {
  // Newer than that of the captured account.
  expect(perp['fundingRate']).toBe(0.0001);
  expect(spot['fundingRate']).toBe(0);
});

test('stats-funding-average: fundingRate24hAvg is the mean of 24 hours', () => {
  expect(perp['fundingRate24hAvg']).toBe(0.0003);
});

test('stats-status: status is that of the market on chain', () => {
  expect([perp['status'], spot['status']]).toEqual(['active', 'active']);
});

test('the funding rate of the account is told where the history has none', async () => {
  const other = await MarketDataScene.start(engineWith(PERP, ORACLE));
  const [row] = await other.rows('/stats/markets');
  expect(row?.['fundingRate']).toBeCloseTo(CAPTURED.rate, 17);
  other.stop();
});

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type PlainCandle, type PlainTrade, plainCandles } from '../../../test/plain-candles.js';
import { RESOLUTIONS, type Resolution } from '../../contract/resolutions.js';
import type { FillAmounts } from '../../engine/events.js';
import type { Candle } from './candle.js';
import { labelledCandleText } from './candle-text.js';
import { readCandles } from './read-candles.js';
import { candlePointOf } from './rules.js';
import { MemoryBuckets } from './testing.js';

const market = 'perp_0';

function keep(store: MemoryBuckets, trade: PlainTrade): void {
  const counted = candlePointOf({ ...trade, id: trade.fillRecordId }, 9);
  if (counted === null) throw new Error('the trade counts in no candle');
  store.add(market, String(trade.fillRecordId), counted);
}

function read(
  store: MemoryBuckets,
  query: { resolution: Resolution; now: number; from?: number; to?: number; limit?: number },
): PlainCandle[] {
  return readCandles(store, { market, limit: 100_000, ...query }).map(asPlain);
}

function asPlain(candle: Candle): PlainCandle {
  const { ts, trades, lastTradeTs, lastFillRecordId } = candle;
  return {
    ...{ ts, trades, lastTradeTs, lastFillRecordId },
    ...{ open: candle.fillOpen, high: candle.fillHigh },
    ...{ low: candle.fillLow, close: candle.fillClose },
    ...{ oracleOpen: candle.oracleOpen, oracleHigh: candle.oracleHigh },
    ...{ oracleLow: candle.oracleLow, oracleClose: candle.oracleClose },
    ...{ base: candle.baseVolume, quote: candle.quoteVolume },
  };
}

const amount = fc.bigInt({ min: 1n, max: 2n ** 64n - 1n });
const amounts = fc.record({
  base: fc.oneof(amount, fc.bigInt({ min: 1n, max: 10n ** 10n })),
  quote: fc.oneof(amount, fc.bigInt({ min: 0n, max: 10n ** 10n })),
  oracle: fc.bigInt({ min: 1n, max: 10n ** 12n }),
  /** Seconds since the previous trade: blocks share a second, and markets pause. */
  wait: fc.oneof(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 0, max: 40_000 })),
  /** The chain's clock may move back a little. */
  back: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 70 })),
});

const tradesOfMarket = fc
  .record({
    start: fc.integer({ min: 1_700_000_000, max: 1_780_000_000 }),
    all: fc.array(amounts, { minLength: 1, maxLength: 25 }),
  })
  .map(({ start, all }) => {
    let ts = start;
    return all.map(({ base, quote, oracle, wait, back }, index): PlainTrade => {
      ts += wait;
      return { ts: ts - back, fillRecordId: BigInt(index + 7), base, quote, oracle };
    });
  });

const resolutions = fc.constantFrom(...RESOLUTIONS);
/** At the shorter resolutions such a market has a few thousand candles, which is enough. */
const runs = { numRuns: 60 };

/** A moment some buckets after the last trade. */
function behindAll(trades: readonly PlainTrade[]): number {
  return Math.max(...trades.map(({ ts }) => ts)) + 200;
}

describe('candles', () => {
  // Specification: candle-ts, candle-open, candle-high, candle-low, candle-close, candle-volume.
  test('are those of a plain recomputation, in whatever order trades come and however often', () => {
    const arrivals = tradesOfMarket.chain((trades) =>
      fc.record({
        trades: fc.constant(trades),
        arrived: fc.shuffledSubarray([...trades, ...trades], { minLength: 2 * trades.length }),
        resolution: resolutions,
      }),
    );
    fc.assert(
      fc.property(arrivals, ({ trades, arrived, resolution }) => {
        const store = new MemoryBuckets();
        for (const trade of arrived) keep(store, trade);
        const now = behindAll(trades);
        expect(read(store, { resolution, now })).toEqual(
          plainCandles(trades, { resolution, until: now }),
        );
      }),
      runs,
    );
  });

  test('of a range and a limit are the newest of it, as they stand among all', () => {
    const ranges = fc.record({
      trades: tradesOfMarket,
      resolution: resolutions,
      limit: fc.integer({ min: 1, max: 30 }),
      from: fc.option(fc.integer({ min: -100_000, max: 200_000 }), { nil: undefined }),
      to: fc.option(fc.integer({ min: -100_000, max: 200_000 }), { nil: undefined }),
    });
    fc.assert(
      fc.property(ranges, ({ trades, resolution, limit, from, to }) => {
        const store = new MemoryBuckets();
        for (const trade of trades) keep(store, trade);
        const [now, origin] = [behindAll(trades), trades[0]?.ts ?? 0];
        const range = {
          ...(from === undefined ? {} : { from: origin + from }),
          ...(to === undefined ? {} : { to: origin + to }),
        };
        const inRange = plainCandles(trades, { resolution, until: now }).filter(
          ({ ts }) => ts >= (range.from ?? -Infinity) && ts <= (range.to ?? Infinity),
        );
        store.reads = 0;
        expect(read(store, { resolution, now, limit, ...range })).toEqual(inRange.slice(-limit));
        expect(store.reads).toBeLessThanOrEqual(3);
      }),
      { numRuns: 200 },
    );
  });

  test('of a market without a trade are none, and there are none before the first', () => {
    const store = new MemoryBuckets();
    expect(read(store, { resolution: '1', now: 1_750_000_000 })).toEqual([]);
    keep(store, { ts: 1_750_000_000, fillRecordId: 1n, base: 1n, quote: 1n, oracle: 1n });
    expect(read(store, { resolution: '1', now: 1_750_000_100, to: 1_749_999_900 })).toEqual([]);
    expect(read(store, { resolution: '1', now: 1_750_000_100, from: 1_750_000_101 })).toEqual([]);
  });

  test('show a trade that is later than the clock that was handed in', () => {
    const store = new MemoryBuckets();
    keep(store, { ts: 1_750_000_100, fillRecordId: 1n, base: 1n, quote: 1n, oracle: 1n });
    const candles = read(store, { resolution: '1', now: 1_750_000_000 });
    expect(candles.map(({ ts }) => ts)).toEqual([1_750_000_080]);
  });
});

describe('a fill counts in candles', () => {
  const fill = { ts: 0, id: 9n, base: 3n, quote: 7n, oracle: 0n };
  const check = (told: Partial<FillAmounts>, expected: bigint | null, decimals = 9): void => {
    const trade = candlePointOf({ ...fill, ...told }, decimals);
    expect(trade === null ? null : trade.price).toBe(expected);
  };

  test('with quote for one base, rounded to the nearest millionth', () => {
    check({}, 2_333_333_333n);
    check({ quote: 8n }, 2_666_666_667n);
    check({ base: 2_000_000_000n, quote: 3n }, 2n);
    check({ quote: 0n }, 0n);
  });

  test('with a base in the decimals of its token', () => {
    check({ base: 2_000_000n, quote: 3_000_000n }, 1_500_000n, 6);
    check({ base: 10n ** 12n, quote: 1_000_000n }, 1_000_000n, 12);
  });

  test('only with a size', () => {
    check({ base: 0n }, null);
    check({ base: 1n }, null, 12);
  });
});

describe('a candle as text', () => {
  const candle: Candle = {
    ...{ ts: 60, fillOpen: 150_000_000n, fillHigh: 151_000_001n, fillLow: 1n, fillClose: 10n },
    ...{ oracleOpen: 0n, oracleHigh: 2n ** 63n, oracleLow: -5n, oracleClose: 1_500_000n },
    ...{ baseVolume: 2n ** 70n, quoteVolume: 525_952_001n, trades: 3 },
    ...{ lastTradeTs: 61, lastFillRecordId: 2n ** 63n },
  };

  test('holds every digit of its amounts', () => {
    expect(labelledCandleText(candle, { symbol: 'SOL-"X"', resolution: '1440' })).toBe(
      '{"symbol":"SOL-\\"X\\"","resolution":"1440","ts":60,' +
        '"fillOpen":150,"fillHigh":151.000001,"fillClose":0.00001,"fillLow":0.000001,' +
        '"oracleOpen":0,"oracleHigh":9223372036854.775808,"oracleClose":1.5,"oracleLow":-0.000005,' +
        '"quoteVolume":525.952001,"baseVolume":1180591620717.411303424,' +
        '"lastTradeTs":61,"lastFillRecordId":"9223372036854775808"}',
    );
  });
});

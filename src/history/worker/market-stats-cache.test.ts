import fc from 'fast-check';
import { afterEach, describe, expect, test, vi } from 'vitest';
import type { Fill, FundingRate } from '../../../test/support/logged-records.js';
import type { MarketStats } from '../../contract/history-source.js';
import { cleanUp, fill, fundingRate, MIDNIGHT, newStore, transaction } from '../store/testing.js';
import { MarketStatsCache, windowStart } from './market-stats-cache.js';

afterEach(cleanUp);

const DAY = 86_400;
const NOW = MIDNIGHT + 10 * DAY + 5 * 3_600 + 17 * 60 + 23;
const FROM = windowStart(NOW);

/** One fill of base 1e9 at a price, in its own transaction. */
function traded(slot: number, ts: number, price: bigint, more: Partial<Fill> = {}) {
  const parts = { ts, fillRecordId: BigInt(slot), quoteAssetAmountFilled: price };
  const one = fill({ baseAssetAmountFilled: 1_000_000_000n, oraclePrice: price + 1n, ...parts });
  return transaction({ slot, fills: [{ ...one, ...more }] });
}

function funded(slot: number, ts: number, more: Partial<FundingRate> = {}) {
  return transaction({
    slot,
    fundingRates: [fundingRate({ ts, recordId: BigInt(slot), ...more })],
  });
}

async function figuresOf(
  transactions: Parameters<Awaited<ReturnType<typeof newStore>>['writeBatch']>[0]['transactions'],
): Promise<MarketStats | undefined> {
  const store = await newStore();
  store.writeBatch({ transactions });
  return new MarketStatsCache(store).readChanged(['perp_0'], NOW)?.[0];
}

describe('statistics: the last 24 hours', () => {
  test('they begin with a whole minute, and what is before them gives the price of a day ago', async () => {
    expect((NOW - FROM - DAY) / 60).toBeLessThan(1);
    expect(FROM % 60).toBe(0);
    const figures = await figuresOf([
      traded(1, FROM - 1, 90_000_000n),
      traded(2, FROM, 100_000_000n),
      traded(3, FROM + 3_600, 120_000_000n),
      traded(4, NOW, 110_000_000n),
    ]);
    expect(figures).toMatchObject({
      baseVolume24h: 3_000_000_000n,
      quoteVolume24h: 330_000_000n,
      price: 110_000_000n,
      price24hAgo: 90_000_000n,
      high24h: 120_000_000n,
      low24h: 100_000_000n,
    });
  });

  test('without a trade in them there is no high and low, and the price is the last one', async () => {
    expect(await figuresOf([traded(1, FROM - 5 * DAY, 90_000_000n)])).toEqual({
      market: 'perp_0',
      ...{ baseVolume24h: 0n, quoteVolume24h: 0n, price: 90_000_000n, price24hAgo: 90_000_000n },
      ...{ high24h: null, low24h: null, oracleHigh24h: null, oracleLow24h: null },
      ...{ fundingRate: null, fundingRate24hAvg: null, fundingRateTs: null },
    });
  });

  test('transfers of positions are no trades, and liquidations are', async () => {
    const figures = await figuresOf([
      traded(1, NOW - 60, 100_000_000n, { actionExplanation: 'liquidation' }),
      traded(2, NOW - 50, 500_000_000n, { actionExplanation: 'transferPerpPosition' }),
    ]);
    expect(figures).toMatchObject({ quoteVolume24h: 100_000_000n, high24h: 100_000_000n });
  });

  test('base of a spot market is at 1e9, whatever the token has', async () => {
    const store = await newStore();
    const spot = { marketType: 'spot', marketIndex: 1 } as const;
    const one = traded(1, NOW, 7_000_000n, { ...spot, baseAssetAmountFilled: 1_000_000n });
    store.writeBatch({ transactions: [one] });
    const [figures] = new MarketStatsCache(store).readChanged(['spot_1'], NOW) ?? [];
    expect(figures).toMatchObject({ baseVolume24h: 1_000_000_000n, price: 7_000_000n });
  });
});

describe('statistics: funding', () => {
  test('the last rate and the average of the rates of 24 hours are fractions of their own prices', async () => {
    const figures = await figuresOf([
      funded(1, FROM - 1, { fundingRate: 900_000_000n }),
      funded(2, FROM, { fundingRate: 10_000_000n, oraclePriceTwap: 100_000_000n }),
      funded(3, FROM + 3_600, { fundingRate: -30_000_000n, oraclePriceTwap: 200_000_000n }),
      funded(4, FROM + 7_200, { fundingRate: 20_000_000n, oraclePriceTwap: 100_000_000n }),
    ]);
    // 0.01 / 100, -0.03 / 200 and 0.02 / 100.
    expect(figures?.fundingRate).toBe(200_000_000_000_000n);
    expect(figures?.fundingRate24hAvg).toBe(50_000_000_000_000n);
    expect(figures?.fundingRateTs).toBe(FROM + 7_200);
  });

  test('of a market whose last rate is older than that there is no average', async () => {
    const figures = await figuresOf([funded(1, FROM - 1)]);
    expect(figures).toMatchObject({ fundingRate24hAvg: null, fundingRateTs: FROM - 1 });
    expect(figures?.fundingRate).toBe(120_000_000_000_000n);
  });
});

describe('statistics: what is read again', () => {
  test('figures that stay are not told again, and those of other markets are not read again', async () => {
    const store = await newStore();
    store.writeBatch({ transactions: [traded(1, NOW, 100_000_000n)] });
    const aggregate = vi.spyOn(store, 'aggregateSpan');
    const statistics = new MarketStatsCache(store);
    expect(statistics.readChanged(['perp_0', 'perp_1'], NOW)?.length).toBe(2);
    expect(statistics.readChanged(['perp_0', 'perp_1'], NOW + 1)).toBeNull();
    expect(aggregate.mock.calls.length).toBe(2);
    statistics.markChanged(['perp_1']);
    expect(statistics.readChanged(['perp_0', 'perp_1'], NOW + 2)?.length).toBe(2);
    expect(aggregate.mock.calls.length).toBe(3);
    // The next minute moves every window.
    statistics.readChanged(['perp_0', 'perp_1'], NOW + 60);
    expect(aggregate.mock.calls.length).toBe(5);
    expect(statistics.readChanged(['perp_1'], NOW + 60)?.map(({ market }) => market)).toEqual([
      'perp_1',
    ]);
  });

  test('what a failed reading did not tell the next one tells', async () => {
    const store = await newStore();
    const statistics = new MarketStatsCache(store);
    statistics.readChanged(['perp_0'], NOW);
    statistics.markChanged(
      store.writeBatch({ transactions: [traded(1, NOW, 100_000_000n)] }).markets,
    );
    const read = vi.spyOn(store, 'aggregateSpan').mockImplementationOnce(() => {
      throw new Error('deliberate');
    });
    expect(() => statistics.readChanged(['perp_0'], NOW)).toThrow('deliberate');
    read.mockRestore();
    expect(statistics.readChanged(['perp_0'], NOW)?.[0]?.quoteVolume24h).toBe(100_000_000n);
  });

  test('late trades and trades taken back leave the figures of a plain recomputation', async () => {
    const offset = fc.integer({ min: -2 * 3_600, max: DAY + 3_600 });
    const price = fc.bigInt({ min: 1n, max: 300_000_000n });
    const life = fc.array(fc.record({ offset, price, isTakenBack: fc.boolean() }), {
      maxLength: 40,
    });
    await fc.assert(
      fc.asyncProperty(life, async (trades) => {
        const store = await newStore();
        const statistics = new MarketStatsCache(store);
        let told = statistics.readChanged(['perp_0'], NOW);
        const kept: { ts: number; price: bigint; slot: number }[] = [];
        for (const [at, { offset: seconds, price: paid, isTakenBack }] of trades.entries()) {
          const [slot, ts] = [at + 1, FROM - 3_600 + seconds];
          const one = traded(slot, ts, paid);
          statistics.markChanged(store.writeBatch({ transactions: [one] }).markets);
          if (at % 3 === 0) told = statistics.readChanged(['perp_0'], NOW) ?? told;
          if (isTakenBack)
            statistics.markChanged(store.removeTransactions([one.signature]).markets);
          else kept.push({ ts, price: paid, slot });
        }
        const figures = (statistics.readChanged(['perp_0'], NOW) ?? told)?.[0];
        const inside = kept.filter(({ ts }) => ts >= FROM);
        const prices = inside.map((trade) => trade.price).sort((a, b) => (a < b ? -1 : 1));
        expect(figures).toMatchObject({
          baseVolume24h: BigInt(inside.length) * 1_000_000_000n,
          quoteVolume24h: prices.reduce((sum, paid) => sum + paid, 0n),
          high24h: prices.at(-1) ?? null,
          low24h: prices[0] ?? null,
        });
      }),
      { numRuns: 25 },
    );
  });
});

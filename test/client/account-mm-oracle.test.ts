/** Gains are taken at the market makers' oracle, where the program uses it. */
import { describe, expect, test } from 'vitest';
import {
  AccountCache,
  decodePerpMarket,
  type MarketPrices,
} from '../../src/client/accounts/index.js';
import { type L2Book, OraclePriceCache, rawPrice } from '../../src/client/index.js';
import { capturedAccount } from '../support/captured-accounts.js';
import { balance, boughtAt, NOW_S, perpFacts, spotFacts, user } from '../support/model-scene.js';

const sol = decodePerpMarket(capturedAccount('perp-0-sol-202603'));
const { mmOraclePrice: MM, mmOracleSlot: MM_SLOT, mmOracleSequenceId: MM_ID } = sol.amm;
const EXCHANGE = sol.amm.historicalOracleData.lastOraclePrice;
const DOLLAR = 1_000_000n;
const held = user({ perpPositions: [boughtAt(10, 80)], spotPositions: [balance(500)] });

function cacheOf(perp = perpFacts(), oracles?: OraclePriceCache): AccountCache {
  const cache = new AccountCache({ ...(oracles && { oracles }), nowS: () => NOW_S });
  cache.updateSpotMarket(spotFacts());
  cache.updatePerpMarket(perp);
  cache.updatePrices({ spot_0: { oracle: DOLLAR } });
  cache.updateAccount({ user: held, slot: 1 });
  return cache;
}

/** At which price the account's gains are taken. */
function takenAt(cache: AccountCache): bigint | undefined {
  const gain = cache.getAccount(held)?.marginInfo?.totalUnsettledPnl;
  return gain === undefined ? undefined : gain / 10n + 80n * DOLLAR;
}

describe("the price of the market makers in the market's account", () => {
  const at = (prices: Partial<MarketPrices>, perp = perpFacts()) => {
    const cache = cacheOf(perp);
    cache.updatePrices({ perp_0: { oracle: EXCHANGE, ...prices } });
    return takenAt(cache);
  };

  test("is used when it is as recent as the exchange's", () => {
    expect([MM, EXCHANGE]).toEqual([84_980_000n, 85_016_475n]);
    expect(at({ oracleSlot: MM_SLOT })).toBe(MM);
    expect(at({ oracleSlot: MM_SLOT - 100n })).toBe(MM);
    expect(at({ oracleSlot: MM_SLOT + 1n })).toBe(EXCHANGE);
  });

  test('is as recent as its sequence id where both have one of the same kind', () => {
    expect(at({ oracleSlot: MM_SLOT + 1n, oracleSequenceId: MM_ID - 1n })).toBe(MM);
    expect(at({ oracleSlot: MM_SLOT - 1n, oracleSequenceId: MM_ID + 1n })).toBe(EXCHANGE);
    // Seconds and microseconds do not compare: slots do.
    expect(at({ oracleSlot: MM_SLOT, oracleSequenceId: MM_ID / 1_000_000n })).toBe(MM);
  });

  test("is not used without the slot of the exchange's, and not before a launch", () => {
    expect(at({})).toBe(EXCHANGE);
    const amm = { ...perpFacts().amm, oracleSource: 'prelaunch' as const };
    expect(at({ oracleSlot: MM_SLOT }, perpFacts({ amm }))).toBe(EXCHANGE);
  });

  test("is not used a hundredth away from the exchange's", () => {
    const [near, far] = [(MM * 100n) / 101n + 1n, (MM * 100n) / 101n - 100n];
    expect(at({ oracle: near, oracleSlot: 1n })).toBe(MM);
    expect(at({ oracle: far, oracleSlot: 1n })).toBe(far);
  });

  test('is not used when it is too many times its average, or was never set', () => {
    const { amm } = perpFacts();
    const average = { ...amm, historicalOracleData: { lastOraclePriceTwap: MM / 6n } };
    expect(at({ oracleSlot: 1n }, perpFacts({ amm: average }))).toBe(EXCHANGE);
    const old = { ...amm, mmOracleSlot: 0n };
    expect(at({ oracleSlot: 1n }, perpFacts({ amm: old }))).toBe(EXCHANGE);
  });

  test("leaves what is asked for at the exchange's price", () => {
    const cache = cacheOf();
    cache.updatePrices({ perp_0: { oracle: EXCHANGE, oracleSlot: MM_SLOT } });
    const data = cache.getAccount(held);
    expect(data?.marginInfo?.maintenanceReq).toBe((EXCHANGE * 10n * 500n) / 10_000n);
    expect(data?.openPerpPositions[0]?.notionalSize).toBe(EXCHANGE * 10n);
  });

  test('is judged anew by a new account of the market, and by a new slot', () => {
    const cache = cacheOf();
    cache.updatePrices({ perp_0: { oracle: EXCHANGE, oracleSlot: MM_SLOT } });
    let told = 0;
    cache.onUpdate(() => {
      told += 1;
    });
    cache.updatePrices({ perp_0: { oracle: EXCHANGE, oracleSlot: MM_SLOT - 1n } });
    expect([told, takenAt(cache)]).toEqual([0, MM]);
    cache.updatePrices({ perp_0: { oracle: EXCHANGE, oracleSlot: MM_SLOT + 1n } });
    expect([told, takenAt(cache)]).toEqual([1, EXCHANGE]);
    const { amm } = perpFacts();
    const newer = { mmOraclePrice: MM + 5n, mmOracleSlot: MM_SLOT + 1n };
    cache.updatePerpMarket(perpFacts({ amm: { ...amm, ...newer } }));
    expect([told, takenAt(cache)]).toEqual([2, MM + 5n]);
    // A price that comes without a slot has none of before.
    cache.updatePrices({ perp_0: { oracle: EXCHANGE + 1n } });
    expect(takenAt(cache)).toBe(EXCHANGE + 1n);
  });
});

describe('the price of the market makers that the service tells', () => {
  const reading = { hasSufficientNumberOfDataPoints: true, confidence: rawPrice(5n) };

  function book(slot: number, oracle: bigint, mm: Partial<L2Book['mmOracleData']>): L2Book {
    const price = rawPrice(oracle);
    return {
      ...{ bids: [], asks: [], marketName: 'SOL-PERP', marketType: 'perp', marketIndex: 0 },
      ...{ ts: slot, slot, markPrice: price, oracle: price, marketSlot: slot, seq: slot },
      ...{ epoch: 'e', state: 'live', crossed: false, bestBidPrice: null, bestAskPrice: null },
      ...{ spreadPct: null, spreadQuote: null, mmOracleData: mm },
      oracleData: { ...reading, price, slot: BigInt(slot) },
    };
  }

  test('comes with the oracle through its cache, and changes alone', () => {
    const oracles = new OraclePriceCache();
    const cache = cacheOf(perpFacts(), oracles);
    const told: unknown[] = [];
    cache.onUpdate(() => told.push(takenAt(cache)));
    oracles.updateOraclePrices([book(1, EXCHANGE, { price: rawPrice(85_100_000n) })]);
    oracles.updateOraclePrices([book(1, EXCHANGE, { price: rawPrice(85_200_000n) })]);
    expect(told).toEqual([85_100_000n, 85_200_000n]);
    expect(oracles.getOraclePriceData('perp_0')?.mmPrice).toBe(85_200_000n);
  });

  test("is made of the market's account where the service does not tell it", () => {
    const oracles = new OraclePriceCache();
    const cache = cacheOf(perpFacts(), oracles);
    oracles.updateOraclePrices([book(Number(MM_SLOT), EXCHANGE, {})]);
    expect(takenAt(cache)).toBe(MM);
    oracles.updateOraclePrices([book(Number(MM_SLOT) + 1, EXCHANGE, {})]);
    expect(takenAt(cache)).toBe(EXCHANGE);
  });
});

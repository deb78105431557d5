/** Accounts as time passes, and where only a part of what they are made of is known. */
import { describe, expect, test } from 'vitest';
import {
  AccountCache,
  accountData,
  MarketTerms,
  type ModelUser,
} from '../../src/client/accounts/index.js';
import {
  balance,
  boughtAt,
  NOW_S,
  perpFacts,
  solSpotFacts,
  spotFacts,
  user,
} from '../support/model-scene.js';

const DOLLAR = 1_000_000n;
const none = { mmOracle: null, mark: null };
const isolated = { positionFlag: 1, isolatedPositionScaledBalance: 1_000_000_000_000n };

/** A perp and a spot market of one oracle, at a price in dollars. */
function solMarkets(price: bigint): MarketTerms {
  const markets = new MarketTerms();
  for (const facts of [spotFacts(), solSpotFacts()]) markets.setSpotMarket(facts, NOW_S);
  markets.setPerpMarket(perpFacts(), NOW_S);
  markets.setPrices('spot_0', { oracle: DOLLAR, ...none }, NOW_S);
  for (const key of ['spot_1', 'perp_0'] as const) {
    markets.setPrices(key, { oracle: price, ...none }, NOW_S);
  }
  return markets;
}

describe('a position that has its own margin', () => {
  const owing = [balance(-1_000), balance(10, { marketIndex: 1 })];
  const short = boughtAt(-20, 150, isolated);
  const both = user({ perpPositions: [short], spotPositions: owing });

  test('has no part in the liquidation price of a balance of the same oracle', () => {
    const alone = accountData(user({ spotPositions: owing }), solMarkets(150n * DOLLAR));
    const data = accountData(both, solMarkets(150n * DOLLAR));
    const priceOf = ({ spotBalances }: typeof data) => spotBalances[1]?.liquidationPrice;
    expect(priceOf(data)).toBe(111_111_112n);
    expect(priceOf(data)).toBe(priceOf(alone));
    // There the free margin is used up, and not before.
    const freeAt = (price: bigint) =>
      accountData(both, solMarkets(price)).marginInfo?.freeMaintenanceMargin;
    expect([freeAt(111_200_000n), freeAt(111_111_111n)]).toEqual([800_000n, 0n]);
  });

  test('a position that shares the margin of the account has', () => {
    const shared = user({ perpPositions: [boughtAt(-5, 150)], spotPositions: owing });
    const { spotBalances } = accountData(shared, solMarkets(150n * DOLLAR));
    expect(spotBalances[1]?.liquidationPrice).not.toBe(111_111_112n);
  });

  test('has its liquidation price where the margin of the account is not known', () => {
    const known = accountData(both, solMarkets(150n * DOLLAR)).openPerpPositions[0];
    const elsewhere = boughtAt(1, 3_000, { marketIndex: 9 });
    const held = user({ perpPositions: [short, elsewhere], spotPositions: owing });
    const data = accountData(held, solMarkets(150n * DOLLAR));
    expect(data.marginInfo).toBeNull();
    expect(data.openPerpPositions[0]?.liquidationPrice).not.toBeNull();
    expect(data.openPerpPositions[0]?.liquidationPrice).toBe(known?.liquidationPrice);
    expect(data.openPerpPositions[1]?.liquidationPrice).toBeNull();
  });
});

test('a market in settlement needs no oracle: its price is that of the expiry', () => {
  const markets = new MarketTerms();
  markets.setSpotMarket(spotFacts(), NOW_S);
  const expired = { status: 'settlement', expiryPrice: 140n * DOLLAR } as const;
  markets.setPerpMarket(perpFacts(expired), NOW_S);
  markets.setPrices('spot_0', { oracle: DOLLAR, ...none }, NOW_S);
  const held = user({ perpPositions: [boughtAt(10, 150)], spotPositions: [balance(500)] });
  const { marginInfo, openPerpPositions } = accountData(held, markets);
  expect(openPerpPositions[0]?.notionalSize).toBe(1_400n * DOLLAR);
  expect(openPerpPositions[0]?.totalUnsettledPnl).toBe(-100n * DOLLAR);
  expect(marginInfo?.netUsdValue).toBe(400n * DOLLAR);
  expect([marginInfo?.maintenanceReq, marginInfo?.health]).toEqual([0n, 100]);
});

describe('the average of strict prices', () => {
  const lending = user({ spotPositions: [balance(500)] });
  const facts = spotFacts({
    historicalOracleData: {
      lastOraclePriceTwap5min: 950_000n,
      lastOraclePriceTwapTs: BigInt(NOW_S),
    },
  });

  function cacheAt(now: () => number): AccountCache {
    const cache = new AccountCache({ nowS: now });
    cache.updateSpotMarket(facts);
    cache.updatePerpMarket(perpFacts());
    cache.updatePrices({ spot_0: { oracle: DOLLAR } });
    cache.updateAccount({ user: lending, slot: 1 });
    return cache;
  }

  const free = (cache: AccountCache, held: ModelUser = lending) =>
    cache.getAccount(held)?.marginInfo?.freeInitialMargin;

  test('goes on with time, also where no price has changed', () => {
    let now = NOW_S + 1;
    const cache = cacheAt(() => now);
    const seen = [free(cache)];
    for (const second of [60, 150, 299, 300, 600]) {
      now = NOW_S + second;
      cache.updatePrices({ spot_0: { oracle: DOLLAR } });
      seen.push(free(cache));
      expect(free(cache)).toBe(free(cacheAt(() => now)));
    }
    expect(seen.at(-1)).toBe(500n * DOLLAR);
    expect(seen).toEqual([...seen].sort((left, right) => Number((left ?? 0n) - (right ?? 0n))));
    expect(new Set(seen).size).toBe(5);
  });

  test('goes on with the price of another market, and stands still once it is there', () => {
    let now = NOW_S + 1;
    const cache = cacheAt(() => now);
    let told = 0;
    cache.onUpdate(() => {
      told += 1;
    });
    const pass = (second: number) => {
      now = NOW_S + second;
      cache.updatePrices({ perp_0: { oracle: 150n * DOLLAR } });
      return [told, free(cache)];
    };
    expect(pass(1)).toEqual([0, free(cacheAt(() => NOW_S + 1))]);
    expect(pass(200)).toEqual([1, free(cacheAt(() => NOW_S + 200))]);
    expect(pass(400)).toEqual([2, 500n * DOLLAR]);
    expect(pass(500)).toEqual([2, 500n * DOLLAR]);
  });
});

describe('a cache of accounts', () => {
  test('takes nothing of prices among which a key is none', () => {
    const cache = new AccountCache({ nowS: () => NOW_S });
    cache.updatePerpMarket(perpFacts());
    cache.updateSpotMarket(spotFacts());
    cache.updatePrices({ spot_0: { oracle: DOLLAR }, perp_0: { oracle: 150n * DOLLAR } });
    const held = user({ perpPositions: [boughtAt(10, 150)], spotPositions: [balance(500)] });
    cache.updateAccount({ user: held, slot: 1 });
    const size = () => cache.getAccount(held)?.openPerpPositions[0]?.notionalSize;
    expect(size()).toBe(1_500n * DOLLAR);
    const next = { perp_0: { oracle: 160n * DOLLAR } };
    expect(() => cache.updatePrices({ ...next, SOL: { oracle: 1n } } as typeof next)).toThrow(
      expect.objectContaining({ code: 'INVALID_KEY' }),
    );
    expect(size()).toBe(1_500n * DOLLAR);
    cache.updatePrices(next);
    expect(size()).toBe(1_600n * DOLLAR);
  });

  test('ends a loop that begins after it was destroyed', async () => {
    const cache = new AccountCache();
    cache.destroy();
    const reader = cache[Symbol.asyncIterator]();
    expect(await reader.next()).toEqual({ done: true, value: undefined });
  });
});

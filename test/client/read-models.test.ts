/** Read models of accounts where something is not known, and of isolated positions. */
import { describe, expect, test } from 'vitest';
import { accountData, MarketTerms } from '../../src/client/accounts/index.js';
import { balance, boughtAt, NOW_S, tellMarkets, user } from '../support/model-scene.js';

/** 500 dollars, and ten units bought at 150. */
const buyer = { perpPositions: [boughtAt(10, 150)], spotPositions: [balance(500)] };

describe('what is not known', () => {
  test('is null before there are prices, and what needs none is there', () => {
    const markets = new MarketTerms();
    const data = accountData(user(buyer), markets);
    expect(data.marginInfo).toBeNull();
    expect(data.openPerpPositions[0]).toMatchObject({
      baseSize: 10_000_000_000n,
      entryPrice: 150_000_000n,
      notionalSize: null,
      liquidationPrice: null,
      positionPnl: { markBased: null, oracleBased: null },
      feesAndFundingPnl: null,
    });
    expect(data.spotBalances[0]).toMatchObject({ baseBalance: null, notionalBalance: null });
  });

  test('at one market leaves the positions of the others as they are', () => {
    const markets = new MarketTerms();
    tellMarkets(markets, { oracle: 160, mark: 161 });
    const elsewhere = boughtAt(1, 3_000, { marketIndex: 9 });
    const data = accountData(user({ perpPositions: [boughtAt(10, 150), elsewhere] }), markets);
    expect(data.marginInfo).toBeNull();
    expect(data.openPerpPositions[0]).toMatchObject({ totalUnsettledPnl: 100_000_000n });
    expect(data.openPerpPositions[0]?.liquidationPrice).toBeNull();
    expect(data.openPerpPositions[1]?.totalUnsettledPnl).toBeNull();
  });

  test('of mark and oracle is taken from the other; a price of zero is none', () => {
    const markets = new MarketTerms();
    tellMarkets(markets, { oracle: 160 });
    const pnl = () => accountData(user(buyer), markets).openPerpPositions[0]?.positionPnl;
    expect(pnl()?.markBased?.positionNotionalPnl).toBe(100_000_000n);
    markets.setPrices('perp_0', { oracle: 0n, mmOracle: null, mark: 155_000_000n }, NOW_S);
    expect(pnl()?.oracleBased?.positionNotionalPnl).toBe(50_000_000n);
    expect(pnl()?.oracleBased?.positionPnlPercentage).toBeNull();
  });

  test('an isolated position has a margin and a liquidation price of its own', () => {
    const isolated = boughtAt(-0.05, 64_500, {
      positionFlag: 1,
      isolatedPositionScaledBalance: 200_000_000_000n,
    });
    const markets = new MarketTerms();
    tellMarkets(markets, { oracle: 64_000 });
    const rich = user({ perpPositions: [isolated], spotPositions: [balance(1_000)] });
    const data = accountData(rich, markets);
    expect(data.marginInfo?.maintenanceReq).toBe(0n);
    expect(data.marginInfo?.netUsdValue).toBe(1_225_000_000n);
    expect(data.openPerpPositions[0]?.isolatedMargin).toMatchObject({
      totalCollateral: 225_000_000n,
      maintenanceReq: 160_000_000n,
    });
    const being = { ...isolated, positionFlag: 3 };
    const liquidated = accountData(user({ perpPositions: [being] }), markets);
    expect(liquidated.openPerpPositions[0]?.isolatedMargin?.health).toBe(0);
  });
});

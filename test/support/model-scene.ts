/** Accounts and markets for the client's read models, with everything that a test leaves out. */

import type { PerpMarketFacts, SpotMarketFacts } from '../../src/client/accounts/index.js';
import {
  decodePerpMarket,
  decodeSpotMarket,
  type MarketTerms,
  type ModelUser,
  type Order,
  type PerpPosition,
  type SpotPosition,
} from '../../src/client/accounts/index.js';
import { capturedAccount } from './captured-accounts.js';

/** The time of the captured markets, so that their averages are live. */
export const NOW_S = 1_772_000_000;
export const AUTHORITY = '4rmhwytmKH1XsgGAUyUUH7U64HS5FtT6gM8HGKAfwcFE';

/** A perp market with plain rules: ratios of 10 % and 5 %, nothing that grows with size. */
export function perpFacts(parts: Partial<PerpMarketFacts> = {}): PerpMarketFacts {
  const captured = decodePerpMarket(capturedAccount('perp-0-sol-202603'));
  const { amm } = captured;
  return {
    ...captured,
    imfFactor: 0,
    unrealizedPnlImfFactor: 0,
    unrealizedPnlMaxImbalance: 0n,
    unrealizedPnlInitialAssetWeight: 10_000,
    unrealizedPnlMaintenanceAssetWeight: 10_000,
    marginRatioInitial: 1_000,
    marginRatioMaintenance: 500,
    amm: { ...amm, oracle: 'sol', cumulativeFundingRateLong: 0n, cumulativeFundingRateShort: 0n },
    ...parts,
  };
}

/** The quote market by default: a dollar that is worth one, without interest. */
export function spotFacts(parts: Partial<SpotMarketFacts> = {}): SpotMarketFacts {
  const captured = decodeSpotMarket(capturedAccount('spot-0-usdc-202603'));
  return {
    ...captured,
    oracle: 'usdc',
    cumulativeDepositInterest: 10_000_000_000n,
    cumulativeBorrowInterest: 10_000_000_000n,
    initialAssetWeight: 10_000,
    maintenanceAssetWeight: 10_000,
    imfFactor: 0,
    scaleInitialAssetWeightStart: 0n,
    historicalOracleData: {
      ...captured.historicalOracleData,
      lastOraclePriceTwap5min: 1_000_000n,
      lastOraclePriceTwapTs: BigInt(NOW_S),
    },
    ...parts,
  };
}

/** A spot market of a token of 9 decimals that weighs 80 %, of the same oracle as the perp. */
export function solSpotFacts(parts: Partial<SpotMarketFacts> = {}): SpotMarketFacts {
  return spotFacts({
    marketIndex: 1,
    decimals: 9,
    oracle: 'sol',
    oracleSource: 'pythLazer',
    initialAssetWeight: 8_000,
    maintenanceAssetWeight: 9_000,
    initialLiabilityWeight: 12_000,
    maintenanceLiabilityWeight: 11_000,
    ...parts,
  });
}

export function perpPosition(parts: Partial<PerpPosition> = {}): PerpPosition {
  return {
    marketIndex: 0,
    baseAssetAmount: 0n,
    quoteAssetAmount: 0n,
    quoteEntryAmount: 0n,
    quoteBreakEvenAmount: 0n,
    lastCumulativeFundingRate: 0n,
    openBids: 0n,
    openAsks: 0n,
    settledPnl: 0n,
    lpShares: 0n,
    isolatedPositionScaledBalance: 0n,
    lastQuoteAssetAmountPerLp: 0n,
    maxMarginRatio: 0,
    openOrders: 0,
    positionFlag: 0,
    ...parts,
  };
}

/** A position of so many whole units bought, or sold when negative, at a price of whole dollars. */
export function boughtAt(units: number, price: number, parts: Partial<PerpPosition> = {}) {
  const quote = -BigInt(Math.round(units * price * 1e6));
  return perpPosition({
    baseAssetAmount: BigInt(Math.round(units * 1e9)),
    quoteAssetAmount: quote,
    quoteEntryAmount: quote,
    quoteBreakEvenAmount: quote,
    ...parts,
  });
}

/** A balance of so many whole units of market 0 or another; negative is owed. */
export function balance(units: number, parts: Partial<SpotPosition> = {}): SpotPosition {
  return {
    marketIndex: 0,
    scaledBalance: BigInt(Math.round(Math.abs(units) * 1e9)),
    balanceType: units < 0 ? 'borrow' : 'deposit',
    openBids: 0n,
    openAsks: 0n,
    cumulativeDeposits: 0n,
    openOrders: 0,
    ...parts,
  };
}

export function order(parts: Partial<Order> = {}): Order {
  return {
    slot: 350_000_000n,
    price: 150_000_000n,
    baseAssetAmount: 1_000_000_000n,
    baseAssetAmountFilled: 0n,
    quoteAssetAmountFilled: 0n,
    triggerPrice: 0n,
    auctionStartPrice: 0n,
    auctionEndPrice: 0n,
    maxTs: 0n,
    oraclePriceOffset: 0,
    orderId: 1,
    marketIndex: 0,
    status: 'open',
    orderType: 'limit',
    marketType: 'perp',
    userOrderId: 0,
    existingPositionDirection: 'long',
    direction: 'long',
    reduceOnly: false,
    postOnly: false,
    immediateOrCancel: false,
    triggerCondition: 'above',
    auctionDuration: 0,
    postedSlotTail: 0,
    bitFlags: 0,
    ...parts,
  };
}

export function user(parts: Partial<ModelUser> = {}): ModelUser {
  return {
    authority: AUTHORITY,
    subAccountId: 0,
    name: 'Main Account',
    poolId: 0,
    delegate: null,
    isMarginTradingEnabled: false,
    status: 0,
    marginMode: 'default',
    maxMarginRatio: 0,
    spotPositions: [],
    perpPositions: [],
    orders: [],
    ...parts,
  };
}

/** Sets the markets 0 of both kinds and their prices, in whole dollars. */
export function tellMarkets(markets: MarketTerms, prices: { oracle: number; mark?: number }): void {
  markets.setSpotMarket(spotFacts(), NOW_S);
  markets.setPerpMarket(perpFacts(), NOW_S);
  const dollars = (price: number) => BigInt(Math.round(price * 1e6));
  const mark = prices.mark === undefined ? null : dollars(prices.mark);
  markets.setPrices('spot_0', { oracle: 1_000_000n, mmOracle: null, mark: null }, NOW_S);
  markets.setPrices('perp_0', { oracle: dollars(prices.oracle), mmOracle: null, mark }, NOW_S);
}

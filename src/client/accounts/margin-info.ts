/** The margin of an account for display, and how far the account is from liquidation. */
import { type Quote, rawQuote } from '../amounts.js';
import type { AccountMargin, Margin, MarginUser } from './account-margin.js';
import { max } from './math/integer.js';
import { USER_STATUS } from './user.js';

/**
 * The margin of an account; amounts are quote, 1e6. Isolated positions have margins of their own.
 */
export interface MarginInfo {
  /** The value of balances, gains and isolated deposits; negative when debts exceed assets. */
  readonly netUsdValue: Quote;
  /** Gains of all perp positions, with funding. */
  readonly totalUnsettledPnl: Quote;
  readonly totalUnsettledFundingPnl: Quote;
  /** The claimable part of the gains. */
  readonly totalClaimablePnl: Quote;
  /** Collateral for new positions. */
  readonly totalInitialMargin: Quote;
  /** Collateral against liquidation. */
  readonly totalMaintenanceMargin: Quote;
  /** Free collateral for new positions, at the worse of each price and its average. */
  readonly freeInitialMargin: Quote;
  /** Free collateral before a liquidation. */
  readonly freeMaintenanceMargin: Quote;
  /** The margin requirement of positions and orders, at the worse of each price and its average. */
  readonly initialReq: Quote;
  /** The maintenance requirement: below it an account is liquidated. */
  readonly maintenanceReq: Quote;
  /**
   * Liabilities divided by net value: 4.2 means 4.2 times. Negative when the net value is negative.
   */
  readonly leverage: number;
  /** Net value divided by liabilities, in percent; null without liabilities. */
  readonly marginRatioPct: number | null;
  /** From 0, being liquidated, to 100. */
  readonly health: number;
}

/** The unit of {@link leverageOf} and {@link marginRatioOf}: 1e4. */
const RATIO_UNIT = 10_000n;

/**
 * Returns the margin of an account for display, from the results of a margin calculation.
 *
 * @example
 * const { health } = marginInfo(user, margin);
 */
export function marginInfo(user: MarginUser, margin: AccountMargin): MarginInfo {
  const { initial, initialStrict, maintenance } = margin;
  const ratio = marginRatioOf(margin);
  return {
    netUsdValue: rawQuote(margin.netSpotValue + margin.unrealizedPnl + margin.isolatedDeposits),
    totalUnsettledPnl: rawQuote(margin.unrealizedPnl),
    totalUnsettledFundingPnl: rawQuote(margin.unsettledFunding),
    totalClaimablePnl: rawQuote(margin.claimablePnl),
    totalInitialMargin: rawQuote(initial.collateral),
    totalMaintenanceMargin: rawQuote(maintenance.collateral),
    freeInitialMargin: free(initialStrict),
    freeMaintenanceMargin: free(maintenance),
    initialReq: rawQuote(initialStrict.requirement),
    maintenanceReq: rawQuote(maintenance.requirement),
    leverage: Number(leverageOf(margin)) / 1e4,
    marginRatioPct: ratio === null ? null : Number(ratio) / 100,
    health: accountHealth(user, margin),
  };
}

/**
 * Returns liabilities divided by net value, 1e4; 0 when the net value is 0. Source: user.ts
 * getLeverage.
 */
export function leverageOf(margin: AccountMargin): bigint {
  const net = netValue(margin);
  if (net === 0n) return 0n;
  return ((margin.perpLiabilities + margin.spotLiabilities) * RATIO_UNIT) / net;
}

/**
 * Returns net value divided by liabilities, 1e4; null without liabilities. Source: user.ts
 * getMarginRatio.
 */
export function marginRatioOf(margin: AccountMargin): bigint | null {
  const liabilities = margin.perpLiabilities + margin.spotLiabilities;
  return liabilities === 0n ? null : (netValue(margin) * RATIO_UNIT) / liabilities;
}

/**
 * Returns the net value if everything were liquidated, with open orders in their worst case, quote
 * 1e6.
 */
export function netValue(margin: AccountMargin): bigint {
  const assets = margin.spotAssets + margin.isolatedDeposits + margin.unrealizedPnl;
  return assets - margin.spotLiabilities;
}

/**
 * Returns the health of an account: 0 when it is being liquidated or bankrupt, at most 100. Source:
 * user.ts getHealth.
 */
function accountHealth({ status }: MarginUser, { maintenance }: AccountMargin): number {
  const isOver = (status & (USER_STATUS.beingLiquidated | USER_STATUS.bankrupt)) !== 0;
  return isOver ? 0 : health(maintenance);
}

/** Returns the free fraction of the collateral in percent, 0 to 100. */
export function health({ collateral, requirement }: Margin): number {
  if (requirement === 0n && collateral >= 0n) return 100;
  if (collateral <= 0n) return 0;
  const part = (1 - Number(requirement) / Number(collateral)) * 100;
  return Math.round(Math.min(100, Math.max(0, part)));
}

/** Returns the free collateral of a margin, at least 0, quote 1e6. */
export function free({ collateral, requirement }: Margin): Quote {
  return rawQuote(max(0n, collateral - requirement));
}

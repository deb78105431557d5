/** The inputs and the results of an account's margin calculation. */
import type { PerpPosition, SpotPosition } from './generated/user.js';
import type { PerpTerms } from './math/perp.js';
import type { SpotTerms } from './math/spot.js';
import type { UserAccount } from './user.js';

/** The fields of a user account that its margin depends on. */
export type MarginUser = Pick<
  UserAccount,
  'status' | 'marginMode' | 'maxMarginRatio' | 'spotPositions' | 'perpPositions'
>;

/** Returns the terms of a market for positions; null while the market or its price is unknown. */
export interface MarketTermsSource {
  perp(marketIndex: number): PerpTerms | null;
  spot(marketIndex: number): SpotTerms | null;
}

/** Collateral and the margin requirement, quote 1e6. */
export interface Margin {
  collateral: bigint;
  requirement: bigint;
}

/** The margins of the categories that interfaces display. */
export interface Margins {
  readonly initial: Margin;
  /** Initial margin at the worse of each price and its five-minute average. */
  readonly initialStrict: Margin;
  readonly maintenance: Margin;
  /** Maintenance margin as if no order were open; liquidation prices start from this margin. */
  readonly maintenanceWithoutOrders: Margin;
}

/** A perp position with the results of the margin calculation; amounts are quote, 1e6. */
export interface PricedPerpPosition {
  readonly position: PerpPosition;
  readonly terms: PerpTerms;
  readonly unsettledFunding: bigint;
  /** Gains at the oracle's price, with funding. */
  readonly oraclePnl: bigint;
  readonly claimablePnl: bigint;
  /** The worst-case value of the position with its open orders, at the unit value. */
  readonly liability: bigint;
  /** Collateral and requirement of an isolated position; null for other positions. */
  readonly isolated: (Margins & { readonly depositValue: bigint }) | null;
}

/** A spot position and its signed tokens. */
export interface PricedSpotPosition {
  readonly position: SpotPosition;
  readonly terms: SpotTerms;
  readonly tokens: bigint;
}

/** The results of a margin calculation; amounts are quote, 1e6. */
export interface AccountMargin extends Margins {
  readonly perps: readonly PricedPerpPosition[];
  readonly spots: readonly PricedSpotPosition[];
  /** Spot balances at oracle prices, with debts subtracted. */
  readonly netSpotValue: bigint;
  /** Gains of all perp positions at the price of the market makers' oracle, including funding. */
  readonly unrealizedPnl: bigint;
  readonly unrealizedPnlWithoutFunding: bigint;
  readonly unsettledFunding: bigint;
  readonly claimablePnl: bigint;
  readonly isolatedDeposits: bigint;
  /** The unweighted worst-case value of all perp positions with their open orders. */
  readonly perpLiabilities: bigint;
  readonly spotLiabilities: bigint;
  readonly spotAssets: bigint;
}

/**
 * Returns whether the high-leverage margin ratios apply. Source: sdk/src/user.ts
 * isHighLeverageMode.
 */
export function isHighLeverage(
  { marginMode }: Pick<MarginUser, 'marginMode'>,
  category: 'initial' | 'maintenance',
): boolean {
  if (marginMode === 'highLeverage') return true;
  return category === 'maintenance' && marginMode === 'highLeverageMaintenance';
}

/** Returns whether a perp position is in use. Source: sdk/src/user.ts getActivePerpPositions. */
export function isActivePerp(position: PerpPosition): boolean {
  return (
    position.baseAssetAmount !== 0n ||
    position.quoteAssetAmount !== 0n ||
    position.openOrders !== 0 ||
    position.isolatedPositionScaledBalance > 0n
  );
}

/**
 * Returns whether a spot position is in use. Source: sdk/src/math/spotPosition.ts
 * isSpotPositionAvailable.
 */
export function isActiveSpot(position: SpotPosition): boolean {
  return position.scaledBalance !== 0n || position.openOrders !== 0;
}

/** The inputs and results of an account's margin. */
import type { PerpPosition, SpotPosition } from './generated/user.js';
import type { PerpTerms } from './math/perp.js';
import type { SpotTerms } from './math/spot.js';
import type { UserAccount } from './user.js';

/** The fields of a user account that its margin needs. */
export type MarginUser = Pick<
  UserAccount,
  'status' | 'marginMode' | 'maxMarginRatio' | 'spotPositions' | 'perpPositions'
>;

/** The market terms for positions; null while a market or its price is unknown. */
export interface MarketTermsSource {
  perp(marketIndex: number): PerpTerms | null;
  spot(marketIndex: number): SpotTerms | null;
}

/** Collateral and the margin requirement, quote 1e6. */
export interface Margin {
  collateral: bigint;
  requirement: bigint;
}

/** The margins of the categories that are shown. */
export interface Margins {
  readonly initial: Margin;
  /** Initial, at the worse of each price and its five-minute average. */
  readonly initialStrict: Margin;
  readonly maintenance: Margin;
  /** Maintenance as if no order were open; liquidation prices begin here. */
  readonly maintenanceWithoutOrders: Margin;
}

/** A perp position with the results of the margin calculation; amounts in quote, 1e6. */
export interface PricedPerpPosition {
  readonly position: PerpPosition;
  readonly terms: PerpTerms;
  readonly unsettledFunding: bigint;
  /** Gains at the oracle's price, with funding. */
  readonly oraclePnl: bigint;
  readonly claimablePnl: bigint;
  /** The worst-case value with open orders, at the unit value. */
  readonly liability: bigint;
  /** Collateral and requirement of an isolated position; null for others. */
  readonly isolated: (Margins & { readonly depositValue: bigint }) | null;
}

/** A spot position and its signed tokens. */
export interface PricedSpotPosition {
  readonly position: SpotPosition;
  readonly terms: SpotTerms;
  readonly tokens: bigint;
}

/** The results of a margin calculation; amounts in quote, 1e6. */
export interface AccountMargin extends Margins {
  readonly perps: readonly PricedPerpPosition[];
  readonly spots: readonly PricedSpotPosition[];
  /** Spot balances at the oracle's prices, debts subtracted. */
  readonly netSpotValue: bigint;
  /** Gains of all perp positions at the market makers' oracle, with funding. */
  readonly unrealizedPnl: bigint;
  readonly unrealizedPnlWithoutFunding: bigint;
  readonly unsettledFunding: bigint;
  readonly claimablePnl: bigint;
  readonly isolatedDeposits: bigint;
  /** The worst-case value of all perp positions with their open orders, unweighted. */
  readonly perpLiabilities: bigint;
  readonly spotLiabilities: bigint;
  readonly spotAssets: bigint;
}

/** Whether the high-leverage ratios count. Source: sdk/src/user.ts isHighLeverageMode. */
export function isHighLeverage(
  { marginMode }: Pick<MarginUser, 'marginMode'>,
  category: 'initial' | 'maintenance',
): boolean {
  if (marginMode === 'highLeverage') return true;
  return category === 'maintenance' && marginMode === 'highLeverageMaintenance';
}

/** Whether a perp position counts. Source: sdk/src/user.ts getActivePerpPositions. */
export function isActivePerp(position: PerpPosition): boolean {
  return (
    position.baseAssetAmount !== 0n ||
    position.quoteAssetAmount !== 0n ||
    position.openOrders !== 0 ||
    position.isolatedPositionScaledBalance > 0n
  );
}

/** Whether a spot position counts. Source: sdk/src/math/spotPosition.ts isSpotPositionAvailable. */
export function isActiveSpot(position: SpotPosition): boolean {
  return position.scaledBalance !== 0n || position.openOrders !== 0;
}

/**
 * The liquidation price: the price at which an account, or an isolated position, falls below its
 * maintenance margin when no other price moves. It is a linear estimate, which assumes constant
 * weights and size-dependent ratios.
 *
 * Source: sdk/src/user.ts liquidationPrice, spotLiquidationPrice,
 * calculateEntriesEffectOnFreeCollateral and calculateFreeCollateralDeltaForPerp of
 * @drift-labs/sdk 2.163.0-beta.0.
 */

import {
  type AccountMargin,
  isHighLeverage,
  type MarginUser,
  type PricedPerpPosition,
  type PricedSpotPosition,
} from './account-margin.js';
import type { OracleSource } from './generated/enums.js';
import { free } from './margin-info.js';
import { abs, E4, E6, E9 } from './math/integer.js';
import { liability, maintenanceRatio, type PerpTerms } from './math/perp.js';
import { assetWeight, liabilityWeight, type SpotTerms } from './math/spot.js';

/** Finds the markets that share an oracle; the first market by index counts. */
export interface OracleMarkets {
  spotOfOracle(oracle: string): number | null;
  perpOfOracle(oracle: string): number | null;
}

/** An account, its margin, and the markets that share an oracle. */
export interface LiquidationInput {
  readonly user: MarginUser;
  readonly margin: AccountMargin;
  readonly markets: OracleMarkets;
}

/** A trade that is thought of. */
export interface ProposedTrade {
  readonly terms: PerpTerms;
  /** Change of the position's base size, 1e9; truncated to whole steps. */
  readonly baseSizeChange: bigint;
  /** The expected fill price of the trade, 1e6; 0 when it is not known. */
  readonly entryPrice: bigint;
  /** The fee of taking, as a fraction. */
  readonly takerFee: { readonly feeNumerator: number; readonly feeDenominator: number };
}

/**
 * Returns the liquidation price of a perp position, 1e6, by its own margin when the position is
 * isolated; null when there is none.
 *
 * @example
 * const prices = margin.perps.map((priced) => perpLiquidationPrice({ user, margin, markets },
 * priced));
 */
export function perpLiquidationPrice(
  input: LiquidationInput,
  priced: PricedPerpPosition,
): bigint | null {
  return priced.isolated === null
    ? crossLiquidationPrice(input, priced)
    : isolatedLiquidationPrice(input.user, priced);
}

/**
 * Returns the liquidation price of an isolated position, 1e6, which depends only on that position.
 * Null when there is none, and for a position that is not isolated.
 */
export function isolatedLiquidationPrice(
  user: MarginUser,
  { isolated, terms, position }: PricedPerpPosition,
): bigint | null {
  const delta = perpDelta(position.baseAssetAmount, terms, user);
  if (delta === null || isolated === null) return null;
  return priceAt(terms.prices.oracle, free(isolated.maintenanceWithoutOrders), delta);
}

/**
 * Returns the liquidation price of a perp position by the margin of the whole account, 1e6; null
 * when there is none.
 *
 * @example
 * const price = crossLiquidationPrice({ user, margin, markets }, priced);
 */
export function crossLiquidationPrice(
  input: LiquidationInput,
  { terms, position }: PricedPerpPosition,
): bigint | null {
  const collateral = free(input.margin.maintenanceWithoutOrders);
  return crossPrice(input, { terms, base: position.baseAssetAmount, collateral });
}

/**
 * Returns the liquidation price of a perp position after a trade, 1e6, by the margin of the whole
 * account.
 *
 * @example
 * const trade = { terms, baseSizeChange: 10n ** 9n, entryPrice: 150_000_000n, takerFee };
 * const price = liquidationPriceAfterTrade({ user, margin, markets }, trade);
 */
export function liquidationPriceAfterTrade(
  input: LiquidationInput,
  trade: ProposedTrade,
): bigint | null {
  const { terms } = trade;
  const index = terms.facts.marketIndex;
  const held = input.margin.perps.find(({ position }) => position.marketIndex === index);
  const before = held?.position.baseAssetAmount ?? 0n;
  const change = wholeSteps(trade.baseSizeChange, terms.facts.amm.orderStepSize);
  const base = before + change;
  const collateral =
    free(input.margin.maintenanceWithoutOrders) +
    entryEffect(trade, change) -
    (asked(base, terms, input.user) - asked(before, terms, input.user));
  return crossPrice(input, { terms, base, collateral });
}

/**
 * Returns the liquidation price of a spot position, 1e6; null when there is none. Perp positions
 * with the same oracle are included, except isolated positions, because their gains and losses are
 * not collateral of the account; `@drift-labs/sdk` includes isolated positions as well.
 *
 * @example
 * const prices = margin.spots.map((priced) => spotLiquidationPrice({ user, margin, markets },
 * priced));
 */
export function spotLiquidationPrice(
  input: LiquidationInput,
  { terms, tokens }: PricedSpotPosition,
): bigint | null {
  if (tokens === 0n) return null;
  const { user, margin, markets } = input;
  let delta = spotDelta(tokens, terms);
  const index = markets.perpOfOracle(terms.facts.oracle);
  const perp = margin.perps.find(({ position }) => position.marketIndex === index);
  if (perp !== undefined && perp.isolated === null) {
    const ofPerp = perpDelta(perp.position.baseAssetAmount, perp.terms, user) ?? 0n;
    const to = perp.terms.facts.amm.oracleSource;
    delta += inUnitsOf(ofPerp, { from: terms.facts.oracleSource, to });
  }
  return priceAt(terms.price, free(margin.maintenance), delta);
}

function crossPrice(
  { user, margin, markets }: LiquidationInput,
  {
    terms,
    base,
    collateral,
  }: { readonly terms: PerpTerms; readonly base: bigint; readonly collateral: bigint },
): bigint | null {
  let delta = perpDelta(base, terms, user);
  if (delta === null) return null;
  const index = markets.spotOfOracle(terms.facts.amm.oracle);
  const spot = margin.spots.find(({ position }) => position.marketIndex === index);
  if (spot !== undefined) {
    const to = spot.terms.facts.oracleSource;
    delta += inUnitsOf(spotDelta(spot.tokens, spot.terms), {
      from: terms.facts.amm.oracleSource,
      to,
    });
  }
  return priceAt(terms.prices.oracle, collateral, delta);
}

/**
 * Returns the price at which free collateral is used up; `delta` is its change for one unit of
 * price.
 */
function priceAt(price: bigint, collateral: bigint, delta: bigint): bigint | null {
  if (delta === 0n) return null;
  const found = price - (collateral * E6) / delta;
  return found < 0n ? null : found;
}

/** Returns the change of free collateral for one unit of price; null without a position. */
function perpDelta(base: bigint, terms: PerpTerms, user: MarginUser): bigint | null {
  if (base === 0n) return null;
  // Gains and the requirement net out there.
  if (terms.isPrediction) return 0n;
  const ratio = (ratioOf(base, terms, user) * E6) / E4;
  return base > 0n ? ((E6 - ratio) * base) / E9 : ((-E6 - ratio) * -base) / E9;
}

function spotDelta(tokens: bigint, terms: SpotTerms): bigint {
  if (tokens > 0n) {
    const weight = assetWeight(tokens, terms, 'maintenance');
    return (((E6 * weight) / E4) * tokens) / terms.tokenUnit;
  }
  const weight = liabilityWeight(tokens, terms, 'maintenance');
  return (((-E6 * weight) / E4) * -tokens) / terms.tokenUnit;
}

function ratioOf(base: bigint, terms: PerpTerms, user: MarginUser): bigint {
  return maintenanceRatio(base, terms, isHighLeverage(user, 'maintenance'));
}

function asked(base: bigint, terms: PerpTerms, user: MarginUser): bigint {
  const cost = liability(base, terms.prices.oracle, terms.isPrediction);
  return (cost * ratioOf(base, terms, user)) / E4;
}

/** Returns the gain or loss of entering at a price other than the oracle price, minus the fee. */
function entryEffect({ terms, entryPrice, takerFee }: ProposedTrade, change: bigint): bigint {
  if (entryPrice === 0n || change === 0n) return 0n;
  const cost = (terms.prices.oracle * abs(change)) / E9;
  const value = (entryPrice * abs(change)) / E9;
  const gain = change > 0n ? cost - value : value - cost;
  // All fields of an unused fee tier are 0.
  const denominator = BigInt(takerFee.feeDenominator || 1);
  return gain - (value * BigInt(takerFee.feeNumerator)) / denominator;
}

function wholeSteps(base: bigint, step: bigint): bigint {
  return step === 0n ? base : (base / step) * step;
}

/**
 * The number of asset units to which a price of each oracle source applies; sources of different
 * families are not comparable.
 */
const UNITS: Readonly<Partial<Record<OracleSource, { family: string; units: bigint }>>> = {
  pythPull: { family: 'pull', units: 1n },
  pyth1KPull: { family: 'pull', units: 1_000n },
  pyth1MPull: { family: 'pull', units: 1_000_000n },
  pythLazer: { family: 'lazer', units: 1n },
  pythLazer1K: { family: 'lazer', units: 1_000n },
  pythLazer1M: { family: 'lazer', units: 1_000_000n },
};

/**
 * Converts a price between oracle sources with different units; one of the two sources must have a
 * single unit. Source: sdk/src/math/oracles.ts getMultipleBetweenOracleSources.
 */
function inUnitsOf(
  delta: bigint,
  { from, to }: { readonly from: OracleSource; readonly to: OracleSource },
): bigint {
  const first = UNITS[from];
  const second = UNITS[to];
  if (first === undefined || second === undefined || first.family !== second.family) return delta;
  if (first.units !== 1n && second.units !== 1n) return delta;
  return (delta * second.units) / first.units;
}

/**
 * Spot balances: their token amounts, values, and weights as collateral or debt.
 *
 * Source: sdk/src/math/spotBalance.ts and spotPosition.ts of @drift-labs/sdk 2.163.0-beta.0.
 */
import type { SpotMarket } from '../generated/spot-market.js';
import type { SpotPosition } from '../generated/user.js';
import { malformedAccount } from '../reading.js';
import { abs, divCeil, E4, E9, max, min } from './integer.js';
import { sizeDiscount, sizePremium } from './weights.js';

/** Index of the spot market of the quote token. */
export const QUOTE_MARKET_INDEX = 0;
/**
 * The decimals of a balance (9) plus those of cumulative interest (10): no token has more decimals.
 */
const INTEREST_DECIMALS = 19;
/** The period of the average price that strict prices use, seconds. */
const TWAP_SECONDS = 300n;

/** The fields of a spot market account that margins need. */
export type SpotMarketFacts = Pick<
  SpotMarket,
  | 'marketIndex'
  | 'decimals'
  | 'oracle'
  | 'oracleSource'
  | 'cumulativeDepositInterest'
  | 'cumulativeBorrowInterest'
  | 'depositBalance'
  | 'initialAssetWeight'
  | 'maintenanceAssetWeight'
  | 'initialLiabilityWeight'
  | 'maintenanceLiabilityWeight'
  | 'imfFactor'
  | 'scaleInitialAssetWeightStart'
> & {
  readonly historicalOracleData: Pick<
    SpotMarket['historicalOracleData'],
    'lastOraclePriceTwap5min' | 'lastOraclePriceTwapTs'
  >;
};

/** The margin whose weights apply; `none` for unweighted values. */
type SpotCategory = 'initial' | 'maintenance' | 'none';

/** The terms of a spot market at a given price, which all its positions share. */
export interface SpotTerms {
  readonly facts: SpotMarketFacts;
  readonly isQuote: boolean;
  /** The oracle's price, 1e6. */
  readonly price: bigint;
  /** The lower and the higher of the price and its live five-minute average, 1e6. */
  readonly strictLow: bigint;
  readonly strictHigh: bigint;
  /** The lower and the higher of the price and the average stored in the account, 1e6. */
  readonly twapLow: bigint;
  readonly twapHigh: bigint;
  /** One token in its smallest unit. */
  readonly tokenUnit: bigint;
  /** From balance times interest to tokens. */
  readonly balanceUnit: bigint;
  readonly imfFactor: bigint;
  /** The initial asset weight after the reduction for large deposits in a market, 1e4. */
  readonly initialAssetWeight: bigint;
  readonly maintenanceAssetWeight: bigint;
  readonly initialLiabilityWeight: bigint;
  readonly maintenanceLiabilityWeight: bigint;
}

/** Returns the terms of a market at a price, 1e6, and a time in seconds. */
export function spotTerms(facts: SpotMarketFacts, price: bigint, nowS: bigint): SpotTerms {
  const twap = liveTwap(facts.historicalOracleData, price, nowS);
  const units = {
    balanceUnit: balanceUnitOf(facts),
    tokenUnit: 10n ** BigInt(facts.decimals),
  };
  return {
    facts,
    isQuote: facts.marketIndex === QUOTE_MARKET_INDEX,
    price,
    strictLow: min(price, twap),
    strictHigh: max(price, twap),
    twapLow: min(price, facts.historicalOracleData.lastOraclePriceTwap5min),
    twapHigh: max(price, facts.historicalOracleData.lastOraclePriceTwap5min),
    ...units,
    imfFactor: BigInt(facts.imfFactor),
    initialAssetWeight: scaledInitialAssetWeight(facts, price, units),
    maintenanceAssetWeight: BigInt(facts.maintenanceAssetWeight),
    initialLiabilityWeight: BigInt(facts.initialLiabilityWeight),
    maintenanceLiabilityWeight: BigInt(facts.maintenanceLiabilityWeight),
  };
}

/**
 * Returns whether the live average of a market has moved since its terms were computed; `nowS` in
 * seconds.
 */
export function isAverageMoved({ facts, price, ...was }: SpotTerms, nowS: bigint): boolean {
  const twap = liveTwap(facts.historicalOracleData, price, nowS);
  return min(price, twap) !== was.strictLow || max(price, twap) !== was.strictHigh;
}

/**
 * Returns the divisor that converts balance times interest to tokens. Throws MALFORMED_ACCOUNT for
 * too many decimals.
 */
export function balanceUnitOf({ decimals }: SpotMarketFacts): bigint {
  if (decimals <= INTEREST_DECIMALS) return 10n ** BigInt(INTEREST_DECIMALS - decimals);
  throw malformedAccount(`decimals were ${decimals}, must be at most ${INTEREST_DECIMALS}`);
}

/**
 * Returns the five-minute average that the program would write now. Source: sdk/src/math/oracles.ts
 * calculateLiveOracleTwap.
 */
function liveTwap(
  history: SpotMarketFacts['historicalOracleData'],
  price: bigint,
  nowS: bigint,
): bigint {
  const twap = history.lastOraclePriceTwap5min;
  const since = max(1n, nowS - history.lastOraclePriceTwapTs);
  const start = max(0n, TWAP_SECONDS - since);
  const range = twap / 3n;
  const clamped = min(twap + range, max(price, twap - range));
  return (twap * start + clamped * since) / (start + since);
}

/** Source: sdk/src/math/spotBalance.ts calculateScaledInitialAssetWeight. */
function scaledInitialAssetWeight(
  facts: SpotMarketFacts,
  price: bigint,
  { tokenUnit, balanceUnit }: Pick<SpotTerms, 'tokenUnit' | 'balanceUnit'>,
): bigint {
  const weight = BigInt(facts.initialAssetWeight);
  const start = facts.scaleInitialAssetWeightStart;
  if (start === 0n) return weight;
  const deposits = (facts.depositBalance * facts.cumulativeDepositInterest) / balanceUnit;
  const value = (deposits * price) / tokenUnit;
  return value < start ? weight : (weight * start) / value;
}

/** Returns the tokens of a scaled deposit balance. */
export function depositTokens(
  scaledBalance: bigint,
  terms: Pick<SpotTerms, 'facts' | 'balanceUnit'>,
): bigint {
  return (scaledBalance * terms.facts.cumulativeDepositInterest) / terms.balanceUnit;
}

/** Returns the tokens of a position: a debt is negative and rounded away from zero. */
export function signedTokens(
  position: Pick<SpotPosition, 'scaledBalance' | 'balanceType'>,
  terms: Pick<SpotTerms, 'facts' | 'balanceUnit'>,
): bigint {
  const { scaledBalance, balanceType } = position;
  if (balanceType === 'deposit') return depositTokens(scaledBalance, terms);
  return -divCeil(scaledBalance * terms.facts.cumulativeBorrowInterest, terms.balanceUnit);
}

/** Returns the value of tokens at the oracle price, quote 1e6. */
export function tokenValue(tokens: bigint, terms: SpotTerms): bigint {
  return (tokens * terms.price) / terms.tokenUnit;
}

/** Returns the value of tokens at the worse of the oracle price and its average, quote 1e6. */
function strictTokenValue(tokens: bigint, terms: SpotTerms): bigint {
  return (tokens * (tokens > 0n ? terms.strictLow : terms.strictHigh)) / terms.tokenUnit;
}

/** Returns the weight of a deposit of tokens, 1e4. Source: spotBalance.ts calculateAssetWeight. */
export function assetWeight(tokens: bigint, terms: SpotTerms, category: SpotCategory): bigint {
  if (category === 'none') return terms.initialAssetWeight;
  const weight = category === 'initial' ? terms.initialAssetWeight : terms.maintenanceAssetWeight;
  if (terms.imfFactor === 0n) return weight;
  return sizeDiscount(sizeOf(tokens, terms), terms.imfFactor, weight);
}

/** Returns the weight of a debt of tokens, 1e4. Source: spotBalance.ts calculateLiabilityWeight. */
export function liabilityWeight(tokens: bigint, terms: SpotTerms, category: SpotCategory): bigint {
  if (category === 'none') return terms.initialLiabilityWeight;
  const weight =
    category === 'initial' ? terms.initialLiabilityWeight : terms.maintenanceLiabilityWeight;
  if (terms.imfFactor === 0n) return weight;
  return sizePremium(sizeOf(tokens, terms), terms.imfFactor, weight);
}

/** Tokens at 1e9, whatever their decimals. */
function sizeOf(tokens: bigint, { tokenUnit }: SpotTerms): bigint {
  return tokenUnit > E9 ? tokens / (tokenUnit / E9) : (tokens * E9) / tokenUnit;
}

/** The parameters by which an account's spot positions are weighted. */
export interface SpotWeighing {
  readonly category: SpotCategory;
  /** Whether values use the worse of the price and its average. */
  readonly isStrict: boolean;
  /** The account's own minimum initial margin ratio, 1e4; 0 for none. */
  readonly maxMarginRatio: bigint;
}

/** Returns the weight of a positive value, at most 1 minus the account's own margin ratio. */
function customAssetWeight(tokens: bigint, terms: SpotTerms, weighing: SpotWeighing): bigint {
  const weight = assetWeight(tokens, terms, weighing.category);
  if (weighing.category !== 'initial' || terms.isQuote) return weight;
  return min(weight, max(0n, E4 - weighing.maxMarginRatio));
}

/** Returns the weight of a negative value, at least 1 plus the account's own margin ratio. */
function customLiabilityWeight(tokens: bigint, terms: SpotTerms, weighing: SpotWeighing): bigint {
  const weight = liabilityWeight(tokens, terms, weighing.category);
  if (weighing.category !== 'initial' || terms.isQuote) return weight;
  return max(weight, E4 + weighing.maxMarginRatio);
}

/** Returns the collateral value of a deposit of tokens, quote 1e6. */
export function assetValue(tokens: bigint, terms: SpotTerms, weighing: SpotWeighing): bigint {
  const value = worthOf(tokens, terms, weighing);
  if (weighing.category === 'none') return value;
  return (value * customAssetWeight(tokens, terms, weighing)) / E4;
}

/** Returns the margin requirement of a debt of tokens, quote 1e6, at least 0. */
export function liabilityValue(tokens: bigint, terms: SpotTerms, weighing: SpotWeighing): bigint {
  const value = worthOf(tokens, terms, weighing);
  if (weighing.category === 'none') return abs(value);
  return abs((value * customLiabilityWeight(tokens, terms, weighing)) / E4);
}

function worthOf(tokens: bigint, terms: SpotTerms, { isStrict }: SpotWeighing): bigint {
  return isStrict ? strictTokenValue(tokens, terms) : tokenValue(tokens, terms);
}

/**
 * A balance after its orders are filled in the worse way, and the cost or proceeds of those orders.
 */
interface WorstCase {
  readonly tokens: bigint;
  /** Quote 1e6; negative is paid. */
  readonly ordersValue: bigint;
}

/**
 * Returns the worse case of all bids filled and all asks filled, by remaining collateral. Source:
 * sdk/src/math/spotPosition.ts getWorstCaseTokenAmounts.
 */
export function worstCase(
  tokens: bigint,
  position: Pick<SpotPosition, 'openBids' | 'openAsks'>,
  terms: SpotTerms,
  weighing: SpotWeighing,
): WorstCase {
  const { openBids, openAsks } = position;
  if (openBids === 0n && openAsks === 0n) return { tokens, ordersValue: 0n };
  const bids = filled(tokens, openBids, terms, weighing);
  const asks = filled(tokens, openAsks, terms, weighing);
  return asks.contribution < bids.contribution ? asks : bids;
}

function filled(
  tokens: bigint,
  orders: bigint,
  terms: SpotTerms,
  weighing: SpotWeighing,
): WorstCase & { readonly contribution: bigint } {
  const price = weighing.isStrict ? terms.strictHigh : terms.price;
  const ordersValue = (-orders * price) / terms.tokenUnit;
  const after = tokens + orders;
  const value = worthOf(tokens, terms, weighing) - ordersValue;
  const weight = weightOf(value, after, terms, weighing);
  return { tokens: after, ordersValue, contribution: (value * weight) / E4 + ordersValue };
}

function weightOf(value: bigint, tokens: bigint, terms: SpotTerms, weighing: SpotWeighing): bigint {
  // The account's own limit applies only when it is set.
  const isCustom = weighing.maxMarginRatio !== 0n;
  if (value >= 0n) {
    if (isCustom) return customAssetWeight(tokens, terms, weighing);
    return assetWeight(tokens, terms, weighing.category);
  }
  if (isCustom) return customLiabilityWeight(tokens, terms, weighing);
  return liabilityWeight(tokens, terms, weighing.category);
}

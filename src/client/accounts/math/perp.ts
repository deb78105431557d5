/**
 * Perp positions: their value, gains and margin requirements.
 *
 * Source: sdk/src/math/position.ts, margin.ts and market.ts of @drift-labs/sdk 2.163.0-beta.0.
 */
import type { Amm, PerpMarket } from '../generated/perp-market.js';
import type { PerpPosition } from '../generated/user.js';
import { abs, E3, E4, E6, E9, max, min } from './integer.js';
import { depositTokens, type SpotTerms } from './spot.js';
import { sizeDiscount, sizePremium, unboundedPremium } from './weights.js';

/** The fields of a perp market account that margins need. */
export type PerpMarketFacts = Pick<
  PerpMarket,
  | 'marketIndex'
  | 'status'
  | 'contractType'
  | 'expiryPrice'
  | 'quoteSpotMarketIndex'
  | 'marginRatioInitial'
  | 'marginRatioMaintenance'
  | 'highLeverageMarginRatioInitial'
  | 'highLeverageMarginRatioMaintenance'
  | 'imfFactor'
  | 'unrealizedPnlInitialAssetWeight'
  | 'unrealizedPnlMaintenanceAssetWeight'
  | 'unrealizedPnlImfFactor'
  | 'unrealizedPnlMaxImbalance'
> & {
  readonly pnlPool: Pick<PerpMarket['pnlPool'], 'scaledBalance'>;
  readonly amm: Pick<
    Amm,
    | 'oracle'
    | 'oracleSource'
    | 'orderStepSize'
    | 'cumulativeFundingRateLong'
    | 'cumulativeFundingRateShort'
    | 'baseAssetAmountWithAmm'
    | 'baseAssetAmountWithUnsettledLp'
    | 'quoteAssetAmount'
    | 'quoteAssetAmountWithUnsettledLp'
    | 'netUnsettledFundingPnl'
    | 'mmOraclePrice'
    | 'mmOracleSlot'
    | 'mmOracleSequenceId'
  > & {
    readonly feePool: Pick<Amm['feePool'], 'scaledBalance'>;
    readonly historicalOracleData: Pick<Amm['historicalOracleData'], 'lastOraclePriceTwap'>;
  };
};

/** The prices of a perp market, 1e6. */
interface PerpPrices {
  /** The oracle price; in settlement, when that price is unknown, the expiry price. */
  readonly oracle: bigint;
  /** The market makers' price while it is used, otherwise the oracle price. */
  readonly mmOracle: bigint;
  /** The mark price; null while it is unknown. */
  readonly mark: bigint | null;
}

/** The terms of a perp market at given prices, which all its positions share. */
export interface PerpTerms {
  readonly facts: PerpMarketFacts;
  readonly quote: SpotTerms;
  readonly prices: PerpPrices;
  readonly isPrediction: boolean;
  readonly isInSettlement: boolean;
  /** The value of one unit: the oracle price, or in settlement the expiry price, 1e6. */
  readonly value: bigint;
  /** The same by the market makers' oracle. */
  readonly mmValue: bigint;
  /**
   * The excess of the PnL pool over all users' gains, which is available to positive gains, quote
   * 1e6.
   */
  readonly excessPool: bigint;
  /** The initial margin weight of gains, after the reduction for a PnL imbalance, 1e4. */
  readonly initialPnlWeight: bigint;
  readonly maintenancePnlWeight: bigint;
  readonly pnlImfFactor: bigint;
  readonly imfFactor: bigint;
  readonly ratios: MarginRatios;
  /** The margin ratios in high-leverage mode; null when the market has none. */
  readonly highLeverageRatios: MarginRatios | null;
}

/** Margin ratios of a market, 1e4. */
interface MarginRatios {
  readonly initial: bigint;
  readonly maintenance: bigint;
}

/** Highest price of a prediction market, 1e6. */
const PREDICTION_PRICE_MAX = E6;
/** The divisor of the part of the fee pool that counts for gains. */
const FEE_POOL_PART = 5n;

/** Derives the terms of a market from its prices and the terms of its quote market. */
export function perpTerms(facts: PerpMarketFacts, prices: PerpPrices, quote: SpotTerms): PerpTerms {
  const isInSettlement = facts.status === 'settlement';
  const hasHighLeverage =
    facts.highLeverageMarginRatioInitial > 0 && facts.highLeverageMarginRatioMaintenance > 0;
  return {
    facts,
    quote,
    prices,
    isPrediction: facts.contractType === 'prediction',
    isInSettlement,
    value: isInSettlement ? facts.expiryPrice : prices.oracle,
    mmValue: isInSettlement ? facts.expiryPrice : prices.mmOracle,
    excessPool: max(0n, -imbalance(facts, prices.oracle, quote)),
    initialPnlWeight: initialPnlWeight(facts, prices.mmOracle, quote),
    maintenancePnlWeight: BigInt(facts.unrealizedPnlMaintenanceAssetWeight),
    pnlImfFactor: BigInt(facts.unrealizedPnlImfFactor),
    imfFactor: BigInt(facts.imfFactor),
    ratios: {
      initial: BigInt(facts.marginRatioInitial),
      maintenance: BigInt(facts.marginRatioMaintenance),
    },
    highLeverageRatios: hasHighLeverage
      ? {
          initial: BigInt(facts.highLeverageMarginRatioInitial),
          maintenance: BigInt(facts.highLeverageMarginRatioMaintenance),
        }
      : null,
  };
}

/**
 * Returns the gains of all users beyond the pools, quote 1e6. Source: sdk/src/math/market.ts
 * calculateNetUserPnlImbalance.
 */
function imbalance(facts: PerpMarketFacts, price: bigint, quote: SpotTerms): bigint {
  const { amm } = facts;
  const base = amm.baseAssetAmountWithAmm + amm.baseAssetAmountWithUnsettledLp;
  const cost =
    amm.quoteAssetAmount + amm.quoteAssetAmountWithUnsettledLp + amm.netUnsettledFundingPnl;
  const pool = depositTokens(facts.pnlPool.scaledBalance, quote);
  const fees = depositTokens(amm.feePool.scaledBalance, quote);
  return (base * price) / E9 + cost - (pool + fees / FEE_POOL_PART);
}

/** Source: sdk/src/math/market.ts calculateUnrealizedAssetWeight. */
function initialPnlWeight(facts: PerpMarketFacts, price: bigint, quote: SpotTerms): bigint {
  const weight = BigInt(facts.unrealizedPnlInitialAssetWeight);
  const limit = facts.unrealizedPnlMaxImbalance;
  if (limit === 0n) return weight;
  const found = imbalance(facts, price, quote);
  return found > limit ? (weight * limit) / found : weight;
}

/** Returns the unsettled funding of a position, quote 1e6. Source: calculateUnsettledFundingPnl. */
export function unsettledFunding(
  position: Pick<PerpPosition, 'baseAssetAmount' | 'lastCumulativeFundingRate'>,
  { amm }: Pick<PerpMarketFacts, 'amm'>,
): bigint {
  const base = position.baseAssetAmount;
  if (base === 0n) return 0n;
  const rate = base > 0n ? amm.cumulativeFundingRateLong : amm.cumulativeFundingRateShort;
  return -(((rate - position.lastCumulativeFundingRate) * base) / E9 / E3);
}

/** Returns the gain at the unit value, without funding, quote 1e6. Source: calculatePositionPNL. */
export function pnlAt(
  value: bigint,
  position: Pick<PerpPosition, 'baseAssetAmount' | 'quoteAssetAmount'>,
): bigint {
  // Division truncates toward zero, so the sign may be applied before the division.
  return (position.baseAssetAmount * value) / E9 + position.quoteAssetAmount;
}

/**
 * Returns the price per unit for one of a position's quote amounts: the entry amount, the
 * break-even amount (with fees and settled funding), or the current amount.
 */
export function pricePerUnit(quote: bigint, base: bigint): bigint {
  return base === 0n ? 0n : abs((quote * E6 * E3) / base);
}

/** Returns the claimable part of a gain, quote 1e6. Source: position.ts calculateClaimablePnl. */
export function claimable(
  pnl: bigint,
  position: Pick<PerpPosition, 'quoteAssetAmount' | 'quoteEntryAmount'>,
  { excessPool }: PerpTerms,
): bigint {
  if (pnl <= 0n) return pnl;
  return min(pnl, max(position.quoteAssetAmount - position.quoteEntryAmount, 0n) + excessPool);
}

/**
 * Returns the liability of a position at a price, quote 1e6. Source: calculatePerpLiabilityValue.
 */
export function liability(base: bigint, price: bigint, isPrediction: boolean): bigint {
  if (isPrediction && base <= 0n) return (-base * (PREDICTION_PRICE_MAX - price)) / E9;
  return (abs(base) * price) / E9;
}

/** A base size after the open orders of one side are filled, and its liability. */
export interface WorstPerp {
  readonly base: bigint;
  /** Quote 1e6. */
  readonly liability: bigint;
}

/**
 * Returns the worse case of all bids filled and all asks filled; all asks when both are equal.
 * Source: sdk/src/math/margin.ts calculateWorstCasePerpLiabilityValue.
 */
export function worstPerp(
  position: Pick<PerpPosition, 'baseAssetAmount' | 'openBids' | 'openAsks'>,
  price: bigint,
  isPrediction: boolean,
): WorstPerp {
  const { baseAssetAmount, openBids, openAsks } = position;
  if (openBids === 0n && openAsks === 0n) {
    return { base: baseAssetAmount, liability: liability(baseAssetAmount, price, isPrediction) };
  }
  const bids = baseAssetAmount + openBids;
  const asks = baseAssetAmount + openAsks;
  const bidsLiability = liability(bids, price, isPrediction);
  const asksLiability = liability(asks, price, isPrediction);
  return asksLiability >= bidsLiability
    ? { base: asks, liability: asksLiability }
    : { base: bids, liability: bidsLiability };
}

/**
 * Returns the maintenance margin ratio of a size, 1e4. Source: market.ts
 * calculateMarketMarginRatio.
 */
export function maintenanceRatio(base: bigint, terms: PerpTerms, isHighLeverage: boolean): bigint {
  const high = isHighLeverage ? terms.highLeverageRatios : null;
  return sizePremium(base, terms.imfFactor, (high ?? terms.ratios).maintenance);
}

/**
 * Returns the initial margin ratio of a size, 1e4, at least the user's own minimum. Source:
 * market.ts calculateMarketMarginRatio.
 */
export function initialRatio(
  base: bigint,
  terms: PerpTerms,
  user: { readonly isHighLeverage: boolean; readonly custom: bigint },
): bigint {
  const high = user.isHighLeverage ? terms.highLeverageRatios : null;
  const ordinary = terms.ratios.initial;
  const ratio =
    high === null
      ? sizePremium(base, terms.imfFactor, ordinary)
      : highLeverageRatio(
          unboundedPremium(base, terms.imfFactor, ordinary),
          ordinary,
          high.initial,
        );
  return max(ratio, user.custom);
}

/** Source: margin.ts calcHighLeverageModeInitialMarginRatioFromSize. */
function highLeverageRatio(bySize: bigint, ordinary: bigint, high: bigint): bigint {
  if (bySize > ordinary) return bySize;
  if (bySize === ordinary) return high;
  const part = E6 - ((ordinary - bySize) * E6) / (ordinary / 5n);
  return (max(ordinary - high, 1n) * part) / E6 + high;
}

/** Returns a gain or loss with its weight in the initial margin, quote 1e6. */
export function initialPnl(pnl: bigint, terms: PerpTerms): bigint {
  if (pnl <= 0n) return pnl;
  return (pnl * sizeDiscount(pnl, terms.pnlImfFactor, terms.initialPnlWeight)) / E4;
}

/** Returns a gain or loss with its weight in the maintenance margin, quote 1e6. */
export function maintenancePnl(pnl: bigint, terms: PerpTerms): bigint {
  return pnl > 0n ? (pnl * terms.maintenancePnlWeight) / E4 : pnl;
}

import type { AmmPreset } from './amm-presets.js';

/** The funding fields of a PerpMarket. Rates are at 1e9, revenue at 1e6. */
export interface FundingFields {
  readonly lastFundingRate: bigint;
  readonly last24hAvgFundingRate: bigint;
  readonly cumulativeFundingRateLong: bigint;
  readonly cumulativeFundingRateShort: bigint;
  /** Unix seconds of the last rate. */
  readonly lastFundingRateTs: bigint;
  /** Seconds. */
  readonly fundingPeriod: bigint;
  readonly nextFundingRateRecordId: bigint;
  readonly netRevenueSinceLastFunding: bigint;
}

/**
 * The sums of all positions, base at 1e9. The shorts are negative; the AMM holds the opposite
 * position.
 */
export interface OpenPositions {
  readonly baseAssetAmountLong: bigint;
  readonly baseAssetAmountShort: bigint;
  readonly baseAssetAmountWithAmm: bigint;
}

/** The program's funding period. */
export const HOUR_SECONDS = 3_600n;
/** Values of the captured markets at the time of the capture. */
const NEXT_FUNDING_RECORD_ID = 29_226n;

/** Returns the initial funding of a preset; its last rate is at the last full period. */
export function fundingOf(
  amm: AmmPreset,
  { ts, fundingPeriod }: { readonly ts: bigint; readonly fundingPeriod: bigint },
): FundingFields {
  return {
    lastFundingRate: amm.lastFundingRate,
    last24hAvgFundingRate: amm.last24hAvgFundingRate,
    // Positions begin with the market, so they owe nothing of before.
    cumulativeFundingRateLong: 0n,
    cumulativeFundingRateShort: 0n,
    lastFundingRateTs: ts - (ts % fundingPeriod),
    fundingPeriod,
    nextFundingRateRecordId: NEXT_FUNDING_RECORD_ID,
    netRevenueSinceLastFunding: amm.netRevenueSinceLastFunding,
  };
}

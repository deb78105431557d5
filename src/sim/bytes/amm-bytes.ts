import type { AmmPreset } from './amm-presets.js';

/** The cumulative funding of a market. Rates are at 1e9, revenue at 1e6. */
export interface FundingFields {
  readonly rate: bigint;
  readonly average24h: bigint;
  readonly cumulativeLong: bigint;
  readonly cumulativeShort: bigint;
  /** Unix seconds of the last rate. */
  readonly ts: bigint;
  readonly periodSeconds: bigint;
  readonly nextRecordId: bigint;
  readonly netRevenue: bigint;
}

/**
 * The sums of all positions, base at 1e9. The shorts are negative; the AMM holds the opposite
 * position.
 */
export interface OpenPositions {
  readonly long: bigint;
  readonly short: bigint;
  readonly withAmm: bigint;
}

/** The program's funding period. */
export const HOUR_SECONDS = 3_600n;
/** Values of the captured markets at the time of the capture. */
const NEXT_FUNDING_RECORD_ID = 29_226n;

/** Returns the initial funding of a preset; its last rate is at the last full period. */
export function fundingOf(
  amm: AmmPreset,
  { ts, periodSeconds }: { readonly ts: bigint; readonly periodSeconds: bigint },
): FundingFields {
  return {
    rate: amm.lastFundingRate,
    average24h: amm.last24hAvgFundingRate,
    cumulativeLong: amm.cumulativeFundingRateLong,
    cumulativeShort: amm.cumulativeFundingRateShort,
    ts: ts - (ts % periodSeconds),
    periodSeconds,
    nextRecordId: NEXT_FUNDING_RECORD_ID,
    netRevenue: amm.netRevenueSinceLastFunding,
  };
}

/** The funding fields of a PerpMarket; long and short positions have the same rate. */
export function fundingFields(funding: FundingFields) {
  return {
    lastFundingRate: funding.rate,
    lastFundingRateLong: funding.rate,
    lastFundingRateShort: funding.rate,
    last24hAvgFundingRate: funding.average24h,
    cumulativeFundingRateLong: funding.cumulativeLong,
    cumulativeFundingRateShort: funding.cumulativeShort,
    netRevenueSinceLastFunding: funding.netRevenue,
    lastFundingRateTs: funding.ts,
    fundingPeriod: funding.periodSeconds,
    nextFundingRateRecordId: funding.nextRecordId,
  };
}

/** The position sums of a PerpMarket. */
export function positionFields(positions: OpenPositions) {
  return {
    baseAssetAmountLong: positions.long,
    baseAssetAmountShort: positions.short,
    baseAssetAmountWithAmm: positions.withAmm,
  };
}

import type { AccountBytes } from './account-bytes.js';
import type { AmmPreset } from './amm-presets.js';
import { PERP_MARKET } from './generated/layout.js';

/** Cumulative funding. Rates at 1e9, revenue at 1e6. */
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

/** Sums of all positions, base at 1e9. The shorts are negative; the AMM holds the other side. */
export interface OpenPositions {
  readonly long: bigint;
  readonly short: bigint;
  readonly withAmm: bigint;
}

/** The program's funding period. */
export const HOUR_SECONDS = 3_600n;
/** Values of the markets at the time of their capture. */
const NEXT_FUNDING_RECORD_ID = 29_226n;

/** Initial funding of a preset, its last rate on the last full period. */
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

/** The funding fields of a PerpMarket; both sides have one rate. */
export function writeFunding(account: AccountBytes, funding: FundingFields): void {
  account.i64(PERP_MARKET.lastFundingRate, funding.rate);
  account.i64(PERP_MARKET.lastFundingRateLong, funding.rate);
  account.i64(PERP_MARKET.lastFundingRateShort, funding.rate);
  account.i64(PERP_MARKET.last24hAvgFundingRate, funding.average24h);
  account.i128(PERP_MARKET.cumulativeFundingRateLong, funding.cumulativeLong);
  account.i128(PERP_MARKET.cumulativeFundingRateShort, funding.cumulativeShort);
  account.i64(PERP_MARKET.netRevenueSinceLastFunding, funding.netRevenue);
  account.i64(PERP_MARKET.lastFundingRateTs, funding.ts);
  account.i64(PERP_MARKET.fundingPeriod, funding.periodSeconds);
  account.u64(PERP_MARKET.nextFundingRateRecordId, funding.nextRecordId);
}

/** The position sums of a PerpMarket. */
export function writeOpenPositions(account: AccountBytes, positions: OpenPositions): void {
  account.i128(PERP_MARKET.baseAssetAmountLong, positions.long);
  account.i128(PERP_MARKET.baseAssetAmountShort, positions.short);
  account.i128(PERP_MARKET.baseAssetAmountWithAmm, positions.withAmm);
}

/** The curve of a preset, with the given peg. */
export function writeAmm(account: AccountBytes, amm: AmmPreset, peg: bigint): void {
  account.u128(PERP_MARKET.baseAssetReserve, amm.baseAssetReserve);
  account.u128(PERP_MARKET.quoteAssetReserve, amm.quoteAssetReserve);
  account.u128(PERP_MARKET.concentrationCoef, amm.concentrationCoef);
  account.u128(PERP_MARKET.minBaseAssetReserve, amm.minBaseAssetReserve);
  account.u128(PERP_MARKET.maxBaseAssetReserve, amm.maxBaseAssetReserve);
  account.u128(PERP_MARKET.sqrtK, amm.sqrtK);
  account.u128(PERP_MARKET.pegMultiplier, peg);
  account.u128(PERP_MARKET.terminalQuoteAssetReserve, amm.terminalQuoteAssetReserve);
  account.i128(PERP_MARKET.baseAssetAmountLong, amm.baseAssetAmountLong);
  account.i128(PERP_MARKET.baseAssetAmountShort, amm.baseAssetAmountShort);
  account.i128(PERP_MARKET.baseAssetAmountWithAmm, amm.baseAssetAmountWithAmm);
  account.u128(PERP_MARKET.maxOpenInterest, amm.maxOpenInterest);
  account.u128(PERP_MARKET.askBaseAssetReserve, amm.askBaseAssetReserve);
  account.u128(PERP_MARKET.askQuoteAssetReserve, amm.askQuoteAssetReserve);
  account.u128(PERP_MARKET.bidBaseAssetReserve, amm.bidBaseAssetReserve);
  account.u128(PERP_MARKET.bidQuoteAssetReserve, amm.bidQuoteAssetReserve);
  account.i128(PERP_MARKET.totalFeeMinusDistributions, amm.totalFeeMinusDistributions);
  account.i128(PERP_MARKET.quoteAssetAmount, amm.quoteAssetAmount);
  account.i128(PERP_MARKET.totalFee, amm.totalFee);
  account.u128(PERP_MARKET.totalExchangeFee, amm.totalExchangeFee);
  account.u64(PERP_MARKET.longIntensityVolume, amm.longIntensityVolume);
  account.u64(PERP_MARKET.shortIntensityVolume, amm.shortIntensityVolume);
  writeSpread(account, amm);
}

function writeSpread(account: AccountBytes, amm: AmmPreset): void {
  account.u64(PERP_MARKET.markStd, amm.markStd);
  account.u64(PERP_MARKET.oracleStd, amm.oracleStd);
  account.u32(PERP_MARKET.baseSpread, amm.baseSpread);
  account.u32(PERP_MARKET.maxSpread, amm.maxSpread);
  account.u32(PERP_MARKET.longSpread, amm.longSpread);
  account.u32(PERP_MARKET.shortSpread, amm.shortSpread);
  account.u16(PERP_MARKET.maxFillReserveFraction, amm.maxFillReserveFraction);
  account.u16(PERP_MARKET.maxSlippageRatio, amm.maxSlippageRatio);
  account.u8(PERP_MARKET.curveUpdateIntensity, amm.curveUpdateIntensity);
  account.u8(PERP_MARKET.ammJitIntensity, amm.ammJitIntensity);
  account.i8(PERP_MARKET.oracleLowRiskSlotDelayOverride, amm.oracleLowRiskSlotDelayOverride);
  account.i8(PERP_MARKET.oracleSlotDelayOverride, amm.oracleSlotDelayOverride);
  account.i8(PERP_MARKET.ammSpreadAdjustment, amm.ammSpreadAdjustment);
  account.i8(PERP_MARKET.ammInventorySpreadAdjustment, amm.ammInventorySpreadAdjustment);
  account.i32(PERP_MARKET.referencePriceOffset, amm.referencePriceOffset);
  account.u8(PERP_MARKET.referencePriceOffsetDeadbandPct, amm.referencePriceOffsetDeadbandPct);
}

import type { ProgramName } from '../../contract/program.js';
import type { AccountBytes } from './account-bytes.js';
import type { AmmPreset } from './amm-presets.js';
import type { LAYOUTS } from './generated/layout.js';

/** Returns the account of a perp market of either program. */
export type PerpMarketBytes = AccountBytes<(typeof LAYOUTS)[ProgramName]['PERP_MARKET']>;

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

/** Writes the funding fields of a PerpMarket; long and short positions have the same rate. */
export function writeFunding(account: PerpMarketBytes, funding: FundingFields): void {
  const { at } = account;
  account.i64(at.lastFundingRate, funding.rate);
  account.i64(at.lastFundingRateLong, funding.rate);
  account.i64(at.lastFundingRateShort, funding.rate);
  account.i64(at.last24hAvgFundingRate, funding.average24h);
  account.i128(at.cumulativeFundingRateLong, funding.cumulativeLong);
  account.i128(at.cumulativeFundingRateShort, funding.cumulativeShort);
  account.i64(at.netRevenueSinceLastFunding, funding.netRevenue);
  account.i64(at.lastFundingRateTs, funding.ts);
  account.i64(at.fundingPeriod, funding.periodSeconds);
  account.u64(at.nextFundingRateRecordId, funding.nextRecordId);
}

/** The position sums of a PerpMarket. */
export function writeOpenPositions(account: PerpMarketBytes, positions: OpenPositions): void {
  const { at } = account;
  account.i128(at.baseAssetAmountLong, positions.long);
  account.i128(at.baseAssetAmountShort, positions.short);
  account.i128(at.baseAssetAmountWithAmm, positions.withAmm);
}

/** Writes the curve of a preset with the given peg. */
export function writeAmm(account: PerpMarketBytes, amm: AmmPreset, peg: bigint): void {
  const { at } = account;
  account.u128(at.baseAssetReserve, amm.baseAssetReserve);
  account.u128(at.quoteAssetReserve, amm.quoteAssetReserve);
  account.u128(at.concentrationCoef, amm.concentrationCoef);
  account.u128(at.minBaseAssetReserve, amm.minBaseAssetReserve);
  account.u128(at.maxBaseAssetReserve, amm.maxBaseAssetReserve);
  account.u128(at.sqrtK, amm.sqrtK);
  account.u128(at.pegMultiplier, peg);
  account.u128(at.terminalQuoteAssetReserve, amm.terminalQuoteAssetReserve);
  account.i128(at.baseAssetAmountLong, amm.baseAssetAmountLong);
  account.i128(at.baseAssetAmountShort, amm.baseAssetAmountShort);
  account.i128(at.baseAssetAmountWithAmm, amm.baseAssetAmountWithAmm);
  account.u128(at.maxOpenInterest, amm.maxOpenInterest);
  account.u128(at.askBaseAssetReserve, amm.askBaseAssetReserve);
  account.u128(at.askQuoteAssetReserve, amm.askQuoteAssetReserve);
  account.u128(at.bidBaseAssetReserve, amm.bidBaseAssetReserve);
  account.u128(at.bidQuoteAssetReserve, amm.bidQuoteAssetReserve);
  account.i128(at.totalFeeMinusDistributions, amm.totalFeeMinusDistributions);
  account.i128(at.quoteAssetAmount, amm.quoteAssetAmount);
  account.i128(at.totalFee, amm.totalFee);
  account.u128(at.totalExchangeFee, amm.totalExchangeFee);
  account.u64(at.longIntensityVolume, amm.longIntensityVolume);
  account.u64(at.shortIntensityVolume, amm.shortIntensityVolume);
  writeSpread(account, amm);
}

function writeSpread(account: PerpMarketBytes, amm: AmmPreset): void {
  const { at } = account;
  account.u64(at.markStd, amm.markStd);
  account.u64(at.oracleStd, amm.oracleStd);
  account.u32(at.baseSpread, amm.baseSpread);
  account.u32(at.maxSpread, amm.maxSpread);
  account.u32(at.longSpread, amm.longSpread);
  account.u32(at.shortSpread, amm.shortSpread);
  account.u16(at.maxFillReserveFraction, amm.maxFillReserveFraction);
  account.u16(at.maxSlippageRatio, amm.maxSlippageRatio);
  account.u8(at.curveUpdateIntensity, amm.curveUpdateIntensity);
  account.u8(at.ammJitIntensity, amm.ammJitIntensity);
  account.i8(at.oracleLowRiskSlotDelayOverride, amm.oracleLowRiskSlotDelayOverride);
  account.i8(at.oracleSlotDelayOverride, amm.oracleSlotDelayOverride);
  account.i8(at.ammSpreadAdjustment, amm.ammSpreadAdjustment);
  account.i8(at.ammInventorySpreadAdjustment, amm.ammInventorySpreadAdjustment);
  account.i32(at.referencePriceOffset, amm.referencePriceOffset);
  account.u8(at.referencePriceOffsetDeadbandPct, amm.referencePriceOffsetDeadbandPct);
}

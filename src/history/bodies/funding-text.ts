/** Funding rates as JSON: as the specification says, and as the system in production writes them. */
import { decimal, fixedDecimal } from '../decimal.js';
import type { FundingRow, HistoryMarket } from '../records.js';

const PRICE_PLACES = 6;
const QUOTE_PLACES = 6;
const RATE_PLACES = 9;
const BASE_PLACES = 9;

/** Decimals of a rate as a fraction: the lowest raw rate has some digits at any price. */
const FRACTION_PLACES = 18;

/** The specification's record: the rate is a fraction of the price per hour. */
export function fundingRateText(row: FundingRow, { symbol }: HistoryMarket): string {
  return (
    `{"ts":${row.ts},"symbol":${JSON.stringify(symbol)},"marketIndex":${row.marketIndex},` +
    `"fundingRate":${fractionText(row)},` +
    `"oraclePrice":${decimal(row.oraclePriceTwap, PRICE_PLACES)},` +
    `"markPrice":${decimal(row.markPriceTwap, PRICE_PLACES)}}`
  );
}

/**
 * (fundingRate / 1e9) / (oraclePriceTwap / 1e6), to the nearest of 18 decimals, halves away from zero;
 * 0 where the oracle had no price.
 */
function fractionText({ fundingRate, oraclePriceTwap }: FundingRow): string {
  if (oraclePriceTwap <= 0n) return '0';
  const scale = 10n ** BigInt(FRACTION_PLACES + PRICE_PLACES - RATE_PLACES);
  const magnitude = fundingRate < 0n ? -fundingRate : fundingRate;
  const rounded = (magnitude * scale * 2n + oraclePriceTwap) / (oraclePriceTwap * 2n);
  return decimal(fundingRate < 0n ? -rounded : rounded, FRACTION_PLACES);
}

/** The record of the system in production: decimals of fixed places as text. */
export function fundingRateRecordText(row: FundingRow, { symbol }: HistoryMarket): string {
  const rate = (value: bigint): string => fixedDecimal(value, RATE_PLACES);
  const base = (amount: bigint): string => fixedDecimal(amount, BASE_PLACES);
  return JSON.stringify({
    ...{ ts: row.ts, txSig: row.txSig, txSigIndex: row.index, slot: row.slot },
    ...{ recordId: String(row.recordId), marketIndex: row.marketIndex, symbol },
    fundingRate: rate(row.fundingRate),
    fundingRateLong: rate(row.fundingRateLong),
    fundingRateShort: rate(row.fundingRateShort),
    cumulativeFundingRateLong: rate(row.cumulativeFundingRateLong),
    cumulativeFundingRateShort: rate(row.cumulativeFundingRateShort),
    oraclePriceTwap: fixedDecimal(row.oraclePriceTwap, PRICE_PLACES),
    markPriceTwap: fixedDecimal(row.markPriceTwap, PRICE_PLACES),
    periodRevenue: fixedDecimal(row.periodRevenue, QUOTE_PLACES),
    baseAssetAmountWithAmm: base(row.baseAssetAmountWithAmm),
    baseAssetAmountWithUnsettledLp: base(row.baseAssetAmountWithUnsettledLp),
  });
}

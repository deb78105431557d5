/** Funding rates as JSON: as the specification says, and as the system in production writes them. */
import { decimal, fixedDecimal } from '../model/decimal.js';
import { FRACTION_PLACES, fundingFraction } from '../model/funding-fraction.js';
import type { FundingRow, HistoryMarket } from '../model/records.js';

const PRICE_PLACES = 6;
const QUOTE_PLACES = 6;
const RATE_PLACES = 9;
const BASE_PLACES = 9;

/** The specification's record: the rate is a fraction of the price per hour. */
export function fundingRateText(row: FundingRow, { symbol }: HistoryMarket): string {
  return (
    `{"ts":${row.ts},"symbol":${JSON.stringify(symbol)},"marketIndex":${row.marketIndex},` +
    `"fundingRate":${fractionText(row)},` +
    `"oraclePrice":${decimal(row.oraclePriceTwap, PRICE_PLACES)},` +
    `"markPrice":${decimal(row.markPriceTwap, PRICE_PLACES)}}`
  );
}

function fractionText({ fundingRate, oraclePriceTwap }: FundingRow): string {
  return decimal(fundingFraction(fundingRate, oraclePriceTwap), FRACTION_PLACES);
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

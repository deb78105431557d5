/** The body of /stats/markets: JSON whose numbers are decimals. */

import {
  BASE_PLACES,
  divideNearest,
  FRACTION_PLACES,
  formatDecimal,
  QUOTE_PLACES,
  RATE_PLACES,
} from '../../amounts/decimals.js';
import type { MarketStats } from '../../contract/history-source.js';
import type { ChainStats, MarketInfo, PerpStats } from '../../contract/markets.js';

/** A market with its statistics from the chain and from the history. */
export interface MarketStatistics {
  readonly info: MarketInfo;
  readonly chain: ChainStats;
  /** Absent when there is no history, or the history has no trade of the market. */
  readonly history: MarketStats | undefined;
  /** Reads the current top of the market's book, including the levels of its AMM. */
  readonly readTop: () => TopOfBook;
}

/** Prices at 1e6; undefined for a side without levels. */
export interface TopOfBook {
  readonly mark: bigint | undefined;
  readonly bid: bigint | undefined;
  readonly ask: bigint | undefined;
}

/** The body of /stats/markets. */
export function statsText(markets: readonly MarketStatistics[]): string {
  return `[${markets.map(marketText).join(',')}]`;
}

function marketText({ info, chain, history }: MarketStatistics): string {
  const { perp } = chain;
  const long = perp?.baseLong ?? 0n;
  const funding = fundingOf(perp, history);
  return (
    `{"marketIndex":${info.marketIndex},"symbol":${JSON.stringify(info.symbol)},` +
    `"marketType":"${info.marketType}","oraclePrice":${priceText(chain.oraclePrice)},` +
    `"volume24h":${priceText(history?.quoteVolume24h ?? 0n)},` +
    `"openInterest":${priceText(divideNearest(long * chain.oraclePrice, 10n ** BigInt(BASE_PLACES)))},` +
    `"fundingRate":${formatDecimal(funding.rate, FRACTION_PLACES)},` +
    `"fundingRate24hAvg":${formatDecimal(funding.average, FRACTION_PLACES)},` +
    `"status":${JSON.stringify(info.status)},` +
    `"longOpenInterest":${formatDecimal(long, BASE_PLACES)},` +
    `"shortOpenInterest":${formatDecimal(perp?.baseShort ?? 0n, BASE_PLACES)},` +
    `"fundingRateTs":${funding.ts},` +
    `"baseVolume24h":${formatDecimal(history?.baseVolume24h ?? 0n, BASE_PLACES)},` +
    `"price":${priceOrNull(history?.price)},"price24hAgo":${priceOrNull(history?.price24hAgo)},` +
    `"high24h":${priceOrNull(history?.high24h)},"low24h":${priceOrNull(history?.low24h)}}`
  );
}

/** The funding of a market; all zero for a spot market. */
export interface Funding {
  /** Fractions an hour, at 1e18. */
  readonly rate: bigint;
  readonly average: bigint;
  /** Time of the last rate, unix seconds; null before the first rate. */
  readonly ts: bigint | null;
}

const noFunding: Funding = { rate: 0n, average: 0n, ts: null };

/**
 * Returns the funding of a market. Both the market's account and the history have a last rate, and
 * either may be late: the newer rate is used. The average is the 24-hour average of the history, or
 * without a history the average that the program stores.
 */
export function fundingOf(perp: PerpStats | null, history: MarketStats | undefined): Funding {
  if (perp === null) return noFunding;
  const fraction = (rate: bigint): bigint => fundingFraction(rate, perp.fundingOracleTwap);
  const average = history?.fundingRate24hAvg ?? fraction(perp.fundingRate24h);
  const stored = history?.fundingRate ?? null;
  const storedTs = BigInt(history?.fundingRateTs ?? 0);
  if (stored !== null && storedTs >= perp.fundingTs) return { rate: stored, average, ts: storedTs };
  const ts = perp.fundingTs > 0n ? perp.fundingTs : null;
  return { rate: fraction(perp.fundingRate), average, ts };
}

/** Divides a raw rate by a raw price, at 1e18; 0 when the oracle had no price. */
function fundingFraction(rate: bigint, oraclePrice: bigint): bigint {
  if (oraclePrice <= 0n) return 0n;
  const scale = 10n ** BigInt(FRACTION_PLACES + QUOTE_PLACES - RATE_PLACES);
  return divideNearest(rate * scale, oraclePrice);
}

function priceText(value: bigint): string {
  return formatDecimal(value, QUOTE_PLACES);
}

function priceOrNull(value: bigint | null | undefined): string {
  return value === null || value === undefined ? 'null' : priceText(value);
}

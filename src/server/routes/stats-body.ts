/**
 * The statistics of all markets as JSON, from what the chain says now and what its history says of the
 * last 24 hours. Numbers are decimals that are written from integers, digit by digit.
 */
import type { ChainFigures, MarketRow, PerpFigures } from '../ports/book-source.js';
import type { MarketFigures } from '../ports/market-data-source.js';

/** Raw units: prices and quote amounts, base amounts, and funding rates as fractions of the price. */
const PRICE_PLACES = 6;
const BASE_PLACES = 9;
const RATE_PLACES = 9;
const FRACTION_PLACES = 18;

/** A market with all that is known of it. */
export interface MarketStatistics {
  readonly row: MarketRow;
  readonly chain: ChainFigures;
  /** Absent while there is nothing of the market in the history, or no history. */
  readonly history: MarketFigures | undefined;
}

/** The body of /stats/markets. */
export function statsText(markets: readonly MarketStatistics[]): string {
  return `[${markets.map(marketText).join(',')}]`;
}

function marketText({ row, chain, history }: MarketStatistics): string {
  const { perp } = chain;
  const long = perp?.baseLong ?? 0n;
  const funding = perp === null ? noFunding : fundingOf(perp, history);
  return (
    `{"marketIndex":${row.marketIndex},"symbol":${JSON.stringify(row.symbol)},` +
    `"marketType":"${row.marketType}","oraclePrice":${priceText(chain.oraclePrice)},` +
    `"volume24h":${priceText(history?.quoteVolume24h ?? 0n)},` +
    `"openInterest":${priceText(divideToNearest(long * chain.oraclePrice, 10n ** BigInt(BASE_PLACES)))},` +
    `"fundingRate":${decimalText(funding.rate, FRACTION_PLACES)},` +
    `"fundingRate24hAvg":${decimalText(funding.average, FRACTION_PLACES)},` +
    `"status":${JSON.stringify(row.status)},` +
    `"longOpenInterest":${decimalText(long, BASE_PLACES)},` +
    `"shortOpenInterest":${decimalText(perp?.baseShort ?? 0n, BASE_PLACES)},` +
    `"fundingRateTs":${funding.ts},` +
    `"baseVolume24h":${decimalText(history?.baseVolume24h ?? 0n, BASE_PLACES)},` +
    `"price":${priceOrNull(history?.price)},"price24hAgo":${priceOrNull(history?.price24hAgo)},` +
    `"high24h":${priceOrNull(history?.high24h)},"low24h":${priceOrNull(history?.low24h)}}`
  );
}

interface Funding {
  /** Fractions an hour, at 1e18. */
  readonly rate: bigint;
  readonly average: bigint;
  /** Of the last rate, unix seconds; `null` before the first. */
  readonly ts: string;
}

const noFunding: Funding = { rate: 0n, average: 0n, ts: 'null' };

/**
 * The last rate is in the market's account and in the history; whichever is newer is told, as either
 * may be behind the other. The average is that of the history's rates of 24 hours, and without any the
 * one that the program itself keeps.
 */
function fundingOf(perp: PerpFigures, history: MarketFigures | undefined): Funding {
  const fraction = (rate: bigint): bigint => fundingFraction(rate, perp.fundingOracleTwap);
  const average = history?.fundingRate24hAvg ?? fraction(perp.fundingRate24h);
  const told = history?.fundingRate ?? null;
  const toldTs = BigInt(history?.fundingRateTs ?? 0);
  if (told !== null && toldTs >= perp.fundingTs) return { rate: told, average, ts: `${toldTs}` };
  const ts = perp.fundingTs > 0n ? `${perp.fundingTs}` : 'null';
  return { rate: fraction(perp.fundingRate), average, ts };
}

/** A raw rate over a raw price, at 1e18; 0 where the oracle had no price. */
function fundingFraction(rate: bigint, oraclePrice: bigint): bigint {
  if (oraclePrice <= 0n) return 0n;
  const scale = 10n ** BigInt(FRACTION_PLACES + PRICE_PLACES - RATE_PLACES);
  return divideToNearest(rate * scale, oraclePrice);
}

/** A quotient to the nearest, halves away from zero. The divisor is positive. */
function divideToNearest(dividend: bigint, divisor: bigint): bigint {
  const magnitude = dividend < 0n ? -dividend : dividend;
  const rounded = (magnitude * 2n + divisor) / (divisor * 2n);
  return dividend < 0n ? -rounded : rounded;
}

function priceText(value: bigint): string {
  return decimalText(value, PRICE_PLACES);
}

function priceOrNull(value: bigint | null | undefined): string {
  return value === null || value === undefined ? 'null' : priceText(value);
}

/** `value` divided by ten to the power of `places`, with as many digits as it needs. */
function decimalText(value: bigint, places: number): string {
  const digits = (value < 0n ? -value : value).toString().padStart(places + 1, '0');
  const point = digits.length - places;
  const text = `${digits.slice(0, point)}.${digits.slice(point)}`.replace(/\.?0+$/, '');
  return value < 0n ? `-${text}` : text;
}

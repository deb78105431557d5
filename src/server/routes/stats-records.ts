/**
 * The statistics of all markets in the format of the Drift v2 data API, and in CoinGecko's format.
 * Decimals are texts with the number of places that the data API uses; a missing value is an empty
 * text.
 */

import {
  BASE_PLACES,
  divideNearest,
  FRACTION_PLACES,
  formatDecimal,
  formatFixedDecimal,
  QUOTE_PLACES,
} from '../../amounts/decimals.js';
import type { ChainStats, MarketInfo } from '../../contract/markets.js';
import { fundingOf, type MarketStatistics } from './stats-text.js';

/**
 * Decimal places of a price change in percent, of a funding rate in percent, and of a rate in
 * /contracts.
 */
const CHANGE_PLACES = 2;
const PERCENT_PLACES = 6;
const CONTRACT_PERCENT_PLACES = 9;

/** The program funds once an hour. */
const FUNDING_SECONDS = 3_600n;

/** The body of /data/stats/markets. */
export function marketRecordsText(markets: readonly MarketStatistics[]): string {
  return `{"success":true,"markets":${marketListText(markets)}}`;
}

/** Returns the market list of the data API, which the channel `markets` sends as well. */
export function marketListText(markets: readonly MarketStatistics[]): string {
  const records = markets.map((market) => ({
    ...identityOf(market),
    ...marketRecord(market),
  }));
  return JSON.stringify(records);
}

/** Returns the data of the channel `pricing`; spot markets have no mark price. */
export function pricingText(markets: readonly MarketStatistics[]): string {
  return JSON.stringify(
    markets.map((market) => ({
      ...identityOf(market),
      oraclePrice: price(market.chain.oraclePrice),
      ...(market.info.marketType === 'perp' ? { markPrice: price(market.readTop().mark) } : {}),
      price: price(market.history?.price),
    })),
  );
}

/** The body of /stats/markets/prices. */
export function priceRecordsText(markets: readonly MarketStatistics[]): string {
  return JSON.stringify({
    success: true,
    markets: markets.map((market) => {
      const { change, percent } = changeOf(market);
      return {
        ...identityOf(market),
        currentPrice: price(market.history?.price),
        price24hAgo: price(market.history?.price24hAgo),
        priceChange: change,
        priceChangePercent: percent,
      };
    }),
  });
}

/** The body of /contracts. */
export function contractRecordsText(markets: readonly MarketStatistics[]): string {
  const contracts = markets.map((market) => contractRecord(market));
  return JSON.stringify({ contracts });
}

/** The body of /external/coingecko/contracts: derivatives alone. */
export function perpContractRecordsText(markets: readonly MarketStatistics[]): string {
  const perps = markets.filter(({ info }) => info.marketType === 'perp');
  return JSON.stringify({ contracts: perps.map((market) => contractRecord(market)) });
}

/** Returns the body of /tickers in CoinGecko's format. */
export function tickersText(markets: readonly MarketStatistics[]): string {
  return JSON.stringify(
    markets.map((market) => {
      const { info, history, readTop } = market;
      const { bid, ask } = readTop();
      return {
        ticker_id: info.symbol,
        base_currency: baseAssetOf(market.info),
        target_currency: info.quoteAsset,
        last_price: price(history?.price),
        bid: price(bid),
        ask: price(ask),
        base_volume: formatFixedDecimal(history?.baseVolume24h ?? 0n, BASE_PLACES),
        target_volume: formatFixedDecimal(history?.quoteVolume24h ?? 0n, QUOTE_PLACES),
        high: price(history?.high24h),
        low: price(history?.low24h),
      };
    }),
  );
}

function identityOf({ info }: MarketStatistics) {
  const { symbol, marketIndex, marketType } = info;
  return { symbol, marketIndex, marketType };
}

function marketRecord(market: MarketStatistics) {
  const { info, chain, history, readTop } = market;
  const { perp, spot } = chain;
  const funding = fundingOf(perp, history);
  const rate = percentOf(funding.rate, PERCENT_PLACES);
  const { change, percent } = changeOf(market);
  const tokens = (amount: bigint | undefined) =>
    amount === undefined ? '' : formatDecimal(amount, info.decimals);
  return {
    uiStatus: 'visible',
    uiHideAtTs: null,
    baseAsset: baseAssetOf(market.info),
    quoteAsset: market.info.quoteAsset,
    status: info.status,
    precision: info.decimals,
    limits: limitsOf(market),
    fees: feesOf(chain),
    oraclePrice: price(chain.oraclePrice),
    markPrice: price(readTop().mark),
    baseVolume: formatFixedDecimal((history?.baseVolume24h ?? 0n) / 1_000n, QUOTE_PLACES),
    quoteVolume: formatFixedDecimal(history?.quoteVolume24h ?? 0n, QUOTE_PLACES),
    deposits: tokens(spot?.deposits),
    borrows: tokens(spot?.borrows),
    openInterest: {
      long: formatDecimal(perp?.baseLong ?? 0n, BASE_PLACES),
      short: formatDecimal(perp?.baseShort ?? 0n, BASE_PLACES),
    },
    // The rate is written as each side's profit, so longs have the negative rate.
    fundingRate: {
      long: formatDecimal(-rate, PERCENT_PLACES),
      short: formatDecimal(rate, PERCENT_PLACES),
    },
    fundingRate24h: formatFixedDecimal(percentOf(funding.average, PERCENT_PLACES), PERCENT_PLACES),
    fundingRateUpdateTs: funding.ts === null ? null : Number(funding.ts),
    price: price(history?.price),
    priceChange24h: change,
    priceChange24hPercent: percent,
    priceHigh: { oracle: price(history?.oracleHigh24h), fill: price(history?.high24h) },
    priceLow: { oracle: price(history?.oracleLow24h), fill: price(history?.low24h) },
  };
}

const unknownRange = { min: null, max: null };

/** These values are numbers, unlike the others; null for a value that no account contains. */
function limitsOf({ info, chain }: MarketStatistics) {
  const min = Number(formatDecimal(info.minOrderSize, info.decimals));
  return {
    leverage: { min: 1, max: leverageMaxOf(chain) },
    amount: { min, max: null },
    withdraw: unknownRange,
    deposit: unknownRange,
  };
}

/**
 * Returns the fees of the first fee tier as fractions of the quote amount; a rebate is negative.
 */
export function feesOf({ makerRebate, takerFee }: ChainStats): { maker: number; taker: number } {
  return { maker: feeOf(-makerRebate), taker: feeOf(takerFee) };
}

/** Returns the maximum leverage: position value divided by margin; 1 in spot markets. */
export function leverageMaxOf({ perp }: ChainStats): number {
  const ratio = perp?.marginRatioInitial ?? 0n;
  // The margin ratio is at 1e4: 500 means a leverage of 20.
  return ratio > 0n ? Number(formatDecimal(1_000_000n / ratio, 2)) : 1;
}

function contractRecord(market: MarketStatistics) {
  const { info, chain, history } = market;
  const { perp } = chain;
  const { rate, ts } = fundingOf(perp, history);
  const interest = perp === null ? 0n : perp.baseLong - perp.baseShort;
  return {
    contract_index: info.marketIndex,
    ticker_id: info.symbol,
    base_currency: baseAssetOf(market.info),
    quote_currency: market.info.quoteAsset,
    last_price: price(history?.price),
    base_volume: formatFixedDecimal(history?.baseVolume24h ?? 0n, BASE_PLACES),
    quote_volume: formatFixedDecimal(history?.quoteVolume24h ?? 0n, QUOTE_PLACES),
    high: price(history?.high24h),
    low: price(history?.low24h),
    product_type: info.marketType.toUpperCase(),
    open_interest: formatFixedDecimal(interest, BASE_PLACES),
    index_price: price(chain.oraclePrice),
    funding_rate: formatFixedDecimal(
      percentOf(rate, CONTRACT_PERCENT_PLACES),
      CONTRACT_PERCENT_PLACES,
    ),
    next_funding_rate: '',
    next_funding_rate_timestamp: ts === null ? '' : String((ts + FUNDING_SECONDS) * 1_000n),
    start_timestamp: '',
    end_timestamp: '',
  };
}

/** The token that a market trades. */
export function baseAssetOf({ marketType, symbol }: MarketInfo): string {
  return marketType === 'perp' ? symbol.replace(/-(PERP|BET)$/, '') : symbol;
}

/**
 * Returns the price change over 24 hours, absolute and in percent; empty texts unless both prices
 * are known.
 */
function changeOf({ history }: MarketStatistics): { change: string; percent: string } {
  const { price: now, price24hAgo: before } = history ?? { price: null, price24hAgo: null };
  if (now === null || before === null || before <= 0n) return { change: '', percent: '' };
  const percent = divideNearest((now - before) * 10_000n, before);
  return {
    change: formatFixedDecimal(now - before, QUOTE_PLACES),
    percent: formatFixedDecimal(percent, CHANGE_PLACES),
  };
}

/** Converts a fraction at 1e18 to percent with `places` decimal places. */
function percentOf(fraction: bigint, places: number): bigint {
  return divideNearest(fraction, 10n ** BigInt(FRACTION_PLACES - 2 - places));
}

function price(value: bigint | null | undefined): string {
  return value === null || value === undefined ? '' : formatFixedDecimal(value, QUOTE_PLACES);
}

/** Converts a fraction of the quote at 1e9 to a number. */
function feeOf(part: bigint): number {
  return Number(formatDecimal(part, BASE_PLACES));
}

/** The bodies of the statistics of all markets, and of the book in CoinGecko's form. */
import { Type } from '@sinclair/typebox';
import { wordSchema } from './param-schemas.js';
import {
  always,
  base,
  count,
  countOrNull,
  decimal,
  fixed,
  id,
  marketIndex,
  marketType,
  mayMiss,
  price,
  quote,
  symbol,
  text,
} from './schema-parts.js';

const decimalOrNull = (description: string) =>
  Type.Unsafe<number | null>({ type: ['number', 'null'], description });

const marketStats = Type.Object({
  marketIndex,
  symbol,
  marketType,
  oraclePrice: decimal('Of the oracle now.'),
  volume24h: decimal('Quote traded in the last 24 hours.'),
  openInterest: decimal('Long positions at the price of the oracle, in USD; 0 for spot markets.'),
  fundingRate: decimal('The last one, a fraction an hour; positive when longs pay. 0 for spot.'),
  fundingRate24hAvg: decimal('The average of the last 24 hours, likewise.'),
  status: text('Of the market on chain, such as `active`.'),
  longOpenInterest: mayMiss(decimal('Base of the long positions.')),
  shortOpenInterest: mayMiss(decimal('Base of the short positions, not above 0.')),
  fundingRateTs: mayMiss(countOrNull('When the funding rate was set, unix seconds.')),
  baseVolume24h: mayMiss(decimal('Base traded in the last 24 hours.')),
  price: mayMiss(decimalOrNull('Of the last trade; null before the first.')),
  price24hAgo: mayMiss(decimalOrNull('Of the last trade before the last 24 hours.')),
  high24h: mayMiss(
    decimalOrNull('Highest price of the trades of the last 24 hours; null without any.'),
  ),
  low24h: mayMiss(decimalOrNull('Lowest price of them.')),
});

const numberOrNull = Type.Unsafe<number | null>({ type: ['number', 'null'] });

const limitRange = Type.Object({ min: numberOrNull, max: numberOrNull });

/** A decimal as text with as many places as it needs, or an empty text where there is none. */
const trimmed = (description: string) =>
  Type.String({ pattern: '^(-?[0-9]+(\\.[0-9]+)?)?$', description });

const identity = { symbol, marketIndex, marketType };
const assets = {
  baseAsset: text('Name of the traded token.'),
  quoteAsset: text('Name of the token that prices are in.'),
};

const marketRecord = Type.Object({
  ...identity,
  uiStatus: wordSchema(['visible'], { description: 'Whether front ends show it.' }),
  uiHideAtTs: Type.Null(),
  ...assets,
  status: text('Of the market on chain, such as `active`.'),
  precision: count('Decimals of a base amount.'),
  limits: Type.Object(
    { leverage: limitRange, amount: limitRange, withdraw: limitRange, deposit: limitRange },
    { description: 'Null for what no account says.' },
  ),
  fees: Type.Object(
    { maker: Type.Number(), taker: Type.Number() },
    { description: 'Parts of the quote in the first tier; negative is a rebate.' },
  ),
  oraclePrice: price('Of the oracle now'),
  markPrice: price('Middle of the book with the AMM'),
  baseVolume: fixed(6, 'Base traded in the last 24 hours.'),
  quoteVolume: quote('Traded in the last 24 hours'),
  deposits: trimmed('Tokens deposited; empty for perpetual markets.'),
  borrows: trimmed('Tokens borrowed; empty for perpetual markets.'),
  openInterest: Type.Object({
    long: trimmed('Base of the long positions.'),
    short: trimmed('Base of the short positions, not above 0.'),
  }),
  fundingRate: Type.Object({
    long: trimmed('Percent per hour that longs get; negative when they pay.'),
    short: trimmed('Percent per hour that shorts get.'),
  }),
  fundingRate24h: fixed(6, 'Percent per hour that longs paid, the average of 24 hours.'),
  fundingRateUpdateTs: countOrNull('When the funding rate was set, unix seconds.'),
  price: price('Of the last trade'),
  priceChange24h: price('By which it moved in 24 hours'),
  priceChange24hPercent: fixed(2, 'The same in percent.'),
  priceHigh: Type.Object({ oracle: price('Of 24 hours'), fill: price('Of 24 hours') }),
  priceLow: Type.Object({ oracle: price('Of 24 hours'), fill: price('Of 24 hours') }),
});

const priceRecord = Type.Object({
  ...identity,
  currentPrice: price('Of the last trade'),
  price24hAgo: price('Of the last trade before the last 24 hours'),
  priceChange: price('By which it moved'),
  priceChangePercent: fixed(2, 'The same in percent.'),
});

const day = { high: price('Highest of 24 hours'), low: price('Lowest of 24 hours') };

const contract = Type.Object({
  contract_index: marketIndex,
  ticker_id: symbol,
  base_currency: assets.baseAsset,
  quote_currency: assets.quoteAsset,
  last_price: price('Of the last trade'),
  base_volume: base('Traded in 24 hours'),
  quote_volume: quote('Traded in 24 hours'),
  ...day,
  product_type: wordSchema(['PERP', 'SPOT'], { description: 'Type of the market.' }),
  open_interest: base('Long and short positions together'),
  index_price: price('Of the oracle now'),
  funding_rate: fixed(9, 'Percent per hour, positive when longs pay.'),
  next_funding_rate: Type.Literal('', { description: 'Not predicted here.' }),
  next_funding_rate_timestamp: id('An hour after the last one, unix milliseconds.'),
  start_timestamp: Type.Literal('', { description: 'No account says it.' }),
  end_timestamp: Type.Literal('', { description: 'A perpetual contract has none.' }),
});

const ticker = Type.Object({
  ticker_id: symbol,
  base_currency: assets.baseAsset,
  target_currency: assets.quoteAsset,
  last_price: price('Of the last trade'),
  base_volume: base('Traded in 24 hours'),
  target_volume: quote('Traded in 24 hours'),
  bid: price('Best bid, with the AMM'),
  ask: price('Best ask, with the AMM'),
  ...day,
});

const levels = (description: string) =>
  Type.Array(Type.Array(trimmed('Price, and then base.'), { minItems: 2, maxItems: 2 }), {
    description,
  });

const volume = Type.Object({
  symbol,
  quoteVolume: always(quote('Quote traded')),
  baseVolume: always(base('Base traded')),
  marketIndex,
  marketType,
});

const fundingMeans = Type.Object({
  marketIndex,
  symbol,
  fundingRates: Type.Object(
    {
      '24h': fixed(9, 'Of a day.'),
      '7d': fixed(9, 'Of 7 days.'),
      '30d': fixed(9, 'Of 30 days.'),
      '1y': fixed(9, 'Of 365 days.'),
    },
    { description: 'Percent per hour, positive when longs pay; empty without a record.' },
  ),
});

/** Every body of these paths by its name in the API description. */
export const statsBodySchemas = {
  Volumes: Type.Object({
    success: Type.Literal(true),
    total: always(quote('Quote traded in all markets')),
    markets: Type.Array(volume, {
      description: 'Perpetual markets first, each kind by index.',
    }),
  }),
  FundingMeans: Type.Object({
    success: Type.Literal(true),
    markets: Type.Array(fundingMeans, { description: 'Perpetual markets, by index.' }),
  }),
  MarketRecords: Type.Object({
    success: Type.Literal(true),
    markets: Type.Array(marketRecord, {
      description: 'Perpetual markets first, each kind by index.',
    }),
  }),
  PriceRecords: Type.Object({
    success: Type.Literal(true),
    markets: Type.Array(priceRecord, { description: 'In the same order.' }),
  }),
  Contracts: Type.Object({
    contracts: Type.Array(contract, { description: 'In the same order.' }),
  }),
  Tickers: Type.Array(ticker, { description: 'In the same order.' }),
  Orderbook: Type.Object({
    ticker_id: symbol,
    timestamp: id('Unix time in milliseconds.'),
    bids: levels('Best first.'),
    asks: levels('Best first.'),
  }),
  MarketStats: Type.Array(marketStats, {
    description: 'All markets, perpetual markets first, each kind by index.',
  }),
};

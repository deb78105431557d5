/**
 * The parameters and the responses of every path, described once: the routes have exactly these names,
 * and /openapi.json is generated from them.
 */
import { auctionOrderParams } from './auction-order-params.js';
import {
  archiveParams,
  auctionsParams,
  candleRecordsParams,
  candlesParams,
  fundingRateRecordsParams,
  fundingRatesParams,
  l2Params,
  l3Params,
  matchParams,
  orderbookParams,
  priorityFeesParams,
  topMakersParams,
  tradeRecordsParams,
  tradesParams,
  userMarketTradesParams,
  userOrdersParams,
  userTradesParams,
  volumeParams,
  volumePeriodParams,
} from './param-schemas.js';
import type { PathSpec } from './path-spec.js';
import { servicePathSpecs } from './service-path-specs.js';
import { udfPathSpecs } from './udf-path-specs.js';

/** Of a path of which the journal keeps the past. */
const pastErrors = ['NO_JOURNAL', 'MOMENT_NOT_KEPT'] as const;
const marketErrors = ['MISSING_PARAM', 'INVALID_PARAM', 'OUT_OF_RANGE', 'UNKNOWN_MARKET'] as const;

const batch = {
  kind: 'book',
  params: l2Params,
  style: 'lists',
  body: 'BatchL2',
  tagged: true,
  moment: true,
  errors: [...marketErrors, ...pastErrors, 'NOT_READY', 'LIMIT_EXCEEDED'],
} as const;

const priorityFees = {
  kind: 'book',
  params: priorityFeesParams,
  tagged: false,
  errors: [...marketErrors, 'RATE_LIMITED', 'NOT_READY'],
} as const;

const history = {
  kind: 'history',
  tagged: true,
  errors: [...marketErrors, 'NOT_READY', 'LIMIT_EXCEEDED'],
} as const;

const statistics = { kind: 'data', tagged: true, errors: ['NOT_READY'] } as const;

const volumeErrors = [
  'MISSING_PARAM',
  'INVALID_PARAM',
  'OUT_OF_RANGE',
  'NOT_READY',
  'LIMIT_EXCEEDED',
] as const;

/** Every path by its name, without prefixes. */
export const pathSpecs = {
  '/l2': {
    summary: 'The book of a market by price level',
    kind: 'book',
    params: l2Params,
    body: 'L2',
    binary: true,
    tagged: true,
    moment: true,
    errors: [...marketErrors, ...pastErrors, 'NOT_READY', 'LIMIT_EXCEEDED'],
  },
  '/batchL2': { ...batch, summary: 'Many /l2 books; lists of one length, at most 256 entries' },
  '/batchL2Cache': { ...batch, summary: 'The same as /batchL2' },
  '/l3': {
    summary: 'The book of a market by order',
    kind: 'book',
    params: l3Params,
    body: 'L3',
    binary: true,
    tagged: true,
    moment: true,
    errors: [...marketErrors, ...pastErrors, 'NOT_READY', 'LIMIT_EXCEEDED'],
  },
  '/auctions': {
    summary: 'The orders of a market that are in auction, at the prices at which they fill now',
    kind: 'book',
    params: auctionsParams,
    body: 'Auctions',
    tagged: true,
    moment: true,
    errors: [...marketErrors, ...pastErrors, 'NOT_READY', 'LIMIT_EXCEEDED'],
  },
  '/match': {
    summary: 'What an order that is sent now would get: its fills, and what rests of it',
    kind: 'book',
    params: matchParams,
    body: 'Match',
    tagged: true,
    moment: true,
    errors: [...marketErrors, ...pastErrors, 'NOT_READY', 'LIMIT_EXCEEDED'],
  },
  '/topMakers': {
    summary: 'The user accounts with the best orders; has no tag with includeAccounts',
    kind: 'book',
    params: topMakersParams,
    body: 'TopMakers',
    tagged: true,
    moment: true,
    errors: [...marketErrors, ...pastErrors, 'RATE_LIMITED', 'NOT_READY', 'LIMIT_EXCEEDED'],
  },
  '/auctionParams': {
    summary: 'The parameters of an order that is to fill at once, made of what it would get now',
    kind: 'book',
    params: auctionOrderParams,
    body: 'AuctionParams',
    tagged: true,
    errors: [...marketErrors, 'NOT_READY', 'LIMIT_EXCEEDED'],
  },
  '/priorityFees': {
    ...priorityFees,
    summary: 'What recent transactions paid at least to write to the account of a market',
    body: 'PriorityFees',
  },
  '/batchPriorityFees': {
    ...priorityFees,
    summary: 'The same for many markets; lists of one length, at most 256 entries',
    style: 'lists',
    body: 'BatchPriorityFees',
  },
  '/stats/markets': {
    summary: 'Statistics of all markets: prices, volume, open interest, funding',
    kind: 'service',
    body: 'MarketStats',
    tagged: true,
    errors: ['NOT_READY'],
  },
  '/data/stats/markets': {
    summary: 'Statistics of all markets as the Drift v2 data API writes them',
    kind: 'service',
    body: 'MarketRecords',
    tagged: true,
    errors: ['NOT_READY'],
  },
  '/stats/markets/prices': {
    ...statistics,
    summary: 'The prices of all markets now and 24 hours ago',
    body: 'PriceRecords',
  },
  '/contracts': { ...statistics, summary: 'The contracts of all markets', body: 'Contracts' },
  '/external/coingecko/contracts': {
    ...statistics,
    summary: 'The contracts of all perpetual markets, for CoinGecko',
    body: 'Contracts',
  },
  '/tickers': {
    ...statistics,
    summary: 'The tickers of all markets, for CoinGecko',
    body: 'Tickers',
  },
  '/orderbook': {
    summary: 'The book of a market by price level, for CoinGecko; with the levels of its AMM',
    kind: 'book',
    params: orderbookParams,
    body: 'Orderbook',
    tagged: true,
    errors: [...marketErrors, 'NOT_READY', 'LIMIT_EXCEEDED'],
  },
  '/stats/markets/volume/{period}': {
    ...history,
    summary: 'What all markets traded in the last hour, 24 hours or 30 days',
    params: volumePeriodParams,
    body: 'Volumes',
    errors: volumeErrors,
  },
  '/stats/markets/volume': {
    ...history,
    summary: 'What all markets traded in up to 24 whole hours',
    params: volumeParams,
    body: 'Volumes',
    errors: volumeErrors,
  },
  '/stats/fundingRates': {
    ...history,
    summary: 'The mean funding rates of all perpetual markets, of a day to a year',
    body: 'FundingMeans',
    errors: ['NOT_READY', 'LIMIT_EXCEEDED'],
  },
  '/trades': {
    ...history,
    summary: 'The trades of a market, newest first',
    params: tradesParams,
    body: 'Trades',
    paged: true,
  },
  '/fundingRates': {
    ...history,
    summary: 'The funding rates of a market of the last 30 days, newest first',
    params: fundingRatesParams,
    body: 'FundingRates',
    paged: true,
  },
  '/candles': {
    ...history,
    summary: 'The candles of a market, oldest first',
    params: candlesParams,
    body: 'Candles',
  },
  '/market/{symbol}/trades': {
    ...history,
    summary: 'The trades of a market as the Drift v2 data API writes them, newest first',
    params: tradeRecordsParams,
    body: 'TradeRecords',
  },
  '/market/{symbol}/fundingRates': {
    ...history,
    summary: 'The funding rates of a market as the Drift v2 data API writes them, newest first',
    params: fundingRateRecordsParams,
    body: 'FundingRateRecords',
  },
  '/market/{symbol}/candles/{resolution}': {
    ...history,
    summary: 'The candles of a market, newest first; startTs is the newer bound, endTs the older',
    params: candleRecordsParams,
    body: 'CandleRecords',
  },
  '/market/{symbol}/trades/{year}/{month}/{day}': {
    ...history,
    summary: 'The trades of a market of one day of UTC, oldest first, as JSON or CSV',
    params: archiveParams,
    body: 'TradeArchive',
    csv: true,
  },
  '/market/{symbol}/fundingRates/{year}/{month}/{day}': {
    ...history,
    summary: 'The funding rates of a market of one day of UTC, oldest first, as JSON or CSV',
    params: archiveParams,
    body: 'FundingRateArchive',
    csv: true,
  },
  '/user/{account}/orders': {
    kind: 'data',
    tagged: false,
    errors: ['INVALID_PARAM', 'OUT_OF_RANGE', 'NOT_READY'],
    summary: 'The open orders of a user account, those that the book does not show as well',
    params: userOrdersParams,
    body: 'OpenOrders',
  },
  '/user/{account}/trades': {
    ...history,
    summary: 'The trades of a user account in all markets, newest first',
    params: userTradesParams,
    body: 'UserTradeRecords',
    errors: ['INVALID_PARAM', 'OUT_OF_RANGE', 'NOT_READY', 'LIMIT_EXCEEDED'],
  },
  '/user/{account}/trades/{symbol}': {
    ...history,
    summary: 'The trades of a user account in one market, newest first',
    params: userMarketTradesParams,
    body: 'UserTradeRecords',
  },
  ...udfPathSpecs,
  '/ws': {
    summary: 'The WebSocket of the channels; 426 for a request that is not an upgrade',
    kind: 'socket',
    body: null,
    tagged: false,
    errors: ['UPGRADE_REQUIRED', 'LIMIT_EXCEEDED', 'NOT_READY'],
  },
  '/quotes/ws': {
    summary: 'The WebSocket of makers that quote; 426 for a request that is not an upgrade',
    kind: 'service',
    body: null,
    tagged: false,
    errors: ['UPGRADE_REQUIRED', 'LIMIT_EXCEEDED', 'NOT_READY'],
  },
  ...servicePathSpecs,
} as const satisfies Readonly<Record<string, PathSpec>>;

/** The name of a path, without prefixes. */
export type PathName = keyof typeof pathSpecs;

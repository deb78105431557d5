/**
 * /market/{symbol}/trades and /market/{symbol}/fundingRates: pages of records in the format of the
 * Drift v2 data API.
 */
import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import { marketOf } from '../api/market-params.js';
import { pageOf, sinceOf } from '../api/page-params.js';
import { page, rows, symbol } from '../api/param-parts.js';
import { envelope, fundingRateRecord, paged, tradeRecord } from '../api/record-parts.js';
import { ofHistory, queryBy } from './history-paths.js';
import type { Path } from './path.js';

const tradeRecordsParams = Type.Object({
  symbol,
  limit: rows('Trades', { max: LIMITS.tradesMax, byDefault: LIMITS.recordsDefault }),
  page,
});

/** The path of trades. */
export const marketTrades = {
  ...ofHistory,
  summary: 'The trades of a market as the Drift v2 data API writes them, newest first',
  ...queryBy(tradeRecordsParams, (params, { markets }) => {
    const market = marketOf(params.symbol, markets);
    return { kind: 'trades', market, ...pageOf(params), form: 'records' };
  }),
  body: {
    name: 'TradeRecords',
    schema: envelope(tradeRecord, paged),
  },
} as const satisfies Path;

const fundingRateRecordsParams = Type.Object({
  symbol,
  limit: rows('Records', { max: LIMITS.fundingRateRecordsMax, byDefault: LIMITS.recordsDefault }),
  page,
});

/** The path of funding rates. */
export const marketFundingRates = {
  ...ofHistory,
  summary: 'The funding rates of a market as the Drift v2 data API writes them, newest first',
  ...queryBy(fundingRateRecordsParams, (params, { markets, nowSeconds }) => {
    const market = marketOf(params.symbol, markets);
    const since = sinceOf(nowSeconds);
    return { kind: 'fundingRates', market, ...pageOf(params), since, form: 'records' };
  }),
  body: {
    name: 'FundingRateRecords',
    schema: envelope(fundingRateRecord, paged),
  },
} as const satisfies Path;

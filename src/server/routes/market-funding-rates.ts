/** /market/{symbol}/fundingRates: funding rates in the format of the Drift v2 data API. */
import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { FundingRatesQuery } from '../../contract/history-queries.js';
import { marketOf } from '../api/market-params.js';
import { pageOf, sinceOf } from '../api/page-params.js';
import { page, rows, symbol } from '../api/param-parts.js';
import { envelope, fundingRateRecord, paged } from '../api/record-parts.js';
import { checkRequest, type ParseContext, type RequestTexts } from '../api/request-params.js';
import { ofHistory, responderOf } from './history-paths.js';
import type { HistoryService, Path } from './path.js';

const fundingRateRecordsParams = Type.Object({
  symbol,
  limit: rows('Records', { max: LIMITS.fundingRateRecordsMax, byDefault: LIMITS.recordsDefault }),
  page,
});

/** The path. */
export const marketFundingRates = {
  ...ofHistory,
  summary: 'The funding rates of a market as the Drift v2 data API writes them, newest first',
  params: fundingRateRecordsParams,
  body: {
    name: 'FundingRateRecords',
    schema: envelope(fundingRateRecord, paged),
  },
  open: (service: HistoryService) => responderOf(service).routeOf(parseFundingRateRecords),
} as const satisfies Path;

/**
 * Reads the parameters of /market/{symbol}/fundingRates. Throws a ServerError that names the wrong
 * parameter.
 */
function parseFundingRateRecords(request: RequestTexts, of: ParseContext): FundingRatesQuery {
  const params = checkRequest(fundingRateRecordsParams, request);
  const market = marketOf(params.symbol, of.markets);
  const since = sinceOf(of.nowSeconds);
  return { kind: 'fundingRates', market, ...pageOf(params), since, form: 'records' };
}

/** The parameters of /udf/history, from the texts of a request to a query of the history. */
import { LIMITS } from '../../config/limits.js';
import type { CandlesQuery } from '../../contract/history-queries.js';
import { candlesOf, checkRequest, type ParseContext, type RequestTexts } from './history-params.js';
import { udfHistoryParams, udfMarketName, udfResolutionOf } from './udf-schemas.js';

/**
 * Reads them: as many bars before `to` as `countback` says, or else those from `from` on. The library may
 * ask for the time to come, and for times before the first of 1970. Throws a ServerError that names the
 * wrong one.
 */
export function parseUdfHistory(
  request: RequestTexts,
  { markets, nowSeconds }: ParseContext,
): CandlesQuery {
  const params = checkRequest(udfHistoryParams, request);
  const symbol = udfMarketName(params.symbol);
  const { from = 0, to = Number.POSITIVE_INFINITY, countback = 0 } = params;
  const resolution = udfResolutionOf(params.resolution);
  const limit = Math.min(countback === 0 ? LIMITS.candlesMax : countback, LIMITS.candlesMax);
  return {
    ...candlesOf({ symbol, resolution }, { markets, nowSeconds }),
    limit,
    ...(countback > 0 ? {} : { from: Math.max(0, from) }),
    // The same query for all charts that end with the newest bar.
    ...(to > nowSeconds ? {} : { to: Math.max(0, to - 1) }),
    form: 'udf',
  };
}

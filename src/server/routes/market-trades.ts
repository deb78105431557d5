/** /market/{symbol}/trades: trades in the format of the Drift v2 data API. */
import { Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { TradesQuery } from '../../contract/history-queries.js';
import { marketOf } from '../api/market-params.js';
import { pageOf } from '../api/page-params.js';
import { page, rows, symbol } from '../api/param-parts.js';
import { envelope, paged, tradeRecord } from '../api/record-parts.js';
import { checkRequest, type ParseContext, type RequestTexts } from '../api/request-params.js';
import { ofHistory, responderOf } from './history-paths.js';
import type { HistoryService, Path } from './path.js';

const tradeRecordsParams = Type.Object({
  symbol,
  limit: rows('Trades', { max: LIMITS.tradesMax, byDefault: LIMITS.recordsDefault }),
  page,
});

/** The path. */
export const marketTrades = {
  ...ofHistory,
  summary: 'The trades of a market as the Drift v2 data API writes them, newest first',
  params: tradeRecordsParams,
  body: {
    name: 'TradeRecords',
    schema: envelope(tradeRecord, paged),
  },
  open: (service: HistoryService) => responderOf(service).routeOf(parseTradeRecords),
} as const satisfies Path;

/**
 * Reads the parameters of /market/{symbol}/trades. Throws a ServerError that names the wrong
 * parameter.
 */
function parseTradeRecords(request: RequestTexts, { markets }: ParseContext): TradesQuery {
  const params = checkRequest(tradeRecordsParams, request);
  const market = marketOf(params.symbol, markets);
  return { kind: 'trades', market, ...pageOf(params), form: 'records' };
}

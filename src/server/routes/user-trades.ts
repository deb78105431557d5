/** The trades of a user account, in all markets or in one market. */
import { type Static, Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { MarketDirectory } from '../../contract/book-source.js';
import type { AccountRecordsQuery } from '../../contract/history-queries.js';
import { marketOf } from '../api/market-params.js';
import { pageOf } from '../api/page-params.js';
import { page, rows, symbol } from '../api/param-parts.js';
import { envelope, paged, tradeRecord } from '../api/record-parts.js';
import { checkRequest } from '../api/request-params.js';
import { text } from '../api/schema-parts.js';
import { accountTradesOf, ofHistory } from './history-paths.js';
import type { HistoryService, Path, Route } from './path.js';
import { userOrdersParams } from './user-orders.js';

const userTradesParams = Type.Object({
  ...userOrdersParams.properties,
  limit: rows('Trades', { max: LIMITS.tradesMax, byDefault: LIMITS.recordsDefault }),
  page,
});

const userMarketTradesParams = Type.Object({ ...userTradesParams.properties, symbol });

const body = {
  name: 'UserTradeRecords',
  schema: envelope(
    Type.Object({ ...tradeRecord.properties, user: text('The account that was asked for.') }),
    paged,
  ),
} as const;

/** The path of all markets. */
export const userTrades = {
  ...ofHistory,
  summary: 'The trades of a user account in all markets, newest first',
  params: userTradesParams,
  body,
  errors: ['INVALID_PARAM', 'OUT_OF_RANGE', 'NOT_READY', 'LIMIT_EXCEEDED'],
  open: (service: HistoryService) => tradesRoute(service, userTradesParams),
} as const satisfies Path;

/** The path of one market. */
export const userMarketTrades = {
  ...ofHistory,
  summary: 'The trades of a user account in one market, newest first',
  params: userMarketTradesParams,
  body,
  open: (service: HistoryService) => tradesRoute(service, userMarketTradesParams),
} as const satisfies Path;

function tradesRoute(
  service: HistoryService,
  schema: typeof userTradesParams | typeof userMarketTradesParams,
): Route {
  return (request, pathTexts) =>
    accountTradesOf(service).replyTo(request, () => {
      const params = checkRequest(schema, { query: request.query, pathTexts });
      return accountTradesQuery(params, service.directory);
    });
}

type UserTrades = Static<typeof userTradesParams> & { readonly symbol?: string };

function accountTradesQuery(
  { account, symbol, ...place }: UserTrades,
  directory: MarketDirectory,
): AccountRecordsQuery {
  return {
    kind: 'account',
    records: 'trade',
    account,
    ...pageOf(place),
    ...(symbol === undefined ? {} : { market: marketOf(symbol, directory) }),
  };
}

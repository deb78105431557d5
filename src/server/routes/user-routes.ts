/** The paths of one user account. Its open orders are read from the book, its trades from the history. */
import type { Static } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { BookSource, MarketDirectory } from '../../contract/book-source.js';
import type { AccountTradesQuery } from '../../contract/history-queries.js';
import { checkRequest, marketOf } from '../api/history-params.js';
import { compileParamSchemas } from '../api/param-check.js';
import {
  userMarketTradesParams,
  userOrdersParams,
  userTradesParams,
} from '../api/param-schemas.js';
import { type Header, jsonHeaders } from '../transport/reply.js';
import { type BookRouteOptions, requireFirstBook } from './book-routes.js';
import { ContentResponder } from './content-responder.js';
import type { HistoryRoute, HistoryRouteOptions } from './history-routes.js';
import type { Route } from './path-table.js';

type UserPathName = '/user/{account}/trades' | '/user/{account}/trades/{symbol}';

/** The routes of these paths. */
export function userRoutes(
  options: HistoryRouteOptions,
): Readonly<Record<UserPathName, HistoryRoute>> {
  compileParamSchemas([userTradesParams, userMarketTradesParams]);
  // A market that an account seldom trades in is found by a walk over all its trades.
  const responder = new ContentResponder(options, { ...LIMITS, historyReadsMax: 1 });
  const trades =
    (schema: typeof userTradesParams | typeof userMarketTradesParams): HistoryRoute =>
    (request, pathTexts) =>
      responder.replyTo(request, () => {
        const params = checkRequest(schema, { query: request.query, pathTexts });
        return accountTradesQuery(params, options.directory);
      });
  return {
    '/user/{account}/trades': trades(userTradesParams),
    '/user/{account}/trades/{symbol}': trades(userMarketTradesParams),
  };
}

const headers: readonly Header[] = [...jsonHeaders, ['Cache-Control', 'no-cache']];

/** The open orders of a user account. */
export function userOrdersRoute({
  book,
  readiness,
}: Pick<BookRouteOptions, 'readiness'> & { readonly book: BookSource }): Route {
  compileParamSchemas([userOrdersParams]);
  return ({ query }, pathTexts) => {
    requireFirstBook(readiness());
    const { account } = checkRequest(userOrdersParams, { query, pathTexts });
    return { status: 200, headers, body: book.openOrders(account) };
  };
}

type UserTrades = Static<typeof userTradesParams> & { readonly symbol?: string };

function accountTradesQuery(
  { account, symbol, limit, page }: UserTrades,
  directory: MarketDirectory,
): AccountTradesQuery {
  return {
    ...{ kind: 'accountTrades', account, limit },
    ...(symbol === undefined ? {} : { market: marketOf(symbol, directory) }),
    ...(page === undefined ? {} : { before: page }),
  };
}

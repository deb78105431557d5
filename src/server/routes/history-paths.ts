/** The properties that the paths of the history share. */

import type { Static, TObject } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { MarketDirectory } from '../../contract/book-source.js';
import { marketErrors } from '../api/book-parts.js';
import { checkRequest, type ParseContext } from '../api/request-params.js';
import { type ContentQuery, ContentResponder } from './content-responder.js';
import { HistoryResponder, type MarketQuery } from './history-responder.js';
import { type HistoryService, type Route, shared } from './path.js';

/** The properties. */
export const ofHistory = {
  kind: 'history',
  tagged: true,
  errors: [...marketErrors, 'NOT_READY', 'LIMIT_EXCEEDED'],
} as const;

/** The responder that all paths of a single market share, with its limits. */
const responderOf = shared((service: HistoryService) => new HistoryResponder(service));

/**
 * Returns the parameters of a path of a single market, and its route, whose query `read` makes of
 * them. A wrong parameter is rejected by its name before.
 */
export function queryBy<Schema extends TObject>(
  params: Schema,
  read: (params: Static<Schema>, of: ParseContext) => MarketQuery,
) {
  const openPath = (service: HistoryService) =>
    responderOf(service).routeOf((request, of) => read(checkRequest(params, request), of));
  return { params, open: openPath };
}

/** The responder that all paths of several markets share. */
export const summariesOf = shared((service: HistoryService) => new ContentResponder(service));

/**
 * The responder of an account's trades. Finding a market that the account rarely trades in means a
 * walk over all its trades, so only one such query runs at a time.
 */
const accountTradesOf = shared(
  (service: HistoryService) => new ContentResponder(service, { ...LIMITS, historyReadsMax: 1 }),
);

/** As `queryBy`, for the records of one account; `read` gets the markets by name. */
export function accountQueryBy<Schema extends TObject>(
  params: Schema,
  read: (params: Static<Schema>, markets: MarketDirectory) => ContentQuery,
) {
  const openPath =
    (service: HistoryService): Route =>
    (request, pathTexts) =>
      accountTradesOf(service).replyTo(request, () =>
        read(checkRequest(params, { query: request.query, pathTexts }), service.directory),
      );
  return { params, open: openPath };
}

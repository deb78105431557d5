/** The paths of one user account. */
import { checkRequest } from '../api/history-params.js';
import { compileParamSchemas } from '../api/param-check.js';
import { userTradesParams } from '../api/param-schemas.js';
import { ContentResponder } from './content-responder.js';
import type { HistoryRoute, HistoryRouteOptions } from './history-routes.js';

/** The routes of these paths. */
export function userRoutes(
  options: HistoryRouteOptions,
): Readonly<Record<'/user/{account}/trades', HistoryRoute>> {
  compileParamSchemas([userTradesParams]);
  const responder = new ContentResponder(options);
  return {
    '/user/{account}/trades': (request, pathTexts) =>
      responder.replyTo(request, () => {
        const texts = { query: request.query, pathTexts };
        const { account, limit, page } = checkRequest(userTradesParams, texts);
        const before = page === undefined ? {} : { before: page };
        return { kind: 'accountTrades', account, limit, ...before };
      }),
  };
}

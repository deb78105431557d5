/** The path of /match: an order as the core is asked for it, and what the core refuses of it. */

import { LIMITS } from '../../config/limits.js';
import type { MatchRequest } from '../../contract/book-requests.js';
import type { ErrorCode } from '../../contract/error-codes.js';
import { parseMatch } from '../api/book-params.js';
import { ServerError } from '../transport/errors.js';
import { type BookRoute, type BookRouteOptions, bookRoute } from './book-routes.js';

/** The fills of an order that is sent now, and what rests of it. */
export function matchRoute(options: BookRouteOptions): BookRoute {
  const { book, directory } = options;
  return bookRoute<MatchRequest>({
    ...options,
    parse: (raw) => parseMatch(raw, directory),
    render: (query) => renderMatch(() => book.match(query)),
    // What an order would get depends on more than the version of its market.
    beside: () => book.turn,
    isLarge: () => true,
    cachedBytesMax: LIMITS.matchCacheBytesMax,
  });
}

/** Codes of the core for wrong orders, and the codes of their replies. */
const REFUSALS: Readonly<Record<string, ErrorCode>> = {
  INVALID_MATCH: 'INVALID_PARAM',
  MATCH_OUT_OF_RANGE: 'OUT_OF_RANGE',
};

function renderMatch(match: () => Uint8Array): Uint8Array {
  try {
    return match();
  } catch (error) {
    throw refusalOf(error) ?? error;
  }
}

function refusalOf(error: unknown): ServerError | undefined {
  if (!(error instanceof Error)) return undefined;
  const { code = '', context = {} } = error as {
    readonly code?: string;
    readonly context?: { readonly param?: unknown };
  };
  if (REFUSALS[code] === undefined) return undefined;
  const { message } = error;
  const { param } = context;
  return orderRefusal({ code, message, param: typeof param === 'string' ? param : null });
}

/** The error of an order that the core refuses with this code. */
export function orderRefusal(refusal: {
  readonly code: string;
  readonly message: string;
  readonly param: string | null;
}): ServerError {
  const { code, message, param } = refusal;
  return new ServerError(REFUSALS[code] ?? 'INVALID_PARAM', message, param);
}

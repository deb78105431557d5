/** /match: what an order that is sent now would get. */

import { parseMatch } from '../api/match-params.js';
import type { MatchRequest } from '../ports/book-source.js';
import { type ErrorCode, ServerError } from '../transport/errors.js';
import { type BookRoute, type BookRouteOptions, bookRoute } from './book-routes.js';

/** The fills of an order that is sent now, and what rests of it. */
export function matchRoute(options: BookRouteOptions): BookRoute {
  const { book } = options;
  return bookRoute<MatchRequest>({
    ...options,
    parse: (raw) => parseMatch(raw, book),
    render: (query) => renderMatch(() => book.match(query)),
    // What an order would get depends on more than the version of its market tells.
    beside: () => book.turn,
    isLarge: () => true,
  });
}

/** What the core finds wrong with an order, beyond what its parameters say. */
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
  const known = REFUSALS[code];
  const { param } = context;
  if (known === undefined) return undefined;
  return new ServerError(known, error.message, typeof param === 'string' ? param : null);
}

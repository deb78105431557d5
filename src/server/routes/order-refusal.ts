/** The errors of orders that the core refuses. */
import type { RefusedQuery } from '../../contract/as-of-source.js';
import type { ErrorCode } from '../../contract/error-codes.js';
import { ServerError } from '../transport/errors.js';

/** The reply's error code for each code with which the core refuses an order. */
const REFUSALS: Readonly<Record<string, ErrorCode>> = {
  INVALID_MATCH: 'INVALID_PARAM',
  MATCH_OUT_OF_RANGE: 'OUT_OF_RANGE',
};

/** Returns the error of an order that the core has refused; undefined for any other error. */
export function refusalOf(error: unknown): ServerError | undefined {
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

/** Returns the error of an order that the core refuses with this code. */
export function orderRefusal({ code, message, param }: RefusedQuery): ServerError {
  return new ServerError(REFUSALS[code] ?? 'INVALID_PARAM', message, param);
}

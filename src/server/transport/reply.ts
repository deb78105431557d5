/**
 * What a handler answers with, and the headers that every answer carries.
 */
import { LIMITS } from '../../config/limits.js';
import type { ErrorCode, ServerError } from './errors.js';

/** A header's name and value. */
export type Header = readonly [name: string, value: string];

/** One answer. A null body is sent without a length, as 204 and 304 ask. */
export interface Reply {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: Uint8Array | string | null;
  /**
   * What tells this body from others, so that equal ones wait in one copy: the body itself when its
   * bytes stay as they are, anything of its version otherwise.
   */
  readonly identity?: object | string;
}

const exposedHeaders =
  'ETag, X-Slot, X-State, X-Next-Cursor, Retry-After, ' +
  'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset';

/** Any origin may read, and see the headers that the interface names. */
export const commonHeaders: readonly Header[] = [
  ['Access-Control-Allow-Origin', '*'],
  ['Access-Control-Expose-Headers', exposedHeaders],
  ['X-Content-Type-Options', 'nosniff'],
];

/** The headers of a JSON body. */
export const jsonHeaders: readonly Header[] = [
  ['Content-Type', 'application/json'],
  ...commonHeaders,
];

const upgradeHeaders: readonly Header[] = [
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
  ['Sec-WebSocket-Version', '13'],
];

const allowedMethods = 'GET, HEAD, OPTIONS';

/** A finished JSON text as a 200. */
export function jsonReply(body: string): Reply {
  return { status: 200, headers: jsonHeaders, body };
}

/** An error in the one shape that all of them have. */
export function errorReply(error: ServerError): Reply {
  return {
    status: error.status,
    headers: [...jsonHeaders, ...errorHeaders(error)],
    body: error.body(),
  };
}

/** What may be otherwise in a moment. */
const passing: ReadonlySet<ErrorCode> = new Set(['NOT_READY', 'RATE_LIMITED', 'LIMIT_EXCEEDED']);

function errorHeaders({ code }: ServerError): readonly Header[] {
  if (passing.has(code)) return [['Retry-After', String(LIMITS.retryAfterSeconds)]];
  if (code === 'UPGRADE_REQUIRED') return upgradeHeaders;
  if (code === 'METHOD_NOT_ALLOWED') return [['Allow', allowedMethods]];
  return [];
}

/** The answer to a browser's question before a request, which it may keep for a day. */
export const preflightReply: Reply = {
  status: 204,
  headers: [
    ...commonHeaders,
    ['Allow', allowedMethods],
    ['Access-Control-Allow-Methods', allowedMethods],
    ['Access-Control-Allow-Headers', 'Content-Type, If-None-Match'],
    ['Access-Control-Max-Age', '86400'],
  ],
  body: null,
};

/** One request. `header` may only be called before the handler's first await. */
export interface HttpRequest {
  /** In lower case. */
  readonly method: string;
  /** As sent, undecoded, without the query. */
  readonly path: string;
  /** The raw query without `?`; empty when there is none. */
  readonly query: string;
  /** The client's address as text; only before the first await. */
  readonly ip: string;
  /** A header by its lower-case name; empty when it was not sent. */
  getHeader(name: string): string;
  /** Bytes of all header names and values; only before the first await, as well. */
  countHeaderBytes(): number;
  /** Whether the client has left before its answer. */
  readonly isGone: boolean;
}

/** Answers one request. A rejected promise or an exception is answered with INTERNAL. */
export type Handler = (request: HttpRequest) => Reply | Promise<Reply>;

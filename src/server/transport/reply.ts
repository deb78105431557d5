/** The handlers' view of HTTP requests and replies, and the common headers. */
import { LIMITS } from '../../config/limits.js';
import type { ErrorCode } from '../../contract/error-codes.js';
import type { ServerError } from './errors.js';

/** A header's name and value. */
export type Header = readonly [name: string, value: string];

/** One reply. A null body is sent without Content-Length, as 204 and 304 require. */
export interface Reply {
  readonly status: number;
  readonly headers: readonly Header[];
  readonly body: Uint8Array | string | null;
  /**
   * Identifies the body, so that queued equal bodies share one copy: the body itself if its bytes
   * never change, otherwise an object or a text that identifies its version.
   */
  readonly identity?: object | string;
  /**
   * Whether the connection ends after this reply; data that the client sent after the request is
   * not read.
   */
  readonly endsConnection?: true;
}

const exposedHeaders =
  'ETag, X-Slot, X-State, X-As-Of, X-Next-Cursor, Retry-After, ' +
  'RateLimit-Limit, RateLimit-Remaining, RateLimit-Reset';

/** The CORS headers: scripts of any origin may read the reply and the interface's headers. */
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

/** Returns the headers of a CSV body; browsers save the body under `fileName`. */
export function csvHeaders(fileName: string): readonly Header[] {
  return [
    ['Content-Type', 'text/csv; charset=utf-8'],
    ['Content-Disposition', `attachment; filename="${fileName}"`],
    ...commonHeaders,
  ];
}

const upgradeHeaders: readonly Header[] = [
  ['Connection', 'Upgrade'],
  ['Upgrade', 'websocket'],
  ['Sec-WebSocket-Version', '13'],
];

const allowedMethods = 'GET, HEAD, OPTIONS';

/** A 200 with a finished JSON text. */
export function jsonReply(body: string): Reply {
  return { status: 200, headers: jsonHeaders, body };
}

/** The reply to a failed request. */
export function errorReply(error: ServerError): Reply {
  return {
    status: error.status,
    headers: [...jsonHeaders, ...errorHeaders(error)],
    body: error.toBody(),
    ...(error.code === 'INVALID_REQUEST' ? { endsConnection: true } : {}),
  };
}

const retryable: ReadonlySet<ErrorCode> = new Set(['NOT_READY', 'RATE_LIMITED', 'LIMIT_EXCEEDED']);

function errorHeaders({ code }: ServerError): readonly Header[] {
  if (retryable.has(code)) return [['Retry-After', String(LIMITS.retryAfterSeconds)]];
  if (code === 'UPGRADE_REQUIRED') return upgradeHeaders;
  if (code === 'METHOD_NOT_ALLOWED') return [['Allow', allowedMethods]];
  return [];
}

const headerNames = /^[\w!#$%&'*+.^`|~-]+(\s*,\s*[\w!#$%&'*+.^`|~-]+)*$/;

/**
 * Returns the reply to a browser's CORS preflight, cacheable for a day. The reply allows the
 * requested headers, none of which any path reads; for a malformed or too long list it allows the
 * headers that paths read.
 */
export function preflightReply(requested: string): Reply {
  const isList = requested.length <= LIMITS.corsHeadersCharsMax && headerNames.test(requested);
  return {
    status: 204,
    headers: [
      ...commonHeaders,
      ['Allow', allowedMethods],
      ['Access-Control-Allow-Methods', allowedMethods],
      ['Access-Control-Allow-Headers', isList ? requested : 'Content-Type, If-None-Match'],
      ['Access-Control-Max-Age', '86400'],
      ['Vary', 'Access-Control-Request-Headers'],
    ],
    body: null,
  };
}

/** One request. A handler may read headers only before its first await. */
export interface HttpRequest {
  /** In lower case. */
  readonly method: string;
  /** As sent, undecoded, without the query. */
  readonly path: string;
  /** The raw query without `?`; empty when there is none. */
  readonly query: string;
  /** The client's address as text; a handler may read it only before its first await. */
  readonly ip: string;
  /** Returns a header by its lower-case name; empty when the header was not sent. */
  getHeader(name: string): string;
  countHeaderBytes(): number;
  /** Whether the request has a Transfer-Encoding, or a Content-Length other than a single `0`. */
  announcesBody(): boolean;
  /** Whether the client disconnected before the reply. */
  readonly isGone: boolean;
}

/** Returns the reply to one request. A rejected promise or an exception becomes INTERNAL. */
export type Handler = (request: HttpRequest) => Reply | Promise<Reply>;

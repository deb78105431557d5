/**
 * The coded errors of the HTTP interface and of the WebSocket. The codes are public: docs/api.md lists
 * them, and they are never renamed.
 */

import { LIMITS } from '../../config/limits.js';
import { CodedError } from '../../contract/coded-error.js';

/** Every error code of the HTTP interface, with its status. */
export const STATUS_BY_CODE = {
  MISSING_PARAM: 400,
  INVALID_PARAM: 400,
  INVALID_REQUEST: 400,
  OUT_OF_RANGE: 400,
  UNKNOWN_MARKET: 404,
  UNKNOWN_PATH: 404,
  NO_HISTORY: 404,
  NO_JOURNAL: 404,
  MOMENT_NOT_KEPT: 404,
  METHOD_NOT_ALLOWED: 405,
  TOO_LARGE: 413,
  UPGRADE_REQUIRED: 426,
  RATE_LIMITED: 429,
  INTERNAL: 500,
  LIMIT_EXCEEDED: 503,
  NOT_READY: 503,
} as const;

/** A code of STATUS_BY_CODE. */
export type ErrorCode = keyof typeof STATUS_BY_CODE;

/** An HTTP request that was rejected or failed. */
export class ServerError extends CodedError<ErrorCode> {
  override readonly name = 'ServerError';

  constructor(
    code: ErrorCode,
    message: string,
    /** The invalid parameter; null for none. */
    readonly param: string | null = null,
  ) {
    super(code, message);
  }

  get status(): number {
    return STATUS_BY_CODE[this.code];
  }

  /** The JSON body; all errors have the same format. */
  toBody(): string {
    const { code, message, param } = this;
    return JSON.stringify({ error: { code, message, param } });
  }
}

/** The message of a service without a history, over HTTP and WebSocket. */
export const NO_HISTORY_TEXT =
  'there is no history here: this service serves the book alone (--no-history, or a replay)';

/** The message of a service without a journal. */
export const NO_JOURNAL_TEXT =
  'there is no journal here, so there are no past books: --journal keeps one';

/** The reason when a topic's market was removed or renamed. */
export const UNSERVED_TEXT = 'the market is no longer served';

/** Every error code of the WebSocket. */
export const SOCKET_ERROR_CODES = [
  'MALFORMED_MESSAGE',
  'MISSING_PARAM',
  'INVALID_PARAM',
  'OUT_OF_RANGE',
  'UNKNOWN_CHANNEL',
  'UNKNOWN_MARKET',
  'NOT_SUBSCRIBED',
  'LIMIT_EXCEEDED',
  'RATE_LIMITED',
  'NOT_READY',
  'NO_HISTORY',
  'NO_JOURNAL',
  'MOMENT_NOT_KEPT',
  'UNAUTHORIZED',
  'INTERNAL',
] as const;

/** A code of SOCKET_ERROR_CODES. */
export type SocketErrorCode = (typeof SOCKET_ERROR_CODES)[number];

/** A client's message that was rejected or failed. */
export class SocketError extends CodedError<SocketErrorCode> {
  override readonly name = 'SocketError';
}

/** A client's value, truncated for an error message. */
export function quoteValue(value: string): string {
  const max = LIMITS.errorValueCharsMax;
  return value.length <= max ? value : `${value.slice(0, max)}...`;
}

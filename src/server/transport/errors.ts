/** The coded errors of the HTTP and WebSocket interfaces. */

import { LIMITS } from '../../config/limits.js';
import { CodedError } from '../../contract/coded-error.js';
import { type ErrorCode, type SocketErrorCode, statusOf } from '../../contract/error-codes.js';

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
    return statusOf(this.code);
  }

  /** The JSON body; all errors have the same format. */
  toBody(): string {
    const { code, message, param } = this;
    return JSON.stringify({ error: { code, message, param } });
  }
}

/** The error message of a service without a history, over HTTP and WebSocket. */
export const NO_HISTORY_TEXT =
  'there is no history here: this service serves the book alone (--no-history, or a replay)';

/** The error message of a service without a journal. */
export const NO_JOURNAL_TEXT =
  'there is no journal here, so there are no past books: --journal keeps one';

/** The error message for a topic whose market was removed or renamed. */
export const UNSERVED_TEXT = 'the market is no longer served';

/** The error for a client's message that is refused or fails. */
export class SocketError extends CodedError<SocketErrorCode> {
  override readonly name = 'SocketError';
}

/** Returns a client's value, truncated for an error message. */
export function quoteValue(value: string): string {
  const max = LIMITS.errorValueCharsMax;
  return value.length <= max ? value : `${value.slice(0, max)}...`;
}

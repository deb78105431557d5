import type { ServiceErrorCode } from './generated/lists.js';

/** What can go wrong in this package; codes are never renamed. */
export type ClientErrorCode =
  /** A text or number that is no amount, or has more decimals than its unit. */
  | 'INVALID_AMOUNT'
  /** A text that is no market key, account key or address, or an invalid index. */
  | 'INVALID_KEY'
  /** An option that cannot be: a malformed URL, a range that runs backwards. */
  | 'INVALID_OPTION'
  /** Bytes that are no account of the requested kind: discriminator, length or a field's range. */
  | 'MALFORMED_ACCOUNT'
  /** Bytes or text that are no signed order, or no message that was to be expected. */
  | 'MALFORMED_MESSAGE'
  /** A response or a message violates docs/api.md or docs/streaming.md. */
  | 'MALFORMED_ANSWER'
  /** No answer: no connection, or it broke. */
  | 'UNREACHABLE'
  /** No answer in time. */
  | 'TIMEOUT'
  /** The caller's AbortSignal, whose reason is the `cause`. */
  | 'ABORTED'
  /** An error status without a code of the service: something between here and there. */
  | 'HTTP_STATUS'
  /** The other side rejected the request; the message has its text. */
  | 'REFUSED'
  /** A signature that is not of the key that it should be of. */
  | 'INVALID_SIGNATURE'
  /** There is no WebSocket class, neither global nor passed. */
  | 'WEBSOCKET_NOT_FOUND'
  /** The module that reads bytes could not be imported, and JSON is read: nothing is lost. */
  | 'BINARY_NOT_LOADED'
  /** It was closed by its owner. */
  | 'CLOSED';

/** A code of this package or of the service. A newer service may have more than are known here. */
export type ErrorCode = ClientErrorCode | ServiceErrorCode | (string & Record<never, never>);

/** Details of an error: small scalars only. */
export type ClientErrorContext = Readonly<Record<string, string | number>>;

/** The details of a service's error besides its code. */
export interface ClientErrorOptions extends ErrorOptions {
  /** Of an HTTP answer. */
  readonly status?: number | undefined;
  /** The service's requested wait before the next try. */
  readonly retryAfterMs?: number | undefined;
  /** The parameter that is to blame. */
  readonly param?: string | undefined;
}

/**
 * The one error class of this package.
 *
 * @example
 * const book = await http.l2({ marketName: 'NONE' }).catch((error: ClientError) => error.code);
 */
export class ClientError extends Error {
  override readonly name = 'ClientError';
  /** The status of the HTTP response; undefined without one. */
  readonly status: number | undefined;
  /** The service's requested wait before the next try; undefined for none. */
  readonly retryAfterMs: number | undefined;
  /** The invalid parameter; undefined for none. */
  readonly param: string | undefined;

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly context: ClientErrorContext = {},
    options: ClientErrorOptions = {},
  ) {
    super(message, options);
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
    this.param = options.param;
  }
}

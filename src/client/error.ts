import type { ServiceErrorCode } from './generated/lists.js';

/** The error codes of this package; a code is never renamed. */
export type ClientErrorCode =
  /** A text or number that is not an amount, or has more decimals than its unit. */
  | 'INVALID_AMOUNT'
  /** An invalid market key, account key, address or index. */
  | 'INVALID_KEY'
  /** An invalid option: for example a malformed URL, or a range whose start is after its end. */
  | 'INVALID_OPTION'
  /**
   * Bytes that are not an account of the expected kind, by discriminator, length or the range of a
   * field.
   */
  | 'MALFORMED_ACCOUNT'
  /** Bytes or a text that are not a signed order, or an unexpected message. */
  | 'MALFORMED_MESSAGE'
  /** A response or message that violates docs/api.md or docs/streaming.md. */
  | 'MALFORMED_ANSWER'
  /** No answer: no connection, or it broke. */
  | 'UNREACHABLE'
  /** No answer in time. */
  | 'TIMEOUT'
  /** The caller's AbortSignal was aborted, and its reason is the `cause`. */
  | 'ABORTED'
  /** An HTTP error status without an error code of the service, for example from a proxy. */
  | 'HTTP_STATUS'
  /** The other side rejected the request; its text is in the message. */
  | 'REFUSED'
  /** A signature that was not made by the claimed key. */
  | 'INVALID_SIGNATURE'
  /**
   * A book that the service's signed log does not prove; `context.evidence` is the content of a
   * file that `slotbook verify --evidence` checks.
   */
  | 'PROOF_FAILED'
  /** No WebSocket class exists, neither globally nor as an option. */
  | 'WEBSOCKET_NOT_FOUND'
  /**
   * The module that decodes binary frames could not be imported; the client uses JSON and loses
   * nothing.
   */
  | 'BINARY_NOT_LOADED'
  /** It was closed by its owner. */
  | 'CLOSED';

/**
 * A code of this package or of the service. A newer service may send codes that are not listed
 * here.
 */
export type ErrorCode = ClientErrorCode | ServiceErrorCode | (string & Record<never, never>);

/** Details of an error: scalars only. */
export type ClientErrorContext = Readonly<Record<string, string | number>>;

/** The details of a service's error in addition to its code. */
export interface ClientErrorOptions extends ErrorOptions {
  /** Of an HTTP answer. */
  readonly status?: number | undefined;
  /** The wait before the next attempt that the service requests, milliseconds. */
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
  /** The status of the HTTP response; undefined without a response. */
  readonly status: number | undefined;
  /**
   * The wait before the next attempt that the service requests, milliseconds; undefined for none.
   */
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

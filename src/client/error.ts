/** What can go wrong in this package; codes are never renamed. */
export type ClientErrorCode =
  /** A text or number that is no amount, or has more decimals than its unit. */
  | 'INVALID_AMOUNT'
  /** A text that is no market key, account key or address, or an index that is none. */
  | 'INVALID_KEY'
  /** Bytes that are no account of the kind asked for: discriminator, length or a field's range. */
  | 'MALFORMED_ACCOUNT'
  /** Bytes or text that are no signed order, or no message that was to be expected. */
  | 'MALFORMED_MESSAGE';

/** Facts beside an error: small scalars only. */
export type ClientErrorContext = Readonly<Record<string, string | number>>;

/** The one error class of this package. */
export class ClientError extends Error {
  override readonly name = 'ClientError';

  constructor(
    readonly code: ClientErrorCode,
    message: string,
    readonly context: ClientErrorContext = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

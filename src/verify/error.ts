import { CodedError } from '../contract/coded-error.js';

/** The reasons why nothing could be compared; a code is never renamed. */
export type VerifyErrorCode =
  | 'SERVICE_UNREACHABLE'
  | 'SERVICE_NOT_READY'
  | 'SERVICE_BODY_EXCEEDED'
  | 'MALFORMED_SERVICE_ANSWER'
  | 'CHAIN_NOT_READY'
  | 'UNKNOWN_MARKET_NAME';

/** The one error class of this room. */
export class VerifyError extends CodedError<VerifyErrorCode> {
  override readonly name = 'VerifyError';
}

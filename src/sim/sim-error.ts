import { CodedError } from '../contract/coded-error.js';

/** The failures of this room; a code is never renamed. */
export type SimErrorCode =
  | 'CHAIN_BINARY_NOT_FOUND'
  | 'CHAIN_START_FAILED'
  | 'CHAIN_EXITED'
  | 'ACCOUNT_WRITE_FAILED'
  | 'CALL_REFUSED'
  | 'INVALID_OPTION';

/** The one error class of the simulator. `context` contains the values that the message names. */
export class SimError extends CodedError<SimErrorCode> {
  override readonly name = 'SimError';
}

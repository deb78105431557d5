import { CodedError } from '../../contract/coded-error.js';

/** The errors of the history. Public codes are sent to clients unchanged. */
export type HistoryErrorCode =
  | 'INVALID_PARAM'
  | 'OUT_OF_RANGE'
  | 'UNKNOWN_MARKET'
  | 'NOT_READY'
  | 'INTERNAL'
  | 'MALFORMED_HISTORY_ANSWER'
  | 'HISTORY_CHAIN_MISMATCH';

/** The one error class of this room. */
export class HistoryError extends CodedError<
  HistoryErrorCode,
  Readonly<Record<string, string | number | null>>
> {
  override readonly name = 'HistoryError';

  /** The parameter of a query that caused the error; null when none did. */
  get param(): string | null {
    const param = this.context['param'];
    return typeof param === 'string' ? param : null;
  }
}

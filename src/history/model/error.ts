import { CodedError } from '../../contract/coded-error.js';

/** What can go wrong in the history. Codes of the interface are sent to clients as they are. */
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

  /** The parameter of a query that is to blame; null when none is. */
  get param(): string | null {
    const param = this.context['param'];
    return typeof param === 'string' ? param : null;
  }
}

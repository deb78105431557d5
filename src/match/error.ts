/** Why there is no walk to print; codes are never renamed. */
export type MatchErrorCode =
  | 'INVALID_MATCH_OPTION'
  | 'MATCH_UNREACHABLE'
  | 'MATCH_REFUSED'
  | 'MALFORMED_MATCH';

/** The one error class of this room. */
export class MatchError extends Error {
  override readonly name = 'MatchError';

  constructor(
    readonly code: MatchErrorCode,
    message: string,
  ) {
    super(message);
  }
}

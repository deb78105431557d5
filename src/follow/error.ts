/** Why a stream could not be followed at all; codes are never renamed. */
export type FollowErrorCode =
  | 'STREAM_UNREACHABLE'
  | 'SUBSCRIPTION_REFUSED'
  | 'SNAPSHOT_NOT_FOUND'
  | 'INVALID_FOLLOW_OPTION';

/** The one error class of this room. */
export class FollowError extends Error {
  override readonly name = 'FollowError';

  constructor(
    readonly code: FollowErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/** What makes a reading of the chain, or a recording, useless; codes are never renamed. */
export type FeedErrorCode =
  | 'MALFORMED_ACCOUNTS_ANSWER'
  | 'SNAPSHOT_SLOT_OUT_OF_RANGE'
  | 'SNAPSHOT_COUNT_MISMATCH'
  | 'REPLAY_BUFFER_EXCEEDED'
  | 'ACCOUNTS_EXCEEDED'
  | 'NOTIFICATION_GAP'
  | 'GENESIS_MISMATCH'
  | 'FEED_STOPPED'
  | 'MALFORMED_RECORDING'
  | 'RECORDING_VERSION_MISMATCH'
  | 'RECORDING_CRC_MISMATCH'
  | 'RECORDING_BYTES_EXCEEDED'
  | 'RECORDING_READ_FAILED'
  | 'RECORDING_WRITE_FAILED'
  | 'RECORDING_QUEUE_EXCEEDED';

/** The one error class of this room. */
export class FeedError extends Error {
  override readonly name = 'FeedError';
  readonly code: FeedErrorCode;
  readonly context: Readonly<Record<string, string | number>>;

  constructor(
    code: FeedErrorCode,
    message: string,
    context: Readonly<Record<string, string | number>> = {},
  ) {
    super(message);
    this.code = code;
    this.context = context;
  }
}

/** Throws FEED_STOPPED once the connection has ended: what was waited for is wanted no more. */
export function throwIfStopped(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new FeedError('FEED_STOPPED', 'the connection ended while the accounts were read');
}

/** Whether a node was found to be of another chain: no other reading of it will help. */
export function isOtherChain(error: unknown): boolean {
  return error instanceof FeedError && error.code === 'GENESIS_MISMATCH';
}

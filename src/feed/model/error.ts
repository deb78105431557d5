import { CodedError } from '../../contract/coded-error.js';
import { isOwnError, shownFailure } from '../../rpc/error.js';
import { FAILURE_CHARS_MAX } from './limits.js';

/** What makes a snapshot of the chain useless; codes are never renamed. */
export type FeedErrorCode =
  | 'MALFORMED_ACCOUNTS_ANSWER'
  | 'SNAPSHOT_SLOT_OUT_OF_RANGE'
  | 'SNAPSHOT_COUNT_MISMATCH'
  | 'STATE_MISSING'
  | 'QUARANTINE_EXCEEDED'
  | 'REPLAY_BUFFER_EXCEEDED'
  | 'ACCOUNTS_EXCEEDED'
  | 'NOTIFICATION_GAP'
  | 'GENESIS_MISMATCH'
  | 'CHAIN_CLOCK_OUT_OF_RANGE'
  | 'FEED_STOPPED';

/** The one error class of this room. */
export class FeedError extends CodedError<
  FeedErrorCode,
  Readonly<Record<string, string | number>>
> {
  override readonly name = 'FeedError';
}

/** Throws FEED_STOPPED once the connection has ended: what was waited for is wanted no more. */
export function throwIfStopped(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new FeedError('FEED_STOPPED', 'the connection ended while the accounts were read');
}

/** Whether a node was found to be of another chain: reading it once more will not help. */
export function isOtherChain(error: unknown): boolean {
  return error instanceof FeedError && error.code === 'GENESIS_MISMATCH';
}

/** Whether a node was at a slot or time where it cannot be: nothing more of it is believed. */
export function isChainClockError(error: unknown): boolean {
  return error instanceof FeedError && error.code === 'CHAIN_CLOCK_OUT_OF_RANGE';
}

/** Whether other nodes said so, which moved on from where the chain was. */
export function isRefutedByNodes(error: unknown): boolean {
  return isChainClockError(error) && 'slotOther' in (error as FeedError).context;
}

const REFUSED_CONTENT: ReadonlySet<FeedErrorCode> = new Set([
  'SNAPSHOT_COUNT_MISMATCH',
  'STATE_MISSING',
  'QUARANTINE_EXCEEDED',
]);

/** Whether accounts were read and cannot be all, or are not of the known layout. */
export function isRefusedContent(error: unknown): boolean {
  if (!(error instanceof FeedError)) return false;
  return REFUSED_CONTENT.has(error.code);
}

/** A failure in one line, for callers that ask why the book is not live: its code and our own message of it. */
export function failureText(error: unknown): string {
  const code = isOwnError(error) && 'code' in error ? `${error.code}: ` : '';
  return `${code}${shownFailure(error)}`.replace(/\s+/g, ' ').slice(0, FAILURE_CHARS_MAX);
}

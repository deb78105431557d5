import { CodedError } from '../../contract/coded-error.js';
import { isOwnError, shownFailure } from '../../rpc/error.js';
import { FAILURE_CHARS_MAX } from './limits.js';

/** The reasons why a snapshot of the chain is unusable; a code is never renamed. */
export type FeedErrorCode =
  | 'MALFORMED_ACCOUNTS_ANSWER'
  | 'SNAPSHOT_SLOT_OUT_OF_RANGE'
  | 'SNAPSHOT_COUNT_MISMATCH'
  | 'STATE_MISSING'
  | 'LAYOUT_MISMATCH'
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

/** Throws FEED_STOPPED once the connection has ended. */
export function throwIfStopped(signal: AbortSignal): void {
  if (!signal.aborted) return;
  throw new FeedError('FEED_STOPPED', 'the connection ended while the accounts were read');
}

/**
 * Returns whether a node turned out to be on another chain, so that reading it again is useless.
 */
export function isOtherChain(error: unknown): boolean {
  return error instanceof FeedError && error.code === 'GENESIS_MISMATCH';
}

/**
 * Returns whether a node reported an impossible slot or time, so that its data is not used any
 * more.
 */
export function isChainClockError(error: unknown): boolean {
  return error instanceof FeedError && error.code === 'CHAIN_CLOCK_OUT_OF_RANGE';
}

/** Returns whether other nodes, whose slots advance, refuted the slot. */
export function isRefutedByNodes(error: unknown): boolean {
  return isChainClockError(error) && 'slotOther' in (error as FeedError).context;
}

const REFUSED_CONTENT: ReadonlySet<FeedErrorCode> = new Set([
  'SNAPSHOT_COUNT_MISMATCH',
  'STATE_MISSING',
  'LAYOUT_MISMATCH',
  'QUARANTINE_EXCEEDED',
]);

/** Returns whether accounts were read but are incomplete or have an unknown layout. */
export function isRefusedContent(error: unknown): boolean {
  if (!(error instanceof FeedError)) return false;
  return REFUSED_CONTENT.has(error.code);
}

/** Returns a failure as one line for clients: its code and this program's message. */
export function failureText(error: unknown): string {
  const code = isOwnError(error) && 'code' in error ? `${error.code}: ` : '';
  return `${code}${shownFailure(error)}`.replace(/\s+/g, ' ').slice(0, FAILURE_CHARS_MAX);
}

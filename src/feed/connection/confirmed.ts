import { Backoff } from '../../rpc/backoff.js';
import { sleep } from '../../rpc/timers.js';
import { FeedError } from '../model/error.js';
import { SHRUNKEN_READS, SHRUNKEN_REREAD_MS } from '../model/limits.js';
import type { FeedParts } from './parts.js';

/** How readings of which some lack a part are judged. */
export interface AgreementRule<T> {
  /** Whether it lacks what the last accepted reading had. */
  readonly isShrunken: (reading: T) => boolean;
  /** Whether two shrunken readings tell the same. */
  readonly agree: (first: T, later: T) => boolean;
  /** Sizes, for the error. */
  readonly count: (reading: T) => number;
}

/**
 * A reading that is whole, or one that several readings over some seconds agree with: a node under
 * load gives a part of what there is, or nothing, and gives it more than once.
 *
 * # Errors
 * SNAPSHOT_COUNT_MISMATCH when shrunken readings do not agree.
 */
export async function readConfirmed<T>(
  parts: FeedParts,
  { isShrunken, agree, count }: AgreementRule<T>,
  { read, signal }: { readonly read: () => Promise<T>; readonly signal: AbortSignal },
): Promise<T> {
  const first = await read();
  if (!isShrunken(first)) return first;
  const { random, timers } = parts;
  const wait = new Backoff({ firstMs: SHRUNKEN_REREAD_MS, capMs: SHRUNKEN_REREAD_MS, random });
  for (let readings = 2; ; readings += 1) {
    await sleep(timers, wait.next(), signal);
    const later = await read();
    if (!isShrunken(later)) return later;
    if (!agree(first, later)) throw countMismatchError(count(first), count(later));
    if (readings >= SHRUNKEN_READS) return later;
  }
}

function countMismatchError(first: number, later: number): FeedError {
  const message = `accounts were ${first}, then ${later}, must agree`;
  return new FeedError('SNAPSHOT_COUNT_MISMATCH', message, { first, later });
}

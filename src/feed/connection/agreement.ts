/** Snapshots that several readings must confirm. */
import { Backoff } from '../../rpc/backoff.js';
import { sleep } from '../../rpc/timers.js';
import { FeedError } from '../model/error.js';
import { SHRUNKEN_REREAD_MS } from '../model/limits.js';
import type { FeedParts } from './parts.js';

/** Decides when a snapshot needs confirmation, and when two snapshots agree. */
export interface AgreementRule<T> {
  /**
   * Returns how many snapshots must agree before this one is accepted; 1 for an unsuspicious
   * snapshot.
   */
  readonly readsWanted: (snapshot: T) => number;
  /** Whether two doubted snapshots have equal contents. */
  readonly agree: (first: T, later: T) => boolean;
  /** Sizes, for the error. */
  readonly count: (snapshot: T) => number;
}

/**
 * Returns an unsuspicious snapshot, or one with which several snapshots over some seconds agree,
 * because an overloaded node may repeatedly return a part of the accounts, or none.
 *
 * # Errors
 * Rejects with SNAPSHOT_COUNT_MISMATCH when doubted snapshots do not agree.
 */
export async function readConfirmed<T>(
  parts: FeedParts,
  { readsWanted: readsWantedOf, agree, count }: AgreementRule<T>,
  { read, signal }: { readonly read: () => Promise<T>; readonly signal: AbortSignal },
): Promise<T> {
  const first = await read();
  const wanted = readsWantedOf(first);
  const { random, timers } = parts;
  const wait = new Backoff({ firstMs: SHRUNKEN_REREAD_MS, capMs: SHRUNKEN_REREAD_MS, random });
  let last = first;
  for (let reads = 1; reads < wanted; reads += 1) {
    await sleep(timers, wait.next(), signal);
    last = await read();
    if (readsWantedOf(last) === 1) return last;
    if (!agree(first, last)) throw countMismatchError(count(first), count(last));
  }
  return last;
}

function countMismatchError(first: number, later: number): FeedError {
  const message = `the first scan had ${first} accounts, a later one ${later}: they must agree`;
  return new FeedError('SNAPSHOT_COUNT_MISMATCH', message, { first, later });
}

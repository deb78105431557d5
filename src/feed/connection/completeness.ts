/** Decides whether a reading can contain the complete exchange. */
import type { AccountSnapshot } from '../../contract/accounts.js';
import type { AccountUpdate } from '../model/account-update.js';
import { FeedError } from '../model/error.js';
import {
  AGREEING_PERCENT,
  COMPLETE_PERCENT,
  FIRST_READS,
  IMPOSSIBLE_READS,
  POSSIBLE_PERCENT,
  QUARANTINED_MAX,
  QUARANTINED_PERCENT_MAX,
  SHRUNKEN_PERCENT,
  SHRUNKEN_READS,
} from '../model/limits.js';
import type { FeedParts } from './parts.js';

type Users = Pick<AccountSnapshot, 'count' | 'positions'>;

/**
 * Returns how many scans of the users must agree before this scan is accepted: 1 when its users'
 * perp positions match the markets' counts and it is no smaller than the last scan. If the markets
 * count no positions, the first scan needs a second one; an exchange whose State counts no users
 * needs none.
 */
export function readsWanted({ memory, engine }: FeedParts, users: Users): number {
  const census = engine.readCensus();
  if (isBelow(users.count, memory.users, SHRUNKEN_PERCENT)) return SHRUNKEN_READS;
  if (isBelow(users.positions, census.positions, COMPLETE_PERCENT)) return SHRUNKEN_READS;
  const isProven = census.positions > 0 || memory.users > 0;
  const isNew = users.count === 0;
  return isProven || isNew ? 1 : FIRST_READS;
}

/**
 * Rejects a scan without users when State counts some, and a scan with less than half of the
 * positions that the markets count, until enough consecutive scans of every node had as few. A
 * chain of copied markets counts positions without having users.
 *
 * # Errors
 * Throws SNAPSHOT_COUNT_MISMATCH.
 */
export function requirePossible({ engine, memory }: FeedParts, users: Users): void {
  const { count, positions } = users;
  const census = engine.readCensus();
  if (count === 0 && census.subAccounts > 0) {
    throw mismatchError(`the scan had 0 users, State counts ${census.subAccounts}`);
  }
  if (!isBelow(positions, census.positions, POSSIBLE_PERCENT)) {
    memory.fewPositions = { refusals: 0, users: 0 };
    return;
  }
  const { refusals, users: before } = memory.fewPositions;
  const isSame = refusals > 0 && countsAgree(before, count);
  if (isSame && refusals >= IMPOSSIBLE_READS) return;
  memory.fewPositions = { refusals: isSame ? refusals + 1 : 1, users: count };
  throw mismatchError(`the scan had ${positions} positions, the markets count ${census.positions}`);
}

/**
 * Rejects a scan without the program's State account: the program id is wrong, or the node lacks
 * its accounts, and a book without markets would seem complete.
 *
 * # Errors
 * Throws STATE_MISSING.
 */
export function requireState(
  { programId }: FeedParts,
  accounts: readonly Pick<AccountUpdate, 'kind'>[],
): void {
  if (accounts.some(({ kind }) => kind === 'state')) return;
  const message = `the node has no State account of the program ${programId}: it is another program, or this cluster does not have it`;
  throw new FeedError('STATE_MISSING', message, { programId });
}

/** Returns whether two counts differ by no more than normal changes. */
export function countsAgree(a: number, b: number): boolean {
  return Math.min(a, b) * 100 >= Math.max(a, b) * AGREEING_PERCENT;
}

/** Returns whether so many accounts are malformed that the book is not representative. */
export function isQuarantineExceeded({ engine }: FeedParts): boolean {
  const { quarantined, accounts } = engine.readCensus();
  const percent = QUARANTINED_PERCENT_MAX;
  return quarantined >= QUARANTINED_MAX || quarantined * 100 > accounts * percent;
}

/**
 * Rejects a book that lacks too many malformed accounts.
 *
 * # Errors
 * Throws QUARANTINE_EXCEEDED.
 */
export function requireFewQuarantined(parts: FeedParts): void {
  if (!isQuarantineExceeded(parts)) return;
  const { quarantined, accounts } = parts.engine.readCensus();
  const rule = `must be at most ${QUARANTINED_PERCENT_MAX} %`;
  const message = `${quarantined} of ${accounts} accounts were malformed, ${rule}`;
  throw new FeedError('QUARANTINE_EXCEEDED', message, { quarantined, accounts });
}

function isBelow(count: number, of: number, percent: number): boolean {
  return count * 100 < of * percent;
}

function mismatchError(what: string): FeedError {
  return new FeedError('SNAPSHOT_COUNT_MISMATCH', what);
}

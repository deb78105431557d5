/** What a source notified of an account, beside what the book has or what was read. */
import type { AccountUpdate } from '../model/account-update.js';
import { isSameState } from './account-writes.js';
import { CONFIRM_SLOTS } from './limits.js';
import type { Member } from './member.js';
import type { WriteLedger } from './write-ledger.js';

/**
 * `later`: a node may notify the last of several slots alone, and did notify a later one. `silent`: a node notifies nobody of an account
 * that is closed. Neither confirms a state, and neither refutes it.
 */
export type ClaimComparison = 'same' | 'other' | 'later' | 'silent';

/** One state of an account at the end of a slot; null where nobody notified of it. */
export interface StateAt {
  readonly pubkey: string;
  readonly slot: number;
  readonly state: AccountUpdate | null;
}

/** Compares what a source notified of an account up to the end of a slot. */
export function compareClaim(
  ledger: WriteLedger,
  { source, index }: Member,
  { pubkey, slot, state }: StateAt,
): ClaimComparison {
  const claim = ledger.claimAt(index, pubkey, slot);
  if (state === null) return claim === null ? 'same' : 'other';
  if (claim !== null && isSameState(claim, state)) return 'same';
  if (source.kind === 'grpc' || claim?.slot === slot) return 'other';
  if (state.closed) return 'silent';
  const later = ledger.claimAt(index, pubkey, slot + CONFIRM_SLOTS);
  return later !== null && later !== claim ? 'later' : 'other';
}

/** Whether it notified nothing in that slot, or of something else. */
export function faultOf(
  ledger: WriteLedger,
  member: Member,
  pubkey: string,
  slot: number,
): 'missed' | 'other' {
  const claim = ledger.claimAt(member.index, pubkey, slot);
  return claim === null || claim.slot < slot ? 'missed' : 'other';
}

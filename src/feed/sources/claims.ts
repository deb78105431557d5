/** What a source notified of an account, beside what the book has or what was read. */
import type { AccountUpdate } from '../model/account-update.js';
import { isSameState } from './account-writes.js';
import { JOINED_SLOTS_AFTER } from './limits.js';
import type { Member } from './member.js';
import type { WriteLedger } from './write-ledger.js';

/**
 * `unknown`: it came later than the state, and notified nothing since. `later`: a node may notify the last of several slots alone, and
 * did notify a later one. `silent`: a node notifies nobody of an account that is closed. None of these confirms a state, and none refutes it.
 */
export type ClaimComparison = 'same' | 'other' | 'unknown' | 'later' | 'silent';

/** One state of an account at the end of a slot; null where nobody notified of it. */
export interface StateAt {
  readonly pubkey: string;
  readonly slot: number;
  readonly state: AccountUpdate | null;
}

/** Compares what a source notified of an account up to the end of a slot. */
export function compareClaim(
  ledger: WriteLedger,
  { source, index, firstSlot }: Member,
  { pubkey, slot, state }: StateAt,
): ClaimComparison {
  const claim = ledger.claimAt(index, pubkey, slot);
  if (state === null) return claim === null ? 'same' : 'other';
  if (claim !== null && isSameState(claim, state)) return 'same';
  const isOfBefore = claim === null || claim.slot < firstSlot;
  if (isOfBefore && state.slot < firstSlot + JOINED_SLOTS_AFTER) return 'unknown';
  if (source.kind === 'grpc' || claim?.slot === slot) return 'other';
  if (state.closed) return 'silent';
  const later = ledger.claimAt(index, pubkey, Number.POSITIVE_INFINITY);
  return later !== null && later !== claim ? 'later' : 'other';
}

/** Whether the source notified the state since what counts of it, in a slot that it left and may come back to. */
export function hasLeftState(
  ledger: WriteLedger,
  { index }: Member,
  { pubkey, slot, state }: StateAt,
): boolean {
  const claim = ledger.claimAt(index, pubkey, slot);
  return state !== null && ledger.hasNotified(index, state, claim?.slot ?? 0);
}

/** Whether neither the source notified of an account since it came, nor those that are right up to the end of the slot. */
export function cameLater(
  ledger: WriteLedger,
  member: Member,
  {
    pubkey,
    slot,
    right,
  }: { readonly pubkey: string; readonly slot: number; readonly right: readonly Member[] },
): boolean {
  const own = ledger.claimAt(member.index, pubkey, slot);
  if (own !== null && own.slot >= member.firstSlot) return false;
  return right.every(({ index }) => {
    const claim = ledger.claimAt(index, pubkey, slot);
    return claim === null || !member.hasPassed(claim.slot);
  });
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

/** Who notified the same of an account up to the end of a slot, the most first. */
export function groupClaims(
  ledger: WriteLedger,
  members: readonly Member[],
  { pubkey, slot }: { readonly pubkey: string; readonly slot: number },
): readonly (readonly Member[])[] {
  const groups = new Map<string, Member[]>();
  for (const member of members) {
    const claim = ledger.claimAt(member.index, pubkey, slot);
    const key = claim === null ? '' : `${claim.owner} ${claim.closed} ${claim.data}`;
    groups.set(key, [...(groups.get(key) ?? []), member]);
  }
  return [...groups.values()].sort((one, other) => other.length - one.length);
}

/** Whether the source is one of these (bits). */
export function isTeller(tellers: number, { index }: Member): boolean {
  return (tellers & (1 << index)) !== 0;
}

import type { AccountUpdate } from '../model/account-update.js';
import { type AccountWrites, isSameState, type SlotWrites } from './account-writes.js';
import type { Member } from './member.js';
import type { WriteLedger } from './write-ledger.js';

/**
 * The result of a comparison. `silent`: a node does not notify that an account is closed.
 * `unknown`: a source joined after the state, or may notify it with the number of a later slot.
 * Neither confirms or refutes a state.
 */
type Comparison = 'same' | 'other' | 'unknown' | 'silent';

/** An account at the end of a slot. */
interface SlotEnd {
  readonly account: AccountWrites;
  readonly slot: number;
}

/** Compares a source's notifications of an account, up to the end of a slot, with a state. */
export function compareClaim(
  ledger: WriteLedger,
  member: Member,
  { account, slot, state }: SlotEnd & { readonly state: AccountUpdate },
): Comparison {
  const { source, firstSlot } = member;
  const claim = ledger.claimAt(member, account, slot);
  if (claim !== null && isSameState(claim, state)) return 'same';
  const isOfBefore = claim === null || claim.slot < firstSlot;
  if (isOfBefore && !member.coversSlot(firstSlotOf(account, state))) return 'unknown';
  if (source.kind === 'grpc' || claim?.slot === slot) return 'other';
  if (state.closed) return 'silent';
  const later = ledger.claimAt(member, account, Number.POSITIVE_INFINITY);
  return later !== null && later !== claim ? 'unknown' : 'other';
}

/** Returns the first slot in which any source notified the state; 0 when none did. */
function firstSlotOf({ slots }: AccountWrites, state: AccountUpdate): number {
  const hasState = ({ claims }: SlotWrites): boolean =>
    claims.some((claim) => claim !== undefined && isSameState(claim.update, state));
  return slots.find(hasState)?.slot ?? 0;
}

/** Returns whether a source missed a write in a slot or notified another state. */
export function faultOf(
  ledger: WriteLedger,
  member: Member,
  { account, slot }: SlotEnd,
): 'missed' | 'other' {
  const claim = ledger.claimAt(member, account, slot);
  return claim === null || claim.slot < slot ? 'missed' : 'other';
}

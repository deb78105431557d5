import type { AccountUpdate } from '../model/account-update.js';
import type { SourceUpdate } from '../model/feed-source.js';
import { LEDGER_ENTRY_BYTES } from './limits.js';
import type { Member } from './member.js';

/** The last write of one account in one slot by one source. */
export interface Claim {
  readonly update: SourceUpdate;
  /** The position among the account's writes in the slot, from 1. */
  readonly count: number;
  /** Rises with each claim. */
  readonly order: number;
  /** Whether it may change the book. */
  counts: boolean;
  /**
   * The connection that notified last: its number; the next members are its number of writes in the
   * slot and the version of the last write.
   */
  epoch: number;
  seen: number;
  version: number;
}

/** The writes that sources notified of one account in one slot. */
export interface SlotWrites {
  readonly account: AccountWrites;
  readonly slot: number;
  /** By source. */
  claims: (Claim | undefined)[];
  /** Whether the state is a reading of the chain, which counts for all sources. */
  isRead: boolean;
  /** Whether a source had passed the slot before the first write in it arrived. */
  isLate: boolean;
  /**
   * Whether the state comes from a source without write versions and is used until a source with
   * versions reaches it.
   */
  isUnnumbered: boolean;
  /**
   * The highest number of writes that a source notified; the next members are the source that first
   * notified the last of them, and the monotonic time.
   */
  count: number;
  first: Member;
  atMs: number;
  bytes: number;
}

/** What is kept of one account. */
export interface AccountWrites {
  readonly pubkey: string;
  /** By slot. */
  readonly slots: SlotWrites[];
  /** The state in the book; null when it is not known here. */
  shown: SourceUpdate | null;
}

/** Returns whether two sources notified the same state of an account. */
export function isSameState(one: AccountUpdate, other: AccountUpdate): boolean {
  return one.data === other.data && one.closed === other.closed && one.owner === other.owner;
}

/**
 * Returns the object to store for a write: an equal state's object from another source or an
 * earlier slot is reused.
 */
export function stateToKeep(
  { account, slot, claims }: SlotWrites,
  update: SourceUpdate,
): SourceUpdate {
  const known = claims.find((one) => one !== undefined && isSameState(one.update, update));
  if (known !== undefined) return known.update;
  // A node notifies only the last of several slots, with the number of the last slot.
  const { shown } = account;
  const isRepeated = shown !== null && shown.slot < slot && isSameState(shown, update);
  return isRepeated && update.writeVersion === 0 ? shown : update;
}

/** Returns the bytes of writes; a state of two sources counts once. */
export function bytesOf({ claims }: SlotWrites): number {
  const states = new Set(claims.map((claim) => claim?.update));
  let bytes = LEDGER_ENTRY_BYTES;
  for (const state of states) bytes += state?.data.length ?? 0;
  return bytes;
}

/**
 * Updates the statistics of a source for a write that is about to be stored: `seen` is its position
 * in the slot, `isKnown` whether another source has it.
 */
export function recordFigures(
  writes: SlotWrites,
  member: Member,
  {
    seen,
    isKnown,
    nowMs,
  }: { readonly seen: number; readonly isKnown: boolean; readonly nowMs: number },
): void {
  if (seen <= (writes.claims[member.index]?.count ?? 0)) return;
  if (!isKnown && seen > writes.count) {
    writes.count = seen;
    writes.first = member;
    writes.atMs = nowMs;
    member.recordFirst();
    return;
  }
  member.recordConfirmed();
  if (!isKnown || writes.first === member) return;
  writes.first.recordLead(nowMs - writes.atMs);
  member.recordLead(writes.atMs - nowMs);
}

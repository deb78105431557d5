import type { AccountUpdate } from '../model/account-update.js';
import type { SourceUpdate } from '../model/feed-source.js';
import { LEDGER_ENTRY_BYTES } from './limits.js';
import type { Member } from './member.js';

/** The last write of one account in one slot by one source. */
export interface Claim {
  readonly update: SourceUpdate;
  /** Its place among the writes of the account in the slot, from 1. */
  readonly count: number;
  /** Rises with each claim. */
  readonly order: number;
  /** Whether it may change the book. */
  counts: boolean;
  /** Of the connection that notified last: its number, its writes in the slot, and the version of the last one. */
  epoch: number;
  seen: number;
  version: number;
}

/** What sources notified of one account in one slot. */
export interface SlotWrites {
  readonly account: AccountWrites;
  readonly slot: number;
  /** By source. */
  claims: (Claim | undefined)[];
  /** Whether it is a reading of the chain, which all sources have. */
  isRead: boolean;
  /** Whether a source had passed the slot before the first write of it came. */
  isLate: boolean;
  /** Whether the state of a source that numbers no write is shown until a source that does has come to it. */
  isUnnumbered: boolean;
  /** The most writes that a source notified, and who notified the last of them first, at which monotonic millisecond. */
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
  /** The state that the book has; null where it is not known here. */
  shown: SourceUpdate | null;
}

/** Whether two sources notified the same of an account. */
export function isSameState(one: AccountUpdate, other: AccountUpdate): boolean {
  return one.data === other.data && one.closed === other.closed && one.owner === other.owner;
}

/** The object to keep of a write: that of the same state of another source, or of an earlier slot. */
export function stateToKeep(
  { account, slot, claims }: SlotWrites,
  update: SourceUpdate,
): SourceUpdate {
  const known = claims.find((one) => one !== undefined && isSameState(one.update, update));
  if (known !== undefined) return known.update;
  // A node notifies the last of several slots alone, with the number of the last one.
  const { shown } = account;
  const isRepeated = shown !== null && shown.slot < slot && isSameState(shown, update);
  return isRepeated && update.writeVersion === 0 ? shown : update;
}

/** Bytes of writes, a state of two sources once. */
export function bytesOf({ claims }: SlotWrites): number {
  const states = new Set(claims.map((claim) => claim?.update));
  let bytes = LEDGER_ENTRY_BYTES;
  for (const state of states) bytes += state?.data.length ?? 0;
  return bytes;
}

/** Counts for its source a write that is about to be kept: `seen` is its place in the slot, `isKnown` whether another source has it. */
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

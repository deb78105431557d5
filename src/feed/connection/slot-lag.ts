import { JUDGED_LAG_SLOTS_MIN, SLOT_MS, SLOTS_APART_MAX } from '../model/limits.js';
import { type FeedParts, type NewestSlot, NO_SLOT } from './parts.js';

/** How many slots the book is behind the newest that another node was at: it is older than what was published. */
export function slotLagOf({ memory, clock }: FeedParts, node: string): number {
  // A node knows best how far itself is, and it may have gone back.
  if (memory.newest.node === node) return 0;
  return Math.max(0, memory.newest.slot - clock.slot);
}

/** Forgets the newest slot when it was wrong: it must not make the nodes after it late for ever. */
export function forgetWrongSlot(parts: FeedParts, node: string): void {
  const { clock, memory, timers } = parts;
  // The time that is shown may be another node's still: it never steps back by a little.
  const unixMs = clock.unixMs() ?? clock.unixSeconds() * 1_000;
  const times = { unixSeconds: unixMs / 1_000, nowMs: timers.nowMs(), wallMs: timers.unixMs() };
  if (isNewestWrong(memory.newest, slotLagOf(parts, node), times)) memory.newest = NO_SLOT;
}

/** The times by which a lag is judged: the chain's of the node in use, and this machine's two. */
export interface LagTimes {
  readonly unixSeconds: number;
  readonly nowMs: number;
  readonly wallMs: number;
}

/**
 * Whether the newest slot, which another node notified, was wrong. It was when the node in use is far behind it by
 * slots and not by the chain's time, and when it is by both, further than one chain is at once, and its time is nearer
 * to this machine's.
 */
export function isNewestWrong(newest: NewestSlot, lag: number, times: LagTimes): boolean {
  if (lag < JUDGED_LAG_SLOTS_MIN) return false;
  const { unixSeconds, nowMs, wallMs } = times;
  const newestS = newest.unixSeconds + (nowMs - newest.atMs) / 1_000;
  const lagS = (lag * SLOT_MS) / 1_000;
  if (newestS - unixSeconds < lagS / 2) return true;
  if (lag <= SLOTS_APART_MAX) return false;
  const apartS = (chainS: number): number => Math.abs(chainS - wallMs / 1_000);
  return apartS(unixSeconds) < apartS(newestS);
}

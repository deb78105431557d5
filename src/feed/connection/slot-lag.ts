import { SLOT_MS } from '../../contract/program.js';
import { JUDGED_LAG_SLOTS_MIN, SLOTS_APART_MAX } from '../model/limits.js';
import { type FeedParts, type NewestSlot, NO_SLOT } from './parts.js';

/**
 * Returns how many slots the book is behind another node's newest slot, so that it is older than
 * earlier publications.
 */
export function slotLagOf({ memory, clock }: FeedParts, node: string): number {
  // A node's own slot is authoritative, also after a revert.
  if (memory.newest.node === node) return 0;
  return Math.max(0, memory.newest.slot - clock.slot);
}

/** Forgets a wrong newest slot, so that later nodes do not count as late forever. */
export function forgetWrongSlot(parts: FeedParts, node: string): void {
  const { clock, memory, timers } = parts;
  // The published time may still be another node's time; it does not step back by a small amount.
  const unixMs = clock.unixMs() ?? clock.unixSeconds() * 1_000;
  const times = { unixSeconds: unixMs / 1_000, nowMs: timers.nowMs(), wallMs: timers.unixMs() };
  if (isNewestWrong(memory.newest, slotLagOf(parts, node), times)) memory.newest = NO_SLOT;
}

/**
 * The times that decide about a lag: the chain's time by the node in use, and this machine's two
 * clocks.
 */
interface LagTimes {
  readonly unixSeconds: number;
  readonly nowMs: number;
  readonly wallMs: number;
}

/**
 * Returns whether the newest slot, from another node, was wrong: the node in use is behind it by
 * slots but not by the chain's time; or it is behind by both, further than plausible, and its time
 * is nearer to this machine's.
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

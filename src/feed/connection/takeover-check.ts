import { readSlot } from '../../rpc/methods.js';
import type { NodeRpc } from '../../rpc/node-pool.js';
import { type ClockAccount, parseClockAccount } from '../model/chain-clock.js';
import { FeedError } from '../model/error.js';
import { SHORT_SLOTS_MAX, SLOT_MS, SLOTS_AHEAD_MAX, TAKEOVER_MS_MAX } from '../model/limits.js';
import { readClock } from './chain-time.js';
import { readOther } from './other-nodes.js';
import type { FeedParts, NewestSlot } from './parts.js';

/**
 * Compares a node that takes over with the one before: its Clock must be ahead by slots no further than by time.
 * A node whose slots and Clock are a minute ahead is within what a chain has room for while nodes change, and no
 * step of its slots shows it later. Where it is further the other nodes are asked, as a local chain may have
 * shorter slots; the node before was behind when its time was as well. One that stands still refutes nothing: that
 * may be why it was left. Does nothing with one node, nor when the one before was left long ago: a chain of short
 * slots would never be admitted again.
 *
 * # Errors
 * CHAIN_CLOCK_OUT_OF_RANGE when all other nodes that move on refute its slot; RpcError.
 */
export async function requireLikelySlot(
  parts: FeedParts,
  before: NewestSlot,
  signal: AbortSignal,
): Promise<void> {
  const { rpc, otherRpcs, memory, timers } = parts;
  if (otherRpcs.length === 0 || before.slot === 0) return;
  if (timers.nowMs() - before.atMs > TAKEOVER_MS_MAX) return;
  const own = parseClockAccount((await readClock(rpc, signal)) ?? '');
  // Without a Clock there is nothing to judge: what is read next says so.
  if (own === null || leadOf(own, before) <= SLOTS_AHEAD_MAX) return;
  const readTheirs = (other: NodeRpc) =>
    readOther(timers, signal, (limited) => readSlot(other, { signal: limited }));
  const answers = await Promise.all(otherRpcs.map(readTheirs));
  const slotMin = before.slot + (timers.nowMs() - before.atMs) / SLOT_MS / 2;
  const others = answers.filter((slot) => slot !== null).filter((slot) => slot >= slotMin);
  const isRefuted = others.every((slot) => own.slot - slot > SLOTS_AHEAD_MAX);
  if (others.length === 0 || !isRefuted) return;
  // Nothing of it makes another node late, and it is compared again the next time.
  memory.newest = before;
  const slotOther = Math.max(...others);
  const message = `slot of the node was ${own.slot}, other nodes are at ${slotOther} at that time`;
  throw new FeedError('CHAIN_CLOCK_OUT_OF_RANGE', message, { slot: own.slot, slotOther });
}

/** By how many slots a Clock is further ahead than its time is, slots being as short as they may be. */
function leadOf({ slot, unixSeconds }: ClockAccount, before: NewestSlot): number {
  const slots = ((unixSeconds - before.unixSeconds) * 1_000) / SLOT_MS;
  return slot - before.slot - slots * (1 + SHORT_SLOTS_MAX);
}

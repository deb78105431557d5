import { SLOT_MS } from '../../contract/program.js';
import { readSlot } from '../../rpc/methods.js';
import type { NodeRpc } from '../../rpc/node-pool.js';
import { type ClockAccount, parseClockAccount } from '../model/chain-clock.js';
import { FeedError } from '../model/error.js';
import { SHORT_SLOTS_MAX, SLOTS_AHEAD_MAX, TAKEOVER_MS_MAX } from '../model/limits.js';
import { readClock } from './chain-time.js';
import { readOther } from './other-nodes.js';
import type { FeedParts, NewestSlot } from './parts.js';

/**
 * Compares a successor node with the previous node: the lead of its Clock in slots must match the
 * lead in time. During a switch, a node whose slots and Clock are a minute ahead is plausible, and
 * later steps do not reveal it. If the lead in slots is larger, the other nodes are asked, because
 * a local chain may have shorter slots; the previous node lagged when its time did as well. A node
 * without progress refutes nothing, because that may be why it was left. Does nothing with one
 * node, nor when the previous node was left long ago, because a chain of short slots would never be
 * accepted again.
 *
 * # Errors
 * Rejects with CHAIN_CLOCK_OUT_OF_RANGE when all other progressing nodes refute the slot, or with
 * an RpcError.
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
  // Without a Clock the slot cannot be judged; later readings report the missing Clock.
  if (own === null || leadOf(own, before) <= SLOTS_AHEAD_MAX) return;
  const readTheirs = (other: NodeRpc) =>
    readOther(timers, signal, (limited) => readSlot(other, { signal: limited }));
  const answers = await Promise.all(otherRpcs.map(readTheirs));
  const slotMin = before.slot + (timers.nowMs() - before.atMs) / SLOT_MS / 2;
  const others = answers.filter((slot) => slot !== null).filter((slot) => slot >= slotMin);
  const isRefuted = others.every((slot) => own.slot - slot > SLOTS_AHEAD_MAX);
  if (others.length === 0 || !isRefuted) return;
  // The slot is not used to judge other nodes, and is compared again the next time.
  memory.newest = before;
  const slotOther = Math.max(...others);
  const message = `slot of the node was ${own.slot}, other nodes are at ${slotOther} at that time`;
  throw new FeedError('CHAIN_CLOCK_OUT_OF_RANGE', message, { slot: own.slot, slotOther });
}

function leadOf({ slot, unixSeconds }: ClockAccount, before: NewestSlot): number {
  const slots = ((unixSeconds - before.unixSeconds) * 1_000) / SLOT_MS;
  return slot - before.slot - slots * (1 + SHORT_SLOTS_MAX);
}

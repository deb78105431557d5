import { nextTurn, sleep } from '../../rpc/timers.js';
import { FeedError, throwIfStopped } from '../model/error.js';
import { SLOT_POLL_MS, SLOT_WAIT_MS } from '../model/limits.js';
import type { FeedParts } from './parts.js';

/**
 * Waits until a slot is announced: then the socket has told what a reading of a slot before holds.
 * The two come by different ways, and either may be ahead.
 *
 * # Errors
 * SNAPSHOT_SLOT_OUT_OF_RANGE when it takes too long: without slots there is nothing to compare with.
 */
export async function waitForSlot(
  { timers }: FeedParts,
  announced: () => number,
  { slot, signal }: { readonly slot: number; readonly signal: AbortSignal },
): Promise<void> {
  const endMs = timers.nowMs() + SLOT_WAIT_MS;
  while (announced() < slot) {
    if (timers.nowMs() >= endMs) throw slotTimeoutError(announced(), slot);
    await sleep(timers, SLOT_POLL_MS, signal);
    throwIfStopped(signal);
  }
  // What was announced in this turn of the loop may still be followed by its accounts.
  await nextTurn();
  throwIfStopped(signal);
}

/**
 * Waits for the first slot of a connection, a short while: a socket that tells none leaves nothing to
 * judge readings by, and the book that is read then is labelled as what it is.
 */
export async function waitForFirstSlot(
  { timers, firstSlotWaitMs }: FeedParts,
  announced: () => number,
  signal: AbortSignal,
): Promise<void> {
  const endMs = timers.nowMs() + firstSlotWaitMs;
  while (announced() === 0 && timers.nowMs() < endMs) await sleep(timers, SLOT_POLL_MS, signal);
}

function slotTimeoutError(slot: number, wanted: number): FeedError {
  const message = `slot of the socket was ${slot}, must reach ${wanted} within ${SLOT_WAIT_MS} ms`;
  return new FeedError('SNAPSHOT_SLOT_OUT_OF_RANGE', message, { slot, wanted });
}

import { nextTurn, sleep } from '../../rpc/timers.js';
import type { AccountUpdate } from '../model/account-update.js';
import { FeedError, throwIfStopped } from '../model/error.js';
import {
  SLOT_POLL_MS,
  SLOT_SPACING_MIN_MS,
  SLOT_WAIT_MS,
  SLOTS_KEPT_MAX,
} from '../model/limits.js';
import type { FeedParts } from './parts.js';

/**
 * Waits until a slot is announced: the socket has then notified the state of a snapshot of an
 * earlier slot. HTTP and the socket are independent, and either may be ahead.
 *
 * # Errors
 * Rejects with SNAPSHOT_SLOT_OUT_OF_RANGE after a timeout, because without slots there is nothing
 * to compare with.
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
  // The accounts of a slot that was announced in this turn of the event loop may still follow.
  await nextTurn(timers);
  throwIfStopped(signal);
}

/**
 * Waits briefly for the first slot of a connection: without slots on the socket no snapshot counts
 * as outdated, and the book's state reports missing slots.
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

/** An account and the slot of one of its states. */
export type AccountState = Pick<AccountUpdate, 'pubkey' | 'slot'>;

/** Each account's last notified slot on one connection, and the number of reverts. */
export class LastNotifiedSlots {
  readonly #slots = new Map<string, number>();
  #revertCount = 0;

  /** Number of notifications whose slot was lower than the account's last slot. */
  get revertCount(): number {
    return this.#revertCount;
  }

  hasSlot(pubkey: string): boolean {
    return this.#slots.has(pubkey);
  }

  /** Null for an account without a notification. */
  slotOf(pubkey: string): number | null {
    return this.#slots.get(pubkey) ?? null;
  }

  /** Returns whether a read state is later than the last notified state. */
  isNewer({ pubkey, slot }: AccountState): boolean {
    return slot > (this.#slots.get(pubkey) ?? 0);
  }

  /** Records a notification; returns true when it is a revert. */
  recordNotification({ pubkey, slot }: AccountState): boolean {
    const isRevert = slot < (this.#slots.get(pubkey) ?? 0);
    if (isRevert) this.#revertCount += 1;
    this.#setSlot(pubkey, slot);
    return isRevert;
  }

  /**
   * Records a newer state that was read and applied. A notification of its slot may be a later
   * write in that slot.
   */
  recordApplied({ pubkey, slot }: AccountState): void {
    this.#setSlot(pubkey, slot - 1);
  }

  /** Forgets an account that no longer exists: its next notification counts as the first. */
  forget(pubkey: string): void {
    this.#slots.delete(pubkey);
  }

  #setSlot(pubkey: string, slot: number): void {
    if (this.#slots.size < SLOTS_KEPT_MAX || this.#slots.has(pubkey)) this.#slots.set(pubkey, slot);
  }
}

/**
 * The age of the last slot, over all connections, because a new connection tells nothing about the
 * chain yet. After a gap that made the book lagging, held-back slots arrive in a burst, and each of
 * them is old: until two slots arrive at a chain's pace, the book does not count as fresher.
 */
export class SlotAge {
  readonly #laggingAfterMs: number;
  #openedAtMs = 0;
  /** Null before the first connection. */
  #receivedAtMs: number | null = null;
  #catchingUp = false;

  constructor(laggingAfterMs: number) {
    this.#laggingAfterMs = laggingAfterMs;
  }

  /** Call this when a connection opens. Until the first slot, silence is measured from the first connection. */
  beginConnection(nowMs: number): void {
    this.#openedAtMs = nowMs;
    this.#receivedAtMs ??= nowMs;
  }

  /** Returns whether the preceding gap was long enough to make the book lagging. */
  recordSlot(nowMs: number): boolean {
    const gapMs = this.sinceMs(nowMs);
    const endsGap = gapMs >= this.#laggingAfterMs;
    if (endsGap) this.#catchingUp = true;
    else if (gapMs >= SLOT_SPACING_MIN_MS) this.#catchingUp = false;
    this.#receivedAtMs = nowMs;
    return endsGap;
  }

  sinceMs(nowMs: number): number {
    return nowMs - (this.#receivedAtMs ?? 0);
  }

  /** The current connection's time without a slot. */
  silentMs(nowMs: number): number {
    return Math.min(this.sinceMs(nowMs), nowMs - this.#openedAtMs);
  }

  /**
   * Returns the minimum age of the book: by the last slot, or by a gap that it has not caught up
   * with.
   */
  ageMs(nowMs: number): number {
    const sinceMs = this.sinceMs(nowMs);
    return this.#catchingUp ? Math.max(sinceMs, this.#laggingAfterMs) : sinceMs;
  }
}

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
 * Waits until a slot is announced: by then the socket has notified what a snapshot of an earlier slot
 * holds. HTTP and the socket are independent, and either may be ahead.
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
  await nextTurn(timers);
  throwIfStopped(signal);
}

/**
 * Waits for the first slot of a connection, a short while: without slots on the socket no snapshot can
 * be called too old, and the state of the book then says that slots are missing.
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

/** The slot that one connection notified last for each account, and how often it went back. */
export class LastNotifiedSlots {
  readonly #slots = new Map<string, number>();
  #revertCount = 0;

  /** Notifications of a lower slot than the account had. */
  get revertCount(): number {
    return this.#revertCount;
  }

  hasSlot(pubkey: string): boolean {
    return this.#slots.has(pubkey);
  }

  /** Null for an account that was not notified. */
  slotOf(pubkey: string): number | null {
    return this.#slots.get(pubkey) ?? null;
  }

  /** Whether a state that was read is later than the last one notified. */
  isNewer({ pubkey, slot }: AccountState): boolean {
    return slot > (this.#slots.get(pubkey) ?? 0);
  }

  /** Records a notification; true when it is a revert. */
  recordNotification({ pubkey, slot }: AccountState): boolean {
    const isRevert = slot < (this.#slots.get(pubkey) ?? 0);
    if (isRevert) this.#revertCount += 1;
    this.#setSlot(pubkey, slot);
    return isRevert;
  }

  /** Records a newer state that was read and applied. A notification of its slot may be later in it. */
  recordApplied({ pubkey, slot }: AccountState): void {
    this.#setSlot(pubkey, slot - 1);
  }

  /** The account is gone: a notification of it is the first one again. */
  forget(pubkey: string): void {
    this.#slots.delete(pubkey);
  }

  #setSlot(pubkey: string, slot: number): void {
    if (this.#slots.size < SLOTS_KEPT_MAX || this.#slots.has(pubkey)) this.#slots.set(pubkey, slot);
  }
}

/**
 * How long ago the last slot came, over whichever connection: a new one shows nothing yet
 * about the chain. After a gap that made the book lagging, slots that were held back on the way come
 * in a burst, each of them old: until two come as far apart as a chain makes them the book is no fresher than it
 * was.
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

  /** A connection began; before the first slot of all, time counts from the first of them. */
  beginConnection(nowMs: number): void {
    this.#openedAtMs = nowMs;
    this.#receivedAtMs ??= nowMs;
  }

  /** Returns whether slots were missing for so long before it that the book was lagging. */
  recordSlot(nowMs: number): boolean {
    const gapMs = this.sinceMs(nowMs);
    const endsGap = gapMs >= this.#laggingAfterMs;
    if (endsGap) this.#catchingUp = true;
    else if (gapMs >= SLOT_SPACING_MIN_MS) this.#catchingUp = false;
    this.#receivedAtMs = nowMs;
    return endsGap;
  }

  /** Since the last slot. */
  sinceMs(nowMs: number): number {
    return nowMs - (this.#receivedAtMs ?? 0);
  }

  /** For how long the present connection has notified no slot. */
  silentMs(nowMs: number): number {
    return Math.min(this.sinceMs(nowMs), nowMs - this.#openedAtMs);
  }

  /** How old the book is at least: by the last slot, or by the gap that it has not caught up with. */
  ageMs(nowMs: number): number {
    const sinceMs = this.sinceMs(nowMs);
    return this.#catchingUp ? Math.max(sinceMs, this.#laggingAfterMs) : sinceMs;
  }
}

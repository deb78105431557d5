import { readSlot } from '../../rpc/methods.js';
import type { AccountUpdate, AnnouncedSlot } from '../model/account-update.js';
import { parseClockAccount } from '../model/chain-clock.js';
import { FeedError, isChainClockError } from '../model/error.js';
import {
  READING_SLOTS_APART_MAX,
  SLOT_CHECK_INTERVAL_MS,
  SLOT_MS_MIN,
  SLOTS_AHEAD_MAX,
  SLOTS_APART_MAX,
} from '../model/limits.js';
import { SlotWindow } from '../model/slot-window.js';
import type { FeedParts, NewestSlot } from './parts.js';

/**
 * Judges what one node tells of the chain's slot and time, before anything is done with it. Slots are
 * believed within what the time since the last ones has room for; where one is not, the node is asked
 * for its slot once more. When that cannot be either, the connection is of no use: the node has
 * jumped or lies, and its slots are forgotten with it.
 */
export class ChainCheck {
  readonly #parts: FeedParts;
  readonly #window = new SlotWindow();
  #hasBegun = false;
  #isCheckWanted = false;
  #isCheckRunning = false;
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  #announced = 0;
  #announcedFirst = 0;
  /** Announced before the node was asked for its slot. */
  #waiting: AnnouncedSlot | null = null;
  #forkedAtMs = Number.NEGATIVE_INFINITY;

  constructor(parts: FeedParts) {
    this.#parts = parts;
  }

  /** The newest slot that the socket announced and that is believed; 0 before the first. */
  get announced(): number {
    return this.#announced;
  }

  /** The first of them. */
  get announcedFirst(): number {
    return this.#announcedFirst;
  }

  /** When a slot was last announced that does not follow the one before: what that one held may have gone back. */
  get forkedAtMs(): number {
    return this.#forkedAtMs;
  }

  /**
   * Asks the node for its slot, with which all else is compared from then on.
   *
   * # Errors
   * CHAIN_CLOCK_OUT_OF_RANGE when the node cannot be there after the slots before.
   */
  async begin(signal: AbortSignal): Promise<void> {
    const { rpc, memory, timers } = this.#parts;
    const slot = await readSlot(rpc, { signal });
    const nowMs = timers.nowMs();
    if (this.#hasBegun) {
      this.#confirm(slot);
      return;
    }
    if (isTooFarAhead(slot, memory.newest, nowMs)) throw outOfRangeError(slot, memory.newest.slot);
    this.#window.begin(slot, nowMs);
    this.#hasBegun = true;
    if (this.#waiting !== null) this.announceSlot(this.#waiting);
  }

  /** The socket announced a slot. True when that is believed and the chain has moved on. */
  announceSlot(notified: AnnouncedSlot): boolean {
    if (!this.#hasBegun) {
      this.#waiting = notified;
      return false;
    }
    const { slot, parent } = notified;
    if (!this.admitsSlot(slot)) return false;
    if (this.#announced === 0) this.#announcedFirst = slot;
    const hasAdvanced = slot > this.#announced;
    const hasForked = hasAdvanced && parent !== null && parent < this.#announced;
    if (hasForked) this.#forkedAtMs = this.#parts.timers.nowMs();
    this.#announced = Math.max(this.#announced, slot);
    this.recordSlot(slot);
    this.#parts.clock.advanceTo(slot);
    return hasAdvanced;
  }

  /** A slot that is believed: how far the nodes are, so that a book of another one that is behind is known to be. */
  recordSlot(slot: number): void {
    const { memory, node, clock, timers } = this.#parts;
    const atMs = timers.nowMs();
    this.#window.advanceTo(slot, atMs);
    if (slot < memory.newest.slot && node !== memory.newest.node) return;
    memory.newest = { slot, node, atMs, unixSeconds: clock.unixSeconds() };
  }

  /** Whether the node can be at this slot; if not, it is counted, and checked soon. */
  admitsSlot(slot: number): boolean {
    if (!this.#hasBegun || this.#window.admits(slot, this.#parts.timers.nowMs())) return true;
    this.#parts.counters.slotsRefused += 1;
    this.#isCheckWanted = true;
    return false;
  }

  /** Whether the account can be of its slot, and a Clock of its time; the Clock's slot limits all slots. */
  admitsUpdate({ kind, slot, data }: Pick<AccountUpdate, 'kind' | 'slot' | 'data'>): boolean {
    if (!this.admitsSlot(slot)) return false;
    const account = kind === 'clock' ? parseClockAccount(data) : null;
    if (account === null) return true;
    const isOfItsSlot = Math.abs(account.slot - slot) <= SLOTS_APART_MAX;
    if (isOfItsSlot && this.#parts.clock.admitsTime(account.unixSeconds)) {
      this.#window.limitTo(account.slot, this.#parts.timers.nowMs());
      if (this.#isAheadOfClock()) this.#isCheckWanted = true;
      return true;
    }
    this.#parts.counters.clocksRefused += 1;
    return false;
  }

  /** The same for a reading. Where its Clock is of another slot, all of it is: the node tells of the past as of now. */
  admitsReading(update: Pick<AccountUpdate, 'kind' | 'slot' | 'data'>): boolean {
    const account = update.kind === 'clock' ? parseClockAccount(update.data) : null;
    const slot = account?.slot ?? update.slot;
    if (Math.abs(slot - update.slot) <= READING_SLOTS_APART_MAX) return this.admitsUpdate(update);
    this.#parts.counters.clocksRefused += 1;
    return false;
  }

  /**
   * Asks the node for its slot once more when slots were not believed, or ran ahead of the Clock.
   *
   * # Errors
   * CHAIN_CLOCK_OUT_OF_RANGE when that cannot be either, or when it is where the Clock is.
   */
  async checkIfWanted(signal: AbortSignal): Promise<void> {
    const { rpc, timers } = this.#parts;
    const isDue = timers.nowMs() >= this.#checkedAtMs + SLOT_CHECK_INTERVAL_MS;
    if (!this.#isCheckWanted || !isDue || this.#isCheckRunning) return;
    this.#isCheckRunning = true;
    this.#isCheckWanted = false;
    const announced = this.#announced;
    try {
      const slot = await readSlot(rpc, { signal });
      this.#confirm(slot);
      if (announced > slot + SLOTS_AHEAD_MAX && this.#isAheadOfClock()) this.#refuseAnnounced(slot);
    } catch (error) {
      if (isChainClockError(error)) throw error;
      // It could not be read: what is refused next asks for it again.
    } finally {
      this.#isCheckRunning = false;
      this.#checkedAtMs = timers.nowMs();
    }
  }

  #isAheadOfClock(): boolean {
    return this.#window.isAheadOfClock(this.#announced, this.#parts.timers.nowMs());
  }

  /** The socket runs ahead of all else that the node tells: no other node is late because of it. */
  #refuseAnnounced(slot: number): never {
    const { memory } = this.#parts;
    memory.newest = { ...memory.newest, slot: Math.min(memory.newest.slot, slot) };
    throw outOfRangeError(this.#announced, slot);
  }

  #confirm(slot: number): void {
    if (this.#window.confirm(slot, this.#parts.timers.nowMs())) return;
    throw outOfRangeError(slot, this.#window.newest);
  }
}

/** Whether a node that takes over is where the one before cannot be by now. */
function isTooFarAhead(slot: number, newest: NewestSlot, nowMs: number): boolean {
  const slotMax = newest.slot + SLOTS_APART_MAX + (nowMs - newest.atMs) / SLOT_MS_MIN;
  return newest.slot > 0 && slot > slotMax;
}

function outOfRangeError(slot: number, newest: number): FeedError {
  const message = `slot of the node was ${slot}, which it cannot have reached since ${newest}`;
  return new FeedError('CHAIN_CLOCK_OUT_OF_RANGE', message, { slot, newest });
}

import { readSlot } from '../../rpc/methods.js';
import type { AccountUpdate, AnnouncedSlot } from '../model/account-update.js';
import { type ClockAccount, parseClockAccount } from '../model/chain-clock.js';
import { ClockLead } from '../model/clock-lead.js';
import { FeedError, isChainClockError } from '../model/error.js';
import {
  FORKS_KEPT_MAX,
  PROBE_FORK_MS,
  READING_SLOTS_APART_MAX,
  SLOT_CHECK_INTERVAL_MS,
  SLOT_MS_MIN,
  SLOTS_APART_MAX,
} from '../model/limits.js';
import { SlotWindow } from '../model/slot-window.js';
import { PaceCheck } from './pace-check.js';
import type { FeedParts, NewestSlot } from './parts.js';

/** Slots that the chain went back on: those after the parent, up to the last one. */
interface AbandonedFork {
  readonly parent: number;
  readonly last: number;
  readonly atMs: number;
}

/** What is judged of an account. */
type JudgedUpdate = Pick<AccountUpdate, 'kind' | 'slot' | 'data'>;

/**
 * Judges what one node tells of the chain's slot and time, before anything is done with it. Slots are
 * believed within what the time since the last ones has room for; where one is not, the node is asked
 * for its slot once more. When that cannot be either, the connection is of no use: the node has
 * jumped or lies, and its slots are forgotten with it.
 */
export class ChainCheck {
  readonly #parts: FeedParts;
  readonly #window = new SlotWindow();
  readonly #clockLead = new ClockLead();
  readonly #pace: PaceCheck;
  #hasBegun = false;
  #isCheckWanted = false;
  #isCheckRunning = false;
  #checkedAtMs = Number.NEGATIVE_INFINITY;
  #announced = 0;
  #announcedFirst = 0;
  /** Announced before the node was asked for its slot. */
  #waiting: AnnouncedSlot | null = null;
  /** Oldest first. */
  #forks: readonly AbandonedFork[] = [];

  constructor(parts: FeedParts) {
    this.#parts = parts;
    this.#pace = new PaceCheck(parts);
  }

  /** The newest slot that the socket announced and that is believed; 0 before the first. */
  get announced(): number {
    return this.#announced;
  }

  /** The first of them. */
  get announcedFirst(): number {
    return this.#announcedFirst;
  }

  /**
   * Whether what was written in this slot may have gone back since: a later one did not follow it, not long ago.
   * Where the slot is unknown any fork may be the one.
   */
  mayBeAbandoned(slot: number | null): boolean {
    const sinceMs = this.#parts.timers.nowMs() - PROBE_FORK_MS;
    return this.#forks.some(({ parent, last, atMs }) => {
      return atMs > sinceMs && (slot === null || (slot > parent && slot <= last));
    });
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
    if (hasAdvanced && parent !== null && parent < this.#announced) this.#recordFork(parent);
    this.#announced = Math.max(this.#announced, slot);
    this.recordSlot(slot);
    this.#parts.clock.advanceTo(slot);
    return hasAdvanced;
  }

  /** A slot that is believed. */
  recordSlot(slot: number): void {
    this.#window.advanceTo(slot, this.#parts.timers.nowMs());
  }

  /** Whether the node can be at this slot; if not, it is counted, and checked soon. */
  admitsSlot(slot: number): boolean {
    if (!this.#hasBegun || this.#window.admits(slot, this.#parts.timers.nowMs())) return true;
    this.#parts.counters.slotsRefused += 1;
    this.#isCheckWanted = true;
    return false;
  }

  /** Whether a notified account can be of its slot, and a Clock of its time; the Clock's slot limits all slots. */
  admitsUpdate({ kind, slot, data }: JudgedUpdate): boolean {
    const account = kind === 'clock' ? parseClockAccount(data) : null;
    const isAdmitted = this.#admits(slot, account);
    if (isAdmitted && this.#hasBegun && account !== null)
      this.#clockLead.recordClock(account.slot, this.#announced, this.#parts.timers.nowMs());
    return isAdmitted;
  }

  /** The same for a reading. Where its Clock is of another slot, all of it is: the node tells of the past as of now. */
  admitsReading({ kind, slot, data }: JudgedUpdate): boolean {
    const account = kind === 'clock' ? parseClockAccount(data) : null;
    const slotsApart = account === null ? 0 : Math.abs(account.slot - slot);
    if (slotsApart <= READING_SLOTS_APART_MAX) return this.#admits(slot, account);
    this.#parts.counters.clocksRefused += 1;
    return false;
  }

  /**
   * Asks the node for its slot once more when slots were not believed.
   *
   * # Errors
   * CHAIN_CLOCK_OUT_OF_RANGE when that cannot be either, and when slots stayed ahead of the Clock.
   */
  async checkIfWanted(signal: AbortSignal): Promise<void> {
    const { rpc, timers } = this.#parts;
    if (this.#clockLead.isTooLong)
      throw outOfRangeError(this.#announced, this.#clockLead.clockSlot);
    const isDue = timers.nowMs() >= this.#checkedAtMs + SLOT_CHECK_INTERVAL_MS;
    if (!this.#isCheckWanted || !isDue || this.#isCheckRunning) return;
    this.#isCheckRunning = true;
    this.#isCheckWanted = false;
    try {
      this.#confirm(await readSlot(rpc, { signal }));
    } catch (error) {
      if (isChainClockError(error)) throw error;
      // It could not be read: what is refused next asks for it again.
    } finally {
      this.#isCheckRunning = false;
      this.#checkedAtMs = timers.nowMs();
    }
  }

  /**
   * Compares the pace of the slots with the other nodes' when it is time.
   *
   * # Errors
   * CHAIN_CLOCK_OUT_OF_RANGE when those refute it: nothing of it makes another node late.
   */
  async checkPace(signal: AbortSignal): Promise<void> {
    const { memory } = this.#parts;
    const announced = this.#announced;
    const slot = await this.#pace.findTrueSlot(announced, signal);
    if (slot === null) return;
    memory.newest = { ...memory.newest, slot: Math.min(memory.newest.slot, slot) };
    throw outOfRangeError(announced, slot);
  }

  #recordFork(parent: number): void {
    const fork = { parent, last: this.#announced, atMs: this.#parts.timers.nowMs() };
    this.#forks = [...this.#forks, fork].slice(-FORKS_KEPT_MAX);
  }

  #admits(slot: number, account: ClockAccount | null): boolean {
    if (!this.admitsSlot(slot)) return false;
    if (account === null) return true;
    const isOfItsSlot = Math.abs(account.slot - slot) <= SLOTS_APART_MAX;
    if (isOfItsSlot && this.#parts.clock.admitsTime(account.unixSeconds)) {
      if (this.#hasBegun) this.#takeClock(account, slot);
      return true;
    }
    this.#parts.counters.clocksRefused += 1;
    return false;
  }

  /**
   * The Clock tells how far the nodes are, so that a book of another one that is behind is known to be. A slot that
   * was only announced does not: what nothing else of the node confirms makes no other node late.
   */
  #takeClock(account: ClockAccount, slotTold: number): void {
    const { memory, node, timers } = this.#parts;
    const atMs = timers.nowMs();
    this.#window.limitTo(account.slot, atMs);
    const slot = Math.min(account.slot, slotTold);
    if (slot < memory.newest.slot && node !== memory.newest.node) return;
    memory.newest = { slot, node, atMs, unixSeconds: account.unixSeconds };
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

import { readSlot } from '../../rpc/methods.js';
import type { AccountUpdate, AnnouncedSlot } from '../model/account-update.js';
import { type ClockAccount, parseClockAccount } from '../model/chain-clock.js';
import { ClockLead } from '../model/clock-lead.js';
import { FeedError, isChainClockError } from '../model/error.js';
import {
  FORKS_KEPT_MAX,
  NOTIFIED_AHEAD_SLOTS_MAX,
  PROBE_FORK_MS,
  READING_SLOTS_APART_MAX,
  SLOT_CHECK_INTERVAL_MS,
  SLOT_MS_MIN,
  SLOTS_APART_MAX,
} from '../model/limits.js';
import { SlotWindow } from '../model/slot-window.js';
import { PaceCheck } from './pace-check.js';
import type { FeedParts, NewestSlot } from './parts.js';

/** The slots that the chain abandoned: those after `parent`, up to `last`. */
interface AbandonedFork {
  readonly parent: number;
  readonly last: number;
  readonly atMs: number;
}

type JudgedUpdate = Pick<AccountUpdate, 'kind' | 'slot' | 'data'>;

/**
 * Validates one node's claims about the chain's slot and time before they are used. A slot is
 * plausible when the time since the previous slots allows it; for an implausible slot the node is
 * asked for its slot again. If the answer is implausible too, the connection is unusable: the node
 * has jumped or reports false slots, and its slots are forgotten.
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
  /** The newest slot of an account that was notified ahead of the announced slots. */
  #notifiedAhead = Number.NEGATIVE_INFINITY;
  #waiting: AnnouncedSlot | null = null;
  /** Oldest first. */
  #forks: readonly AbandonedFork[] = [];

  constructor(parts: FeedParts) {
    this.#parts = parts;
    this.#pace = new PaceCheck(parts);
  }

  /** The newest accepted slot that the socket announced; 0 before the first. */
  get announced(): number {
    return this.#announced;
  }

  /** The first believed slot. */
  get announcedFirst(): number {
    return this.#announcedFirst;
  }

  /**
   * Whether an account was notified of a slot that is ahead of the announced slots: until they have
   * passed it no read can refute that account.
   */
  get isNotifiedAhead(): boolean {
    return this.#announced < this.#notifiedAhead + NOTIFIED_AHEAD_SLOTS_MAX;
  }

  /**
   * Returns whether a write of this slot may have been reverted: a recent later slot did not
   * descend from it. For an unknown slot, any recent fork counts.
   */
  mayBeAbandoned(slot: number | null): boolean {
    const sinceMs = this.#parts.timers.nowMs() - PROBE_FORK_MS;
    return this.#forks.some(({ parent, last, atMs }) => {
      return atMs > sinceMs && (slot === null || (slot > parent && slot <= last));
    });
  }

  /**
   * Asks the node for its slot, from which later checks start.
   *
   * # Errors
   * Rejects with CHAIN_CLOCK_OUT_OF_RANGE when the slot is implausible after the previous slots.
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

  recordSlot(slot: number): void {
    this.#window.advanceTo(slot, this.#parts.timers.nowMs());
  }

  /** Returns whether the slot is plausible; an implausible slot is counted, and checked soon. */
  admitsSlot(slot: number): boolean {
    if (!this.#hasBegun || this.#window.admits(slot, this.#parts.timers.nowMs())) return true;
    this.#parts.counters.slotsRefused += 1;
    this.#isCheckWanted = true;
    return false;
  }

  /**
   * Returns whether the slot of a notified account, and the time of a notified Clock, are
   * plausible; the Clock's slot limits all slots.
   */
  admitsUpdate({ kind, slot, data }: JudgedUpdate): boolean {
    const account = kind === 'clock' ? parseClockAccount(data) : null;
    const isAdmitted = this.#admits(slot, account);
    if (isAdmitted) this.#noteAhead(slot);
    if (isAdmitted && this.#hasBegun && account !== null)
      this.#clockLead.recordClock(account.slot, this.#announced, this.#parts.timers.nowMs());
    return isAdmitted;
  }

  /**
   * Returns the same for a reading. If the Clock in it has another slot than the reading, the node
   * returns past data as current.
   */
  admitsReading({ kind, slot, data }: JudgedUpdate): boolean {
    const account = kind === 'clock' ? parseClockAccount(data) : null;
    const slotsApart = account === null ? 0 : Math.abs(account.slot - slot);
    if (slotsApart <= READING_SLOTS_APART_MAX) return this.#admits(slot, account);
    this.#parts.counters.clocksRefused += 1;
    return false;
  }

  /**
   * Asks the node for its slot again after implausible slots.
   *
   * # Errors
   * Rejects with CHAIN_CLOCK_OUT_OF_RANGE when the slot is implausible too, and when slots were
   * ahead of the Clock for too long.
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
      // The read failed; the next implausible slot requests it again.
    } finally {
      this.#isCheckRunning = false;
      this.#checkedAtMs = timers.nowMs();
    }
  }

  /**
   * Compares the pace of the slots with that of the other nodes, when due.
   *
   * # Errors
   * Rejects with CHAIN_CLOCK_OUT_OF_RANGE when the other nodes refute the slot; it is then not used
   * to judge other nodes.
   */
  async checkPace(signal: AbortSignal): Promise<void> {
    const { memory } = this.#parts;
    const announced = this.#announced;
    const slot = await this.#pace.findTrueSlot(announced, signal);
    if (slot === null) return;
    memory.newest = { ...memory.newest, slot: Math.min(memory.newest.slot, slot) };
    throw outOfRangeError(announced, slot);
  }

  #noteAhead(slot: number): void {
    const isAhead = this.#announced > 0 && slot > this.#announced + NOTIFIED_AHEAD_SLOTS_MAX;
    if (isAhead) this.#notifiedAhead = Math.max(this.#notifiedAhead, slot);
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
   * Uses a Clock, which confirms a node's slot, so that a lagging book of another node can be
   * detected. A slot that was only announced must not make other nodes count as late.
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

/** Returns whether a successor node is implausibly far ahead of the previous node. */
function isTooFarAhead(slot: number, newest: NewestSlot, nowMs: number): boolean {
  const slotMax = newest.slot + SLOTS_APART_MAX + (nowMs - newest.atMs) / SLOT_MS_MIN;
  return newest.slot > 0 && slot > slotMax;
}

function outOfRangeError(slot: number, newest: number): FeedError {
  const message = `slot of the node was ${slot}, which it cannot have reached since ${newest}`;
  return new FeedError('CHAIN_CLOCK_OUT_OF_RANGE', message, { slot, newest });
}

import { SLOT_MS_MIN, SLOTS_AHEAD_MAX, SLOTS_APART_MAX } from './limits.js';

/**
 * The plausible slots of a node: its last slot plus as many as fit the elapsed time. The allowance
 * is a bucket: time fills it and slots empty it, so that many small steps gain no more than one big
 * step. The Clock account's slot limits it.
 */
export class SlotWindow {
  #newest = 0;
  #room = 0;
  #roomAtMs = 0;
  #limit = Number.POSITIVE_INFINITY;
  #limitAtMs = 0;

  get newest(): number {
    return this.#newest;
  }

  begin(slot: number, nowMs: number): void {
    this.#newest = slot;
    this.#setRoom(SLOTS_AHEAD_MAX, nowMs);
  }

  /** Whether the slot is currently plausible. */
  admits(slot: number, nowMs: number): boolean {
    const slotMax = Math.min(this.#newest + this.#roomAt(nowMs), this.#limitNow(nowMs));
    return slot >= this.#newest - SLOTS_APART_MAX && slot <= slotMax;
  }

  /** Records an accepted slot; a slot lower than the newest is ignored. */
  advanceTo(slot: number, nowMs: number): void {
    if (slot <= this.#newest) return;
    const left = this.#roomAt(nowMs) - (slot - this.#newest);
    this.#newest = slot;
    this.#setRoom(Math.min(left, SLOTS_AHEAD_MAX), nowMs);
  }

  /**
   * Records a second reading, after which no slot far beyond it is accepted. Returns false, without
   * changes, when the reading is implausible too.
   */
  confirm(slot: number, nowMs: number): boolean {
    if (!this.admits(slot, nowMs)) return false;
    const ahead = slot - this.#newest + SLOTS_AHEAD_MAX;
    this.#setRoom(Math.min(this.#roomAt(nowMs), ahead), nowMs);
    return true;
  }

  /** Records the Clock account's admitted slot. */
  limitTo(slot: number, nowMs: number): void {
    this.#limit = slot + SLOTS_APART_MAX;
    this.#limitAtMs = nowMs;
  }

  #limitNow(nowMs: number): number {
    return this.#limit + (nowMs - this.#limitAtMs) / SLOT_MS_MIN;
  }

  #roomAt(nowMs: number): number {
    return this.#room + (nowMs - this.#roomAtMs) / SLOT_MS_MIN;
  }

  #setRoom(room: number, nowMs: number): void {
    this.#room = room;
    this.#roomAtMs = nowMs;
  }
}

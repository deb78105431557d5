import { SLOT_MS_MIN, SLOTS_AHEAD_MAX, SLOTS_APART_MAX } from './limits.js';

/**
 * The slots that a node can be at now: what it was at, and as many more as the time since then has
 * room for. The room is a bucket: time fills it, slots empty it, and a chain at its pace leaves it full,
 * so that many small steps get no further than one big one. The slot in the Clock account limits it.
 */
export class SlotWindow {
  #newest = 0;
  #room = 0;
  #roomAtMs = 0;
  #limit = Number.POSITIVE_INFINITY;
  #limitAtMs = 0;

  /** The newest slot that is believed. */
  get newest(): number {
    return this.#newest;
  }

  /** A slot to begin with. */
  begin(slot: number, nowMs: number): void {
    this.#newest = slot;
    this.#setRoom(SLOTS_AHEAD_MAX, nowMs);
  }

  /** Whether the node can be at this slot now. */
  admits(slot: number, nowMs: number): boolean {
    const slotMax = Math.min(this.#newest + this.#roomAt(nowMs), this.#limitNow(nowMs));
    return slot >= this.#newest - SLOTS_APART_MAX && slot <= slotMax;
  }

  /** The node is at this slot, which was admitted; a lower one than the newest changes nothing. */
  advanceTo(slot: number, nowMs: number): void {
    if (slot <= this.#newest) return;
    const left = this.#roomAt(nowMs) - (slot - this.#newest);
    this.#newest = slot;
    this.#setRoom(Math.min(left, SLOTS_AHEAD_MAX), nowMs);
  }

  /**
   * A second reading: no slot far beyond it is believed. False when the node cannot be there either:
   * nothing changes.
   */
  confirm(slot: number, nowMs: number): boolean {
    if (!this.admits(slot, nowMs)) return false;
    const ahead = slot - this.#newest + SLOTS_AHEAD_MAX;
    this.#setRoom(Math.min(this.#roomAt(nowMs), ahead), nowMs);
    return true;
  }

  /** The Clock account is at this slot, which was admitted. */
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

import { CLOCK_LEAD_MS_MAX, CLOCK_LEAD_SLOTS_MAX } from './limits.js';

/**
 * How far the slots of a connection are ahead of the Clock account that it notifies. The Clock of a slot is
 * notified when that ends, about when the next one begins, and slots that were skipped lie between the two for the
 * length of one slot only. So a lead that stays is no lead of the chain: either slots are announced that the chain
 * has not reached, or the accounts that come with them are as late as the Clock.
 */
export class ClockLead {
  #clockSlot = 0;
  #sinceMs: number | null = null;
  #isTooLong = false;

  /** The newest Clock that was notified; 0 before the first. */
  get clockSlot(): number {
    return this.#clockSlot;
  }

  /** Whether the slots were too far ahead of every Clock that was notified for too long. */
  get isTooLong(): boolean {
    return this.#isTooLong;
  }

  /** A Clock was notified, when the newest slot was this one. One that comes late is no newer Clock. */
  recordClock(clockSlot: number, announced: number, nowMs: number): void {
    this.#clockSlot = Math.max(this.#clockSlot, clockSlot);
    if (announced <= this.#clockSlot + CLOCK_LEAD_SLOTS_MAX) {
      this.#sinceMs = null;
      return;
    }
    this.#sinceMs ??= nowMs;
    if (nowMs >= this.#sinceMs + CLOCK_LEAD_MS_MAX) this.#isTooLong = true;
  }
}

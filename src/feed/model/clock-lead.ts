import { CLOCK_LEAD_MS_MAX, CLOCK_LEAD_SLOTS_MAX } from './limits.js';

/**
 * The lead of a connection's slots over its notified Clock account. The Clock of a slot is notified
 * at the end of that slot, about when the next slot begins; skipped slots widen the lead for one
 * slot only. A persistent lead is therefore implausible: either the announced slots are ahead of
 * the chain, or the accounts are as late as the Clock.
 */
export class ClockLead {
  #clockSlot = 0;
  #sinceMs: number | null = null;
  #isTooLong = false;

  /** The slot of the newest notified Clock; 0 before the first. */
  get clockSlot(): number {
    return this.#clockSlot;
  }

  get isTooLong(): boolean {
    return this.#isTooLong;
  }

  /**
   * Records a notified Clock, and the newest slot at that time. An older Clock that arrives late is
   * ignored.
   */
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

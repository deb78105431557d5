import type { Timers } from '../contract/timers.js';
import { nextTurn, sleep } from '../rpc/timers.js';
import { REPLAY_PAUSE_MS_MAX, SLOT_MS_MAX } from './model/limits.js';

/** Schedules the turns of a replay, with a turn of the event loop between two of them at any speed. */
export class ReplayPace {
  readonly #speed: number;
  readonly #timers: Timers;
  readonly #signal: AbortSignal;
  #last: { readonly slot: number; readonly tsMs: number } | null = null;
  #dueMs = 0;

  constructor(speed: number, timers: Timers, signal: AbortSignal) {
    this.#speed = speed;
    this.#timers = timers;
    this.#signal = signal;
  }

  /** The next turn is due immediately. */
  begin(): void {
    this.#last = null;
  }

  /**
   * Waits until a turn of this moment is due. The time between two turns is bounded by their slots,
   * so that a wrong clock does not stall a replay. Rejects once the replay is stopped.
   */
  async waitFor(moment: { readonly slot: number; readonly tsMs: number }): Promise<void> {
    const last = this.#last ?? moment;
    if (this.#last === null) this.#dueMs = this.#timers.nowMs();
    this.#last = moment;
    const bySlots = (moment.slot - last.slot) * SLOT_MS_MAX;
    const passedMsMax = Math.max(REPLAY_PAUSE_MS_MAX, bySlots);
    const passedMs = Math.max(0, Math.min(moment.tsMs - last.tsMs, passedMsMax));
    if (this.#speed > 0) this.#dueMs += passedMs / this.#speed;
    const waitMs = this.#speed === 0 ? 0 : this.#dueMs - this.#timers.nowMs();
    if (waitMs >= 1) await sleep(this.#timers, waitMs, this.#signal);
    await nextTurn(this.#timers);
    this.#signal.throwIfAborted();
  }
}

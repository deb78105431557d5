import type { Timers } from '../contract/timers.js';
import { nextTurn, sleep } from '../rpc/timers.js';
import { REPLAY_PAUSE_MS_MAX, SLOT_MS_MAX } from './model/limits.js';

/** Says when a turn is due; whatever the speed, the loop turns between two of them. */
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

  /** The next turn is due at once. */
  begin(): void {
    this.#last = null;
  }

  /**
   * Waits until a turn of this moment is due. Between two turns no more time passes than their slots allow, so that a clock
   * that was wrong does not stop a replay. Rejects once the replay is stopped.
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

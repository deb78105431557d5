import { nextTurn, sleep, type Timers } from '../../rpc/timers.js';
import { REPLAY_WAIT_MS_MAX, REPLAY_WAIT_MS_MIN } from './recording-limits.js';

/** Says when a turn is due; whatever the speed, the loop turns between two of them. */
export class ReplayClock {
  readonly #speed: number;
  readonly #timers: Timers;
  readonly #signal: AbortSignal;
  /** When the first turn was played, and when it was recorded. */
  #origin: { readonly nowMs: number; readonly atMs: number } | null = null;

  constructor(options: {
    readonly speed: number;
    readonly timers: Timers;
    readonly signal: AbortSignal;
  }) {
    this.#speed = options.speed;
    this.#timers = options.timers;
    this.#signal = options.signal;
  }

  /** Waits until a turn that was recorded then is due. Rejects once the replay is stopped. */
  async waitUntil(atMs: number): Promise<void> {
    this.#origin ??= { nowMs: this.#timers.nowMs(), atMs };
    const { nowMs, atMs: firstAtMs } = this.#origin;
    const dueMs = this.#speed === 0 ? 0 : nowMs + (atMs - firstAtMs) / this.#speed;
    for (;;) {
      const waitMs = Math.min(dueMs - this.#timers.nowMs(), REPLAY_WAIT_MS_MAX);
      if (waitMs < REPLAY_WAIT_MS_MIN) break;
      await sleep(this.#timers, waitMs, this.#signal);
    }
    await nextTurn();
    this.#signal.throwIfAborted();
  }
}

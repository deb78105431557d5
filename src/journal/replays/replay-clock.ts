import type { JournalMoment } from '../../contract/journal-source.js';
import { REPLAY_LATE_MS_MAX, REPLAY_PAUSE_MS_MAX, SLOT_MS_MAX } from '../model/limits.js';

/** Schedules the turns of a replay. Times are monotonic milliseconds. */
export class ReplayClock {
  #speed: number;
  #last: JournalMoment | null = null;
  #dueMs = 0;
  /**
   * While paused: the remaining wait until the next turn, in milliseconds of the journal; null
   * while playing.
   */
  #restMs: number | null = null;

  /** `speed` is the factor relative to the recorded time; 0 means as fast as possible. */
  constructor(speed: number) {
    this.#speed = speed;
  }

  get speed(): number {
    return this.#speed;
  }

  get isPaused(): boolean {
    return this.#restMs !== null;
  }

  /** Infinity while paused. */
  get dueMs(): number {
    return this.#restMs === null ? this.#dueMs : Number.POSITIVE_INFINITY;
  }

  /** Forgets the last moment, so that the next turn is due immediately. */
  begin(): void {
    this.#last = null;
  }

  /** Sets the moment after which the next turn follows. */
  startAt(moment: JournalMoment, nowMs: number): void {
    this.#last = moment;
    this.#dueMs = nowMs;
    if (this.#restMs !== null) this.#restMs = 0;
  }

  /**
   * Sets the moment of the next turn. The time between two turns is bounded by their slots, so that
   * a wrong recorded clock does not stall a replay. Lateness is not caught up.
   */
  expectTurn(moment: JournalMoment, nowMs: number): void {
    if (this.#last === null) this.startAt(moment, nowMs);
    const last = this.#last ?? moment;
    this.#last = moment;
    const mostMs = Math.max(REPLAY_PAUSE_MS_MAX, (moment.slot - last.slot) * SLOT_MS_MAX);
    const passedMs = Math.max(0, Math.min(moment.ts - last.ts, mostMs));
    if (this.#restMs !== null) this.#restMs += passedMs;
    const fromMs = Math.max(this.#dueMs, nowMs - REPLAY_LATE_MS_MAX);
    this.#dueMs = this.#speed === 0 ? nowMs : fromMs + passedMs / this.#speed;
  }

  setSpeed(speed: number, nowMs: number): void {
    const { isPaused } = this;
    this.resume(speed, nowMs);
    if (isPaused) this.pause(nowMs);
  }

  pause(nowMs: number): void {
    this.#restMs ??= Math.max(0, this.#dueMs - nowMs) * this.#speed;
  }

  resume(speed: number, nowMs: number): void {
    this.pause(nowMs);
    this.#dueMs = nowMs + (this.#restMs ?? 0) / speed;
    this.#restMs = null;
    this.#speed = speed;
  }
}

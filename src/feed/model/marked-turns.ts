import type { FeedEngine, TurnChanges } from '../../contract/feed-engine.js';
import type { PublishMark } from '../../contract/publish-mark.js';
import type { Timer, Timers } from '../../contract/timers.js';
import { PublishMarks } from './publish-marks.js';

/** Dependencies of marked turns. */
export interface MarkedTurnsOptions {
  readonly engine: Pick<FeedEngine, 'endTurn'>;
  readonly timers: Pick<Timers, 'nowMs' | 'after'>;
  /** The service's interval between two frames of a topic. */
  readonly streamIntervalMs: number;
  readonly onTurn: (turn: TurnChanges, mark: PublishMark) => void;
  /** Called when delayed publications are due: a turn must end to publish them. */
  readonly onDue: () => void;
}

/** Ends turns of the engine, and decides the publications of each. */
export class MarkedTurns {
  readonly #options: MarkedTurnsOptions;
  readonly #marks: PublishMarks;
  #timer: Timer | null = null;
  /** The due time of the timer. */
  #wakeAtMs = Number.POSITIVE_INFINITY;
  #stopped = false;

  constructor(options: MarkedTurnsOptions) {
    this.#options = options;
    this.#marks = new PublishMarks(options.streamIntervalMs);
  }

  /** Ends a turn. `tsMs` is the time in bodies; calls `onApplied` before it is published. */
  endTurn(tsMs: number, onApplied?: () => void): TurnChanges {
    const turn = this.#options.engine.endTurn(tsMs);
    onApplied?.();
    this.#marks.addChanges(turn);
    const { timers, onTurn } = this.#options;
    const nowMs = timers.nowMs();
    const mark = this.#marks.takeMark(nowMs);
    this.#scheduleWake(nowMs);
    onTurn(turn, mark);
    return turn;
  }

  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  /** Schedules the timer for delayed publications, unless it fires earlier. */
  #scheduleWake(nowMs: number): void {
    const { timers, onDue } = this.#options;
    const { dueAtMs } = this.#marks;
    if (dueAtMs >= this.#wakeAtMs || this.#stopped) return;
    this.#timer?.cancel();
    this.#wakeAtMs = dueAtMs;
    this.#timer = timers.after(Math.ceil(dueAtMs - nowMs), () => {
      this.#wakeAtMs = Number.POSITIVE_INFINITY;
      onDue();
    });
  }
}

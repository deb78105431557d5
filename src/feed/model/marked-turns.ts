import type { FeedEngine, TurnChanges } from '../../contract/feed-engine.js';
import type { PublishMark } from '../../contract/publish-mark.js';
import type { Timer, Timers } from '../../contract/timers.js';
import { PublishMarks } from './publish-marks.js';

/** What turns with marks need. */
export interface MarkedTurnsOptions {
  readonly engine: Pick<FeedEngine, 'endTurn'>;
  readonly timers: Pick<Timers, 'nowMs' | 'after'>;
  /** The service's own interval between two frames of a topic. */
  readonly streamIntervalMs: number;
  readonly onTurn: (turn: TurnChanges, mark: PublishMark) => void;
  /** What had to wait may be published: a turn is to end, if only for that. */
  readonly onDue: () => void;
}

/** Ends turns of the engine, and says with each of them what is published. */
export class MarkedTurns {
  readonly #options: MarkedTurnsOptions;
  readonly #marks: PublishMarks;
  #timer: Timer | null = null;
  /** When the timer fires. */
  #wakeAtMs = Number.POSITIVE_INFINITY;
  #stopped = false;

  constructor(options: MarkedTurnsOptions) {
    this.#options = options;
    this.#marks = new PublishMarks(options.streamIntervalMs);
  }

  /** Ends a turn. `tsMs` is the time that bodies carry; calls `onApplied` before it is published. */
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

  /** Asks for no turn any more. */
  stop(): void {
    this.#stopped = true;
    this.#timer?.cancel();
  }

  /** Sets the timer for what has to wait, unless it comes sooner. */
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

import type { MarketChanges, TurnChanges } from './feed-engine.js';

/**
 * The publications at the end of a turn. The writer of the book's log decides them once, so that
 * all processes that read the log send the same frames.
 */
export type PublishMark = readonly MarketMark[];

/** One market of a mark; markets are distinct within a mark. */
export interface MarketMark {
  /** A `MarketInfo.id`. */
  readonly market: number;
  /**
   * Bit set of the intervals to publish: bit 0 is the service's own interval, bit n the n-th of
   * `LIMITS.streamIntervals`.
   */
  readonly classes: number;
}

/** The end of a turn. */
export interface EndedTurn<Changes extends MarketChanges = TurnChanges> {
  readonly changes: Changes;
  /** The published classes. */
  readonly mark: PublishMark;
  /** The time at which the first update of the turn was received, monotonic milliseconds. */
  readonly receivedAtMs: number;
}

/**
 * Keeps the order of a published book: input, turn, frames, next input. The frames of a mark show
 * the book of their turn, so code that changes the book waits for the frames, or has them rendered
 * first.
 */
export interface MarkPublisher {
  /** Whether frames of the last mark are not yet rendered. */
  readonly isPublishing: boolean;
  /** Renders the pending frames immediately. */
  finishMark(): void;
  /**
   * Calls back once all frames are rendered; immediately when they are. Waiting callbacks are
   * called in order, one in each turn of the event loop, because each may render frames.
   */
  onceFinished(resume: () => void): void;
}

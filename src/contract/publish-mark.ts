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
  /** When the first part of the turn was received, in monotonic milliseconds. */
  readonly receivedAtMs: number;
}

/**
 * Keeps the order of a book that is published: input, turn, frames, next input. The frames of a mark show the book
 * of their turn, so whoever moves the book waits for them, or has them made first.
 */
export interface MarkPublisher {
  /** Whether frames of the last mark are pending. */
  readonly isPublishing: boolean;
  /** Renders the pending frames immediately. */
  finishMark(): void;
  /**
   * Calls back once they are all made; immediately when they are. Waiters are resumed in their order, one a turn of the
   * event loop: each may make frames.
   */
  onceFinished(resume: () => void): void;
}

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

/** Renders the frames of marks. They show the book at their mark, so the next input waits for them. */
export interface MarkPublisher {
  /** Whether frames of the last mark are pending. */
  readonly isPublishing: boolean;
  /** Renders the pending frames immediately. */
  finishMark(): void;
  /** Calls back once no frames are pending; immediately if there are none. */
  onceFinished(resume: () => void): void;
}

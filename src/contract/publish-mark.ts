/**
 * What is published at the end of a turn. Whoever writes the log of the book decides it once, so that all
 * processes that read the log send the same frames.
 */
export type PublishMark = readonly MarketMark[];

/** One market of a mark, which names each market once. */
export interface MarketMark {
  /** A `MarketInfo.id`. */
  readonly market: number;
  /**
   * The intervals whose topics are published, a bit each: bit 0 is the service's own interval, bit n the
   * n-th of `LIMITS.streamIntervals`.
   */
  readonly classes: number;
}

/** Makes the frames of marks. They show the book of their mark, so the next input waits for them. */
export interface MarkPublisher {
  /** Whether frames of the last mark are still to be made. */
  readonly isPublishing: boolean;
  /** Makes them now. */
  finishMark(): void;
  /** Calls back once they are all made; at once when they are. */
  onceFinished(resume: () => void): void;
}

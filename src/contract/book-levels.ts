/** The levels of one price. */
export interface BookLevel {
  /** Price at 1e6. */
  readonly price: bigint;
  /** Size at 1e9. */
  readonly size: bigint;
}

/** The levels of both sides, best first. */
export interface BookLevels {
  readonly bids: readonly BookLevel[];
  readonly asks: readonly BookLevel[];
}

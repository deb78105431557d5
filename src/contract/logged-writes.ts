/** The writes in one slot that the logs of confirmed transactions report. */
export interface LoggedWrites {
  readonly slot: number;
  /** User accounts that the transactions wrote, by the events in their logs. */
  readonly users: readonly string[];
  /**
   * Signatures of transactions whose logs are truncated or missing: these transactions may have
   * written more users.
   */
  readonly unread: readonly string[];
}

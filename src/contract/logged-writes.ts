/** What the logs of confirmed transactions say about one slot. */
export interface LoggedWrites {
  readonly slot: number;
  /** User accounts that the transactions wrote, by the events in their logs. */
  readonly users: readonly string[];
  /** Signatures of transactions whose logs are cut or missing: they may have written others. */
  readonly unread: readonly string[];
}

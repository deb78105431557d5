/** Counts since the start, for metrics. */
export interface FeedCounters {
  notifications: number;
  malformedNotifications: number;
  replayed: number;
  /** Updates left out of a replay because the reading was newer. */
  replayedTooOld: number;
  rebuilds: number;
  rebuildFailures: number;
  /** Full readings that an unreadable message caused. */
  resyncs: number;
  clockPolls: number;
  clockPollFailures: number;
  /** Moves from one node to the next. */
  failovers: number;
  /** Scans that the snapshot node failed to give, so that the node in use was scanned. */
  scanFallbacks: number;
  /** Audits that went through while the book was live. */
  audits: number;
  auditFailures: number;
  /** Users, markets and oracles that audits added or changed: 0 when nothing was missed. */
  auditDifferences: number;
  /** Accounts that audits took out: closed ones and idle users, of which no node notifies. */
  auditRemovals: number;
  /** Users that all full readings and audits found to differ, the first reading not counted. */
  usersAdded: number;
  usersChanged: number;
  usersRemoved: number;
}

export function newCounters(): FeedCounters {
  return {
    notifications: 0,
    malformedNotifications: 0,
    replayed: 0,
    replayedTooOld: 0,
    rebuilds: 0,
    rebuildFailures: 0,
    resyncs: 0,
    clockPolls: 0,
    clockPollFailures: 0,
    failovers: 0,
    scanFallbacks: 0,
    audits: 0,
    auditFailures: 0,
    auditDifferences: 0,
    auditRemovals: 0,
    usersAdded: 0,
    usersChanged: 0,
    usersRemoved: 0,
  };
}

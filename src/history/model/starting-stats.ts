import type { HistoryStats } from '../../contract/history-source.js';

/** The statistics of a history that is not open yet, for this reason. */
export function startingStats(reason: string | null): HistoryStats {
  return {
    state: 'starting',
    reason: reason ?? 'the history is being opened',
    counts: {},
    stored: { trades: 0, fundingRates: 0, truncated: 0 },
    queued: 0,
    spansOpen: 0,
    missingFills: {},
    finalisedSlot: 0,
    completeSinceTs: null,
    chainTs: null,
    newestSlot: 0,
    lagMs: null,
  };
}

/** The history in /ready, /status and /metrics. */

import type { HistoryStats } from '../../contract/history-source.js';
import { counterSeries, gaugeSeries, type MetricSeries, stateFlags } from './series.js';

const STATES = ['starting', 'backfilling', 'live', 'failing'] as const;

/** The name of the counter of failed writes. */
const STORE_FAILURES = 'storeFailures';

/** The history in the body of /ready. */
export function historyReadiness({ state, reason }: HistoryStats): object {
  return { state, reason };
}

/** The history in the body of /status. */
export function historyStatus(stats: HistoryStats): object {
  const { state, reason, stored, counts, queued, spansOpen } = stats;
  const { trades, fundingRates, truncated, ...records } = stored;
  const { finalisedSlot, completeSinceTs, newestSlot, lagMs, missingFills } = stats;
  return {
    state,
    reason,
    trades,
    fundingRates,
    records,
    truncated,
    queued,
    spansOpen,
    finalisedSlot,
    completeSinceTs,
    newestSlot,
    lagMs: lagMs === null ? null : Math.max(0, Math.round(lagMs)),
    missingFills,
    storeFailures: counts[STORE_FAILURES] ?? 0,
    events: counts,
  };
}

/** The series of the history. */
export function historySeries(stats: () => HistoryStats): readonly MetricSeries[] {
  const gauge = (name: string, help: string, read: () => number): MetricSeries =>
    gaugeSeries(`slotbook_history_${name}`, help, read);
  return [
    {
      kind: 'gauge',
      name: 'slotbook_history_state',
      help: 'The state of the history: 1 for the one that holds.',
      label: 'state',
      read: () => stateFlags(STATES, stats().state),
    },
    {
      kind: 'gauge',
      name: 'slotbook_history_rows',
      help: 'Stored rows by kind; truncated are transactions whose log the node had cut.',
      label: 'kind',
      read: () => stats().stored,
    },
    {
      kind: 'gauge',
      name: 'slotbook_history_missing_fills',
      help: 'Numbers of fills that are missing between stored ones, by market.',
      label: 'market',
      read: () => ({ ...stats().missingFills }),
    },
    gauge('queued', 'Transactions that wait to be stored.', () => stats().queued),
    gauge('spans_open', 'Gaps of signatures still to be fetched.', () => stats().spansOpen),
    gauge('finalised_slot', 'All before it is complete.', () => stats().finalisedSlot),
    gauge('newest_slot', 'The newest slot with a stored trade.', () => stats().newestSlot),
    gauge('lag_seconds', 'Time from the last live trade to its being stored.', () => {
      return Math.max(0, stats().lagMs ?? 0) / 1_000;
    }),
    counterSeries(
      'slotbook_history_store_failures_total',
      'Writes that the disk refused.',
      () => stats().counts[STORE_FAILURES] ?? 0,
    ),
    {
      kind: 'counter',
      name: 'slotbook_history_events_total',
      help: 'Events of the history by name: notifications, fetches, forks, failures.',
      label: 'event',
      read: () => stats().counts,
    },
  ];
}

/** The history in /metrics. */

import type { HistoryStats } from '../../contract/history-source.js';
import { type MetricSeries, seriesOf, stateFlags } from './series.js';

const STATES = ['starting', 'backfilling', 'live', 'failing'] as const;

/** The series of the history. */
export function historySeries(stats: () => HistoryStats): readonly MetricSeries[] {
  return seriesOf(stats, [
    [
      'history_state{state}',
      'The state of the history: 1 for the one that holds.',
      ({ state }) => stateFlags(STATES, state),
    ],
    [
      'history_rows{kind}',
      'Stored rows by kind; truncated are transactions whose log the node had cut.',
      ({ stored }) => stored,
    ],
    [
      'history_missing_fills{market}',
      'Numbers of fills that are missing between stored ones, by market.',
      ({ missingFills }) => ({ ...missingFills }),
    ],
    ['history_queued', 'Transactions that wait to be stored.', ({ queued }) => queued],
    ['history_spans_open', 'Gaps of signatures still to be fetched.', (stats) => stats.spansOpen],
    ['history_finalised_slot', 'All before it is complete.', (stats) => stats.finalisedSlot],
    ['history_newest_slot', 'The newest slot with a stored trade.', (stats) => stats.newestSlot],
    [
      'history_lag_seconds',
      'Time from the last live trade to its being stored.',
      ({ lagMs }) => Math.max(0, lagMs ?? 0) / 1_000,
    ],
    [
      'history_store_failures_total',
      'Writes that the disk refused.',
      ({ counts }) => counts['storeFailures'] ?? 0,
    ],
    [
      'history_events_total{event}',
      'Events of the history by name: notifications, fetches, forks, failures.',
      ({ counts }) => counts,
    ],
  ]);
}

/** The journal in /status and /metrics. */
import type { AsOfStats } from '../../contract/as-of-source.js';
import type { JournalStats } from '../../contract/journal-source.js';
import { type MetricSeries, seriesOf, stateFlags } from './series.js';

const STATES = ['starting', 'writing', 'stopped'] as const;

/** The series of the journal. */
export function journalSeries(stats: () => JournalStats): readonly MetricSeries[] {
  return seriesOf(stats, [
    [
      'journal_state{state}',
      'The state of the journal: 1 for the one that holds.',
      ({ state }) => stateFlags(STATES, state),
    ],
    ['journal_bytes', 'Bytes of its files.', ({ bytes }) => bytes],
    ['journal_segments', 'Its files.', ({ segments }) => segments],
    ['journal_gaps', 'Times between two ranges of which nothing is kept.', ({ gaps }) => gaps],
    ['journal_newest_slot', 'The newest slot that is written.', (stats) => stats.newest?.slot ?? 0],
    [
      'journal_queued_bytes',
      'Bytes of turns that wait for its thread, or for NATS.',
      ({ queuedBytes }) => queuedBytes,
    ],
    [
      'journal_events_total{event}',
      'Events of the journal by name: files, failures, bytes.',
      ({ events }) => events,
    ],
  ]);
}

/** Returns the metrics of requests for past moments. */
export function asOfSeries(stats: () => AsOfStats): readonly MetricSeries[] {
  return seriesOf(stats, [
    ['as_of_open', 'Requests for past moments that have no reply yet.', ({ open }) => open],
    ['as_of_threads', 'Their threads.', ({ threads }) => threads],
    [
      'as_of_events_total{event}',
      'Requests for past moments, what came of them, and the books that were made for them.',
      ({ events }) => events,
    ],
  ]);
}

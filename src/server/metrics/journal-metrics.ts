/** The journal in /status and /metrics. */
import type { AsOfStats } from '../../contract/as-of-source.js';
import type { JournalStats } from '../../contract/journal-source.js';
import { gaugeSeries, type MetricSeries, stateFlags } from './series.js';

const STATES = ['starting', 'writing', 'stopped'] as const;

/** The journal in the body of /status. */
export function journalStatus(stats: JournalStats): object {
  const { state, reason, segments, bytes, gaps, oldest, newest, queuedBytes, events } = stats;
  return { state, reason, segments, bytes, gaps, oldest, newest, queuedBytes, events };
}

/** The series of the journal. */
export function journalSeries(stats: () => JournalStats): readonly MetricSeries[] {
  const gauge = (name: string, help: string, read: () => number): MetricSeries =>
    gaugeSeries(`slotbook_journal_${name}`, help, read);
  return [
    {
      kind: 'gauge',
      name: 'slotbook_journal_state',
      label: 'state',
      help: 'The state of the journal: 1 for the one that holds.',
      read: () => stateFlags(STATES, stats().state),
    },
    gauge('bytes', 'Bytes of its files.', () => stats().bytes),
    gauge('segments', 'Its files.', () => stats().segments),
    gauge('gaps', 'Times between two ranges of which nothing is kept.', () => stats().gaps),
    gauge('newest_slot', 'The newest slot that is written.', () => stats().newest?.slot ?? 0),
    gauge(
      'queued_bytes',
      'Bytes of turns that wait for its thread, or for NATS.',
      () => stats().queuedBytes,
    ),
    {
      kind: 'counter',
      name: 'slotbook_journal_events_total',
      label: 'event',
      help: 'Events of the journal by name: files, failures, bytes.',
      read: () => stats().events,
    },
  ];
}

/** Returns the metrics of requests for past moments. */
export function asOfSeries(stats: () => AsOfStats): readonly MetricSeries[] {
  return [
    gaugeSeries(
      'slotbook_as_of_open',
      'Requests for past moments that have no reply yet.',
      () => stats().open,
    ),
    gaugeSeries('slotbook_as_of_threads', 'Their threads.', () => stats().threads),
    {
      kind: 'counter',
      name: 'slotbook_as_of_events_total',
      label: 'event',
      help: 'Requests for past moments, what came of them, and the books that were made for them.',
      read: () => stats().events,
    },
  ];
}

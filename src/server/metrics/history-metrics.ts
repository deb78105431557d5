/** The history in figures, as /ready, /status and /metrics show them. */
import type { HistoryFigures } from '../ports/market-data-source.js';

/** States of the history, of which one holds. */
const STATES = ['starting', 'backfilling', 'live', 'failing'] as const;

/** Of the counts those that tell of the disk. */
const STORE_FAILURES = 'storeFailures';

/** What /ready says of it. */
export function historyReadiness({ state, reason }: HistoryFigures): object {
  return { state, reason };
}

/** What /status says of it. */
export function historyStatus(figures: HistoryFigures): object {
  const { state, reason, stored, counts, queued, spansOpen } = figures;
  const { finalisedSlot, completeSinceTs, newestSlot, lagMs, missingFills } = figures;
  return {
    ...{ state, reason, ...stored, queued, spansOpen, finalisedSlot },
    ...{ completeSinceTs, newestSlot },
    lagMs: lagMs === null ? null : Math.max(0, Math.round(lagMs)),
    missingFills,
    storeFailures: counts[STORE_FAILURES] ?? 0,
    events: counts,
  };
}

/** One figure, or one for each value of a label. */
interface HistorySeries {
  readonly kind: 'gauge' | 'counter';
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  readonly read: () => number | Readonly<Record<string, number | undefined>>;
}

/** What /metrics says of it. */
export function historySeries(figures: () => HistoryFigures): readonly HistorySeries[] {
  const gauge = (name: string, help: string, read: () => number): HistorySeries => {
    return { kind: 'gauge', name: `slotbook_history_${name}`, help, read };
  };
  return [
    {
      kind: 'gauge',
      name: 'slotbook_history_state',
      help: 'The state of the history: 1 for the one that holds.',
      label: 'state',
      read: () => {
        const { state } = figures();
        return Object.fromEntries(STATES.map((known) => [known, known === state ? 1 : 0]));
      },
    },
    {
      kind: 'gauge',
      name: 'slotbook_history_rows',
      help: 'What is stored, by kind; truncated are transactions whose log the node had cut.',
      label: 'kind',
      read: () => figures().stored,
    },
    {
      kind: 'gauge',
      name: 'slotbook_history_missing_fills',
      help: 'Numbers of fills that are missing between stored ones, by market.',
      label: 'market',
      read: () => ({ ...figures().missingFills }),
    },
    gauge('queued', 'Transactions that wait to be stored.', () => figures().queued),
    gauge('spans_open', 'Spans of signatures still to be read.', () => figures().spansOpen),
    gauge('finalised_slot', 'All before it is complete.', () => figures().finalisedSlot),
    gauge('newest_slot', 'The newest slot with a stored trade.', () => figures().newestSlot),
    gauge('lag_seconds', 'Time from the last live trade to its being stored.', () => {
      return Math.max(0, figures().lagMs ?? 0) / 1_000;
    }),
    {
      kind: 'counter',
      name: 'slotbook_history_store_failures_total',
      help: 'Times the disk did not take what was to be stored.',
      read: () => figures().counts[STORE_FAILURES] ?? 0,
    },
    {
      kind: 'counter',
      name: 'slotbook_history_events_total',
      help: 'What the history met, by name: notifications, readings, forks, failures.',
      label: 'event',
      read: () => figures().counts,
    },
  ];
}

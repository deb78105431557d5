/** Counters of the makers' sockets since the start, and their Prometheus series. */
import type { BookStats } from '../../contract/book-source.js';
import { type MetricSeries, OutcomeCounts, type SocketOutcomes, seriesOf } from './series.js';
import type { CloseReason } from './socket-metrics.js';

/** Why a maker's socket closed. */
export type QuoteCloseReason = CloseReason | 'unauthorized' | 'replaced' | 'crowdedOut';

/** A snapshot of the counters. */
export interface QuoteSocketStats extends SocketOutcomes<QuoteCloseReason> {
  /** Open sockets, and open sockets whose maker has signed. */
  readonly sockets: number;
  readonly makers: number;
  /** Accepted quote messages: those that changed the book, and those that did not. */
  readonly changed: number;
  readonly unchanged: number;
}

/** The counters of one service. */
export class QuoteCounts {
  changed = 0;
  unchanged = 0;
  readonly outcomes = new OutcomeCounts<QuoteCloseReason>();

  readStats(open: Pick<QuoteSocketStats, 'sockets' | 'makers'>): QuoteSocketStats {
    const { changed, unchanged } = this;
    return { ...open, changed, unchanged, ...this.outcomes.readOutcomes() };
  }
}

/** Returns the series of indicative quotes and of the makers' sockets. */
export function quoteSeries(
  stats: () => BookStats,
  sockets: () => QuoteSocketStats,
): readonly MetricSeries[] {
  return [
    ...seriesOf(stats, [
      [
        'indicative_makers',
        'Pairs of a maker and a market with indicative quotes.',
        ({ quotingMakers }) => quotingMakers,
      ],
      [
        'indicative_quotes',
        'Sides of indicative quotes that have not expired.',
        ({ quotes }) => quotes,
      ],
    ]),
    ...seriesOf(sockets, [
      [
        'quote_sockets{state}',
        'Sockets of makers open now: those that have signed, and the others.',
        ({ sockets: open, makers }) => ({ signed: makers, unsigned: open - makers }),
      ],
      [
        'quote_messages_total{outcome}',
        'Messages of quotes that were accepted, by whether they changed the book.',
        ({ changed, unchanged }) => ({ changed, unchanged }),
      ],
      ['quote_errors_total{code}', 'Errors sent to makers, by code.', ({ errors }) => errors],
      ['quote_closes_total{reason}', 'Sockets of makers closed, by reason.', (all) => all.closes],
      ['quote_refusals_total{code}', 'Upgrades of makers refused, by code.', (all) => all.refused],
    ]),
  ];
}

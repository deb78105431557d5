/** The figures of indicative quotes as /metrics names them. */
import type { BookStats } from '../ports/book-source.js';
import type { QuoteSocketStats } from './quotes-figures.js';

/** One figure, or one for each value of a label. */
interface QuoteSeries {
  readonly kind: 'gauge' | 'counter';
  readonly name: string;
  readonly help: string;
  readonly label?: string;
  readonly read: () => number | Readonly<Record<string, number | undefined>>;
}

/** What is held of quotes, and what the sockets of makers did. */
export function quoteSeries(
  stats: () => BookStats,
  figures: () => QuoteSocketStats,
): readonly QuoteSeries[] {
  return [
    {
      kind: 'gauge',
      name: 'slotbook_indicative_makers',
      help: 'Pairs of a maker and a market with indicative quotes.',
      read: () => stats().quotingMakers,
    },
    {
      kind: 'gauge',
      name: 'slotbook_indicative_quotes',
      help: 'Sides of indicative quotes that live.',
      read: () => stats().quotes,
    },
    {
      kind: 'gauge',
      name: 'slotbook_quote_sockets',
      label: 'state',
      help: 'Sockets of makers open now: those that have signed, and the others.',
      read: () => {
        const { sockets, makers } = figures();
        return { signed: makers, unsigned: sockets - makers };
      },
    },
    {
      kind: 'counter',
      name: 'slotbook_quote_messages_total',
      label: 'outcome',
      help: 'Messages of quotes that were taken, by whether they changed the book.',
      read: () => {
        const { changed, unchanged } = figures();
        return { changed, unchanged };
      },
    },
    {
      kind: 'counter',
      name: 'slotbook_quote_errors_total',
      label: 'code',
      help: 'Errors answered to makers, by code.',
      read: () => figures().errors,
    },
    {
      kind: 'counter',
      name: 'slotbook_quote_closes_total',
      label: 'reason',
      help: 'Sockets of makers closed, by reason.',
      read: () => figures().closes,
    },
    {
      kind: 'counter',
      name: 'slotbook_quote_refusals_total',
      label: 'code',
      help: 'Upgrades of makers refused, by code.',
      read: () => figures().refused,
    },
  ];
}

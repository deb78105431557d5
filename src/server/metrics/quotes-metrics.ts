/** Counters of the makers' sockets since the start, and their Prometheus series. */
import type { BookStats } from '../../contract/book-source.js';
import type { CloseCause } from '../transport/client-socket.js';
import { gaugeSeries, incrementCount, type MetricSeries } from './series.js';

/** Why a maker's socket closed. */
export type QuoteCloseReason =
  | Exclude<CloseCause, 'server'>
  | 'unauthorized'
  | 'replaced'
  | 'crowdedOut'
  | 'rateLimited'
  | 'slowReader'
  | 'shutdown'
  | 'internal';

/** A snapshot of the counters. */
export interface QuoteSocketStats {
  /** Open sockets, and open sockets whose maker has signed. */
  readonly sockets: number;
  readonly makers: number;
  /** Accepted quote messages: those that changed the book, and those that did not. */
  readonly changed: number;
  readonly unchanged: number;
  /** Errors sent, by code. */
  readonly errors: Readonly<Record<string, number>>;
  readonly closes: Readonly<Partial<Record<QuoteCloseReason, number>>>;
  /** Rejected upgrades, by code. */
  readonly refused: Readonly<Record<string, number>>;
}

/** The counters of one service. */
export class QuoteCounts {
  changed = 0;
  unchanged = 0;
  readonly #errors = new Map<string, number>();
  readonly #closes = new Map<QuoteCloseReason, number>();
  readonly #refusals = new Map<string, number>();

  countError(code: string): void {
    incrementCount(this.#errors, code);
  }

  countClose(reason: QuoteCloseReason): void {
    incrementCount(this.#closes, reason);
  }

  countRefusal(code: string): void {
    incrementCount(this.#refusals, code);
  }

  readStats(open: Pick<QuoteSocketStats, 'sockets' | 'makers'>): QuoteSocketStats {
    return {
      ...open,
      changed: this.changed,
      unchanged: this.unchanged,
      errors: Object.fromEntries(this.#errors),
      closes: Object.fromEntries(this.#closes),
      refused: Object.fromEntries(this.#refusals),
    };
  }
}

/** Returns the series of indicative quotes and of the makers' sockets. */
export function quoteSeries(
  stats: () => BookStats,
  sockets: () => QuoteSocketStats,
): readonly MetricSeries[] {
  return [
    gaugeSeries(
      'slotbook_indicative_makers',
      'Pairs of a maker and a market with indicative quotes.',
      () => stats().quotingMakers,
    ),
    gaugeSeries(
      'slotbook_indicative_quotes',
      'Sides of indicative quotes that have not expired.',
      () => stats().quotes,
    ),
    {
      kind: 'gauge',
      name: 'slotbook_quote_sockets',
      label: 'state',
      help: 'Sockets of makers open now: those that have signed, and the others.',
      read: () => {
        const { sockets: open, makers } = sockets();
        return { signed: makers, unsigned: open - makers };
      },
    },
    {
      kind: 'counter',
      name: 'slotbook_quote_messages_total',
      label: 'outcome',
      help: 'Messages of quotes that were accepted, by whether they changed the book.',
      read: () => {
        const { changed, unchanged } = sockets();
        return { changed, unchanged };
      },
    },
    {
      kind: 'counter',
      name: 'slotbook_quote_errors_total',
      label: 'code',
      help: 'Errors sent to makers, by code.',
      read: () => sockets().errors,
    },
    {
      kind: 'counter',
      name: 'slotbook_quote_closes_total',
      label: 'reason',
      help: 'Sockets of makers closed, by reason.',
      read: () => sockets().closes,
    },
    {
      kind: 'counter',
      name: 'slotbook_quote_refusals_total',
      label: 'code',
      help: 'Upgrades of makers refused, by code.',
      read: () => sockets().refused,
    },
  ];
}

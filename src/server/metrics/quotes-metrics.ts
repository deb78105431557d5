/** The figures of indicative quotes as /metrics names them. */

import type { BookStats } from '../../contract/book-source.js';
import type { CloseCause } from '../transport/client-socket.js';

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

/** What the sockets of makers did since the start, for metrics. */

/** Why a maker's socket closed. */
export type QuoteCloseReason =
  | Exclude<CloseCause, 'server'>
  | 'unauthorized'
  | 'replaced'
  | 'rateLimited'
  | 'slowReader'
  | 'shutdown'
  | 'internal';

/** One reading of the counters. */
export interface QuoteSocketStats {
  /** Sockets open now, and those whose maker has signed. */
  readonly sockets: number;
  readonly makers: number;
  /** Messages of quotes that were taken: those that changed the book, and the others. */
  readonly changed: number;
  readonly unchanged: number;
  /** Errors answered, by code. */
  readonly errors: Readonly<Record<string, number>>;
  readonly closes: Readonly<Partial<Record<QuoteCloseReason, number>>>;
  /** Upgrades refused, by code. */
  readonly refused: Readonly<Record<string, number>>;
}

/** The counters of one service. */
export class QuoteCounts {
  changed = 0;
  unchanged = 0;
  readonly #errors = new Map<string, number>();
  readonly #closes = new Map<QuoteCloseReason, number>();
  readonly #countRefusal = new Map<string, number>();

  countError(code: string): void {
    increment(this.#errors, code);
  }

  countClose(reason: QuoteCloseReason): void {
    increment(this.#closes, reason);
  }

  refused(code: string): void {
    increment(this.#countRefusal, code);
  }

  readStats(open: Pick<QuoteSocketStats, 'sockets' | 'makers'>): QuoteSocketStats {
    return {
      ...open,
      changed: this.changed,
      unchanged: this.unchanged,
      errors: Object.fromEntries(this.#errors),
      closes: Object.fromEntries(this.#closes),
      refused: Object.fromEntries(this.#countRefusal),
    };
  }
}

function increment<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

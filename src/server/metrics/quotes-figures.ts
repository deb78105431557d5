/** What the sockets of makers did since the start, for metrics. */
import type { CloseCause } from '../transport/ws-socket.js';

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
export interface QuoteFigures {
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
  readonly #refused = new Map<string, number>();

  error(code: string): void {
    increment(this.#errors, code);
  }

  closed(reason: QuoteCloseReason): void {
    increment(this.#closes, reason);
  }

  refused(code: string): void {
    increment(this.#refused, code);
  }

  figures(open: Pick<QuoteFigures, 'sockets' | 'makers'>): QuoteFigures {
    return {
      ...open,
      changed: this.changed,
      unchanged: this.unchanged,
      errors: Object.fromEntries(this.#errors),
      closes: Object.fromEntries(this.#closes),
      refused: Object.fromEntries(this.#refused),
    };
  }
}

function increment<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

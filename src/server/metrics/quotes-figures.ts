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

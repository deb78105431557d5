/** Decides when a service is ready, and which conditions are pending until then. */
import type { MarketDirectory } from '../../contract/book-source.js';
import type { Readiness } from '../../contract/feed-status.js';
import type { MarketDataSource } from '../../contract/history-source.js';

/** Why the book is not live. */
export function bookReason({ state, reason }: Pick<Readiness, 'state' | 'reason'>): string {
  return reason ?? `the book is ${state}`;
}

/** What a service is ready by. */
export interface FirstReadyOptions {
  readonly readiness: () => Readiness;
  readonly directory: Pick<MarketDirectory, 'markets'>;
  /** The names of `--markets`; empty, as by default, for all markets. */
  readonly marketNames?: readonly string[];
  /** Absent where there is no history. */
  readonly history?: Pick<MarketDataSource, 'readStats'>;
  /**
   * The required state of the history: open, which is the default, or filled with the trades that
   * the chain had when it was opened.
   */
  readonly historyFirst?: HistoryFirst;
}

/**
 * The history's state required for readiness. Filling takes some seconds on a new chain, and
 * minutes on a busy chain.
 */
export type HistoryFirst = 'open' | 'filled';

/**
 * A service is ready while its book is live, or paused at a requested moment. The first readiness
 * also requires a listed market and the history; their later failures are shown in /status only.
 */
export class FirstReady {
  readonly #options: FirstReadyOptions;
  #wasReady = false;

  constructor(options: FirstReadyOptions) {
    this.#options = options;
  }

  /** What the service waits for; null when it is ready. */
  waitReason(): string | null {
    const { state, reason, standsStill = false } = this.#options.readiness();
    // There is nothing to wait for.
    if (standsStill) return null;
    if (state !== 'live') return bookReason({ state, reason });
    if (this.#wasReady) return null;
    const first = this.#firstReason();
    this.#wasReady = first === null;
    return first;
  }

  #firstReason(): string | null {
    const { directory, marketNames = [], history, historyFirst } = this.#options;
    if (marketNames.length > 0 && directory.markets().length === 0) {
      return `no market of --markets is on this chain: ${marketNames.join(', ')}`;
    }
    // One that fails is not waited for: the book is of use without it.
    const { state, reason } = history?.readStats() ?? { state: 'live', reason: null };
    if (state === 'backfilling' && historyFirst === 'filled') return 'the history is being filled';
    if (state !== 'starting' && state !== 'off') return null;
    return `the history is not open yet${reason === null ? '' : `: ${reason}`}`;
  }
}

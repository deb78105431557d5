/** Decides whether a service is ready, and names the condition for which it waits. */
import type { MarketDirectory } from '../../contract/book-source.js';
import type { Readiness } from '../../contract/feed-status.js';
import type { MarketDataSource } from '../../contract/history-source.js';

/** Why the book is not live. */
export function bookReason({ state, reason }: Pick<Readiness, 'state' | 'reason'>): string {
  return reason ?? `the book is ${state}`;
}

const ALL_ELSEWHERE =
  'the orders of all perp markets rest on a CLOB program, which this version does not read';

/** Whether no perp market has its orders in the accounts that the book reads. */
function areAllElsewhere(directory: FirstReadyOptions['directory']): boolean {
  const perps = directory.markets().filter(({ marketType }) => marketType === 'perp');
  return perps.length > 0 && perps.every(({ emptyReason }) => emptyReason === 'ordersOnClob');
}

/** What a service is ready by. */
export interface FirstReadyOptions {
  readonly readiness: () => Readiness;
  readonly directory: Pick<MarketDirectory, 'markets'>;
  /** The market names of `--markets`; empty, the default, for all markets. */
  readonly marketNames?: readonly string[];
  /** Absent where there is no history. */
  readonly history?: Pick<MarketDataSource, 'readStats'> | undefined;
  /**
   * The state that the history must reach: `open`, the default, or `filled` with the trades that
   * the chain had when the history was opened.
   */
  readonly historyFirst?: HistoryFirst;
}

/**
 * The state that the history must reach before the service is ready. Filling takes some seconds on
 * a new chain and minutes on a busy chain.
 */
export type HistoryFirst = 'open' | 'filled';

const NO_MARKET = 'no market is on this chain';

/**
 * A service is ready while its book is live and holds orders of a market, or paused at a requested moment. The first readiness
 * also requires a listed market and the history; a later failure of either is shown in /status
 * only.
 */
export class FirstReady {
  readonly #options: FirstReadyOptions;
  #wasReady = false;

  constructor(options: FirstReadyOptions) {
    this.#options = options;
  }

  /** Returns the condition for which the service waits; null when the service is ready. */
  waitReason(): string | null {
    const { state, reason, standsStill = false } = this.#options.readiness();
    // There is nothing to wait for.
    if (standsStill) return null;
    if (state !== 'live') return bookReason({ state, reason });
    if (areAllElsewhere(this.#options.directory)) return ALL_ELSEWHERE;
    if (this.#wasReady) return null;
    const first = this.#firstReason();
    this.#wasReady = first === null;
    return first;
  }

  #firstReason(): string | null {
    const { directory, marketNames = [], history, historyFirst } = this.#options;
    if (directory.markets().length === 0) {
      const isOfAll = marketNames.length === 0;
      const names = marketNames.join(', ');
      return isOfAll ? NO_MARKET : `no market of --markets is on this chain: ${names}`;
    }
    // A failed history does not delay readiness: the book is useful without it.
    const { state, reason } = history?.readStats() ?? { state: 'live', reason: null };
    if (state === 'backfilling' && historyFirst === 'filled') return 'the history is being filled';
    if (state !== 'starting' && state !== 'off') return null;
    return `the history is not open yet${reason === null ? '' : `: ${reason}`}`;
  }
}

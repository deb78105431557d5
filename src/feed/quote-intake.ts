/**
 * Adds indicative quotes to the book, in addition to the chain's data: they are stamped with the
 * wall clock, published with the next turn, and removed in the turn of their expiry.
 */

import type { QuoteEngine } from '../contract/feed-engine.js';
import type { IndicativeOutcome, MakerQuotes } from '../contract/indicative.js';
import type { Timer, Timers } from '../contract/timers.js';
import { QUOTE_CHECK_MS_MAX, QUOTE_CHECK_MS_MIN } from './model/limits.js';

/** Dependencies of the intake. */
interface QuoteIntakeOptions {
  readonly engine: QuoteEngine;
  /**
   * Ends a turn as soon as the event loop has read its sockets, so that many quotes share one turn.
   */
  readonly requestTurn: () => void;
  readonly timers: Timers;
}

/** Sets quotes in the engine, and ends a turn at their expiry. */
export class QuoteIntake {
  readonly #options: QuoteIntakeOptions;
  #checkTimer: Timer | null = null;
  #stopped = false;

  constructor(options: QuoteIntakeOptions) {
    this.#options = options;
  }

  /** Replaces a maker's quotes in a market; an empty list withdraws them. */
  setQuotes(quotes: Omit<MakerQuotes, 'tsMs'>): IndicativeOutcome {
    const { engine, requestTurn, timers } = this.#options;
    const outcome = engine.setIndicative({ ...quotes, tsMs: timers.unixMs() });
    if (outcome === 'changed') requestTurn();
    if (this.#checkTimer === null && !this.#stopped) this.#scheduleCheck();
    return outcome;
  }

  /** Stops scheduling turns; later quotes appear with whichever turn ends. */
  stop(): void {
    this.#stopped = true;
    this.#checkTimer?.cancel();
    this.#checkTimer = null;
  }

  /**
   * Schedules a check at the next possible expiry, early enough to notice that the clock was set.
   */
  #scheduleCheck(): void {
    const { engine, requestTurn, timers } = this.#options;
    const dueMs = engine.indicativeDueMs();
    if (dueMs === null) {
      this.#checkTimer = null;
      return;
    }
    const waitMs = dueMs - timers.unixMs();
    if (waitMs <= 0) requestTurn();
    const boundedMs = Math.min(Math.max(waitMs, QUOTE_CHECK_MS_MIN), QUOTE_CHECK_MS_MAX);
    this.#checkTimer = timers.after(boundedMs, () => this.#scheduleCheck());
  }
}

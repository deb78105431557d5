import type { Timer, Timers } from '../../rpc/timers.js';
import type { WorkerSetup } from '../model/messages.js';
import { StoreError } from '../store/error.js';
import type { HistoryStore } from '../store/store.js';
import type { CandleMinutes, RetirePolicy } from '../store/types.js';

const DAY_SECONDS = 86_400;
/** Between two steps while there is more to delete: queries run in between. */
const STEP_MS = 50;
/** Between two checks when there was nothing to delete, or the disk failed. */
const REST_MS = 60_000;
/** Transactions without records stay for as many slots behind the finalised tip. */
const EMPTY_SLOTS_KEPT = 1_000;

/** Candles of a day and longer are few, and stay. */
const RETIRED_CANDLES: readonly CandleMinutes[] = [1, 5, 15, 60, 240];

/** What retention works with. */
export interface RetentionOptions {
  readonly days: Pick<WorkerSetup, 'retentionDays' | 'candleRetentionDays'>;
  readonly store: () => Pick<HistoryStore, 'retireRows'> | null;
  readonly finalisedSlot: () => number;
  readonly timers: Timers;
  readonly wallMs: () => number;
}

/** Deletes what is too old, a little at a time. */
export class Retention {
  readonly #options: RetentionOptions;
  #timer: Timer | null = null;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  start(): void {
    this.#planStep(REST_MS);
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #planStep(delayMs: number): void {
    this.#timer = this.#options.timers.after(delayMs, () => this.#planStep(this.#runStep()));
  }

  /** The time until the next step. */
  #runStep(): number {
    try {
      const hasMore = this.#options.store()?.retireRows(this.#retirePolicy()).hasMore ?? false;
      return hasMore ? STEP_MS : REST_MS;
    } catch (error) {
      // The next write meets the same disk and reports it.
      if (error instanceof StoreError) return REST_MS;
      throw error;
    }
  }

  #retirePolicy(): RetirePolicy {
    const { days, wallMs, finalisedSlot } = this.#options;
    const ago = (count: number): number => Math.floor(wallMs() / 1_000) - count * DAY_SECONDS;
    const rows = ago(days.retentionDays);
    const candles = ago(days.candleRetentionDays);
    return {
      ...(days.retentionDays === 0 ? {} : { tradesBefore: rows, fundingRatesBefore: rows }),
      ...(days.candleRetentionDays === 0
        ? {}
        : { candlesBefore: Object.fromEntries(RETIRED_CANDLES.map((one) => [one, candles])) }),
      emptyUpToSlot: Math.max(0, finalisedSlot() - EMPTY_SLOTS_KEPT),
    };
  }
}

import type { Timer, Timers } from '../../contract/timers.js';
import type { Log } from '../../rpc/log.js';
import { RETIRE_HOLD_SECONDS, RETIRE_SPAN_SECONDS_MAX } from '../model/limits.js';
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

/** The part of the store that retention works on. */
type RetiredStore = Pick<HistoryStore, 'readNewestTs' | 'readRetiredSpan' | 'retireRows'>;

/** What retention works with. */
export interface RetentionOptions {
  readonly days: Pick<WorkerSetup, 'retentionDays' | 'candleRetentionDays'>;
  /** Whether records go by whole days alone, as a database drops them. */
  readonly hasDays?: boolean;
  readonly store: () => RetiredStore | null;
  readonly finalisedSlot: () => number;
  /** The chain's time as read in this run, unix seconds; null before that. */
  readonly chainSeconds: () => number | null;
  readonly timers: Timers;
  readonly log: Log;
}

/** Since when a large deletion is due: by the chain's time, and by time here. */
interface Hold {
  readonly ts: number;
  readonly atMs: number;
}

/**
 * Deletes what is too old, a little at a time. Age is counted from the newest record that is not later
 * than the chain's time, so neither a clock nor a node alone makes anything old; and more than a day's
 * worth is deleted only when it has been due for an hour.
 */
export class Retention {
  readonly #options: RetentionOptions;
  #timer: Timer | null = null;
  #hold: Hold | null = null;

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
    const { store: openedStore, chainSeconds } = this.#options;
    const store = openedStore();
    const chainTs = chainSeconds();
    if (store === null || chainTs === null) return REST_MS;
    try {
      return store.retireRows(this.#duePolicy(store, chainTs)).hasMore ? STEP_MS : REST_MS;
    } catch (error) {
      // The next write meets the same disk and reports it.
      if (error instanceof StoreError) return REST_MS;
      throw error;
    }
  }

  #duePolicy(store: RetiredStore, chainTs: number): RetirePolicy {
    const emptyUpToSlot = Math.max(0, this.#options.finalisedSlot() - EMPTY_SLOTS_KEPT);
    const newest = store.readNewestTs(chainTs);
    if (newest === null) return { emptyUpToSlot };
    const policy = this.#policyAt(newest);
    const isDue = this.#isDue(store.readRetiredSpan(policy), chainTs);
    return isDue ? { ...policy, emptyUpToSlot } : { emptyUpToSlot };
  }

  #policyAt(newest: number): RetirePolicy {
    const { retentionDays, candleRetentionDays } = this.#options.days;
    const line = newest - retentionDays * DAY_SECONDS;
    const rows = this.#options.hasDays === true ? line - (line % DAY_SECONDS) : line;
    const candles = newest - candleRetentionDays * DAY_SECONDS;
    return {
      ...(retentionDays === 0 ? {} : { tradesBefore: rows, fundingRatesBefore: rows }),
      ...(candleRetentionDays === 0
        ? {}
        : { candlesBefore: Object.fromEntries(RETIRED_CANDLES.map((one) => [one, candles])) }),
    };
  }

  #isDue(spanSeconds: number, chainTs: number): boolean {
    if (spanSeconds <= RETIRE_SPAN_SECONDS_MAX) {
      this.#hold = null;
      return true;
    }
    const atMs = this.#options.timers.nowMs();
    if (this.#hold === null || chainTs < this.#hold.ts) {
      this.#hold = { ts: chainTs, atMs };
      const fields = { spanSeconds, waitSeconds: RETIRE_HOLD_SECONDS };
      this.#options.log.info(fields, 'more than a day of records is due to be deleted');
    }
    const goneSeconds = Math.min(chainTs - this.#hold.ts, (atMs - this.#hold.atMs) / 1_000);
    return goneSeconds >= RETIRE_HOLD_SECONDS;
  }
}

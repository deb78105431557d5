import { RESOLUTION_MINUTES } from '../../contract/resolutions.js';
import type { Retain } from '../../contract/retain.js';
import type { Timer, Timers } from '../../contract/timers.js';
import type { RecordKind } from '../../engine/events.js';
import type { Log } from '../../rpc/log.js';
import { CANDLE_MINUTES } from '../candles/resolution.js';
import { RETIRE_HOLD_SECONDS, RETIRE_SPAN_SECONDS_MAX } from '../model/limits.js';
import type { WorkerSetup } from '../model/messages.js';
import { StoreError } from '../store/error.js';
import type { HistoryStore } from '../store/store.js';
import type { RetirePolicy } from '../store/types.js';

const DAY_SECONDS = 86_400;
/** Pause between two steps while there is more to delete; queries run during it. */
const STEP_MS = 50;
/** Pause between two checks without deletions, or after a disk failure. */
const REST_MS = 60_000;
/** Number of slots below the finalised tip in which transactions without records are kept. */
const EMPTY_SLOTS_KEPT = 1_000;

/** The candles that retention deletes; candles of a day and longer are few and stay. */
const RETIRED_CANDLES = CANDLE_MINUTES.filter((minutes) => minutes < RESOLUTION_MINUTES.D);

type RetiredStore = Pick<HistoryStore, 'readNewestTs' | 'readRetiredSpan' | 'retireRows'>;

/** The records of each kind of the settings. */
const RETAINED_KINDS: Readonly<Record<keyof Retain, readonly RecordKind[]>> = {
  trades: ['trade', 'transfer'],
  funding: ['fundingRate', 'fundingPayment'],
  deposits: ['deposit'],
  settlements: ['settlePnl'],
  liquidations: ['liquidation'],
  users: ['newUser', 'deletedUser'],
  orders: ['order', 'orderAction'],
  others: ['other'],
};

/** The dependencies of retention. */
export interface RetentionOptions {
  readonly days: Pick<WorkerSetup, 'retain' | 'candleRetentionDays'>;
  readonly store: () => RetiredStore | null;
  readonly finalisedSlot: () => number;
  /** Returns the chain's time as read in this run, unix seconds; null before the first reading. */
  readonly chainSeconds: () => number | null;
  readonly timers: Timers;
  readonly log: Log;
}

/** The start of the delay before a large deletion, in chain time and in local time. */
interface Hold {
  readonly ts: number;
  readonly atMs: number;
}

/**
 * Deletes old records, a few at a time. Age is relative to the newest record up to the chain's
 * time, so a wrong clock or node alone cannot make records old; a deletion that spans more than a
 * day waits for an hour.
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

  /** Runs a step; returns the delay until the next one. */
  #runStep(): number {
    const { store: openedStore, chainSeconds } = this.#options;
    const store = openedStore();
    const chainTs = chainSeconds();
    if (store === null || chainTs === null) return REST_MS;
    try {
      return store.retireRows(this.#duePolicy(store, chainTs)).hasMore ? STEP_MS : REST_MS;
    } catch (error) {
      // The next write uses the same disk and reports the failure.
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
    const { retain, candleRetentionDays } = this.#options.days;
    const recordsBefore = Object.fromEntries(
      Object.entries(RETAINED_KINDS).flatMap(([name, kinds]) => {
        const days = retain[name as keyof Retain];
        return days === 0 ? [] : kinds.map((kind) => [kind, newest - days * DAY_SECONDS]);
      }),
    );
    const candles = newest - candleRetentionDays * DAY_SECONDS;
    return {
      recordsBefore,
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

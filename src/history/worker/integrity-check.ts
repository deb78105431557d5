import type { Timer, Timers } from '../../contract/timers.js';
import type { Log } from '../../rpc/log.js';
import type { IngestCounters } from '../ingest/parts.js';
import { CHECK_PAUSE_MS, CHECK_REST_MS, DAMAGED_ROWS_LOGGED_MAX } from '../model/limits.js';
import { StoreError } from '../store/error.js';
import type { HistoryStore } from '../store/store.js';

/** The dependencies of a check. */
interface IntegrityCheckOptions {
  readonly store: () => Pick<HistoryStore, 'checkSlice'> | null;
  readonly timers: Timers;
  readonly log: Log;
  readonly counters: Pick<IngestCounters, 'rowsChecked' | 'rowsDamaged' | 'fileChecks'>;
  readonly onDamage: (error: StoreError) => void;
  /** Called when the whole file was checked without damage. */
  readonly onSound: () => void;
}

/** Checks the whole file a few rows at a time, and starts again some hours after its end. */
export class IntegrityCheck {
  readonly #options: IntegrityCheckOptions;
  #timer: Timer | null = null;
  #store: unknown = null;
  /** The number of damaged rows found since the start of the file. */
  #damaged = 0;

  constructor(options: IntegrityCheckOptions) {
    this.#options = options;
  }

  start(): void {
    this.#planSlice(CHECK_PAUSE_MS);
  }

  /** Starts over with a newly opened store. */
  restart(): void {
    this.stop();
    this.start();
  }

  stop(): void {
    this.#timer?.cancel();
  }

  #planSlice(delayMs: number): void {
    this.#timer = this.#options.timers.after(delayMs, () => this.#planSlice(this.#runSlice()));
  }

  /** Runs a slice; returns the delay until the next one. */
  #runSlice(): number {
    const store = this.#options.store();
    if (store !== this.#store) this.#damaged = 0;
    this.#store = store;
    if (store === null) return CHECK_REST_MS;
    try {
      return this.#checkSlice(store) ? CHECK_REST_MS : CHECK_PAUSE_MS;
    } catch (error) {
      // The next write uses the same disk and reports the failure.
      if (error instanceof StoreError) return CHECK_REST_MS;
      throw error;
    }
  }

  #checkSlice(store: Pick<HistoryStore, 'checkSlice'>): boolean {
    const { counters, onSound } = this.#options;
    const { rows, damaged, isEnd } = store.checkSlice();
    counters.rowsChecked += rows;
    for (const row of damaged) this.#tellDamage(row);
    if (!isEnd) return false;
    counters.fileChecks += 1;
    if (this.#damaged === 0) onSound();
    this.#damaged = 0;
    return true;
  }

  #tellDamage(row: string): void {
    const { counters, log, onDamage } = this.#options;
    counters.rowsDamaged += 1;
    this.#damaged += 1;
    onDamage(new StoreError('corrupt', 'the file is damaged: rows are not what was written'));
    if (this.#damaged <= DAMAGED_ROWS_LOGGED_MAX) log.warn({ row }, 'a stored row is damaged');
  }
}

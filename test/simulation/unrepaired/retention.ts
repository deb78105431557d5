/** The retention as it was: what is too old by the wall clock is deleted, however much it is. */
import type { RetentionOptions } from '../../../src/history/worker/retention.js';

export * from '../../../src/history/worker/retention.js';

const DAY_SECONDS = 86_400;
/** As the real one. */
const REST_MS = 60_000;

/** Deletes by the clock of the machine. */
export class Retention {
  readonly #options: RetentionOptions;

  constructor(options: RetentionOptions) {
    this.#options = options;
  }

  start(): void {
    this.#options.timers.after(REST_MS, () => {
      this.#deleteOld();
      this.start();
    });
  }

  stop(): void {}

  #deleteOld(): void {
    const { store, days } = this.#options;
    const before = Math.floor(Date.now() / 1_000) - days.retain.trades * DAY_SECONDS;
    const recordsBefore = { trade: before, fundingRate: before };
    store()?.retireRows({ recordsBefore, emptyUpToSlot: 0 });
  }
}

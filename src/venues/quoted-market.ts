import { Backoff } from '../rpc/backoff.js';
import type { Timer, Timers } from '../rpc/timers.js';
import { VENUE_BACKOFF_CAP_MS, VENUE_BACKOFF_FIRST_MS } from './limits.js';
import type { VenueLevels, VenueMarket, VenueSnapshot } from './venue.js';

/** What is kept of one market of one venue. */
export class QuotedMarket {
  readonly #timers: Timers;
  readonly #backoff: Backoff;
  readonly #fetching = new AbortController();
  /** What is in use; null while the market is left out. */
  #levels: VenueSnapshot | null = null;
  #expiry: Timer | null = null;
  /** Why it is left out: the code of an error; null when it is not, or not yet read. */
  #reason: string | null = null;
  #dueMs = Number.NEGATIVE_INFINITY;
  #isFetching = false;

  constructor(
    readonly market: VenueMarket,
    { timers, random }: { readonly timers: Timers; readonly random: () => number },
  ) {
    this.#timers = timers;
    const [firstMs, capMs] = [VENUE_BACKOFF_FIRST_MS, VENUE_BACKOFF_CAP_MS];
    this.#backoff = new Backoff({ firstMs, capMs, random });
  }

  get levels(): VenueLevels | null {
    return this.#levels;
  }

  get reason(): string | null {
    return this.#reason;
  }

  /** Age of what is in use; null while there is none. */
  get ageMs(): number | null {
    return this.#levels === null ? null : this.#timers.nowMs() - this.#levels.askedMs;
  }

  /** Ends what is under way when the market is dropped. */
  get signal(): AbortSignal {
    return this.#fetching.signal;
  }

  /** Whether it is to be read now. */
  get isDue(): boolean {
    return !this.#isFetching && this.#timers.nowMs() >= this.#dueMs;
  }

  /** A reading begins; the next is due `intervalMs` from now, if it has ended by then. */
  startFetch(intervalMs: number): void {
    this.#isFetching = true;
    this.#dueMs = this.#timers.nowMs() + intervalMs;
  }

  /** Takes a reading into use for `leftMs`; then `onStale` has to leave it out. */
  useLevels(reading: VenueSnapshot, leftMs: number, onStale: () => void): void {
    this.#isFetching = false;
    this.#reason = null;
    this.#backoff.reset();
    this.#expiry?.cancel();
    this.#levels = reading;
    this.#expiry = this.#timers.after(leftMs, onStale);
  }

  /** A reading has failed: the next one waits, each time longer. */
  delayNextFetch(): void {
    this.#isFetching = false;
    this.#dueMs = Math.max(this.#dueMs, this.#timers.nowMs() + this.#backoff.next());
  }

  /** Nothing of the market is in use any more, for the reason of this code. */
  leaveOut(code: string): void {
    this.#clearLevels();
    this.#reason = code;
  }

  /** The market is no more; nothing of it may be heard again. */
  dropMarket(): void {
    this.#clearLevels();
    this.#fetching.abort();
  }

  #clearLevels(): void {
    this.#expiry?.cancel();
    this.#expiry = null;
    this.#levels = null;
  }
}

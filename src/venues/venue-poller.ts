import type { Timer, Timers } from '../contract/timers.js';
import type { VenueMarketStats, VenueStats } from '../contract/venue-stats.js';
import { Backoff } from '../rpc/backoff.js';
import { loggedFailure } from '../rpc/error.js';
import type { Log } from '../rpc/log.js';
import { VenueError } from './error.js';
import { VENUE_BACKOFF_CAP_MS, VENUE_BACKOFF_FIRST_MS } from './limits.js';
import type { Venue, VenueLevels, VenueMarket, VenueSnapshot } from './venue.js';

/** A venue, and where its levels go. */
export interface VenuePollerOptions {
  readonly venue: Venue & { readonly host: string; readonly requestCount: number };
  /** The markets of now. */
  readonly markets: () => readonly VenueMarket[];
  /** Takes the levels of a market, which replace those before; none of them when it is left out. */
  readonly onLevels: (market: VenueMarket, levels: VenueLevels) => void;
  /** How often each market is read. */
  readonly intervalMs: number;
  /** Levels older than this are left out. */
  readonly maxAgeMs: number;
  readonly log: Log;
  readonly timers: Timers;
  readonly random?: () => number;
}

/** How often due markets are checked: a fetch is late by a tenth of the interval at most. */
const TICKS_PER_INTERVAL = 10;

const NO_LEVELS: VenueLevels = { bids: [], asks: [] };

/**
 * Polls a venue's markets. A market whose fetch fails, or whose levels are too old, is left out at once
 * and comes back with the next fetch that succeeds; each waits by itself after a failure.
 *
 * This class does not know what uses the levels, nor how the venue makes them.
 */
export class VenuePoller {
  readonly #options: VenuePollerOptions;
  readonly #timers: Timers;
  readonly #random: () => number;
  readonly #quoted = new Map<number, QuotedMarket>();
  readonly #failures: Record<string, number> = {};
  readonly #counts = { readings: 0, failures: 0 };
  #next: Timer | null = null;
  #isStopped = false;

  constructor(options: VenuePollerOptions) {
    this.#options = options;
    this.#timers = options.timers;
    this.#random = options.random ?? Math.random;
  }

  start(): void {
    if (this.#isStopped) return;
    this.#followMarkets();
    for (const quoted of this.#quoted.values()) if (quoted.isDue) this.#fetchMarket(quoted);
    const tickMs = this.#options.intervalMs / TICKS_PER_INTERVAL;
    this.#next = this.#timers.after(tickMs, () => this.start());
  }

  /** Nothing is requested or emitted any more. */
  stop(): void {
    this.#isStopped = true;
    this.#next?.cancel();
    for (const quoted of this.#quoted.values()) quoted.dropMarket();
    this.#quoted.clear();
  }

  stats(): VenueStats {
    const { name, host, requestCount: requests } = this.#options.venue;
    return {
      ...{ name, host, events: { requests, ...this.#counts }, failures: { ...this.#failures } },
      markets: [...this.#quoted.values()].map(marketStats),
    };
  }

  /** A market that is gone, or is of other tokens than it was, loses its levels. */
  #followMarkets(): void {
    const now = new Map(this.#options.markets().map((market) => [market.id, market]));
    for (const [id, quoted] of this.#quoted) {
      const market = now.get(id);
      if (market !== undefined && isSame(market, quoted.market)) continue;
      quoted.dropMarket();
      this.#quoted.delete(id);
      this.#emitLevels(quoted.market, NO_LEVELS);
    }
    const parts = { timers: this.#timers, random: this.#random };
    for (const [id, market] of now) {
      if (!this.#quoted.has(id)) this.#quoted.set(id, new QuotedMarket(market, parts));
    }
  }

  #fetchMarket(quoted: QuotedMarket): void {
    const { venue, intervalMs } = this.#options;
    quoted.startFetch(intervalMs);
    venue
      .fetchLevels(quoted.market, quoted.signal)
      .then((snapshot) => this.#handleLevels(quoted, snapshot))
      .catch((error: unknown) => this.#handleFailure(quoted, error));
  }

  #handleLevels(quoted: QuotedMarket, snapshot: VenueSnapshot): void {
    if (quoted.signal.aborted) return;
    const { maxAgeMs, log } = this.#options;
    const { market, reason } = quoted;
    const leftMs = maxAgeMs - (this.#timers.nowMs() - snapshot.askedMs);
    if (leftMs <= 0) throw staleError(maxAgeMs);
    this.#counts.readings += 1;
    quoted.useLevels(snapshot, leftMs, () => this.#leaveOut(quoted, staleError(maxAgeMs)));
    this.#emitLevels(market, snapshot);
    if (reason !== null) log.info(this.#fieldsOf(market), 'a venue is used again');
  }

  #handleFailure(quoted: QuotedMarket, error: unknown): void {
    if (quoted.signal.aborted) return;
    quoted.delayNextFetch();
    this.#leaveOut(quoted, error);
  }

  #leaveOut(quoted: QuotedMarket, error: unknown): void {
    const { log } = this.#options;
    const { market, reason } = quoted;
    const code = error instanceof VenueError ? error.code : 'INTERNAL';
    this.#counts.failures += 1;
    this.#failures[code] = (this.#failures[code] ?? 0) + 1;
    quoted.leaveOut(code);
    this.#emitLevels(market, NO_LEVELS);
    if (code === reason) return;
    const problem = loggedFailure(error);
    log.warn({ ...this.#fieldsOf(market), code, problem }, 'a venue is left out');
  }

  /** A handler of levels may throw; the venue goes on. */
  #emitLevels(market: VenueMarket, levels: VenueLevels): void {
    try {
      this.#options.onLevels(market, levels);
    } catch (error) {
      this.#options.log.warn({ ...this.#fieldsOf(market), err: error }, 'levels were not taken');
    }
  }

  #fieldsOf({ symbol }: VenueMarket): { readonly venue: string; readonly market: string } {
    return { venue: this.#options.venue.name, market: symbol };
  }
}

function staleError(maxAgeMs: number): VenueError {
  const message = `levels were older than ${maxAgeMs} ms`;
  return new VenueError('VENUE_LEVELS_STALE', message);
}

function marketStats({ market, levels, ageMs, reason }: QuotedMarket): VenueMarketStats {
  const count = levels === null ? 0 : levels.bids.length + levels.asks.length;
  return { symbol: market.symbol, used: levels !== null, levels: count, ageMs, reason };
}

function isSame(left: VenueMarket, right: VenueMarket): boolean {
  return (
    left.base.mint === right.base.mint &&
    left.base.decimals === right.base.decimals &&
    left.quote.mint === right.quote.mint &&
    left.quote.decimals === right.quote.decimals
  );
}

/** The state of one market of one venue. */
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

  /** A fetch begins; the next is due `intervalMs` from now, if it has ended by then. */
  startFetch(intervalMs: number): void {
    this.#isFetching = true;
    this.#dueMs = this.#timers.nowMs() + intervalMs;
  }

  /** Uses fetched levels for `leftMs`; then `onStale` has to leave it out. */
  useLevels(snapshot: VenueSnapshot, leftMs: number, onStale: () => void): void {
    this.#isFetching = false;
    this.#reason = null;
    this.#backoff.reset();
    this.#expiry?.cancel();
    this.#levels = snapshot;
    this.#expiry = this.#timers.after(leftMs, onStale);
  }

  /** A fetch has failed: the next one waits, each time longer. */
  delayNextFetch(): void {
    this.#isFetching = false;
    this.#dueMs = Math.max(this.#dueMs, this.#timers.nowMs() + this.#backoff.next());
  }

  /** Nothing of the market is in use any more, for the reason of this code. */
  leaveOut(code: string): void {
    this.#clearLevels();
    this.#reason = code;
  }

  /** The market is no more; nothing of it may be emitted any more. */
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

import type { Timer, Timers } from '../contract/timers.js';
import type { VenueMarketStats, VenueStats } from '../contract/venue-stats.js';
import { Backoff } from '../rpc/backoff.js';
import { loggedFailure } from '../rpc/error.js';
import type { Log } from '../rpc/log.js';
import { VenueError } from './error.js';
import { VENUE_BACKOFF_CAP_MS, VENUE_BACKOFF_FIRST_MS } from './limits.js';
import type { Venue, VenueLevels, VenueMarket, VenueSnapshot } from './venue.js';

/** A venue, and the consumer of its levels. */
export interface VenuePollerOptions {
  readonly venue: Venue & { readonly host: string; readonly requestCount: number };
  readonly markets: () => readonly VenueMarket[];
  /**
   * Receives the levels of a market, which replace the previous levels; empty when the market is
   * excluded.
   */
  readonly onLevels: (market: VenueMarket, levels: VenueLevels) => void;
  readonly intervalMs: number;
  /** Levels older than this are excluded. */
  readonly maxAgeMs: number;
  readonly log: Log;
  readonly timers: Timers;
  readonly random?: () => number;
}

/**
 * The number of checks for due markets in each interval: a fetch is late by at most a tenth of the
 * interval.
 */
const TICKS_PER_INTERVAL = 10;

const NO_LEVELS: VenueLevels = { bids: [], asks: [] };

/**
 * Polls the markets of a venue. A market whose fetch fails, or whose levels are too old, is
 * excluded immediately and returns with the next successful fetch; each market has its own backoff.
 *
 * This class knows neither the consumer of the levels nor how they are computed.
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

  /** Stops all requests and callbacks. */
  stop(): void {
    this.#isStopped = true;
    this.#next?.cancel();
    for (const quoted of this.#quoted.values()) quoted.dropMarket();
    this.#quoted.clear();
  }

  stats(): VenueStats {
    const { name, host, requestCount: requests } = this.#options.venue;
    return {
      name,
      host,
      events: { requests, ...this.#counts },
      failures: { ...this.#failures },
      markets: [...this.#quoted.values()].map(marketStats),
    };
  }

  /** A market that was removed, or whose tokens changed, loses its levels. */
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

  /** Passes levels on. The consumer may throw; polling continues. */
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
class QuotedMarket {
  readonly #timers: Timers;
  readonly #backoff: Backoff;
  readonly #fetching = new AbortController();
  /** The levels in use; null while the market is excluded. */
  #levels: VenueSnapshot | null = null;
  #expiry: Timer | null = null;
  /**
   * The error code for which the market is excluded; null when it is not, or before the first
   * fetch.
   */
  #reason: string | null = null;
  #dueMs = Number.NEGATIVE_INFINITY;
  #isFetching = false;

  constructor(
    readonly market: VenueMarket,
    { timers, random }: { readonly timers: Timers; readonly random: () => number },
  ) {
    this.#timers = timers;
    const firstMs = VENUE_BACKOFF_FIRST_MS;
    const capMs = VENUE_BACKOFF_CAP_MS;
    this.#backoff = new Backoff({ firstMs, capMs, random });
  }

  get levels(): VenueLevels | null {
    return this.#levels;
  }

  get reason(): string | null {
    return this.#reason;
  }

  /** Age of the levels in use, milliseconds; null when there are none. */
  get ageMs(): number | null {
    return this.#levels === null ? null : this.#timers.nowMs() - this.#levels.askedMs;
  }

  /** Aborts when the market is dropped. */
  get signal(): AbortSignal {
    return this.#fetching.signal;
  }

  get isDue(): boolean {
    return !this.#isFetching && this.#timers.nowMs() >= this.#dueMs;
  }

  /** Starts a fetch; the next one is due after `intervalMs`, if this fetch has ended by then. */
  startFetch(intervalMs: number): void {
    this.#isFetching = true;
    this.#dueMs = this.#timers.nowMs() + intervalMs;
  }

  /** Uses fetched levels for `leftMs`; `onStale` must then exclude the market. */
  useLevels(snapshot: VenueSnapshot, leftMs: number, onStale: () => void): void {
    this.#isFetching = false;
    this.#reason = null;
    this.#backoff.reset();
    this.#expiry?.cancel();
    this.#levels = snapshot;
    this.#expiry = this.#timers.after(leftMs, onStale);
  }

  delayNextFetch(): void {
    this.#isFetching = false;
    this.#dueMs = Math.max(this.#dueMs, this.#timers.nowMs() + this.#backoff.next());
  }

  /** Excludes the market; the error code is the reason. */
  leaveOut(code: string): void {
    this.#clearLevels();
    this.#reason = code;
  }

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

/**
 * The book of a chain in this process: the package of the addon exports this file. It follows a
 * chain with the feed and the core of the service, without its server.
 */

import { type AccountBody, accountBody } from '../client/account-body.js';
import type { Of, Read } from '../client/fields.js';
import { l3Book, matchAnswer } from '../client/generated/books.js';
import { ConfigReader } from '../config/config.js';
import type { BookLevels } from '../contract/book-levels.js';
import type { LiquiditySources, MatchRequest } from '../contract/book-requests.js';
import { CodedError } from '../contract/coded-error.js';
import type { Readiness } from '../contract/feed-status.js';
import type { MarketInfo } from '../contract/markets.js';
import type { EndedTurn } from '../contract/publish-mark.js';
import type { Timers } from '../contract/timers.js';
import { Engine } from '../engine/engine.js';
import { type Log, silentLog } from '../rpc/log.js';
import { rejectOnAbort, systemTimers } from '../rpc/timers.js';
import { liveFeed, newEpoch, type ServiceFeed } from './chain-feed.js';

export type { AccountBody } from '../client/account-body.js';
export type { BookLevel, BookLevels } from '../contract/book-levels.js';
export type { MatchRequest } from '../contract/book-requests.js';
export type { Readiness } from '../contract/feed-status.js';
export type { MarketInfo } from '../contract/markets.js';
export type { Log } from '../rpc/log.js';

/** The settings of `slotbook serve` about the chain, as texts; `rpcUrl` is required. */
export type LiveBookSettings = Readonly<
  Partial<
    Record<
      | 'rpcUrl'
      | 'wsUrl'
      | 'fallbackRpcUrl'
      | 'fallbackWsUrl'
      | 'snapshotUrl'
      | 'source'
      | 'grpcUrl'
      | 'grpcToken'
      | 'program'
      | 'programId',
      string
    >
  >
>;

/** How a book is followed. */
export interface LiveBookOptions extends LiveBookSettings {
  /** Receives the lines that the service would log; by default none. */
  readonly log?: Log;
  /** Ends the wait for the first live book. */
  readonly signal?: AbortSignal;
  /** The clock; by default the machine's. */
  readonly timers?: Timers;
}

/** The age of a book that a reading accepts. */
export interface AgeLimit {
  /**
   * Milliseconds since the chain's last slot was received. A book that is older or not live throws
   * `BOOK_NOT_LIVE`; by default every book is accepted.
   */
  readonly maxAgeMs?: number;
}

/** A reading of levels. */
export interface LiveLevelsRequest extends LiquiditySources, AgeLimit {
  /** Levels a side, 1 to 1,000; by default 20. */
  readonly depth?: number;
  /** Ticks per price group; by default every level. */
  readonly grouping?: number;
}

/** An order that {@link LiveBook.match} walks; the other members are optional. */
export type LiveMatchRequest = Omit<MatchRequest, 'market' | 'orderType'> &
  Partial<Pick<MatchRequest, 'orderType'>> &
  AgeLimit;

/** The markets of a turn. */
export interface LiveTurn {
  /** The markets whose orders, quotes or AMM changed; all of them when the state changed. */
  readonly markets: readonly MarketInfo[];
  /** The monotonic milliseconds at which the first update of the turn was received. */
  readonly receivedAtMs: number;
}

/** Why a {@link LiveBook} throws; a code is never renamed. */
export type LiveBookErrorCode = 'BOOK_NOT_LIVE' | 'MARKET_NOT_FOUND';

/** An expected failure of a {@link LiveBook}. */
export class LiveBookError extends CodedError<LiveBookErrorCode> {
  override readonly name = 'LiveBookError';
}

const DEPTH_DEFAULT = 20;
const DEPTH_MAX = 1_000;

/**
 * The live book of a chain. All readings are synchronous and show the last turn.
 *
 * @example
 * const book = await LiveBook.open({ rpcUrl: 'http://127.0.0.1:8899' });
 * book.onTurn(() => {
 *   if (book.status.state !== 'live') return;
 *   const { bids, asks } = book.levels('SOL-PERP', { depth: 1 });
 *   console.log(bids[0]?.price, asks[0]?.price);
 * });
 */
export class LiveBook {
  readonly #engine: Engine;
  readonly #feed: ServiceFeed;
  readonly #listeners = new Set<(turn: LiveTurn) => void>();

  private constructor(settings: LiveBookSettings, log: Log, timers: Timers) {
    const config = { ...new ConfigReader(settings, {}).readService(), history: undefined };
    const { programId, program } = config;
    this.#engine = new Engine({ programId, program, epoch: newEpoch(timers) });
    const events = { onTurn: (turn: EndedTurn) => this.#publishTurn(turn) };
    this.#feed = liveFeed({ config, runtime: { log, timers }, engine: this.#engine, events });
  }

  /**
   * Follows a chain. Resolves when the book is live for the first time.
   *
   * # Errors
   *
   * Rejects with a ConfigError for an invalid setting, and with the reason of the signal.
   */
  static async open(options: LiveBookOptions): Promise<LiveBook> {
    const { log = silentLog, timers = systemTimers, signal, ...settings } = options;
    const book = new LiveBook(settings, log, timers);
    const done = new AbortController();
    try {
      await book.#feed.prepare();
      signal?.throwIfAborted();
      const started = book.#feed.start();
      const aborted = signal === undefined ? [] : [rejectOnAbort(signal, done.signal)];
      await Promise.race([started, ...aborted]);
      return book;
    } catch (error) {
      await book.close();
      throw error;
    } finally {
      done.abort();
    }
  }

  /** All markets, in the order of their ids. */
  get markets(): readonly MarketInfo[] {
    return this.#engine.markets();
  }

  /** The state of the book, the reason why it is not live, and its slot. */
  get status(): Readiness {
    return this.#feed.status();
  }

  /**
   * Calls back after each turn that changed a market or the state; returns the function that ends
   * it. An error of the listener is not caught.
   */
  onTurn(listener: (turn: LiveTurn) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /**
   * Returns the best levels of both sides: prices at 1e6, sizes at 1e9, all sources together.
   * `market` is a symbol in any case, or a key as `perp_0`.
   */
  levels(market: string, request: LiveLevelsRequest = {}): BookLevels {
    const { maxAgeMs, depth = DEPTH_DEFAULT, ...others } = request;
    const id = this.#marketId(market, maxAgeMs);
    const bounded = Math.min(Math.max(1, depth), DEPTH_MAX);
    return this.#engine.levels({ market: id, depth: bounded, ...others });
  }

  /** Returns every order of a market, in the order of the book: the body of /l3. */
  orders(market: string, { maxAgeMs }: AgeLimit = {}): Of<typeof l3Book> {
    const body = this.#engine.l3({ market: this.#marketId(market, maxAgeMs) });
    return readBody(body, l3Book, '/l3');
  }

  /** Walks an order through the book: the body of /match. A market order by default. */
  match(market: string, request: LiveMatchRequest): Of<typeof matchAnswer> {
    const { maxAgeMs, orderType = 'market', ...others } = request;
    const id = this.#marketId(market, maxAgeMs);
    const body = this.#engine.match({ market: id, orderType, ...others });
    return readBody(body, matchAnswer, '/match');
  }

  /**
   * Returns a user account (base58): orders with their places in the queue, positions, balances,
   * margin; null for an account that the book does not hold.
   */
  account(account: string, { maxAgeMs }: AgeLimit = {}): AccountBody | null {
    this.#checkAge(maxAgeMs);
    const body = this.#engine.accounts.render(account);
    return body === null ? null : accountBody(JSON.parse(body), '/accounts');
  }

  /** Ends the connections. The last book stays readable. */
  async close(): Promise<void> {
    await this.#feed.stop();
  }

  #marketId(market: string, maxAgeMs?: number): number {
    this.#checkAge(maxAgeMs);
    const info = this.#engine.findMarket(market);
    if (info !== undefined) return info.id;
    throw new LiveBookError('MARKET_NOT_FOUND', `the chain has no market ${market}`, { market });
  }

  #checkAge(maxAgeMs = Number.POSITIVE_INFINITY): void {
    const { state, reason } = this.status;
    const slotAgeMs = Math.round(this.#feed.stats().slotAgeMs);
    if (Number.isFinite(maxAgeMs) && (state !== 'live' || slotAgeMs > maxAgeMs)) {
      const message = `the book is ${state}, its slot ${slotAgeMs} ms old: ${reason ?? `must be at most ${maxAgeMs} ms`}`;
      throw new LiveBookError('BOOK_NOT_LIVE', message, { state, slotAgeMs, maxAgeMs });
    }
  }

  #publishTurn({ changes, receivedAtMs }: EndedTurn): void {
    if (this.#listeners.size === 0) return;
    const all = this.#engine.markets();
    const { dirty, requoted, indicated, allChanged } = changes;
    const ids = [...dirty, ...requoted, ...indicated];
    const markets = allChanged ? all : all.filter(({ id }) => ids.includes(id));
    if (markets.length === 0) return;
    for (const listener of this.#listeners) listener({ markets, receivedAtMs });
  }
}

function readBody<T>(body: Uint8Array, read: Read<T>, place: string): T {
  return read(JSON.parse(Buffer.from(body).toString()), place);
}

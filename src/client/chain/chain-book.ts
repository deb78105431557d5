/**
 * A local order book that follows the chain, without the service.
 *
 * ```ts
 * const chain = new ChainBook({ rpcUrl: 'http://127.0.0.1:8899', updateFrequency: 1000 });
 * chain.onUpdate((book) => console.log(book.getBestBid(perpMarket(0)), book.getBestAsk(perpMarket(0))));
 * chain.open();
 * ```
 */
import { PERP_MARKET_KIND } from '../accounts/generated/perp-market.js';
import { SPOT_MARKET_KIND } from '../accounts/generated/spot-market.js';
import { STATE_KIND } from '../accounts/generated/state.js';
import { USER_KIND } from '../accounts/generated/user.js';
import { isKind } from '../accounts/reading.js';
import { systemClock } from '../environment.js';
import { ClientError } from '../error.js';
import * as limits from '../limits.js';
import { LatestValues, Listeners } from '../listeners.js';
import { LocalBook } from './local-book.js';
import { ProgramAccounts } from './program-accounts.js';
import type { RpcOptions } from './rpc.js';
import { filtersOf, ofKind, type ProgramOptions } from './user-filters.js';

/** The node's addresses, and the rebuild interval. */
export interface ChainOptions extends RpcOptions, ProgramOptions {
  /**
   * The WebSocket address of the node; by default `ws` for `http` and, when a port is given, the
   * next port.
   */
  readonly wsUrl?: string;
  /** Interval between full scans of the accounts, milliseconds; 300,000 by default. */
  readonly resyncMs?: number;
}

/** Options of a chain book. */
export interface ChainBookOptions extends ChainOptions {
  /** Interval between two rebuilds of the book, milliseconds; 1,000 by default. */
  readonly updateFrequency?: number;
}

/** `live`: the book is complete; `rebuilding`: the book's accounts are being read. */
export type ChainBookState = 'idle' | 'rebuilding' | 'live';

const CLOCK = 'SysvarC1ock11111111111111111111111111111111';
const CLOCK_SECOND_AT = 32;
const CLOCK_BYTES_MIN = 40;

/**
 * Accounts are followed by subscription; at an interval, oracles and time are polled and the book
 * is rebuilt.
 *
 * @example
 * const chain = new ChainBook({ rpcUrl: 'http://127.0.0.1:8899' });
 * chain.onUpdate((book) => console.log(book.getBestBid(perpMarket(0))));
 * chain.open();
 */
export class ChainBook {
  /** The book as of the last rebuild; constant between two rebuilds. */
  readonly book = new LocalBook();
  readonly #accounts: ProgramAccounts;
  readonly #options: ChainBookOptions;
  readonly #updates = new Listeners<LocalBook>();
  readonly #states = new Listeners<ChainBookState>();
  readonly #errors = new Listeners<ClientError>();
  readonly #loops = new Set<LatestValues<LocalBook>>();
  #state: ChainBookState = 'idle';
  #stateAddress: string | null = null;
  #slot = 0n;
  #isMaking = false;
  #cancelTimer: () => void = () => {};

  /** Throws WEBSOCKET_NOT_FOUND without a WebSocket class. */
  constructor(options: ChainBookOptions) {
    this.#options = options;
    const { programId, notIdle } = filtersOf(options);
    const markets = [PERP_MARKET_KIND, SPOT_MARKET_KIND].map((kind) => [ofKind(kind)]);
    const watched = [...markets, [ofKind(USER_KIND), notIdle]];
    this.#accounts = new ProgramAccounts(
      { ...options, programId, watched, read: [...watched, [ofKind(STATE_KIND)]] },
      {
        account: (address, bytes) => this.#handleAccount(address, bytes),
        synced: () => this.#handleSynced(),
        lost: () => this.#setState('rebuilding'),
        failed: (error) => this.#errors.emit(error),
      },
    );
    this.#accounts.slots.add((slot) => {
      this.#slot = slot;
    });
  }

  get state(): ChainBookState {
    return this.#state;
  }

  /** Connects, unless it does already. */
  open(): void {
    if (this.#state !== 'idle') return;
    this.#setState('rebuilding');
    this.#accounts.open();
  }

  /** Stops following: no listener is called any more, and loops end. It can be opened again. */
  close(): void {
    this.#accounts.close();
    this.#setState('idle');
    for (const loop of [...this.#loops]) loop.end();
  }

  /** Registers a listener for each rebuild; returns its unsubscribe function. */
  onUpdate(listener: (book: LocalBook) => void): () => void {
    return this.#updates.add(listener);
  }

  /** Registers a listener for state changes; returns its unsubscribe function. */
  onState(listener: (state: ChainBookState) => void): () => void {
    return this.#states.add(listener);
  }

  /** Registers a listener for failures, which are retried automatically; returns its unsubscribe function. */
  onError(listener: (error: ClientError) => void): () => void {
    return this.#errors.add(listener);
  }

  /** Iterates over the book after each rebuild; a slow loop skips rebuilds. */
  [Symbol.asyncIterator](): AsyncIterator<LocalBook> {
    const loop = new LatestValues<LocalBook>(() => this.#loops.delete(loop));
    this.#loops.add(loop);
    return loop;
  }

  #handleAccount(address: string, bytes: Uint8Array | null): void {
    if (bytes !== null && isKind(bytes, STATE_KIND)) this.#stateAddress = address;
    this.book.setAccount(address, bytes);
  }

  #handleSynced(): void {
    if (this.#state === 'live') return;
    this.#setState('live');
    if (!this.#isMaking) void this.#makeBook();
  }

  /**
   * Polls oracles and time, rebuilds the book once, and schedules the next rebuild while the book
   * is live.
   */
  async #makeBook(): Promise<void> {
    this.#isMaking = true;
    const { signal } = this.#accounts;
    try {
      await this.#makeOnce(signal);
    } catch (cause) {
      if (!signal.aborted) {
        const isOurs = cause instanceof ClientError;
        const message = 'the book could not be made';
        this.#errors.emit(isOurs ? cause : new ClientError('UNREACHABLE', message, {}, { cause }));
      }
    }
    this.#isMaking = false;
    if (this.#state !== 'live') return;
    const clock = this.#options.clock ?? systemClock;
    const ms = this.#options.updateFrequency ?? limits.LOCAL_BOOK_MS;
    this.#isMaking = true;
    this.#cancelTimer = clock.after(ms, () => {
      this.#isMaking = false;
      if (this.#state === 'live') void this.#makeBook();
    });
  }

  async #makeOnce(signal: AbortSignal): Promise<void> {
    const { rpc } = this.#accounts;
    if (this.#slot === 0n) this.#slot = await rpc.fetchSlot(signal);
    const state = this.#stateAddress === null ? [] : [this.#stateAddress];
    const addresses = [...state, ...this.book.oracleAddresses];
    const [clock, ...accounts] = await rpc.fetchAccounts([CLOCK, ...addresses], signal);
    for (const [index, address] of addresses.entries()) {
      this.book.setAccount(address, accounts[index] ?? null);
    }
    if (signal.aborted) return;
    this.book.rebuild({ slot: this.#slot, now: secondOf(clock ?? null) });
    this.#updates.emit(this.book);
    for (const loop of this.#loops) loop.push(this.book);
  }

  #setState(state: ChainBookState): void {
    if (this.#state === state) return;
    this.#state = state;
    if (state === 'idle') {
      this.#cancelTimer();
      this.#isMaking = false;
    }
    this.#states.emit(state);
  }
}

function secondOf(clock: Uint8Array | null): bigint {
  if (clock === null || clock.length < CLOCK_BYTES_MIN) {
    throw new ClientError(
      'MALFORMED_ANSWER',
      'the node did not return the Clock account of the chain',
    );
  }
  const view = new DataView(clock.buffer, clock.byteOffset, clock.byteLength);
  return view.getBigInt64(CLOCK_SECOND_AT, true);
}

/**
 * The trades of one market since the subscription, each told once: what came live, and what was
 * missed, read before anything newer is told.
 */

import type { Clock } from '../environment.js';
import { ClientError } from '../error.js';
import * as limits from '../limits.js';
import { Listeners } from '../listeners.js';
import { KnownTrades } from './known-trades.js';
import { type PagesRead, repairOf } from './repair.js';
import type { LiveTrade, TradeBatch } from './trade.js';

/** The socket and the pages as a market sees them. */
export interface MarketTradesSource {
  readonly clock: Clock;
  sendMessage(message: object): void;
  restart(): void;
  /** The newest trades down to a number. */
  fetchBackTo(symbol: string, id: bigint, signal: AbortSignal): Promise<PagesRead>;
}

/** A followed market. */
export class MarketTrades {
  readonly updates = new Listeners<TradeBatch>();
  /** The service refuses it for good. */
  readonly ends = new Listeners<ClientError>();
  /** What was missed could not be read yet, or the service cannot do it now; it is tried again. */
  readonly retries = new Listeners<ClientError>();
  readonly #known = new KnownTrades();
  #state: 'off' | 'asked' | 'on' | 'ended' = 'off';
  /** The number of the first trade that was told; undefined before the first `init`. */
  #firstId: bigint | undefined;
  #hasInit = false;
  /** What comes while what was missed is read. */
  #held: LiveTrade[] | undefined;
  #mending: AbortController | undefined;
  #cancelTimer: () => void = () => {};

  constructor(
    readonly symbol: string,
    private readonly source: MarketTradesSource,
  ) {}

  /** What a newcomer is told first; undefined before the service has told anything. */
  get init(): TradeBatch | undefined {
    if (this.#firstId === undefined) return undefined;
    return batchOf('init', this.#known.listNewest(limits.TRADES_FIRST));
  }

  get isSubscribing(): boolean {
    return this.#state === 'asked';
  }

  subscribe(): void {
    if (this.#state === 'ended') return;
    this.#state = 'asked';
    this.#hasInit = false;
    this.#cancelTimer();
    this.#cancelTimer = this.source.clock.after(limits.ANSWER_MS_MAX, () => this.source.restart());
    this.source.sendMessage({ type: 'subscribe', ...this.#name });
  }

  unsubscribe(): void {
    if (this.#state === 'asked' || this.#state === 'on') {
      this.source.sendMessage({ type: 'unsubscribe', ...this.#name });
    }
    this.#off('ended');
  }

  handleDisconnect(): void {
    if (this.#state !== 'ended') this.#off('off');
  }

  /** The subscription stands. A market without a trade may have said nothing before. */
  handleAcknowledged(): void {
    if (this.#state !== 'asked') return;
    this.#started();
    if (!this.#hasInit) this.handleInit([]);
  }

  /** Takes the newest trades: at the start, and where something may be missing or was taken back. */
  handleInit(newest: readonly LiveTrade[]): void {
    this.#started();
    if (this.#state !== 'on') return;
    this.#hasInit = true;
    if (this.#firstId !== undefined) {
      this.#held = [];
      this.#repair(newest);
      return;
    }
    const [first] = newest;
    this.#firstId = first?.fillRecordId ?? -1n;
    this.#known.addTrades(newest);
    this.updates.emit(batchOf('init', newest));
  }

  /** Takes trades that have come; `leftOut` came as well. */
  handleTrades(trades: readonly LiveTrade[], leftOut: number): void {
    if (this.#state !== 'on' || this.#firstId === undefined) return;
    if (leftOut > 0) {
      this.#held = [...(this.#held ?? []), ...trades];
      this.#repair([]);
    } else if (this.#held !== undefined) this.#held.push(...trades);
    else this.#emitUpdate('update', trades);
  }

  /** The service cannot do it now. */
  postponed(error: ClientError): void {
    if (this.#state === 'ended') return;
    this.#off('off');
    this.#cancelTimer = this.source.clock.after(limits.RESUBSCRIBE_MS, () => this.subscribe());
    this.retries.emit(error);
  }

  /** The service never does it. */
  refused(error: ClientError): void {
    if (this.#state === 'ended') return;
    this.#off('ended');
    this.ends.emit(error);
  }

  get #name() {
    return { channelType: 'trades', symbol: this.symbol };
  }

  #started(): void {
    if (this.#state !== 'asked') return;
    this.#cancelTimer();
    this.#state = 'on';
  }

  #off(state: 'off' | 'ended'): void {
    this.#state = state;
    this.#cancelTimer();
    this.#mending?.abort();
    this.#mending = undefined;
    this.#held = undefined;
  }

  #emitUpdate(kind: TradeBatch['kind'], trades: readonly LiveTrade[]): void {
    const fresh = trades.filter((trade) => !this.#known.hasTrade(trade));
    if (fresh.length === 0) return;
    this.#known.addTrades(fresh);
    this.updates.emit(batchOf(kind, fresh));
  }

  /** Reads what was missed; `newest` is what the service has just shown. */
  #repair(newest: readonly LiveTrade[]): void {
    const ending = new AbortController();
    this.#mending?.abort();
    this.#mending = ending;
    this.#cancelTimer();
    const ifCurrent =
      <T>(call: (value: T) => void) =>
      (value: T) => {
        if (!ending.signal.aborted) call(value);
      };
    this.source.fetchBackTo(this.symbol, this.#floor, ending.signal).then(
      ifCurrent((pages) => this.#mended(newest, pages)),
      ifCurrent((error) => this.#mendLater(newest, error)),
    );
  }

  /** The number from which on trades are read again. */
  get #floor(): bigint {
    const again = this.#known.lastId - BigInt(limits.TRADES_REREAD);
    const first = this.#firstId ?? -1n;
    return again > first ? again : first;
  }

  #mended(newest: readonly LiveTrade[], pages: PagesRead): void {
    const held = this.#held ?? [];
    const repair = repairOf({ known: this.#known, floor: this.#floor, newest, pages, held });
    if (repair === 'stale') {
      this.#again(newest);
      return;
    }
    this.#held = undefined;
    this.#mending = undefined;
    this.#known.removeTrades(repair.takenBack);
    this.#known.addTrades(repair.trades);
    const { trades, takenBack, leftOut } = repair;
    if (trades.length + takenBack.length + leftOut > 0) {
      this.updates.emit({ kind: 'repair', ...repair });
    }
  }

  #mendLater(newest: readonly LiveTrade[], error: unknown): void {
    const cause = { cause: error };
    const coded =
      error instanceof ClientError
        ? error
        : new ClientError('UNREACHABLE', 'what was missed could not be read', {}, cause);
    this.#again(newest);
    this.retries.emit(coded);
  }

  #again(newest: readonly LiveTrade[]): void {
    this.#cancelTimer = this.source.clock.after(limits.RESUBSCRIBE_MS, () => this.#repair(newest));
  }
}

function batchOf(kind: TradeBatch['kind'], trades: readonly LiveTrade[]): TradeBatch {
  return { kind, trades, takenBack: [], leftOut: 0 };
}

/**
 * The trades of one market since the subscription, each emitted once: live trades, and missed
 * trades, which are fetched before anything newer is emitted.
 */
import * as limits from '../limits.js';
import { Listeners } from '../listeners.js';
import { type MarketConnection, MarketSubscription } from '../stream/market-subscription.js';
import { KnownTrades, type PagesRead, repairOf } from './repair.js';
import type { LiveTrade, TradeBatch } from './trade.js';

/** Fetches the newest trades of a market down to a number. */
type FetchBackTo = (symbol: string, id: bigint, signal: AbortSignal) => Promise<PagesRead>;

/** A followed market. */
export class MarketTrades {
  readonly updates = new Listeners<TradeBatch>();
  /** Its subscription on the socket. */
  readonly subscription: MarketSubscription;
  readonly #symbol: string;
  readonly #fetchBackTo: FetchBackTo;
  readonly #known = new KnownTrades();
  /** The number of the first trade that was emitted; undefined before the first `init`. */
  #firstId: bigint | undefined;
  #hasInit = false;
  /** Trades that arrive while missed trades are being fetched; undefined without a fetch. */
  #held: LiveTrade[] | undefined;

  constructor(symbol: string, connection: MarketConnection, fetchBackTo: FetchBackTo) {
    this.#symbol = symbol;
    this.#fetchBackTo = fetchBackTo;
    const topic = { channelType: 'trades', symbol };
    this.subscription = new MarketSubscription(connection, topic, () => {
      this.#hasInit = false;
      this.#held = undefined;
    });
  }

  /** The first batch for a new listener; undefined until the service has sent trades. */
  get init(): TradeBatch | undefined {
    if (this.#firstId === undefined) return undefined;
    return batchOf('init', this.#known.listNewest(limits.TRADES_FIRST));
  }

  /**
   * Handles the acknowledgement. For a market without trades, the service may have sent nothing
   * before it.
   */
  handleAcknowledged(): void {
    if (this.subscription.handleAcknowledged() && !this.#hasInit) this.handleInit([]);
  }

  /**
   * Handles a message of the newest trades, which comes at the start and when trades may be missing
   * or were reverted.
   */
  handleInit(newest: readonly LiveTrade[]): void {
    this.subscription.handleAcknowledged();
    if (!this.subscription.isOn) return;
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

  /**
   * Handles live trades; `leftOut` is the number of trades that the service has omitted before
   * them.
   */
  handleTrades(trades: readonly LiveTrade[], leftOut: number): void {
    if (!this.subscription.isOn || this.#firstId === undefined) return;
    if (leftOut > 0 || this.#held !== undefined) {
      this.#held = [...(this.#held ?? []), ...trades].slice(-limits.TRADES_WAITING_MAX);
      if (leftOut > 0) this.#repair([]);
    } else this.#emitUpdate(trades);
  }

  #emitUpdate(trades: readonly LiveTrade[]): void {
    const fresh = trades.filter((trade) => !this.#known.hasTrade(trade));
    if (fresh.length === 0) return;
    this.#known.addTrades(fresh);
    this.updates.emit(batchOf('update', fresh));
  }

  /** Fetches missed trades; `newest` is the last message of the service. */
  #repair(newest: readonly LiveTrade[]): void {
    const symbol = this.#symbol;
    const floor = this.#floor;
    const retry = (): void => this.subscription.scheduleRetry(() => this.#repair(newest));
    this.subscription.startRepair((signal) => this.#fetchBackTo(symbol, floor, signal), {
      onRead: (pages) => {
        const held = this.#held ?? [];
        const repair = repairOf({ known: this.#known, floor: this.#floor, newest, pages, held });
        if (repair === 'stale') {
          retry();
          return;
        }
        this.#held = undefined;
        this.#known.removeTrades(repair.takenBack);
        this.#known.addTrades(repair.trades);
        const { trades, takenBack, leftOut } = repair;
        if (trades.length + takenBack.length + leftOut > 0) {
          this.updates.emit({ kind: 'repair', ...repair });
        }
      },
      onFailure: retry,
    });
  }

  /** The trade number from which a repair reads trades again. */
  get #floor(): bigint {
    const reread = this.#known.lastId - BigInt(limits.TRADES_REREAD);
    const first = this.#firstId ?? -1n;
    return reread > first ? reread : first;
  }
}

function batchOf(kind: TradeBatch['kind'], trades: readonly LiveTrade[]): TradeBatch {
  return { kind, trades, takenBack: [], leftOut: 0 };
}

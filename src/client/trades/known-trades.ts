import { TRADES_KNOWN_MAX } from '../limits.js';
import { idOf, inOrder, keyOf, type LiveTrade } from './trade.js';

/** The newest trades that were told, so that none is told twice and one that goes is missed. */
export class KnownTrades {
  #byKey = new Map<string, LiveTrade>();
  #lastId = -1n;

  /** The highest number; -1 before there is one. */
  get lastId(): bigint {
    return this.#lastId;
  }

  has(trade: LiveTrade): boolean {
    return this.#byKey.has(keyOf(trade));
  }

  add(trades: readonly LiveTrade[]): void {
    for (const trade of trades) {
      this.#byKey.set(keyOf(trade), trade);
      if (idOf(trade) > this.#lastId) this.#lastId = idOf(trade);
    }
    if (this.#byKey.size > 2 * TRADES_KNOWN_MAX) this.#keep(this.newest(TRADES_KNOWN_MAX));
  }

  remove(trades: readonly LiveTrade[]): void {
    const gone = new Set(trades.map(keyOf));
    this.#keep(this.all().filter((trade) => !gone.has(keyOf(trade))));
  }

  all(): LiveTrade[] {
    return [...this.#byKey.values()];
  }

  /** In order, the newest last. */
  newest(count: number): LiveTrade[] {
    return inOrder(this.#byKey.values()).slice(-count);
  }

  #keep(trades: readonly LiveTrade[]): void {
    this.#byKey = new Map(trades.map((trade) => [keyOf(trade), trade]));
    const last = inOrder(trades).at(-1);
    this.#lastId = last === undefined ? -1n : idOf(last);
  }
}

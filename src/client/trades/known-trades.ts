import { TRADES_KNOWN_MAX } from '../limits.js';
import { idOf, keyOf, type LiveTrade, sortById } from './trade.js';

/** The newest trades that were told, so that none is told twice and one that goes is missed. */
export class KnownTrades {
  #byKey = new Map<string, LiveTrade>();
  #lastId = -1n;

  /** The highest number; -1 before there is one. */
  get lastId(): bigint {
    return this.#lastId;
  }

  hasTrade(trade: LiveTrade): boolean {
    return this.#byKey.has(keyOf(trade));
  }

  addTrades(trades: readonly LiveTrade[]): void {
    for (const trade of trades) {
      this.#byKey.set(keyOf(trade), trade);
      if (idOf(trade) > this.#lastId) this.#lastId = idOf(trade);
    }
    if (this.#byKey.size > 2 * TRADES_KNOWN_MAX)
      this.#replaceAll(this.listNewest(TRADES_KNOWN_MAX));
  }

  removeTrades(trades: readonly LiveTrade[]): void {
    const gone = new Set(trades.map(keyOf));
    this.#replaceAll(this.listAll().filter((trade) => !gone.has(keyOf(trade))));
  }

  listAll(): LiveTrade[] {
    return [...this.#byKey.values()];
  }

  /** In order, the newest last. */
  listNewest(count: number): LiveTrade[] {
    return sortById(this.#byKey.values()).slice(-count);
  }

  #replaceAll(trades: readonly LiveTrade[]): void {
    this.#byKey = new Map(trades.map((trade) => [keyOf(trade), trade]));
    const last = sortById(trades).at(-1);
    this.#lastId = last === undefined ? -1n : idOf(last);
  }
}

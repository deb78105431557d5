/** Finds the trades to emit after a gap: missed trades, and trades that a fork has reverted. */
import { TRADES_KNOWN_MAX, TRADES_PAGE } from '../limits.js';
import { idOf, keyOf, type LiveTrade, sortById } from './trade.js';

/** The newest emitted trades, by which duplicates and reverts are found. */
export class KnownTrades {
  #byKey = new Map<string, LiveTrade>();
  #lastId = -1n;

  /** The highest number; -1 before the first. */
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
    if (this.#byKey.size > TRADES_KNOWN_MAX) this.#replaceAll(this.listNewest(TRADES_PAGE));
  }

  removeTrades(trades: readonly LiveTrade[]): void {
    const removed = new Set(trades.map(keyOf));
    this.#replaceAll(this.listAll().filter((trade) => !removed.has(keyOf(trade))));
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

/** Trades that were fetched from pages. */
export interface PagesRead {
  /** Newest first. */
  readonly trades: readonly LiveTrade[];
  /** Whether the pages reach back to the requested trade. */
  readonly isWhole: boolean;
}

/** The trades known before a gap, and the trades received after it. */
export interface Gap {
  readonly known: KnownTrades;
  /**
   * Trades with a lower number are not emitted, because they precede the subscription or were
   * emitted long ago.
   */
  readonly floor: bigint;
  /** The newest trades as the socket sent them, oldest first. */
  readonly newest: readonly LiveTrade[];
  /** Fetched after `newest`. */
  readonly pages: PagesRead;
  /** Live trades since then. */
  readonly held: readonly LiveTrade[];
}

/** The members of a batch of `repair`. */
interface Repair {
  readonly trades: readonly LiveTrade[];
  readonly takenBack: readonly LiveTrade[];
  readonly leftOut: number;
}

/**
 * Returns the trades to emit, or `stale` for pages that end before the trades of the socket,
 * because an intermediate cache served them.
 */
export function repairOf(gap: Gap): Repair | 'stale' {
  const { known, floor, newest, pages, held } = gap;
  const fetched = new Set(pages.trades.map(keyOf));
  const sent = newest.at(-1);
  const [read] = pages.trades;
  const isNewer = sent === undefined || (read !== undefined && idOf(read) > idOf(sent));
  if (!isNewer && !newest.some((trade) => fetched.has(keyOf(trade)))) return 'stale';
  const all = new Map([...pages.trades, ...newest, ...held].map((trade) => [keyOf(trade), trade]));
  const fresh = [...all.values()].filter((trade) => !known.hasTrade(trade) && idOf(trade) >= floor);
  const takenBack = known
    .listAll()
    .filter((trade) => !all.has(keyOf(trade)) && isCovered(trade, gap));
  return { trades: sortById(fresh), takenBack: sortById(takenBack), leftOut: leftOutOf(gap) };
}

/** Returns whether the fetched trades would contain this trade if it still existed. */
function isCovered(trade: LiveTrade, { newest, pages }: Gap): boolean {
  const id = idOf(trade);
  const newestRead = pages.trades[0];
  const oldestRead = pages.trades.at(-1);
  const [oldestSent] = newest;
  if (oldestSent !== undefined && id >= idOf(oldestSent)) return true;
  if (newestRead === undefined || oldestRead === undefined) return false;
  return id >= idOf(oldestRead) && id <= idOf(newestRead);
}

function leftOutOf({ known, pages }: Gap): number {
  const oldest = pages.trades.at(-1);
  if (pages.isWhole || oldest === undefined) return 0;
  const missing = idOf(oldest) - 1n - known.lastId;
  return missing > 0n ? Number(missing) : 0;
}

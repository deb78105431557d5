/** What is to be told after a hole: what was missed, and what is not there any more. */
import type { KnownTrades } from './known-trades.js';
import { idOf, keyOf, type LiveTrade, sortById } from './trade.js';

/** Trades that were read from pages. */
export interface PagesRead {
  /** Newest first. */
  readonly trades: readonly LiveTrade[];
  /** Whether they reach down to what was asked for. */
  readonly isWhole: boolean;
}

/** What was known before the hole, and what was heard behind it. */
export interface Gap {
  readonly known: KnownTrades;
  /** Older trades are not told: they are from before the subscription, or were told long ago. */
  readonly floor: bigint;
  /** The newest trades as the socket has shown them, oldest first. */
  readonly newest: readonly LiveTrade[];
  /** Read after those. */
  readonly pages: PagesRead;
  /** What has come live since. */
  readonly held: readonly LiveTrade[];
}

/** As the members of a batch. */
export interface Repair {
  readonly trades: readonly LiveTrade[];
  readonly takenBack: readonly LiveTrade[];
  readonly leftOut: number;
}

/** `stale` are pages that do not reach up to what the socket has shown: a cache between has answered. */
export function repairOf(hole: Gap): Repair | 'stale' {
  const { known, floor, newest, pages, held } = hole;
  const read = new Set(pages.trades.map(keyOf));
  if (newest.length > 0 && !newest.some((trade) => read.has(keyOf(trade)))) return 'stale';
  const all = new Map([...pages.trades, ...newest, ...held].map((trade) => [keyOf(trade), trade]));
  const fresh = [...all.values()].filter((trade) => !known.hasTrade(trade) && idOf(trade) >= floor);
  const takenBack = known
    .listAll()
    .filter((trade) => !all.has(keyOf(trade)) && isCovered(trade, hole));
  return { trades: sortById(fresh), takenBack: sortById(takenBack), leftOut: leftOutOf(hole) };
}

/** Whether a trade would have been read if it were there. */
function isCovered(trade: LiveTrade, { newest, pages }: Gap): boolean {
  const id = idOf(trade);
  const [newestRead, oldestRead] = [pages.trades[0], pages.trades.at(-1)];
  const [oldestShown] = newest;
  if (oldestShown !== undefined && id >= idOf(oldestShown)) return true;
  if (newestRead === undefined || oldestRead === undefined) return false;
  return id >= idOf(oldestRead) && id <= idOf(newestRead);
}

function leftOutOf({ known, pages }: Gap): number {
  const oldest = pages.trades.at(-1);
  if (pages.isWhole || oldest === undefined) return 0;
  const missing = idOf(oldest) - 1n - known.lastId;
  return missing > 0n ? Number(missing) : 0;
}

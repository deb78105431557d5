/** The cumulative depth of a book, as a curve and as a table. */
import type { BookView, Level } from '@slotbook/client';

/** One side of the curve, best first: the total that can be traded up to each price. */
export interface DepthSide {
  /** Quote per base. */
  readonly prices: Float64Array;
  /** Base, or its value in quote. */
  readonly totals: Float64Array;
}

/** The curve of both sides. */
export interface DepthCurve {
  readonly bids: DepthSide;
  readonly asks: DepthSide;
  /** The mid price; null when a side is empty. */
  readonly mid: number | null;
  /** The largest distance from the mid price that both sides cover. */
  readonly reach: number;
  /** The largest total within that distance. */
  readonly totalMax: number;
}

/** The curve of a book's shown levels. */
export function depthCurveOf(
  view: Pick<BookView, 'bids' | 'asks'>,
  unit: 'base' | 'quote',
): DepthCurve {
  const bids = sideOf(view.bids, unit);
  const asks = sideOf(view.asks, unit);
  const bid = bids.prices[0];
  const ask = asks.prices[0];
  const mid = bid === undefined || ask === undefined ? null : (bid + ask) / 2;
  const reach = mid === null ? 0 : Math.min(reachOf(bids, mid), reachOf(asks, mid));
  const most = (side: DepthSide): number =>
    side.totals[countWithin(side, mid ?? 0, reach) - 1] ?? 0;
  return { bids, asks, mid, reach, totalMax: Math.max(most(bids), most(asks)) };
}

function sideOf(levels: BookView['bids'], unit: 'base' | 'quote'): DepthSide {
  const prices = new Float64Array(levels.length);
  const totals = new Float64Array(levels.length);
  let total = 0;
  // Levels are read by index, because `entries` would produce most of the garbage.
  for (let index = 0; index < levels.length; index += 1) {
    const { price, size } = levels[index] as Level;
    const quotePrice = Number(price) / 1e6;
    total += (Number(size) / 1e9) * (unit === 'base' ? 1 : quotePrice);
    prices[index] = quotePrice;
    totals[index] = total;
  }
  return { prices, totals };
}

function reachOf({ prices }: DepthSide, mid: number): number {
  return Math.abs((prices.at(-1) ?? mid) - mid);
}

/** Returns the number of levels within a distance of the mid price. */
export function countWithin({ prices }: DepthSide, mid: number, distance: number): number {
  let count = 0;
  while (count < prices.length && Math.abs((prices[count] ?? mid) - mid) <= distance) count += 1;
  return count;
}

/** The total within a distance of the mid price. */
interface DepthWithin {
  readonly bps: number;
  /** Null when the known levels do not reach that far. */
  readonly bid: number | null;
  readonly ask: number | null;
}

/** The distances from the mid price in the table, basis points. */
const DISTANCES_BPS = [2, 5, 10, 25, 50] as const;

/** Returns the totals within each distance of the table. */
export function depthWithin({ bids, asks, mid }: DepthCurve): readonly DepthWithin[] {
  return DISTANCES_BPS.map((bps) => ({
    bps,
    bid: mid === null ? null : totalWithin(bids, mid, bps),
    ask: mid === null ? null : totalWithin(asks, mid, bps),
  }));
}

function totalWithin(side: DepthSide, mid: number, bps: number): number | null {
  const count = countWithin(side, mid, (mid * bps) / 1e4);
  return count === side.totals.length ? null : (side.totals[count - 1] ?? 0);
}

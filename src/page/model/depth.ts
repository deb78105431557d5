/** The cumulative depth of a book, as a curve and as a table. */
import type { BookView } from '@slotbook/client';

/** A step of the curve: so much can be traded up to this price. */
export interface DepthPoint {
  /** Quote for a base. */
  readonly price: number;
  /** Base. */
  readonly total: number;
}

/** The curve of both sides, best first. */
export interface DepthCurve {
  readonly bids: readonly DepthPoint[];
  readonly asks: readonly DepthPoint[];
  /** Between the best prices; null where a side is empty. */
  readonly mid: number | null;
  /** How far from the middle the curve reaches on its shorter side. */
  readonly reach: number;
  /** The largest total within that reach. */
  readonly totalMax: number;
}

/** The curve of the levels that a book shows. */
export function depthCurveOf({ bids, asks }: Pick<BookView, 'bids' | 'asks'>): DepthCurve {
  const [bidPoints, askPoints] = [pointsOf(bids), pointsOf(asks)];
  const [bid, ask] = [bidPoints[0]?.price, askPoints[0]?.price];
  const mid = bid === undefined || ask === undefined ? null : (bid + ask) / 2;
  const reach = mid === null ? 0 : Math.min(reachOf(bidPoints, mid), reachOf(askPoints, mid));
  const within = (points: readonly DepthPoint[]): number =>
    points.reduce(
      (most, { price, total }) => (Math.abs(price - (mid ?? 0)) <= reach ? total : most),
      0,
    );
  const totalMax = Math.max(within(bidPoints), within(askPoints));
  return { bids: bidPoints, asks: askPoints, mid, reach, totalMax };
}

function pointsOf(levels: BookView['bids']): readonly DepthPoint[] {
  let total = 0n;
  return levels.map(({ price, size }) => {
    total += size;
    return { price: Number(price) / 1e6, total: Number(total) / 1e9 };
  });
}

function reachOf(points: readonly DepthPoint[], mid: number): number {
  return Math.abs((points.at(-1)?.price ?? mid) - mid);
}

/** Base within a distance of the middle. */
export interface DepthWithin {
  readonly bps: number;
  /** Null where the shown levels do not reach so far. */
  readonly bid: number | null;
  readonly ask: number | null;
}

/** Distances from the middle of the table. */
const DISTANCES_BPS = [2, 5, 10, 25, 50] as const;

/** How much stands within some distances of the middle, in basis points. */
export function depthWithin({ bids, asks, mid }: DepthCurve): readonly DepthWithin[] {
  return DISTANCES_BPS.map((bps) => ({
    bps,
    bid: mid === null ? null : totalWithin(bids, mid, bps),
    ask: mid === null ? null : totalWithin(asks, mid, bps),
  }));
}

function totalWithin(points: readonly DepthPoint[], mid: number, bps: number): number | null {
  const distance = (mid * bps) / 1e4;
  const beyond = points.findIndex(({ price }) => Math.abs(price - mid) > distance);
  return beyond < 0 ? null : (points[beyond - 1]?.total ?? 0);
}

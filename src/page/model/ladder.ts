/** The rows of a ladder, for the drawing and its table, from one book. */
import type { BookView, Level } from '@slotbook/client';

/** The source of a level's size; `other` is a source that this page does not know. */
export type Source = 'dlob' | 'vamm' | 'indicative' | 'other';

/** The sources in stacking order, with their display names. */
export const SOURCES: readonly (readonly [source: Source, name: string])[] = [
  ['dlob', 'Orders'],
  ['vamm', 'AMM'],
  ['indicative', 'Indicative'],
  ['other', 'Other'],
];

/** One level of a ladder; amounts are raw. */
export interface LadderRow {
  readonly price: bigint;
  readonly size: bigint;
  /** Cumulative size of this level and all better levels. */
  readonly total: bigint;
  readonly bySource: Readonly<Record<Source, bigint>>;
}

/** Both sides, best first, of one book. */
export interface Ladder {
  readonly bids: readonly LadderRow[];
  readonly asks: readonly LadderRow[];
  /** The largest size and the largest total of both sides, which scale the bars; at least 1. */
  readonly sizeMax: bigint;
  readonly totalMax: bigint;
}

/** Returns the best levels of a book, up to a maximum a side. */
export function ladderOf({ bids, asks }: Pick<BookView, 'bids' | 'asks'>, rowsMax: number): Ladder {
  const sides = [rowsOf(bids, rowsMax), rowsOf(asks, rowsMax)] as const;
  let sizeMax = 1n;
  let totalMax = 1n;
  for (const { size, total } of [...sides[0], ...sides[1]]) {
    if (size > sizeMax) sizeMax = size;
    if (total > totalMax) totalMax = total;
  }
  return { bids: sides[0], asks: sides[1], sizeMax, totalMax };
}

function rowsOf(levels: readonly Level[], rowsMax: number): readonly LadderRow[] {
  let total = 0n;
  return levels.slice(0, rowsMax).map(({ price, size, sources }) => {
    total += size;
    return { price, size, total, bySource: sharesOf(size, sources) };
  });
}

function sharesOf(
  size: bigint,
  { dlob = 0n, vamm = 0n, indicative = 0n }: Readonly<Record<string, bigint>>,
): LadderRow['bySource'] {
  return { dlob, vamm, indicative, other: size - dlob - vamm - indicative };
}

/** Returns whether a price of a finer book belongs to this level. */
export function isInLevel(
  price: bigint,
  level: { readonly side: 'bid' | 'ask'; readonly price: bigint; readonly groupSize: bigint },
): boolean {
  // Bids round down and asks up.
  const low = level.side === 'bid' ? level.price : level.price - level.groupSize + 1n;
  return price >= low && price < low + level.groupSize;
}

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

/** The side of a level, and its raw price, which names it while the book moves. */
export interface LevelName {
  readonly side: 'bid' | 'ask';
  readonly price: bigint;
}

/** One level of a ladder; amounts are raw. */
export interface LadderRow {
  readonly price: bigint;
  /** 0 for a held row whose level is gone. */
  readonly size: bigint;
  /** The value of the size in quote. */
  readonly quote: bigint;
  /** Cumulative size of this level and all better levels. */
  readonly total: bigint;
  /** Cumulative quote of them. */
  readonly quoteTotal: bigint;
  readonly bySource: Readonly<Record<Source, bigint>>;
}

/** Both sides, best first, of one book. */
export interface Ladder {
  readonly bids: readonly LadderRow[];
  readonly asks: readonly LadderRow[];
  /**
   * The largest size without the AMM and the largest total of both sides, which scale the bars; at
   * least 1. One level of an AMM may be larger than all orders.
   */
  readonly sizeMax: bigint;
  readonly totalMax: bigint;
  /** Levels between held rows that have no row. */
  readonly hidden: number;
}

/** The prices of rows, best first. */
type RowPrices = Readonly<Record<'bids' | 'asks', readonly bigint[]>>;

/** Returns the best levels of a book, up to a maximum a side. */
export function ladderOf({ bids, asks }: Pick<BookView, 'bids' | 'asks'>, rowsMax: number): Ladder {
  const pricesOf = (levels: readonly Level[]): readonly bigint[] =>
    levels.slice(0, rowsMax).map(({ price }) => price);
  return ladderAt({ bids, asks }, { bids: pricesOf(bids), asks: pricesOf(asks) });
}

/** Returns the rows of given prices; their totals contain all levels up to each price. */
function ladderAt(view: Pick<BookView, 'bids' | 'asks'>, prices: RowPrices): Ladder {
  const bids = rowsAt(view.bids, prices.bids, (price, row) => price >= row);
  const asks = rowsAt(view.asks, prices.asks, (price, row) => price <= row);
  const rows = [...bids.rows, ...asks.rows];
  const largest = (amountOf: (row: LadderRow) => bigint): bigint =>
    rows.reduce((most, row) => (amountOf(row) > most ? amountOf(row) : most), 0n);
  const ordersMax = largest(({ size, bySource }) => size - bySource.vamm);
  return {
    bids: bids.rows,
    asks: asks.rows,
    sizeMax: ordersMax || largest(({ size }) => size) || 1n,
    totalMax: largest(({ total }) => total) || 1n,
    hidden: bids.hidden + asks.hidden,
  };
}

function rowsAt(
  levels: readonly Level[],
  prices: readonly bigint[],
  isWithin: (price: bigint, row: bigint) => boolean,
): { readonly rows: readonly LadderRow[]; readonly hidden: number } {
  let [at, total, quoteTotal, hidden] = [0, 0n, 0n, 0];
  const rows = prices.map((price): LadderRow => {
    let [size, quote] = [0n, 0n];
    let sources: Readonly<Record<string, bigint>> = {};
    for (; at < levels.length; at += 1) {
      const level = levels[at] as Level;
      if (!isWithin(level.price, price)) break;
      const value = (level.price * level.size) / BASE_ONE;
      total += level.size;
      quoteTotal += value;
      if (level.price === price) {
        size = level.size;
        sources = level.sources;
        quote = value;
      } else hidden += 1;
    }
    return { price, size, quote, total, quoteTotal, bySource: sharesOf(size, sources) };
  });
  return { rows, hidden };
}

/** One base, raw. */
const BASE_ONE = 1_000_000_000n;

/** The ladder on the screen. */
interface HeldView {
  readonly view: Pick<BookView, 'bids' | 'asks'>;
  readonly rowsMax: number;
  /** Whether a reader points at a row. */
  readonly isHeld: boolean;
  /** The choice of the book: another one has other rows. */
  readonly choice: unknown;
}

/**
 * Keeps the price of each row while a reader points at a row, so that a click reaches the level
 * that was read. Held rows are given up when fewer than half of their levels remain.
 */
export class RowHold {
  #prices: RowPrices | undefined;
  #last: { readonly rowsMax: number; readonly choice: unknown } | undefined;

  readLadder({ view, rowsMax, isHeld, choice }: HeldView): Ladder {
    const isSame = this.#last?.rowsMax === rowsMax && this.#last.choice === choice;
    if (isHeld && isSame && this.#prices !== undefined) {
      const held = ladderAt(view, this.#prices);
      const rows = [...held.bids, ...held.asks];
      if (rows.filter(({ size }) => size > 0n).length * 2 >= rows.length) return held;
    }
    const ladder = ladderOf(view, rowsMax);
    const pricesOf = (rows: readonly LadderRow[]) => rows.map(({ price }) => price);
    this.#prices = { bids: pricesOf(ladder.bids), asks: pricesOf(ladder.asks) };
    this.#last = { rowsMax, choice };
    return ladder;
  }
}

/** Returns the index of a level among the rows of its side; -1 when it has no row. */
export function rowIndex(ladder: Ladder, { side, price }: LevelName): number {
  return ladder[`${side}s`].findIndex((row) => row.price === price);
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

/** The spread of a book, and its depth near the mid price, as the members of rows in JSON. */
import type { BookLevel, BookLevels } from './book-levels.js';
import type { BookSource } from './book-source.js';

/** Distances from the mid price, basis points, ascending. */
export const DISTANCES_BPS = [1, 2, 5, 10, 25, 50, 100] as const;

/** Levels a side of the first read, and by how much more each further read has. */
const LEVELS = { first: 200, factor: 5 } as const;
const BPS = 10_000n;
const BPS_MAX = BigInt(DISTANCES_BPS.at(-1) ?? 0);
/** One base at 1e9. */
const BASE_ONE = 1_000_000_000n;

type LevelSource = Pick<BookSource, 'levels'>;

/** Reads a book, with the AMM, down to the largest distance. */
export function readNear(book: LevelSource, market: number): BookLevels {
  return readWithin(book, { market, vamm: true }, doubleMid);
}

/** Reads sides down to the largest distance from a mid price. */
function readWithin(
  book: LevelSource,
  request: { readonly market: number; readonly vamm: boolean },
  midOf: (sides: BookLevels) => bigint | null,
): BookLevels {
  for (let asked: number = LEVELS.first; ; asked *= LEVELS.factor) {
    const sides = book.levels({ ...request, depth: asked });
    const mid2 = midOf(sides);
    const isWhole = (side: keyof BookLevels): boolean => {
      const last = sides[side].at(-1);
      const isAll = last === undefined || sides[side].length < asked;
      return isAll || mid2 === null || !isWithin(last, side, { mid2, bps: BPS_MAX });
    };
    if (isWhole('bids') && isWhole('asks')) return sides;
  }
}

/** The sum of the best prices, which is exact; null where a side is empty. */
function doubleMid({ bids: [bid], asks: [ask] }: BookLevels): bigint | null {
  return bid === undefined || ask === undefined ? null : bid.price + ask.price;
}

/** A distance from the mid price, of which `mid2` is the double. */
interface Reach {
  readonly mid2: bigint;
  readonly bps: bigint;
}

/** Levels beyond the mid price, as of a crossed book, are within every distance. */
function isWithin(
  { price: raw }: BookLevel,
  side: keyof BookLevels,
  { mid2, bps }: Reach,
): boolean {
  const distance2 = side === 'bids' ? mid2 - raw * 2n : raw * 2n - mid2;
  return distance2 * BPS <= mid2 * bps;
}

/** The conditions of a book by its best prices. */
export const BOOK_CONDITIONS = ['open', 'locked', 'crossed', 'oneSided', 'empty'] as const;

/** Returns the condition of a book. */
export function conditionOf({
  bids: [bid],
  asks: [ask],
}: BookLevels): (typeof BOOK_CONDITIONS)[number] {
  if (bid === undefined || ask === undefined) return bid === ask ? 'empty' : 'oneSided';
  if (bid.price === ask.price) return 'locked';
  return bid.price < ask.price ? 'open' : 'crossed';
}

/** Returns the members of a row: best prices, spread, and depth within each distance. */
export function liquidityText(sides: BookLevels): string {
  const mid2 = doubleMid(sides);
  const [bid, ask] = [sides.bids[0]?.price, sides.asks[0]?.price];
  const prices =
    (bid === undefined ? '' : `"bestBidPrice":"${bid}",`) +
    (ask === undefined ? '' : `"bestAskPrice":"${ask}",`);
  if (mid2 === null || bid === undefined || ask === undefined) return `${prices}"depth":[]`;
  const spread = mid2 === 0n ? 0 : (Number(ask - bid) / Number(mid2)) * 2e4;
  const rows = DISTANCES_BPS.map((bps) => {
    const reach = { mid2, bps: BigInt(bps) };
    const [bids, asks] = [sumWithin(sides, 'bids', reach), sumWithin(sides, 'asks', reach)];
    return (
      `{"bps":${bps},"bidBase":"${bids.base}","bidQuote":"${bids.quote}",` +
      `"askBase":"${asks.base}","askQuote":"${asks.quote}"}`
    );
  });
  return `${prices}"spreadBps":${spread},"depth":[${rows.join(',')}]`;
}

/** The widest band: a part of the mid price. */
const BAND_PARTS = 2_000n;

/**
 * Returns all members of a row with bands: base of resting orders by band of price, from the best
 * band of each side to the largest distance from the mid price of the book, which has the AMM. Bands are `bandStep` wide, the largest of 1, 2 and 5 times a power of ten that
 * is at most five basis points, and begin at its multiples.
 */
export function bandedText(book: LevelSource, market: number): string {
  const near = readNear(book, market);
  const mid2 = doubleMid(near);
  if (mid2 === null) return `${liquidityText(near)},"bids":[],"asks":[]`;
  const sides = readWithin(book, { market, vamm: false }, () => mid2);
  const step = bandStep(mid2 / 2n / BAND_PARTS);
  const [bids, asks] = [bandsOf(sides, 'bids', mid2, step), bandsOf(sides, 'asks', mid2, step)];
  return (
    `${liquidityText(near)},"bandStep":"${step}","bidBand":"${bids.from}","bids":[${bids.sizes}],` +
    `"askBand":"${asks.from}","asks":[${asks.sizes}]`
  );
}

function bandStep(most: bigint): bigint {
  if (most < 1n) return 1n;
  const power = 10n ** BigInt(String(most).length - 1);
  const times = [5n, 2n].find((factor) => factor * power <= most) ?? 1n;
  return times * power;
}

function bandsOf(sides: BookLevels, side: keyof BookLevels, mid2: bigint, step: bigint) {
  const first = (sides[side][0]?.price ?? 0n) / step;
  const sizes: bigint[] = [];
  for (const level of sides[side]) {
    if (!isWithin(level, side, { mid2, bps: BPS_MAX })) break;
    const band = level.price / step;
    const at = Number(side === 'bids' ? first - band : band - first);
    while (sizes.length <= at) sizes.push(0n);
    sizes[at] = (sizes[at] ?? 0n) + level.size;
  }
  return { from: first * step, sizes: sizes.map((size) => `"${size}"`).join(',') };
}

/** Returns the sums of a side within a distance. */
function sumWithin(sides: BookLevels, side: keyof BookLevels, reach: Reach) {
  let [base, value] = [0n, 0n];
  for (const level of sides[side]) {
    if (!isWithin(level, side, reach)) break;
    base += level.size;
    value += level.size * level.price;
  }
  return { base, quote: value / BASE_ONE };
}

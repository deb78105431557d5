/** Reads the levels of a frame or a body; each level is encoded relative to the previous level. */
import { movedBy, narrowAmount, sumOf, timesUnit } from './amounts.js';
import { type Amount, type ByteReader, tooLarge, unzigzag } from './byte-reader.js';

/** Maximum rows of a side: all 500 rows can be replaced by 500 others, and a body has as many. */
const ROWS_MAX = 1_000;

const SOURCES = ['dlob', 'vamm', 'indicative'] as const;

/** The row kinds of a level. */
const [GONE, LOTS, , EXACT] = [0, 1, 2, 3];

/** A level in the format of JSON frames. */
export type Level = readonly [
  price: string,
  size: string,
  sources: Readonly<Record<string, string>>,
];

/** The units of prices and sizes. */
export interface Units {
  /** 1e-6 of the quote currency. */
  readonly priceUnit: number;
  /** 1e-9 of the base currency. */
  readonly sizeUnit: number;
}

/** The levels of both sides. */
export function readSides(reader: ByteReader, units: Units): readonly [Level[], Level[]] {
  const bids = readLevels(reader, units, { sign: -1, before: 0 });
  return [bids, readLevels(reader, units, { sign: 1, before: firstPrice(bids) })];
}

/** Returns the price relative to which the first level of the other side is encoded. */
function firstPrice(levels: readonly Level[]): Amount {
  const [price = '0'] = levels[0] ?? [];
  const exact = Number(price);
  return Number.isSafeInteger(exact) ? exact : BigInt(price);
}

/**
 * Reads the levels of a side up to the terminating 0; `sign` is the direction away from the best
 * price.
 */
function readLevels(
  reader: ByteReader,
  { priceUnit, sizeUnit }: Units,
  { sign, before }: { readonly sign: 1 | -1; readonly before: Amount },
): Level[] {
  const levels: Level[] = [];
  let price = before;
  for (let head = reader.readVarint(); head !== 0; head = reader.readVarint()) {
    if (levels.length >= ROWS_MAX) throw tooLarge();
    const kind = head % 4;
    const units = (head - kind) / 4;
    if (kind === EXACT) {
      if (units !== 0) throw tooLarge();
      price = narrowAmount(reader.readLong());
    } else price = movedBy(price, sign * unzigzag(units), priceUnit);
    const text = String(price);
    if (kind === LOTS) {
      const size = String(timesUnit(positive(reader.readVarint()), sizeUnit));
      levels.push([text, size, { dlob: size }]);
    } else if (kind === GONE) levels.push([text, '0', {}]);
    else levels.push(readSourced(reader, { price: text, mayBeGone: kind === EXACT }));
  }
  return levels;
}

function positive<Size extends Amount>(size: Size): Size {
  if (size > 0) return size;
  throw new RangeError('a level or a source has no size');
}

function readSourced(
  reader: ByteReader,
  { price, mayBeGone }: { readonly price: string; readonly mayBeGone: boolean },
): Level {
  const named = reader.readByte();
  if (named >= 1 << SOURCES.length || (named === 0 && !mayBeGone)) throw tooLarge();
  const sources: Record<string, string> = {};
  let size: Amount = 0;
  let bit = 1;
  for (const source of SOURCES) {
    if ((named & bit) !== 0) {
      const part = positive(reader.readWide());
      sources[source] = String(part);
      size = sumOf(size, part);
    }
    bit *= 2;
  }
  return [price, String(size), sources];
}

import type { MarketKey, MarketType } from '../../contract/markets.js';
import { StoreError } from './error.js';

/**
 * Codecs for integers of any size in columns of type ANY. A value that fits 64 signed bits is an
 * INTEGER; larger values of the program (u64, i128) are TEXT, so no value is lost or rejected.
 * Positive text is padded to the 39 digits of the largest u128: SQLite sorts text after all
 * integers, and padded text in numeric order.
 */
const i64Min = -(2n ** 63n);
const i64Max = 2n ** 63n - 1n;
const digitsMax = 39;

/** The value of such a column. */
export type StoredInteger = bigint | string;

/** Encodes an integer. */
export function storedInteger(value: bigint): StoredInteger {
  if (value >= i64Min && value <= i64Max) return value;
  return value < 0n ? value.toString() : value.toString().padStart(digitsMax, '0');
}

/** Encodes an integer or null. */
export function storedOrNull(value: bigint | null): StoredInteger | null {
  return value === null ? null : storedInteger(value);
}

/** Decodes an integer. */
export function readInteger(value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'string' && /^-?[0-9]+$/.test(value)) return BigInt(value);
  throw new StoreError('corrupt', `a stored integer was ${typeof value} ${String(value)}`);
}

/** Decodes an integer or null. */
export function readIntegerOrNull(value: unknown): bigint | null {
  return value === null ? null : readInteger(value);
}

/** Decodes a column that holds only small integers. */
export function readNumber(value: unknown): number {
  if (typeof value === 'bigint') return Number(value);
  throw new StoreError('corrupt', `a stored number was ${typeof value} ${String(value)}`);
}

/** Decodes a column of small integers or null. */
export function readNumberOrNull(value: unknown): number | null {
  return value === null ? null : readNumber(value);
}

/** Encodes a market as a small integer: twice its index, plus one for spot. */
export function marketCode(key: MarketKey): number {
  const [type, index] = key.split('_');
  return marketCodeOf(type === 'spot' ? 'spot' : 'perp', Number(index));
}

/** Returns the code of a market from its type and index. */
export function marketCodeOf(marketType: MarketType, marketIndex: number): number {
  return marketIndex * 2 + (marketType === 'spot' ? 1 : 0);
}

/** The market type of a code. */
export function marketTypeOf(code: number): MarketType {
  return code % 2 === 1 ? 'spot' : 'perp';
}

/** The market index of a code. */
export function marketIndexOf(code: number): number {
  return Math.floor(code / 2);
}

/** The market key of a code. */
export function marketKeyOfCode(code: number): MarketKey {
  return `${marketTypeOf(code)}_${marketIndexOf(code)}`;
}

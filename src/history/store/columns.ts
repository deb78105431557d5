import type { MarketKey, MarketType } from '../../contract/markets.js';
import { StoreError } from './error.js';

/**
 * Integers of any size in columns of type ANY. What fits 64 bits with a sign is an INTEGER; what the
 * program can have beyond that (u64, i128) is TEXT, so nothing is lost and nothing is refused. Text of
 * a positive one is padded to the 39 digits of the largest u128: SQLite sorts text behind every
 * integer, and padded text as its number.
 */
const i64Min = -(2n ** 63n);
const i64Max = 2n ** 63n - 1n;
const digitsMax = 39;

/** What a column can have. */
export type StoredInteger = bigint | string;

/** An integer as it is stored. */
export function storedInteger(value: bigint): StoredInteger {
  if (value >= i64Min && value <= i64Max) return value;
  return value < 0n ? value.toString() : value.toString().padStart(digitsMax, '0');
}

/** An integer that may be missing, as it is stored. */
export function storedOrNull(value: bigint | null): StoredInteger | null {
  return value === null ? null : storedInteger(value);
}

/** The integer of a column. */
export function readInteger(value: unknown): bigint {
  if (typeof value === 'bigint') return value;
  if (typeof value === 'string' && /^-?[0-9]+$/.test(value)) return BigInt(value);
  throw new StoreError('corrupt', `a stored integer was ${typeof value} ${String(value)}`);
}

/** The integer of a column that may be null. */
export function readIntegerOrNull(value: unknown): bigint | null {
  return value === null ? null : readInteger(value);
}

/** The number of a column that holds small integers only. */
export function readNumber(value: unknown): number {
  if (typeof value === 'bigint') return Number(value);
  throw new StoreError('corrupt', `a stored number was ${typeof value} ${String(value)}`);
}

/** The number of a column that may be null. */
export function readNumberOrNull(value: unknown): number | null {
  return value === null ? null : readNumber(value);
}

/** A market as one small integer: twice its index, and one more for spot. */
export function marketCode(key: MarketKey): number {
  const [type, index] = key.split('_');
  return marketCodeOf(type === 'spot' ? 'spot' : 'perp', Number(index));
}

/** The same from its parts. */
export function marketCodeOf(marketType: MarketType, marketIndex: number): number {
  return marketIndex * 2 + (marketType === 'spot' ? 1 : 0);
}

/** Whether a code is that of a perp or of a spot market. */
export function marketTypeOf(code: number): MarketType {
  return code % 2 === 1 ? 'spot' : 'perp';
}

/** The index of a code's market. */
export function marketIndexOf(code: number): number {
  return Math.floor(code / 2);
}

/** The key of a code. */
export function marketKeyOfCode(code: number): MarketKey {
  return `${marketTypeOf(code)}_${marketIndexOf(code)}`;
}

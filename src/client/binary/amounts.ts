/** Amounts of frames, exact at any size. */
import { type Amount, LONG_BITS_MAX, tooLarge, unzigzag } from './byte-reader.js';

const PRICE_END = 1n << BigInt(LONG_BITS_MAX);

/** Returns the price that is `units` units away from another price. */
export function movedBy(before: Amount, units: number, unit: number): Amount {
  const away = units * unit;
  const price = typeof before === 'number' ? before + away : Number.NaN;
  const isExact = Number.isSafeInteger(price) && Number.isSafeInteger(away);
  const moved = isExact ? price : narrowAmount(BigInt(before) + BigInt(units) * BigInt(unit));
  if (moved < 0 || (typeof moved === 'bigint' && moved >= PRICE_END)) throw tooLarge();
  return moved;
}

/** So many units. */
export function timesUnit(units: number, unit: number): Amount {
  const amount = units * unit;
  return Number.isSafeInteger(amount) ? amount : BigInt(units) * BigInt(unit);
}

/** The sum of two amounts. */
export function sumOf(a: Amount, b: Amount): Amount {
  if (typeof a === 'number' && typeof b === 'number' && Number.isSafeInteger(a + b)) return a + b;
  return BigInt(a) + BigInt(b);
}

/** Returns the signed number that a zigzag-encoded number represents. */
export function signedAmount(value: Amount): Amount {
  if (typeof value === 'number') return unzigzag(value);
  return narrowAmount(value % 2n === 0n ? value / 2n : -(value / 2n) - 1n);
}

/** Returns the amount as a number when a double represents it exactly. */
export function narrowAmount(amount: Amount): Amount {
  const exact = Number(amount);
  return Number.isSafeInteger(exact) ? exact : amount;
}

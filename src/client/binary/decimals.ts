/** Amounts as the decimals that JSON has. */
import type { Amount } from './byte-reader.js';

/** What amounts are whole numbers of. */
export interface Unit {
  readonly places: number;
  /** In one whole. */
  readonly count: number;
}

/** Of prices and of the quote currency. */
export const QUOTE_UNIT: Unit = { places: 6, count: 1e6 };
/** Of the base currency. */
export const BASE_UNIT: Unit = { places: 9, count: 1e9 };

/** Below this every decimal is the shortest text of its double. */
const EXACT_END = 1e15;
/** Doubles that are less are written with an exponent. */
const PLAIN_MIN = 1e-6;

/** The number; its text where a double would not be written with the same digits. */
export function decimalOf(amount: Amount, { places, count }: Unit): number | string {
  if (typeof amount === 'number' && amount > -EXACT_END && amount < EXACT_END) {
    const value = amount / count;
    if (amount === 0 || value >= PLAIN_MIN || value <= -PLAIN_MIN) return value;
  }
  const digits = String(amount < 0 ? -amount : amount).padStart(places + 1, '0');
  const [whole, part] = [digits.slice(0, -places), digits.slice(-places).replace(/0+$/, '')];
  return `${amount < 0 ? '-' : ''}${whole}${part === '' ? '' : `.${part}`}`;
}

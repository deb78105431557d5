/** Readers of values that the Drift v2 data API writes as decimals or leaves empty. */
import {
  type Base,
  type Price,
  parseBase,
  parseDecimal,
  parsePrice,
  parseQuote,
  type Quote,
} from './amounts.js';
import { ClientError } from './error.js';
import { integer, orNull, type Read, text } from './fields.js';

const RATE_DECIMALS = 9;

/**
 * Reads an amount written as a decimal, exactly; numbers must be passed as text to keep every
 * digit.
 */
function written<T>(parse: (text: string) => T): Read<T> {
  return (value, place) => {
    try {
      return parse(typeof value === 'number' ? String(value) : text(value, place));
    } catch (cause) {
      const message = `${place} is not a decimal of its unit`;
      throw new ClientError('MALFORMED_ANSWER', message, {}, { cause });
    }
  };
}

/** At 1e6. */
export const writtenPrice: Read<Price> = written(parsePrice);
/** At 1e9. */
export const writtenBase: Read<Base> = written(parseBase);
/** At 1e6. */
export const writtenQuote: Read<Quote> = written(parseQuote);
/** Quote for a base, at 1e9. */
export const writtenRate: Read<bigint> = written((decimal) => parseDecimal(decimal, RATE_DECIMALS));

/** Reads an empty text, null or a missing member as null. */
export function orMissing<T>(read: Read<T>): Read<T | null> {
  return (value, place) => (value === '' ? null : orNull(read)(value, place));
}

/** Reads a number that is written as a number or as text. */
export const anyCount: Read<number> = (value, place) => Number(integer(value, place));

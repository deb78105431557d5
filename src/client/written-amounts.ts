/** Readers of what the Drift v2 data API writes as decimals, and of what it leaves empty. */
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

/** An amount written as a decimal, exactly; pass numbers as text to keep every digit. */
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

/** Also an empty text, null or nothing, which are null. */
export function orMissing<T>(read: Read<T>): Read<T | null> {
  return (value, place) => (value === '' ? null : orNull(read)(value, place));
}

/** A number that is written as a number, or as its text. */
export const anyCount: Read<number> = (value, place) => Number(integer(value, place));

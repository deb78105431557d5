/**
 * Amounts as the chain stores them, integers of a fixed unit, and their decimal texts.
 *
 * Neither direction uses floating point: 0.1 becomes 100000 millionths, and is written as 0.1
 * again.
 */
import { ClientError } from './error.js';

declare const unit: unique symbol;

/**
 * An integer in a unit. Different units cannot be mixed, and every amount can be used as a bigint.
 */
export type Amount<Unit extends string> = bigint & { readonly [unit]: Unit };

/** A price: quote units per base unit, in millionths (1e6). */
export type Price = Amount<'price'>;
/** A size in base units of a perp market, in billionths (1e9). */
export type Base = Amount<'base'>;
/** A value in quote units, in millionths (1e6). */
export type Quote = Amount<'quote'>;
/** A number of tokens of a spot market, in the smallest unit of that token. */
export type Tokens = Amount<'tokens'>;

/** Decimals of a {@link Price}. */
export const PRICE_DECIMALS = 6;
/** Decimals of a {@link Base}. */
export const BASE_DECIMALS = 9;
/** Decimals of a {@link Quote}. */
export const QUOTE_DECIMALS = 6;

/** The largest integer of the chain has 39 digits; sign, point and leading zeros are extra. */
const AMOUNT_CHARS_MAX = 64;
/** The largest number of decimals that a token of the chain can have. */
const DECIMALS_MAX = 255;

/**
 * Marks a raw integer as a price, without conversion.
 *
 * @example
 * const price = rawPrice(150_250_000n);
 */
export function rawPrice(raw: bigint): Price {
  return raw as Price;
}

/**
 * Marks a raw integer as a size in base units, without conversion.
 *
 * @example
 * const size = rawBase(500_000_000n);
 */
export function rawBase(raw: bigint): Base {
  return raw as Base;
}

/**
 * Marks a raw integer as a value in quote units, without conversion.
 *
 * @example
 * const value = rawQuote(12_500_000n);
 */
export function rawQuote(raw: bigint): Quote {
  return raw as Quote;
}

/**
 * Marks a raw integer as a number of tokens, without conversion.
 *
 * @example
 * const tokens = rawTokens(1_000_000n);
 */
export function rawTokens(raw: bigint): Tokens {
  return raw as Tokens;
}

/**
 * Parses a text of digits to a raw integer, as bodies and frames of the service contain them.
 * Throws INVALID_AMOUNT for any other text.
 *
 * @example
 * parseRaw('85013000'); // 85013000n
 */
export function parseRaw(text: string): bigint {
  if (text.length > AMOUNT_CHARS_MAX || !/^-?\d+$/.test(text)) throw notAnAmount(text, 'digits');
  return BigInt(text);
}

/**
 * Parses a decimal text with at most 6 decimals to a price. Throws INVALID_AMOUNT.
 *
 * @example
 * parsePrice('150.25'); // 150250000n
 */
export function parsePrice(text: string): Price {
  return rawPrice(parseDecimal(text, PRICE_DECIMALS));
}

/**
 * Parses a decimal text with at most 9 decimals to a base size. Throws INVALID_AMOUNT.
 *
 * @example
 * parseBase('0.5'); // 500000000n
 */
export function parseBase(text: string): Base {
  return rawBase(parseDecimal(text, BASE_DECIMALS));
}

/**
 * Parses a decimal text with at most 6 decimals to a quote value. Throws INVALID_AMOUNT.
 *
 * @example
 * parseQuote('12.5'); // 12500000n
 */
export function parseQuote(text: string): Quote {
  return rawQuote(parseDecimal(text, QUOTE_DECIMALS));
}

/**
 * Formats a price as exact decimal text without trailing zeros: `150.25`.
 *
 * @example
 * formatPrice(rawPrice(150_250_000n)); // '150.25'
 */
export function formatPrice(price: Price): string {
  return formatDecimal(price, PRICE_DECIMALS);
}

/**
 * Formats a base size as exact decimal text without trailing zeros: `0.5`.
 *
 * @example
 * formatBase(rawBase(500_000_000n)); // '0.5'
 */
export function formatBase(base: Base): string {
  return formatDecimal(base, BASE_DECIMALS);
}

/**
 * Formats a quote value as exact decimal text without trailing zeros: `-12.000001`.
 *
 * @example
 * formatQuote(rawQuote(-12_000_001n)); // '-12.000001'
 */
export function formatQuote(quote: Quote): string {
  return formatDecimal(quote, QUOTE_DECIMALS);
}

/**
 * Parses a decimal text to a raw integer with the given decimals: digits, with an optional minus
 * and an optional fraction. Further fraction digits must be zeros, because other digits would be
 * lost. Throws INVALID_AMOUNT.
 *
 * @example
 * parseDecimal('85.013', 6); // 85013000n
 */
export function parseDecimal(text: string, decimals: number): bigint {
  checkDecimals(decimals);
  const match = text.length <= AMOUNT_CHARS_MAX ? /^(-?)(\d+)(?:\.(\d+))?$/.exec(text) : null;
  if (match === null) throw notAnAmount(text, 'decimal');
  const [, sign = '', whole = '', fraction = ''] = match;
  const kept = fraction.replace(/0+$/, '');
  if (kept.length > decimals) {
    const message = `amount has ${kept.length} decimals, must have at most ${decimals}`;
    throw new ClientError('INVALID_AMOUNT', message, { amount: text });
  }
  return BigInt(sign + whole + kept.padEnd(decimals, '0'));
}

/**
 * Formats a raw integer with the given decimals as exact decimal text without trailing zeros.
 *
 * @example
 * formatDecimal(85_013_000n, 6); // '85.013'
 */
export function formatDecimal(raw: bigint, decimals: number): string {
  checkDecimals(decimals);
  const sign = raw < 0n ? '-' : '';
  const digits = (raw < 0n ? -raw : raw).toString().padStart(decimals + 1, '0');
  const whole = digits.slice(0, digits.length - decimals);
  const fraction = digits.slice(digits.length - decimals).replace(/0+$/, '');
  return fraction === '' ? sign + whole : `${sign}${whole}.${fraction}`;
}

function checkDecimals(decimals: number): void {
  if (Number.isInteger(decimals) && decimals >= 0 && decimals <= DECIMALS_MAX) return;
  const message = `decimals were ${decimals}, must be an integer of 0 to ${DECIMALS_MAX}`;
  throw new ClientError('INVALID_AMOUNT', message);
}

function notAnAmount(text: string, wanted: 'digits' | 'decimal'): ClientError {
  const shown = text.slice(0, AMOUNT_CHARS_MAX);
  const form = wanted === 'digits' ? 'digits' : 'digits with at most one point between them';
  return new ClientError('INVALID_AMOUNT', `amount was ${JSON.stringify(shown)}, must be ${form}`);
}

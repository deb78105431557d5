/**
 * Parses a maker's quotes, value by value, in the message format that makers of Drift v2 already
 * use.
 */
import { LIMITS } from '../../config/limits.js';
import type { IndicativeQuote, QuotedSide } from '../../contract/indicative.js';
import { ClientMessage, kindOf } from '../sockets/client-message.js';
import { quoteValue, SocketError } from '../transport/errors.js';

/** All quotes of a maker in one market; they replace the maker's previous quotes there. */
interface QuotesMessage {
  readonly marketType: 'perp' | 'spot';
  readonly marketIndex: number;
  /** An empty list withdraws the previous quotes. */
  readonly quotes: readonly IndicativeQuote[];
}

interface Range {
  readonly min: bigint;
  readonly max: bigint;
}

const SIZE: Range = { min: 0n, max: 2n ** 64n - 1n };
const FIXED: Range = { min: 1n, max: 2n ** 63n - 1n };
/** The range of an on-chain order's oracle offset. */
const OFFSET: Range = { min: -(2n ** 31n), max: 2n ** 31n - 1n };
/** The range of a price whose size is 0: no rule reads that price. */
const ANY_PRICE: Range = { min: -(2n ** 63n), max: 2n ** 63n - 1n };

/** Parses a message of quotes. Throws a SocketError that names the first invalid value. */
export function readQuotes(message: ClientMessage): QuotesMessage {
  const max = LIMITS.marketIndexMax;
  const marketIndex = message.readInteger('market_index', { min: 0, max });
  if (marketIndex === undefined) throw missingMember('market_index');
  return { marketType: marketTypeOf(message), marketIndex, quotes: quotesOf(message) };
}

function marketTypeOf(message: ClientMessage): 'perp' | 'spot' {
  const marketType = message.requireText('market_type').toLowerCase();
  if (marketType === 'perp' || marketType === 'spot') return marketType;
  const was = quoteValue(message.requireText('market_type'));
  throw new SocketError('INVALID_PARAM', `market_type was "${was}", must be perp or spot`);
}

function quotesOf(message: ClientMessage): readonly IndicativeQuote[] {
  const list = message.getValue('quotes');
  if (list === undefined) return [flatQuoteOf(message)];
  if (list === null) return [];
  if (!Array.isArray(list)) throw wrongKind('quotes', list, 'a list');
  if (list.length > LIMITS.quotesMax) {
    const text = `quotes were ${list.length}, must be at most ${LIMITS.quotesMax}`;
    throw new SocketError('OUT_OF_RANGE', text);
  }
  return list.map((value, index) => {
    const where = `quotes[${index}]`;
    const quote = ClientMessage.fromValue(value);
    if (quote === undefined) throw wrongKind(where, value, 'an object');
    return quoteOf(quote, `${where}.`);
  });
}

const SIDE_MEMBERS = ['bid_price', 'bid_size', 'ask_price', 'ask_size'] as const;

/** Reads the single quote of a message without a list, the format of driftpy's client. */
function flatQuoteOf(message: ClientMessage): IndicativeQuote {
  if (SIDE_MEMBERS.some((name) => message.hasMember(name))) return quoteOf(message, '');
  throw missingMember('quotes');
}

/** Reads one quote; `where` prefixes the names of its members in errors. */
function quoteOf(quote: ClientMessage, where: string): IndicativeQuote {
  const isOracleOffset = quote.getValue('is_oracle_offset') ?? false;
  if (typeof isOracleOffset !== 'boolean') {
    throw wrongKind(`${where}is_oracle_offset`, isOracleOffset, 'true or false');
  }
  const read = (name: 'bid' | 'ask'): QuotedSide | null =>
    sideOf(quote, { where, name, prices: isOracleOffset ? OFFSET : FIXED });
  return { bid: read('bid'), ask: read('ask'), isOracleOffset };
}

/**
 * Reads a side of a quote. A side without price or size is not quoted; a side of size 0 is an empty
 * quote.
 */
function sideOf(
  quote: ClientMessage,
  {
    where,
    name,
    prices,
  }: { readonly where: string; readonly name: string; readonly prices: Range },
): QuotedSide | null {
  const size = wholeOf(quote.getValue(`${name}_size`), `${where}${name}_size`, SIZE);
  const range = size === null || size === 0n ? ANY_PRICE : prices;
  const price = wholeOf(quote.getValue(`${name}_price`), `${where}${name}_price`, range);
  return price === null || size === null || size === 0n ? null : { price, size };
}

/** Reads an integer from a decimal text, or from a number that represents it exactly. */
function wholeOf(value: unknown, where: string, { min, max }: Range): bigint | null {
  if (value === null || value === undefined) return null;
  const isText = typeof value === 'string' && /^-?\d+$/.test(value);
  if (!isText && !(typeof value === 'number' && Number.isSafeInteger(value))) {
    const was =
      typeof value === 'string' || typeof value === 'number'
        ? `"${quoteValue(String(value))}"`
        : kindOf(value);
    throw new SocketError('INVALID_PARAM', `${where} was ${was}, must be a whole number as text`);
  }
  const text = String(value);
  // A longer text is out of every range and slow to parse.
  const whole = text.length <= DIGITS_MAX ? BigInt(text) : null;
  if (whole !== null && whole >= min && whole <= max) return whole;
  throw new SocketError(
    'OUT_OF_RANGE',
    `${where} was ${quoteValue(text)}, must be ${min} to ${max}`,
  );
}

/** The digits of a 64-bit integer, a sign, and some leading zeros. */
const DIGITS_MAX = 32;

function missingMember(name: string): SocketError {
  return new SocketError('MISSING_PARAM', `${name} is missing`);
}

function wrongKind(where: string, value: unknown, wanted: string): SocketError {
  return new SocketError('INVALID_PARAM', `${where} was ${kindOf(value)}, must be ${wanted}`);
}

/**
 * Indicative quotes as a recording holds them: one text, quotes by `;`, the fields of each by `,`: bid
 * price, bid size, ask price, ask size, and 1 when the prices are offsets. A side that is not quoted is
 * empty.
 */

import type { IndicativeQuote, QuotedSide } from '../../contract/indicative.js';
import { FeedError } from '../model/error.js';
import { RECORDED_QUOTES_MAX } from './recording-limits.js';

const QUOTE = /^(?:(-?\d{1,19}),(\d{1,20})|,),(?:(-?\d{1,19}),(\d{1,20})|,),([01])$/;
const PRICE_MIN = -(2n ** 63n);
const PRICE_MAX = 2n ** 63n - 1n;
const SIZE_MAX = 2n ** 64n - 1n;

export function quotesText(quotes: readonly IndicativeQuote[]): string {
  const side = (quoted: QuotedSide | null): string =>
    quoted === null ? ',' : `${quoted.price},${quoted.size}`;
  return quotes
    .map(({ bid, ask, isOracleOffset }) => `${side(bid)},${side(ask)},${isOracleOffset ? 1 : 0}`)
    .join(';');
}

/**
 * # Errors
 *
 * `MALFORMED_RECORDING` when the text is none that {@link quotesText} writes of quotes that were taken.
 */
export function quotesOf(text: string): readonly IndicativeQuote[] {
  const quotes = text === '' ? [] : text.split(';', RECORDED_QUOTES_MAX + 1);
  if (quotes.length > RECORDED_QUOTES_MAX) throw malformedQuotesError();
  return quotes.map((quote) => {
    const [, bidPrice, bidSize, askPrice, askSize, offset] = QUOTE.exec(quote) ?? [];
    if (offset === undefined) throw malformedQuotesError();
    return {
      bid: sideOf(bidPrice, bidSize),
      ask: sideOf(askPrice, askSize),
      isOracleOffset: offset === '1',
    };
  });
}

function sideOf(priceText: string | undefined, sizeText: string | undefined): QuotedSide | null {
  if (priceText === undefined || sizeText === undefined) return null;
  const price = BigInt(priceText);
  const size = BigInt(sizeText);
  if (price < PRICE_MIN || price > PRICE_MAX || size > SIZE_MAX) throw malformedQuotesError();
  return { price, size };
}

function malformedQuotesError(): FeedError {
  return new FeedError('MALFORMED_RECORDING', 'a text must be indicative quotes');
}

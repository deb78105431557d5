/** Parts of the bodies of statistics. */
import { marketIndex, marketType, price, symbol, text } from './schema-parts.js';

/** The names of a market. */
export const identity = { symbol, marketIndex, marketType };
/** The names of its tokens. */
export const assets = {
  baseAsset: text('Name of the traded token.'),
  quoteAsset: text('Name of the token that prices are in.'),
};

/** The prices of a day. */
export const day = { high: price('Highest of 24 hours'), low: price('Lowest of 24 hours') };

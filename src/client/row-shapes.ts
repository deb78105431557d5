/** What responses and streams share: the rows of a book. */
import { base, flag, type Of, object, price, record, text, whole, word } from './fields.js';

/** How fresh a book is. */
export const bookState = word('live', 'lagging', 'stale', 'rebuilding');

/** A price level; `sources` add up to its size. */
export const level = object({ price, size: base, sources: record(base) });

/** The members of every order. */
export const orderFacts = {
  /** What is added to the oracle's price, 0 for an order with a price of its own. */
  oraclePriceOffset: price,
  /** The user account. */
  maker: text,
  orderId: whole,
  /** In which it was placed. */
  slot: whole,
  /** Unix seconds at which it expires, 0 for never. */
  maxTs: whole,
  reduceOnly: flag,
  postOnly: flag,
  signedMsg: flag,
};

/** An order that rests; `queue` is the base ahead of it at its price. */
export const restingOrder = object({ price, size: base, queue: base, ...orderFacts });

/** How fresh a book is. */
export type BookState = Of<typeof bookState>;
/** A price level. */
export type Level = Of<typeof level>;
/** An order that rests. */
export type RestingOrder = Of<typeof restingOrder>;

/** The rows of a book, in responses and streams. */
import { base, flag, type Of, object, price, record, text, whole, word } from './fields.js';

/** How fresh a book is. */
export const bookState = word('live', 'lagging', 'stale', 'rebuilding');

/** A price level; `sources` add up to its size. */
export const level = object({ price, size: base, sources: record(base) });

/** The members of every order. */
export const orderFacts = {
  /** Offset from the oracle price, 0 for a fixed price. */
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

/** A resting order; `queue` is the base ahead of it at its price. */
export const restingOrder = object({ price, size: base, queue: base, ...orderFacts });

/** How fresh a book is. */
export type BookState = Of<typeof bookState>;
/** A price level. */
export type Level = Of<typeof level>;
/** An order that rests. */
export type RestingOrder = Of<typeof restingOrder>;

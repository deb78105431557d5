// Generated from the schemas of the service: UPDATE_GOLDEN=1 npx vitest run test/client/generated.test.ts
/** The rows of a book. */
import { base, decimal, flag, type Of, object, price, record, text, whole, word } from '../fields.js';

/** How fresh a book is. */
export const bookState = word('rebuilding', 'live', 'lagging', 'stale');

/** A price level. */
export const level = object({
  /** Price at 1e6. */
  price,
  /** Base at 1e9. */
  size: base,
  /** Where the size comes from, by source (`dlob`); they add up to it. */
  sources: record(base),
});

/** An order that rests. */
export const restingOrder = object({
  /** Price at 1e6. */
  price,
  /** Base left, at 1e9. */
  size: base,
  /** Base ahead of the order at its price. */
  queue: base,
  /** Distance from the oracle at 1e6; 0 for a fixed price. */
  oraclePriceOffset: price,
  /** User account. */
  maker: text,
  /** The id of the order in its account. */
  orderId: whole,
  /** The slot at which it was placed. */
  slot: whole,
  /** When it expires, in unix seconds, maybe beyond 2^53; 0 for never. */
  maxTs: decimal,
  reduceOnly: flag,
  postOnly: flag,
  signedMsg: flag,
});

/** How fresh a book is. */
export type BookState = Of<typeof bookState>;

/** A price level. */
export type Level = Of<typeof level>;

/** An order that rests. */
export type RestingOrder = Of<typeof restingOrder>;

/** Parts of the bodies of the book. */
import { type TProperties, Type } from '@sinclair/typebox';
import { FEED_STATES } from '../../contract/feed-status.js';
import { wordSchema } from './param-parts.js';
import { count, marketType, readAs, signed, text, unsigned } from './schema-parts.js';

/** The errors of paths that name a market. */
export const marketErrors = [
  'MISSING_PARAM',
  'INVALID_PARAM',
  'OUT_OF_RANGE',
  'UNKNOWN_MARKET',
] as const;

/** The errors of book paths that also serve past moments. */
export const pastErrors = [
  ...marketErrors,
  'NO_JOURNAL',
  'MOMENT_NOT_KEPT',
  'NOT_READY',
  'LIMIT_EXCEEDED',
] as const;

/** Pattern of a non-negative whole number as text. */
export const UNSIGNED_TEXT = '^[0-9]+$';

/** A price at 1e6. */
export const price = (description: string) => signed('price', description);
/** A base amount at 1e9. */
export const size = (description: string) => unsigned('base', description);

/** The state of a book. */
export const state = wordSchema(FEED_STATES, { description: 'How fresh the book is.' });

const MAX_TS = 'When it expires, in unix seconds, maybe beyond 2^53; 0 for never.';

/** The members of every order. */
export const orderMembers = {
  oraclePriceOffset: price('Distance from the oracle at 1e6; 0 for a fixed price.'),
  maker: text('User account.'),
  orderId: count('The id of the order in its account.'),
  slot: count('The slot at which it was placed.'),
  /** Its owner may have written any number of 64 bits. */
  maxTs: readAs('decimal', { ...count(MAX_TS), maximum: 2 ** 63 }),
  reduceOnly: Type.Boolean(),
  postOnly: Type.Boolean(),
  signedMsg: Type.Boolean(),
};

/** An amount that may be null. */
export const nullable = (unit: string, pattern: string, description: string) =>
  readAs(
    `orNull(${unit})`,
    Type.Unsafe<string | null>({ type: ['string', 'null'], pattern, description }),
  );

/** The oracle reading is empty until the oracle's account has been read. */
const oracleReading = Type.Partial(
  Type.Object({
    price: price('Price at 1e6.'),
    slot: unsigned('integer', 'The slot it is from.'),
    confidence: unsigned('price', 'Confidence at 1e6.'),
    hasSufficientNumberOfDataPoints: Type.Boolean(),
    twap: price('What the SDK shows as its average at 1e6; left out for sources without one.'),
    twapConfidence: price('What the SDK shows as the confidence of the average, at 1e6.'),
  }),
  { description: 'An oracle as last read from the chain; without members before the first time.' },
);

/** Market and time, which bodies of the book begin with. */
export const identity = {
  marketName: text('Name of the market.'),
  marketType,
  marketIndex: count('Index among the markets of its type.'),
  ts: count('When this version was made, in unix milliseconds.'),
  slot: count('The newest slot of the book.'),
};

/** The version of a book. */
export const version = {
  oracle: readAs('price', Type.Integer({ description: 'Price of the exchange oracle at 1e6.' })),
  oracleData: oracleReading,
  mmOracleData: oracleReading,
  marketSlot: count('The slot of the market account.'),
  seq: count('Grows with each change of the market within an epoch.'),
  epoch: text('One run of the service on one chain.'),
  state,
  crossed: Type.Boolean({ description: 'Whether the best bid is above the best ask.' }),
  reason: Type.Optional(text('Why the book shows nothing whatever is on chain.')),
  offsetOrdersExcluded: Type.Optional(text('Why oracle-offset orders are left out.')),
};

/** Both sides of a book. */
export function sideSchemas<Row extends TProperties[string]>(row: Row) {
  return {
    bids: Type.Array(row, { description: 'Best first.' }),
    asks: Type.Array(row, { description: 'Best first.' }),
  };
}

/** The turn from which the body of a past moment was made. */
export const asOf = Type.Optional(
  Type.Object(
    {
      epoch: text('The run of the book.'),
      slot: count("The chain's slot then."),
      ts: count('Unix milliseconds.'),
    },
    { description: 'The turn after which the book was so; with a past moment only.' },
  ),
);

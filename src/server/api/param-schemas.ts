/**
 * The query parameters of every path, each described once: requests are validated from these schemas
 * and /openapi.json is generated from them.
 *
 * A parameter with a default is always present after the check. What one schema cannot say, that a market
 * is named either by its name or by index and type, is checked in `book-params.ts`.
 */
import { type TSchema, type TUnsafe, Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import { RESOLUTION_NAMES } from '../../contract/resolutions.js';

/** Formats of strings; `param-check.ts` checks them. */
export type TextFormat =
  | 'market-name'
  | 'public-key'
  | 'whole-number'
  | 'jit-offer'
  | 'cursor'
  | 'epoch'
  | 'percent';

/** Marks words that are accepted in any case. */
export const ANY_CASE = 'x-any-case';

/** The range of a number that is too large for one of JSON, as decimal texts. */
export const AMOUNT_MIN = 'x-minimum';
/** The upper bound, see AMOUNT_MIN. */
export const AMOUNT_MAX = 'x-maximum';

/** One of a few words. */
export function wordSchema<const Word extends string>(
  words: readonly Word[],
  options: Readonly<Record<string, unknown>>,
): TUnsafe<Word> {
  return Type.Unsafe<Word>({ type: 'string', enum: words, ...options });
}

/** A flag that is false where it is not given. */
export function flagSchema(description: string) {
  return Type.Boolean({ default: false, description });
}

/** A whole number that may need more bits than a number of JSON has. */
export function amountSchema(
  range: { readonly min: bigint; readonly max: bigint },
  description: string,
) {
  return Type.Optional(
    Type.String({
      format: 'whole-number' satisfies TextFormat,
      [AMOUNT_MIN]: String(range.min),
      [AMOUNT_MAX]: String(range.max),
      description,
    }),
  );
}

/** How a market is named. */
export const market = {
  marketName: Type.Optional(
    Type.String({
      format: 'market-name' satisfies TextFormat,
      minLength: 1,
      maxLength: LIMITS.marketNameBytesMax,
      description:
        'Name of the market in any case, such as SOL-PERP; or marketIndex and marketType. The name wins.',
    }),
  ),
  marketIndex: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LIMITS.marketIndexMax,
      description: 'Index among the markets of its type, with marketType.',
    }),
  ),
  marketType: Type.Optional(
    wordSchema(['perp', 'spot'], {
      [ANY_CASE]: true,
      description: 'Type of the market in any case; needs marketIndex.',
    }),
  ),
};

const sources = {
  includeVamm: flagSchema(
    "Adds the levels of the market's AMM, source vamm; to /l3 nothing: an AMM has no orders.",
  ),
  includeIndicative: flagSchema(
    'Adds the quotes of makers that have no order on chain, source indicative.',
  ),
};

const uncross = flagSchema('Moves levels that cross apart, around the oracle price.');

/** The parameters of /l2. */
export const l2Params = Type.Object({
  ...market,
  depth: Type.Integer({
    minimum: LIMITS.depthMin,
    maximum: LIMITS.depthMax,
    default: LIMITS.l2DepthDefault,
    description:
      'Levels a side. Where the service runs with --compat-defaults, ' +
      `${LIMITS.l2CompatibleDepthDefault} by default under /dlob, and includeVamm is true there.`,
  }),
  grouping: Type.Optional(
    Type.Integer({
      minimum: LIMITS.groupingMin,
      maximum: LIMITS.groupingMax,
      description: 'Ticks a group; not given means every level by itself.',
    }),
  ),
  ...sources,
  uncross,
});

/** The same with the defaults of the dlob-server. */
export const l2CompatibleParams: typeof l2Params = Type.Object({
  ...l2Params.properties,
  depth: Type.Integer({ ...l2Params.properties.depth, default: LIMITS.l2CompatibleDepthDefault }),
  includeVamm: Type.Boolean({ ...l2Params.properties.includeVamm, default: true }),
});

/** The parameters of /l3. */
export const l3Params = Type.Object({
  ...market,
  depth: Type.Optional(
    Type.Integer({
      minimum: LIMITS.depthMin,
      maximum: LIMITS.depthMax,
      description: 'Orders a side; not given means all.',
    }),
  ),
  maker: Type.Optional(
    Type.String({
      format: 'public-key' satisfies TextFormat,
      minLength: LIMITS.keyCharsMin,
      maxLength: LIMITS.keyCharsMax,
      description: 'Only the orders of this user account.',
    }),
  ),
  ...sources,
  uncross,
});

/** The parameters of /auctions. */
export const auctionsParams = Type.Object(market);

/** The parameters of /priorityFees. */
export const priorityFeesParams = Type.Object(market);

/** The parameters of /topMakers. */
export const topMakersParams = Type.Object({
  ...market,
  side: wordSchema(['bid', 'ask'], { description: 'The side whose makers are named.' }),
  limit: Type.Integer({
    minimum: LIMITS.topMakersMin,
    maximum: LIMITS.topMakersMax,
    default: LIMITS.topMakersDefault,
    description: 'Makers at most.',
  }),
  includeAccounts: flagSchema("Adds each maker's account as base64, read from the RPC node."),
});

const amounts = { min: 1n, max: LIMITS.matchAmountMax };
const sizes = { min: 1n, max: LIMITS.matchSizeMax };
const auctionPrices = { min: 1n, max: LIMITS.matchSignedMax };

/** The ranges of the two numbers of an offer. */
export const offerRanges = { price: amounts, size: sizes };

/** The parameters of /match. */
export const matchParams = Type.Object({
  ...market,
  side: wordSchema(['buy', 'sell'], { description: 'What the taker does.' }),
  size: amountSchema(sizes, 'Base to fill, at 1e9; or quote.'),
  quote: amountSchema(amounts, 'Quote to spend, or to receive, at 1e6; or size.'),
  orderType: wordSchema(['market', 'limit'], {
    default: 'market',
    description: 'The unfilled rest of a limit order stays in the book.',
  }),
  limitPrice: amountSchema(amounts, 'The worst price, at 1e6; a limit order needs it.'),
  postOnly: flagSchema('The limit order must not take.'),
  reduceOnly: flagSchema('The order only reduces the position; needs position.'),
  position: amountSchema(
    { min: -LIMITS.matchSizeMax, max: LIMITS.matchSizeMax },
    'Signed base of the position in this market, at 1e9; used with reduceOnly.',
  ),
  auctionStart: amountSchema(
    auctionPrices,
    "Price at the auction's start, at 1e6; with the next two.",
  ),
  auctionEnd: amountSchema(auctionPrices, "Price at the auction's end, at 1e6."),
  auctionDuration: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LIMITS.auctionDurationMax,
      description: 'Slots of the auction; 0 for none.',
    }),
  ),
  slotsElapsed: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LIMITS.auctionDurationMax,
      description: 'Slots that have passed of the auction, 0 when not given.',
    }),
  ),
  jit: Type.Optional(
    Type.Array(Type.String({ format: 'jit-offer' satisfies TextFormat }), {
      maxItems: LIMITS.matchJitOffersMax,
      description:
        'An offer of a competing maker in the auction, `price:size` at 1e6 and 1e9; given once for each.',
    }),
  ),
  taker: Type.Optional(
    Type.String({
      format: 'public-key' satisfies TextFormat,
      minLength: LIMITS.keyCharsMin,
      maxLength: LIMITS.keyCharsMax,
      description: 'The user account that sends the order, which does not meet its own.',
    }),
  ),
  feeTier: Type.Integer({
    minimum: 0,
    maximum: LIMITS.feeTierMax,
    default: 0,
    description: "The taker's fee tier.",
  }),
  referred: flagSchema('The taker was referred, and gets the discount.'),
  model: wordSchema(['spec', 'onchain'], {
    default: 'spec',
    description:
      'spec fills in the order auction, book, AMM, external venues; onchain in that of the Drift v2 program.',
  }),
  includeVamm: Type.Boolean({ default: true, description: 'Whether the AMM fills.' }),
  includeIndicative: flagSchema('Whether indicative quotes compete in the auction.'),
});

/** The rule of a schema, as error messages write it after `must`. */
export function ruleOf(schema: TSchema): string {
  if (schema['type'] === 'integer') return 'be a whole number';
  const words: unknown = schema['enum'];
  if (Array.isArray(words)) return `be ${words.join(' or ')}`;
  if (schema['type'] === 'array') return ruleOf(schema['items'] as TSchema);
  if (schema['format'] === 'whole-number') return 'be a whole number';
  if (schema['format'] === 'percent') return 'be a percentage';
  if (schema['format'] === 'jit-offer') return 'be price:size, both whole numbers';
  if (schema['format'] === 'cursor') return 'be a cursor of an earlier response';
  if (schema['format'] === 'epoch') return 'be the epoch of a body';
  if (schema['format'] === 'market-name') return `have 1 to ${LIMITS.marketNameBytesMax} bytes`;
  return 'be a base58 key of 32 bytes';
}

/** The name of a market. */
export const symbol = Type.String({
  format: 'market-name' satisfies TextFormat,
  minLength: 1,
  maxLength: LIMITS.marketNameBytesMax,
  description: 'Name of the market in any case, such as SOL-PERP.',
});

const rows = (what: string, { max, byDefault }: { max: number; byDefault: number }) =>
  Type.Integer({ minimum: 1, maximum: max, default: byDefault, description: `${what} at most.` });

const cursor = (description: string) =>
  Type.Optional(Type.String({ format: 'cursor' satisfies TextFormat, description }));

/** Seconds, or milliseconds: no unix time in seconds is as large as one in milliseconds, see `secondsOf`. */
const secondsOrMs = (description: string) =>
  Type.Integer({
    minimum: 0,
    maximum: LIMITS.unixSecondsMax * 1_000,
    description: `${description} Above ${LIMITS.unixSecondsMax} it is in milliseconds.`,
  });

const seconds = (description: string) =>
  Type.Optional(
    Type.Integer({ minimum: 0, maximum: LIMITS.unixSecondsMax, description: `${description}.` }),
  );

const paging = {
  pageIndex: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: LIMITS.pagedRowsMax,
      description:
        `Pages to skip, 0 is the newest; pageIndex times limit is at most ` +
        `${LIMITS.pagedRowsMax}. Not together with before.`,
    }),
  ),
  before: cursor('The cursor X-Next-Cursor of an earlier response: returns what is older.'),
};

const named = {
  symbol: Type.Optional({
    ...symbol,
    description:
      'Name of the market in any case, such as SOL-PERP. marketName or marketIndex instead of it return ' +
      'the form of the Drift v2 data API.',
  }),
  marketName: Type.Optional({ ...symbol, description: 'Name of the market in any case.' }),
  marketIndex: market.marketIndex,
  marketType: wordSchema(['perp', 'spot'], {
    [ANY_CASE]: true,
    default: 'perp',
    description: 'Type of the market of marketIndex, in any case.',
  }),
};

/** Levels of both sides in /orderbook: CoinGecko asks for so many. */
const ORDERBOOK_DEPTH = 100;

/** The parameters of /orderbook, under CoinGecko's names. */
export const orderbookParams = Type.Object({
  ticker_id: { ...symbol, description: 'Name of the market in any case, as in /tickers.' },
  depth: Type.Integer({
    minimum: 0,
    maximum: 2 * LIMITS.depthMax,
    default: ORDERBOOK_DEPTH,
    description: 'Levels of both sides together; 0 for all that one body has.',
  }),
});

/** The parameters of /trades. */
export const tradesParams = Type.Object({
  ...named,
  limit: rows('Trades', { max: LIMITS.tradesMax, byDefault: LIMITS.tradesDefault }),
  ...paging,
});

/** The parameters of /fundingRates. */
export const fundingRatesParams = Type.Object({
  ...named,
  limit: rows('Records', { max: LIMITS.fundingRatesMax, byDefault: LIMITS.fundingRatesMax }),
  ...paging,
});

const page = cursor('The nextPage of an earlier response.');

/** The parameters of /market/{symbol}/trades. */
export const tradeRecordsParams = Type.Object({
  symbol,
  limit: rows('Trades', { max: LIMITS.tradesMax, byDefault: LIMITS.recordsDefault }),
  page,
});

/** The parameters of /market/{symbol}/fundingRates. */
export const fundingRateRecordsParams = Type.Object({
  symbol,
  limit: rows('Records', { max: LIMITS.fundingRateRecordsMax, byDefault: LIMITS.recordsDefault }),
  page,
});

/** The parameters of /user/{account}/orders. */
export const userOrdersParams = Type.Object({
  account: Type.String({
    format: 'public-key' satisfies TextFormat,
    minLength: LIMITS.keyCharsMin,
    maxLength: LIMITS.keyCharsMax,
    description: 'The user account, not its authority.',
  }),
});

/** The parameters of /user/{account}/trades. */
export const userTradesParams = Type.Object({
  ...userOrdersParams.properties,
  limit: rows('Trades', { max: LIMITS.tradesMax, byDefault: LIMITS.recordsDefault }),
  page,
});

/** The parameters of /user/{account}/trades/{symbol}. */
export const userMarketTradesParams = Type.Object({ ...userTradesParams.properties, symbol });

/** The forms of a dated archive. */
export const ARCHIVE_FORMATS = ['json', 'csv'] as const;

/** The parameters of the dated archives of a market. */
export const archiveParams = Type.Object({
  symbol,
  year: Type.Integer({
    minimum: LIMITS.archiveYearMin,
    maximum: LIMITS.archiveYearMax,
    description: 'Year of the day, of UTC.',
  }),
  month: Type.Integer({ minimum: 1, maximum: 12, description: 'Month of the day.' }),
  day: Type.Integer({ minimum: 1, maximum: 31, description: 'Day of the month.' }),
  format: wordSchema(ARCHIVE_FORMATS, {
    default: 'json',
    description: 'JSON, or CSV with the members of a record as columns.',
  }),
  page: Type.Integer({
    minimum: 1,
    maximum: LIMITS.archivePagesMax,
    default: 1,
    description: 'The page of 5,000 records, 1 is the first.',
  }),
});

const resolution = wordSchema(RESOLUTION_NAMES, {
  description: 'Length of a candle in minutes; D (or 1440) a day, W a week, M a month of UTC.',
});

/** The parameters of /candles. */
export const candlesParams = Type.Object({
  symbol,
  resolution,
  from: seconds('Oldest start of a candle in unix seconds, inclusive'),
  to: seconds('Newest start of a candle in unix seconds, inclusive; not given means now'),
  limit: rows('Candles, the newest of the range,', {
    max: LIMITS.candlesMax,
    byDefault: LIMITS.candlesMax,
  }),
});

/** The parameters of /market/{symbol}/candles/{resolution}. */
export const candleRecordsParams = Type.Object({
  symbol,
  resolution,
  limit: rows('Candles', { max: LIMITS.candlesMax, byDefault: LIMITS.candleRecordsDefault }),
  startTs: Type.Optional(
    secondsOrMs('The newer bound of a candle in unix seconds, inclusive; not given means now.'),
  ),
  endTs: Type.Optional(
    secondsOrMs('The older bound in unix seconds, inclusive; ignored without startTs.'),
  ),
});

/** Time ranges up to now whose volumes are served. */
export const VOLUME_PERIODS = ['1h', '24h', '30d'] as const;

/** The parameters of /stats/markets/volume/{period}. */
export const volumePeriodParams = Type.Object({
  period: wordSchema(VOLUME_PERIODS, { description: 'The time up to now.' }),
});

/** The parameters of /stats/markets/volume. */
export const volumeParams = Type.Object({
  startTs: secondsOrMs('Unix seconds, inclusive, down to the hour.'),
  endTs: secondsOrMs('Unix seconds, exclusive, down to the hour; 1 to 24 hours after startTs.'),
});

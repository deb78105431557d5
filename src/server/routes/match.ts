/** /match: converts a query to an order for the core, and the core's refusals to errors. */
import { type Static, Type } from '@sinclair/typebox';
import { LIMITS } from '../../config/limits.js';
import type { JitOffer, MatchRequest } from '../../contract/book-requests.js';
import type { MarketDirectory } from '../../contract/book-source.js';
import {
  asOf,
  identity,
  nullable,
  pastErrors,
  size,
  state,
  UNSIGNED_TEXT,
  version,
} from '../api/book-parts.js';
import { missingParamError, selectMarket } from '../api/market-params.js';
import { checkParams, parseAmount, parseInRange, splitRepeating } from '../api/param-check.js';
import {
  amountSchema,
  flagSchema,
  market,
  publicKey,
  type TextFormat,
  wholeSchema,
  wordSchema,
} from '../api/param-parts.js';
import { signed, text, textOrNull, unsigned } from '../api/schema-parts.js';
import { ServerError } from '../transport/errors.js';
import { keyedRequest, withMoment } from './as-of-route.js';
import { bookRoute } from './book-routes.js';
import { checkOrder, conflictError } from './match-rules.js';
import { refusalOf } from './order-refusal.js';
import type { Path } from './path.js';

const amounts = { min: 1n, max: LIMITS.matchAmountMax };
const sizes = { min: 1n, max: LIMITS.matchSizeMax };
const auctionPrices = { min: 1n, max: LIMITS.matchSignedMax };

/** The ranges of price and size of an offer. */
const offerRanges = { price: amounts, size: sizes };

/** The parameters of /match. */
const matchParams = Type.Object({
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
    wholeSchema({ min: 0, max: LIMITS.auctionDurationMax }, 'Slots of the auction; 0 for none.'),
  ),
  slotsElapsed: Type.Optional(
    wholeSchema(
      { min: 0, max: LIMITS.auctionDurationMax },
      'Slots that have passed of the auction, 0 when not given.',
    ),
  ),
  jit: Type.Optional(
    Type.Array(Type.String({ format: 'jit-offer' satisfies TextFormat }), {
      maxItems: LIMITS.matchJitOffersMax,
      description:
        'An offer of a competing maker in the auction, `price:size` at 1e6 and 1e9; given once for each.',
    }),
  ),
  taker: Type.Optional(
    publicKey('The user account that sends the order, which does not meet its own.'),
  ),
  feeTier: wholeSchema({ min: 0, max: LIMITS.feeTierMax, byDefault: 0 }, "The taker's fee tier."),
  referred: flagSchema('The taker was referred, and gets the discount.'),
  model: wordSchema(['spec', 'onchain'], {
    default: 'spec',
    description:
      'spec fills in the order auction, book, AMM, external venues; onchain in that of the Drift v2 program.',
  }),
  includeVamm: Type.Boolean({ default: true, description: 'Whether the AMM fills.' }),
  includeIndicative: flagSchema('Whether indicative quotes compete in the auction.'),
});

const sourceWords = ['jit', 'dlob', 'vamm', 'external'] as const;

const fill = Type.Object({
  source: wordSchema(sourceWords, { description: 'The source of the fill.' }),
  maker: textOrNull('User account that filled; null for a source without one.'),
  orderId: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'The id of its order; null for a source without one.',
  }),
  price: unsigned('price', 'Price at 1e6.'),
  size: size('Base at 1e9.'),
  quote: unsigned('quote', 'Quote at 1e6.'),
  takerFee: signed('quote', 'What the taker pays beside the quote, at 1e6.'),
  makerRebate: signed('quote', 'What the maker gets beside the quote, at 1e6.'),
});

const matchMembers = {
  fills: Type.Array(fill, { description: 'In the order in which they happen.' }),
  filledBase: size('Base at 1e9.'),
  filledQuote: unsigned('quote', 'Quote at 1e6.'),
  averagePrice: nullable('price', UNSIGNED_TEXT, 'Quote for a base at 1e6; null without a fill.'),
  worstPrice: nullable('price', UNSIGNED_TEXT, 'Of a fill, at 1e6; null without one.'),
  priceImpact: nullable(
    'text',
    '^[0-9]+(\\.[0-9]+)?$',
    'A fraction of the best price; null without a fill.',
  ),
  takerFee: signed('quote', 'Of all fills, at 1e6.'),
  unfilled: unsigned(
    'integer',
    'What is not filled: base at 1e9 where a size was given, else quote at 1e6.',
  ),
  rests: Type.Union(
    [
      Type.Object({
        price: unsigned('price', 'Price at 1e6.'),
        size: size('Base at 1e9.'),
        rebateRate: nullable(
          'text',
          '^-?[0-9]+(\\.[0-9]+)?$',
          'Rebate as a fraction of the quote.',
        ),
      }),
      Type.Null(),
    ],
    { description: 'The limit order that stays; null when none does.' },
  ),
};

/** The path. */
export const match = {
  summary: 'What an order that is sent now would get: its fills, and what rests of it',
  kind: 'book',
  params: matchParams,
  body: {
    name: 'Match',
    schema: Type.Object({
      ...matchMembers,
      ...identity,
      seq: version.seq,
      model: wordSchema(['spec', 'onchain'], { description: 'Whose rules decided.' }),
      epoch: version.epoch,
      state,
      reason: Type.Optional(text('Why nothing fills, or not everything that could.')),
      asOf,
    }),
  },
  tagged: true,
  moment: true,
  errors: pastErrors,
  open: (service) => {
    const { book, directory } = service;
    return withMoment(service, {
      encodings: 'json',
      bodiesOf: ({ query }, { encoding }) => {
        const parsed = parseMatch(query, directory);
        return { read: { path: 'match', ...keyedRequest(parsed, service, encoding) } };
      },
      live: bookRoute<MatchRequest>({
        ...service,
        parse: (raw) => parseMatch(raw, directory),
        render: (query) => renderMatch(() => book.match(query)),
        // The fills of an order depend on more than the version of its market.
        beside: () => book.turn,
        isLarge: () => true,
        cachedBytesMax: LIMITS.matchCacheBytesMax,
      }),
    });
  },
} as const satisfies Path;

function renderMatch(match: () => Uint8Array): Uint8Array {
  try {
    return match();
  } catch (error) {
    throw refusalOf(error) ?? error;
  }
}

type Params = Static<typeof matchParams>;
type AmountName = 'size' | 'quote' | 'limitPrice' | 'position' | 'auctionStart' | 'auctionEnd';

/**
 * Reads the parameters of /match. A schema checks each parameter, this file their combinations.
 * Throws a ServerError that names the wrong parameter.
 */
export function parseMatch(raw: string, markets: MarketDirectory): MatchRequest {
  const { texts, values } = splitRepeating(raw, matchParams.properties, 'jit');
  const params = checkParams(matchParams, texts, values.length === 0 ? {} : { jit: values });
  const { side, orderType, postOnly, reduceOnly, feeTier, referred, model } = params;
  const { includeVamm, includeIndicative, taker } = params;
  const request = {
    market: selectMarket(params, markets).id,
    side,
    orderType,
    postOnly,
    feeTier,
    referred,
    model,
    includeVamm,
    includeIndicative,
    ...amountsOf(params),
    ...auctionOf(params),
    jit: values.map(offerOf),
    ...(taker === undefined ? {} : { taker }),
  };
  checkOrder(request);
  if (!reduceOnly) return request;
  return { ...request, reduceOnly, position: requiredAmount(params, 'position', 'reduceOnly') };
}

function amountsOf(params: Params): Pick<MatchRequest, 'size' | 'quote' | 'limitPrice'> {
  const { size, quote } = params;
  if (size === undefined && quote === undefined) {
    throw missingParamError('size', 'size or quote must be given');
  }
  if (size !== undefined && quote !== undefined) {
    throw conflictError('quote', 'quote was given together with size, must be given alone');
  }
  return {
    ...optionalAmount(params, 'size'),
    ...optionalAmount(params, 'quote'),
    ...optionalAmount(params, 'limitPrice'),
  };
}

type Auction = Pick<
  MatchRequest,
  'auctionStart' | 'auctionEnd' | 'auctionDuration' | 'slotsElapsed'
>;

/**
 * Start, end and duration of the auction must be given together; `slotsElapsed` needs all three.
 */
function auctionOf(params: Params): Auction {
  const names = ['auctionStart', 'auctionEnd', 'auctionDuration', 'slotsElapsed'] as const;
  const given = names.find((name) => params[name] !== undefined);
  if (given === undefined) return {};
  const { auctionDuration, slotsElapsed = 0 } = params;
  const auctionStart = requiredAmount(params, 'auctionStart', given);
  const auctionEnd = requiredAmount(params, 'auctionEnd', given);
  if (auctionDuration === undefined) {
    throw missingParamError('auctionDuration', `${given} needs an auctionDuration`);
  }
  if (slotsElapsed > auctionDuration) {
    const message = `slotsElapsed was ${slotsElapsed}, must be 0 to auctionDuration, which was ${auctionDuration}`;
    throw new ServerError('OUT_OF_RANGE', message, 'slotsElapsed');
  }
  return { auctionStart, auctionEnd, auctionDuration, slotsElapsed };
}

function offerOf(text: string): JitOffer {
  const [price = '', size = ''] = text.split(':');
  return {
    price: parseInRange('jit', price, offerRanges.price),
    size: parseInRange('jit', size, offerRanges.size),
  };
}

function optionalAmount<Name extends AmountName>(params: Params, name: Name) {
  const text: string | undefined = params[name];
  const value = text === undefined ? undefined : parseAmount(matchParams, name, text);
  return (value === undefined ? {} : { [name]: value }) as { readonly [key in Name]?: bigint };
}

function requiredAmount(params: Params, name: AmountName, by: string): bigint {
  const text = params[name];
  if (text === undefined) throw missingParamError(name, `${name} is missing: ${by} needs it`);
  return parseAmount(matchParams, name, text);
}

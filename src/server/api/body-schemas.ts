/**
 * The body of every response, for /openapi.json; tests validate real responses against them. Bodies of
 * the book are written by the core, so these schemas describe them and do not make them.
 */
import { type TProperties, Type } from '@sinclair/typebox';
import { HTTP_ERROR_CODES } from '../../contract/error-codes.js';
import { FEED_STATES, READINESS_STATES } from '../../contract/feed-status.js';
import { historyBodySchemas, historyReadiness, historyStatus } from './history-body-schemas.js';
import { journalBody, journalStatus } from './journal-schemas.js';
import { wordSchema } from './param-schemas.js';
import {
  count,
  leftOutForNull,
  marketType,
  mayMiss,
  readAs,
  signed,
  text,
  textOrNull,
  unsigned,
} from './schema-parts.js';
import { sourceStatuses } from './source-schemas.js';
import { udfBodySchemas } from './udf-schemas.js';

const UNSIGNED_TEXT = '^[0-9]+$';

const price = (description: string) => signed('price', description);
const size = (description: string) => unsigned('base', description);

const state = wordSchema(FEED_STATES, { description: 'How fresh the book is.' });
const feedState = wordSchema(READINESS_STATES, {
  description: 'How fresh the book is; `starting` until it is live for the first time.',
});

const level = Type.Object({
  price: price('Price at 1e6.'),
  size: size('Base at 1e9.'),
  sources: Type.Record(Type.String(), size('Base at 1e9.'), {
    description: 'Where the size comes from, by source (`dlob`); they add up to it.',
  }),
});

const orderMembers = {
  oraclePriceOffset: price('Distance from the oracle at 1e6; 0 for a fixed price.'),
  maker: text('User account.'),
  orderId: count('The id of the order in its account.'),
  slot: count('The slot at which it was placed.'),
  maxTs: count('When it expires, in unix seconds; 0 for never.'),
  reduceOnly: Type.Boolean(),
  postOnly: Type.Boolean(),
  signedMsg: Type.Boolean(),
};

const order = Type.Object({
  price: price('Price at 1e6.'),
  size: size('Base left, at 1e9.'),
  queue: size('Base ahead of the order at its price.'),
  ...orderMembers,
});

const nullable = (unit: string, pattern: string, description: string) =>
  readAs(
    `orNull(${unit})`,
    Type.Unsafe<string | null>({ type: ['string', 'null'], pattern, description }),
  );

const priceOrNull = (description: string) =>
  nullable(
    'price',
    UNSIGNED_TEXT,
    `${description}, at 1e6; null where the program gives the order no price.`,
  );

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

const match = {
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

const auction = Type.Object({
  orderType: wordSchema(['market', 'limit', 'triggerMarket', 'triggerLimit', 'oracle'], {
    description: 'How the order is priced.',
  }),
  direction: wordSchema(['long', 'short'], { description: 'Whether it buys or sells.' }),
  price: unsigned('price', 'The limit price that the order names, at 1e6; 0 for none.'),
  size: size('What can still fill, at 1e9.'),
  baseAssetAmount: size('Size at placement, at 1e9.'),
  baseAssetAmountFilled: size('Filled so far, at 1e9.'),
  ...orderMembers,
  auctionStartPrice: price('As on chain, at 1e6: a price, or an offset from the oracle.'),
  auctionEndPrice: price('As on chain, at 1e6: a price, or an offset from the oracle.'),
  startPrice: priceOrNull('Price in the first slot of the auction'),
  endPrice: priceOrNull('Price in its last slot'),
  currentPrice: priceOrNull('Price at which the order fills now'),
  auctionDuration: count('Slots of the auction after its first.'),
  slotsLeft: count('Slots that it still has after this one; 0 in its last.'),
});

const openOrder = Type.Object({
  marketName: text('Name of the market.'),
  marketType,
  marketIndex: count('Index among the markets of its type.'),
  ...Type.Omit(Type.Object(orderMembers), ['maker']).properties,
  userOrderId: count('The number that the user gave it; 0 for none.'),
  orderType: auction.properties.orderType,
  direction: auction.properties.direction,
  price: auction.properties.price,
  baseAssetAmount: auction.properties.baseAssetAmount,
  baseAssetAmountFilled: auction.properties.baseAssetAmountFilled,
  quoteAssetAmountFilled: size('Filled so far, in quote at 1e6.'),
  triggerPrice: size('At 1e6; 0 for none.'),
  triggerCondition: wordSchema(['above', 'below', 'triggeredAbove', 'triggeredBelow'], {
    description: 'Of a trigger order: what it waits for, or what was met.',
  }),
  immediateOrCancel: Type.Boolean(),
  auctionStartPrice: auction.properties.auctionStartPrice,
  auctionEndPrice: auction.properties.auctionEndPrice,
  auctionDuration: auction.properties.auctionDuration,
  leftOut: textOrNull('Why the book does not show it, as in /status; null when it does.'),
});

/** Empty while the oracle's account has not been read. */
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

const identity = {
  marketName: text('Name of the market.'),
  marketType,
  marketIndex: count('Index among the markets of its type.'),
  ts: count('When this version was made, in unix milliseconds.'),
  slot: count('The newest slot of the book.'),
};

const version = {
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

const prices = {
  markPrice: price('Middle of the best prices, or the oracle where a side is empty.'),
  bestBidPrice: leftOutForNull('price', price('Left out where a side is empty.')),
  bestAskPrice: leftOutForNull('price', price('Left out where a side is empty.')),
  spreadPct: leftOutForNull('integer', size('Percent at 1e6; left out where a side is empty.')),
  spreadQuote: leftOutForNull('quote', size('Quote at 1e6; left out where a side is empty.')),
};

function sideSchemas<Row extends TProperties[string]>(row: Row) {
  return {
    bids: Type.Array(row, { description: 'Best first.' }),
    asks: Type.Array(row, { description: 'Best first.' }),
  };
}

const auctionParams = Type.Object({
  orderType: wordSchema(['oracle', 'market'], {}),
  marketType,
  userOrderId: count('Always 0.'),
  direction: wordSchema(['long', 'short'], {}),
  baseAssetAmount: size('Base at 1e9.'),
  marketIndex: count('Index among the markets of its type.'),
  reduceOnly: Type.Boolean(),
  postOnly: wordSchema(['none'], {}),
  bitFlags: count('Always 0.'),
  triggerPrice: Type.Null(),
  triggerCondition: wordSchema(['above'], {}),
  oraclePriceOffset: Type.Unsafe<number | null>({
    type: ['integer', 'null'],
    description: 'Of an oracle order: its end less the oracle, at 1e6.',
  }),
  auctionDuration: count('Slots.'),
  maxTs: Type.Null(),
  auctionStartPrice: price('At 1e6; of an oracle order less the oracle.'),
  auctionEndPrice: price('Likewise.'),
  price: Type.Optional(price('The limit price of a market order.')),
});

const fee = (what: string) => count(`${what}, in micro-lamports a compute unit.`);
const feeLevels = {
  min: fee('What the cheapest block took'),
  low: fee('What a quarter of the blocks took at most'),
  medium: fee('The median of the blocks'),
  high: fee('What three quarters of the blocks took at most'),
  veryHigh: fee('What 95 % of the blocks took at most'),
  unsafeMax: fee('What the dearest block took'),
};

const market = Type.Object({
  symbol: text('Name of the market.'),
  marketIndex: count('Index among the markets of its type.'),
  marketType,
  status: text('Status of the market on chain.'),
  tick: unsigned('price', 'Price step at 1e6.'),
  step: unsigned('integer', "Size step in the market's own decimals."),
  minOrderSize: unsigned('integer', "In the market's own decimals."),
  decimals: count('Decimals of the base.'),
  oracle: text('Account of the oracle.'),
  oracleSource: text('Kind of the oracle.'),
  emptyReason: textOrNull('Why the book shows nothing; null when it shows its orders.'),
  baseAsset: text('Name of the traded token.'),
  quoteAsset: text('Name of the token that prices are in.'),
  fees: Type.Object(
    { maker: Type.Number(), taker: Type.Number() },
    { description: 'Of the first fee tier, as parts of the quote; a rebate is negative.' },
  ),
  leverageMax: Type.Number({ description: 'Highest leverage; 1 in spot markets.' }),
});

const marketStatus = Type.Object({
  symbol: text('Name of the market.'),
  marketIndex: count('Index among the markets of its type.'),
  marketType,
  seq: count('Changes of the market in this epoch.'),
  slot: count('The newest slot of its book.'),
  lag: count('Slots that its book is behind the newest that a node reported.'),
  state,
  ordersShown: count('Orders that its book shows.'),
  emptyReason: textOrNull('Why the book shows nothing; null when it shows its orders.'),
  vammShown: Type.Boolean({ description: 'Whether includeVamm adds levels of its AMM.' }),
  vammReason: textOrNull('Why the AMM of a perp market is left out; null when it is not.'),
});

const venueStatus = Type.Object({
  name: text('Kind of the venue.'),
  host: text('Its host, without path and key.'),
  markets: Type.Array(
    Type.Object({
      symbol: text('Name of the spot market.'),
      used: Type.Boolean({ description: 'Whether /match uses its levels.' }),
      levels: count('Levels of both sides.'),
      ageMs: readAs(
        'orNull(decimal)',
        Type.Union([Type.Integer({ minimum: 0 }), Type.Null()], {
          description: 'Age of the oldest of them; null while the market is left out.',
        }),
      ),
      reason: textOrNull('The code of what went wrong; null when nothing did.'),
    }),
  ),
});

const lastAudit = Type.Object({
  ts: count('When it ended, in unix milliseconds.'),
  ok: Type.Boolean({ description: 'Whether the chain could be read.' }),
  differences: count('User accounts that differed and were repaired.'),
});

/** A reference to a schema by its name in the API description. */
const named = (name: string) => Type.Unsafe({ $ref: `#/components/schemas/${name}` });

const error = Type.Object({
  code: wordSchema(HTTP_ERROR_CODES, { description: 'What is wrong; codes are never renamed.' }),
  message: text('The error in words.'),
  param: textOrNull('The parameter that is wrong, if one is.'),
});

const asOf = Type.Optional(
  Type.Object(
    {
      epoch: text('The run of the book.'),
      slot: count("The chain's slot then."),
      ts: count('Unix milliseconds.'),
    },
    { description: 'The turn after which the book was so; with a past moment only.' },
  ),
);

/** Every body by its name in the API description. */
export const bodySchemas = {
  L2: Type.Object({ ...sideSchemas(level), ...identity, ...prices, ...version, asOf }),
  L3: Type.Object({ ...sideSchemas(order), ...identity, ...version, asOf }),
  Match: Type.Object({
    ...match,
    ...identity,
    seq: version.seq,
    model: wordSchema(['spec', 'onchain'], { description: 'Whose rules decided.' }),
    epoch: version.epoch,
    state,
    reason: Type.Optional(text('Why nothing fills, or not everything that could.')),
    asOf,
  }),
  Auctions: Type.Object({
    auctions: Type.Array(auction, { description: 'The one that was placed first comes first.' }),
    ...identity,
    ...version,
    asOf,
  }),
  OpenOrders: Type.Object({
    account: text('The user account.'),
    orders: Type.Array(openOrder, {
      maxItems: 32,
      description: 'In the order of the account; of markets that are not served, none.',
    }),
    slot: identity.slot,
    epoch: version.epoch,
    state,
  }),
  BatchL2: Type.Object({
    l2s: Type.Array(Type.Union([named('L2'), named('Error')]), {
      description: 'One book or one error for each entry, in their order.',
    }),
    asOf,
  }),
  TopMakers: Type.Union([
    Type.Array(Type.String(), { description: 'User accounts, best price first.' }),
    Type.Array(
      Type.Object({
        userAccountPubKey: text('User account.'),
        accountBase64: textOrNull('Its bytes; null when the node has no such account.'),
      }),
      { description: 'With includeAccounts.' },
    ),
  ]),
  AuctionParams: Type.Object({
    data: Type.Object({
      params: auctionParams,
      entryPrice: price('The average of what the order gets now, at 1e6.'),
      bestPrice: price('The best price that it gets.'),
      worstPrice: price('The worst price that it gets.'),
      oraclePrice: price('Price of the exchange oracle.'),
      markPrice: price('As in /l2 with the AMM.'),
      priceImpact: Type.Number({ description: 'Entry price over best price, as a fraction.' }),
      slippageTolerance: text('A fraction, as decimal text.'),
    }),
  }),
  PriorityFees: Type.Object({
    ...feeLevels,
    marketType,
    marketIndex: size('Index among the markets of its type, as text.'),
  }),
  BatchPriorityFees: Type.Array(
    Type.Object({
      ...Type.Partial(Type.Object(feeLevels)).properties,
      marketType: Type.Optional(text('As it was requested, where the entry is wrong.')),
      marketIndex: Type.Optional(count('Index among the markets of its type.')),
      error: Type.Optional(error),
    }),
    {
      description: 'In the order of the request; a wrong entry has an error in place of the fees.',
    },
  ),
  ...historyBodySchemas,
  Markets: Type.Array(market, { description: 'Perpetual markets first, each kind by index.' }),
  Health: Type.Object({ status: wordSchema(['ok'], {}) }),
  Ready: Type.Object({
    ready: Type.Boolean(),
    state: feedState,
    slot: count('The newest slot received.'),
    history: Type.Optional(historyReadiness),
  }),
  Status: Type.Object({
    state: feedState,
    reason: textOrNull('Why the book is not live; null when it is.'),
    slot: count('The newest slot received.'),
    slotAgeMs: readAs('decimal', count('Time since the last notification of a slot.')),
    slotLag: count('Slots behind the newest that a node reported.'),
    clockSkewMs: mayMiss(
      readAs(
        'orNull(decimal)',
        Type.Union([Type.Integer(), Type.Null()], {
          description:
            "How far this machine's clock is ahead of the chain's; null before it is known.",
        }),
      ),
    ),
    clockReason: mayMiss(textOrNull('Why that is too much; null when it is not.')),
    role: Type.Optional(
      readAs(
        'text',
        wordSchema(['core', 'standby'], { description: 'Of a core: whether it writes the log.' }),
      ),
    ),
    epoch: text('This run of the service on this chain.'),
    genesisHash: textOrNull('The chain; null until it has been requested.'),
    commitment: readAs(
      'text',
      wordSchema(['processed'], { description: 'At which the book is read.' }),
    ),
    node: textOrNull('Host of the RPC node in use; null when there is none.'),
    uptimeMs: readAs('decimal', count('Time since the service started.')),
    users: count('User accounts held.'),
    orders: count('Open orders held.'),
    ordersShown: count('Open orders that the book shows.'),
    ordersLeftOut: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
      description: 'Open orders that the book does not show, by reason.',
    }),
    quarantined: count('Accounts that could not be decoded.'),
    lastAudit: Type.Union([lastAudit, Type.Null()], {
      description: 'The last comparison of the whole book with the chain; null before the first.',
    }),
    sources: Type.Optional(sourceStatuses),
    venues: Type.Optional(
      Type.Array(venueStatus, { description: 'External venues; left out where there are none.' }),
    ),
    history: Type.Optional(historyStatus),
    journal: Type.Optional(journalStatus),
    markets: Type.Array(marketStatus),
  }),
  Journal: journalBody,
  Version: Type.Object({
    name: Type.String(),
    version: Type.String(),
    commit: textOrNull('Null outside a checkout.'),
    node: text('Version of Node.js.'),
    uws: mayMiss(text('Version of the transport.')),
  }),
  Index: Type.Object({
    name: Type.String(),
    version: Type.String(),
    paths: Type.Array(Type.String()),
  }),
  ApiDescription: Type.Object({ openapi: Type.String() }, { description: 'OpenAPI 3.1.' }),
  ChannelsDescription: Type.Object({ asyncapi: Type.String() }, { description: 'AsyncAPI 3.0.' }),
  ...udfBodySchemas,
  Error: Type.Object({ error }),
  UdfError: Type.Object({
    s: Type.Literal('error'),
    errmsg: text('The error in words, as the chart library reads it.'),
    error,
  }),
};

/** The name of a JSON body. */
export type BodyName = keyof typeof bodySchemas;

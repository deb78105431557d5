/** The bodies about the book, as docs/api.md describes them. */
import {
  base,
  decimal,
  flag,
  integer,
  list,
  type Of,
  object,
  orNull,
  price,
  quote,
  text,
  whole,
  word,
} from '../fields.js';
import { bookState, level, orderFacts, restingOrder } from '../row-shapes.js';

const marketType = word('perp', 'spot');

const auction = object({
  orderType: word('market', 'limit', 'triggerMarket', 'triggerLimit', 'oracle'),
  direction: word('long', 'short'),
  /** The order's limit price, 0 for none. */
  price,
  /** The fillable size. */
  size: base,
  baseAssetAmount: base,
  baseAssetAmountFilled: base,
  ...orderFacts,
  auctionStartPrice: price,
  auctionEndPrice: price,
  startPrice: orNull(price),
  endPrice: orNull(price),
  currentPrice: orNull(price),
  auctionDuration: whole,
  slotsLeft: whole,
});

const oracleReading = object(
  {},
  {
    ...{ price, slot: integer, confidence: price, hasSufficientNumberOfDataPoints: flag },
    ...{ twap: price, twapConfidence: price },
  },
);

const identity = {
  marketName: text,
  marketType,
  marketIndex: whole,
  /** Unix milliseconds. */
  ts: whole,
  slot: whole,
};

const version = {
  oracle: price,
  oracleData: oracleReading,
  mmOracleData: oracleReading,
  marketSlot: whole,
  seq: whole,
  epoch: text,
  state: bookState,
  crossed: flag,
};

/** The turn that a body of a past moment shows. */
const asOf = object({ epoch: text, slot: whole, ts: whole });

const versionReasons = { reason: text, offsetOrdersExcluded: text, asOf };

/** The body of /l2. */
export const l2Book = object(
  {
    bids: list(level),
    asks: list(level),
    ...identity,
    markPrice: price,
    ...version,
    bestBidPrice: orNull(price),
    bestAskPrice: orNull(price),
    /** Percent at 1e6. */
    spreadPct: orNull(integer),
    spreadQuote: orNull(quote),
  },
  versionReasons,
);

/** The body of /l3. */
export const l3Book = object(
  { bids: list(restingOrder), asks: list(restingOrder), ...identity, ...version },
  versionReasons,
);

/** The body of /auctions. */
export const auctionsBook = object(
  { auctions: list(auction), ...identity, ...version },
  versionReasons,
);

const fill = object({
  source: word('jit', 'dlob', 'vamm', 'external'),
  maker: orNull(text),
  orderId: orNull(whole),
  price,
  size: base,
  quote,
  takerFee: quote,
  makerRebate: quote,
});

/** The body of /match. */
export const matchAnswer = object(
  {
    fills: list(fill),
    filledBase: base,
    filledQuote: quote,
    averagePrice: orNull(price),
    worstPrice: orNull(price),
    /** A fraction as decimal text. */
    priceImpact: orNull(text),
    takerFee: quote,
    /** Base where a size was requested, else quote. */
    unfilled: integer,
    rests: orNull(object({ price, size: base, rebateRate: orNull(text) })),
    ...identity,
    seq: whole,
    model: word('spec', 'onchain'),
    epoch: text,
    state: bookState,
  },
  { reason: text, asOf },
);

/** The body of /topMakers, accounts alone. */
export const topMakers = list(text);
/** The body of /topMakers with the bytes of each account. */
export const topMakerAccounts = list(
  object({ userAccountPubKey: text, accountBase64: orNull(text) }),
);

/** The body of /markets. */
export const markets = list(
  object({
    symbol: text,
    marketIndex: whole,
    marketType,
    status: text,
    tick: price,
    /** In the market's own base decimals, as is minOrderSize. */
    step: integer,
    minOrderSize: integer,
    decimals: whole,
    oracle: text,
    oracleSource: text,
    emptyReason: orNull(text),
    baseAsset: text,
    quoteAsset: text,
    /** Of the first fee tier, as parts of the quote; a rebate is negative. */
    fees: object({ maker: decimal, taker: decimal }),
    /** 1 in spot markets. */
    leverageMax: decimal,
  }),
);

/** The book by level. */
export type L2Book = Of<typeof l2Book>;
/** The book by order. */
export type L3Book = Of<typeof l3Book>;
/** The orders in auction. */
export type AuctionsBook = Of<typeof auctionsBook>;
/** The simulated fills of an order. */
export type MatchAnswer = Of<typeof matchAnswer>;
/** A maker's account; null when the node has none. */
export type TopMakerAccount = Of<typeof topMakerAccounts>[number];
/** A market that is served. */
export type MarketInfo = Of<typeof markets>[number];

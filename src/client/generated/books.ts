// Generated from the schemas of the service: UPDATE_GOLDEN=1 npx vitest run test/client/generated.test.ts
/** The bodies about the book, as docs/book.md describes them. */
import { base, decimal, flag, integer, list, type Of, object, orNull, price, quote, text, whole, word } from '../fields.js';
import { bookState, level, restingOrder } from './rows.js';

const marketType = word('perp', 'spot');

const oracleReading = object({}, {
  /** Price at 1e6. */
  price,
  /** The slot it is from. */
  slot: integer,
  /** Confidence at 1e6. */
  confidence: price,
  hasSufficientNumberOfDataPoints: flag,
  /** What the SDK shows as its average at 1e6; left out for sources without one. */
  twap: price,
  /** What the SDK shows as the confidence of the average, at 1e6. */
  twapConfidence: price,
});

/** The body of /l2. */
export const l2Book = object({
  /** Best first. */
  bids: list(level),
  /** Best first. */
  asks: list(level),
  /** Name of the market. */
  marketName: text,
  /** Type of the market. */
  marketType,
  /** Index among the markets of its type. */
  marketIndex: whole,
  /** When this version was made, in unix milliseconds. */
  ts: whole,
  /** The newest slot of the book. */
  slot: whole,
  /** Middle of the best prices, or the oracle where a side is empty. */
  markPrice: price,
  /** Left out where a side is empty. */
  bestBidPrice: orNull(price),
  /** Left out where a side is empty. */
  bestAskPrice: orNull(price),
  /** Percent at 1e6, as spreadQuote. */
  spreadPct: orNull(integer),
  /** Quote at 1e6, 0 if crossed; missing with a side. */
  spreadQuote: orNull(quote),
  /** Price of the exchange oracle at 1e6. */
  oracle: price,
  /** An oracle as last read from the chain; without members before the first time. */
  oracleData: oracleReading,
  /** An oracle as last read from the chain; without members before the first time. */
  mmOracleData: oracleReading,
  /** The slot of the market account. */
  marketSlot: whole,
  /** Grows with each change of the market within an epoch. */
  seq: whole,
  /** One run of the service on one chain. */
  epoch: text,
  /** How fresh the book is. */
  state: bookState,
  /** Whether the best bid is above the best ask. */
  crossed: flag,
}, {
  /** Why the book shows nothing whatever is on chain. */
  reason: text,
  /** Why oracle-offset orders are left out. */
  offsetOrdersExcluded: text,
  /** The turn after which the book was so; with a past moment only. */
  asOf: object({
    /** The run of the book. */
    epoch: text,
    /** The chain's slot then. */
    slot: whole,
    /** Unix milliseconds. */
    ts: whole,
  }),
});

/** The body of /l3. */
export const l3Book = object({
  /** Best first. */
  bids: list(restingOrder),
  /** Best first. */
  asks: list(restingOrder),
  /** Name of the market. */
  marketName: text,
  /** Type of the market. */
  marketType,
  /** Index among the markets of its type. */
  marketIndex: whole,
  /** When this version was made, in unix milliseconds. */
  ts: whole,
  /** The newest slot of the book. */
  slot: whole,
  /** Price of the exchange oracle at 1e6. */
  oracle: price,
  /** An oracle as last read from the chain; without members before the first time. */
  oracleData: oracleReading,
  /** An oracle as last read from the chain; without members before the first time. */
  mmOracleData: oracleReading,
  /** The slot of the market account. */
  marketSlot: whole,
  /** Grows with each change of the market within an epoch. */
  seq: whole,
  /** One run of the service on one chain. */
  epoch: text,
  /** How fresh the book is. */
  state: bookState,
  /** Whether the best bid is above the best ask. */
  crossed: flag,
}, {
  /** Why the book shows nothing whatever is on chain. */
  reason: text,
  /** Why oracle-offset orders are left out. */
  offsetOrdersExcluded: text,
  /** The turn after which the book was so; with a past moment only. */
  asOf: object({
    /** The run of the book. */
    epoch: text,
    /** The chain's slot then. */
    slot: whole,
    /** Unix milliseconds. */
    ts: whole,
  }),
});

/** The body of /auctions. */
export const auctionsBook = object({
  /** The one that was placed first comes first. */
  auctions: list(object({
    /** How the order is priced. */
    orderType: word('market', 'limit', 'triggerMarket', 'triggerLimit', 'oracle'),
    /** Whether it buys or sells. */
    direction: word('long', 'short'),
    /** The limit price that the order names, at 1e6; 0 for none. */
    price,
    /** What can still fill, at 1e9. */
    size: base,
    /** Size at placement, at 1e9. */
    baseAssetAmount: base,
    /** Filled so far, at 1e9. */
    baseAssetAmountFilled: base,
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
    /** As on chain, at 1e6: a price, or an offset from the oracle. */
    auctionStartPrice: price,
    /** As on chain, at 1e6: a price, or an offset from the oracle. */
    auctionEndPrice: price,
    /** Price in the first slot of the auction, at 1e6; null where the program gives the order no price. */
    startPrice: orNull(price),
    /** Price in its last slot, at 1e6; null where the program gives the order no price. */
    endPrice: orNull(price),
    /** Price at which the order fills now, at 1e6; null where the program gives the order no price. */
    currentPrice: orNull(price),
    /** Slots of the auction after its first. */
    auctionDuration: whole,
    /** Slots that it still has after this one; 0 in its last. */
    slotsLeft: whole,
  })),
  /** Name of the market. */
  marketName: text,
  /** Type of the market. */
  marketType,
  /** Index among the markets of its type. */
  marketIndex: whole,
  /** When this version was made, in unix milliseconds. */
  ts: whole,
  /** The newest slot of the book. */
  slot: whole,
  /** Price of the exchange oracle at 1e6. */
  oracle: price,
  /** An oracle as last read from the chain; without members before the first time. */
  oracleData: oracleReading,
  /** An oracle as last read from the chain; without members before the first time. */
  mmOracleData: oracleReading,
  /** The slot of the market account. */
  marketSlot: whole,
  /** Grows with each change of the market within an epoch. */
  seq: whole,
  /** One run of the service on one chain. */
  epoch: text,
  /** How fresh the book is. */
  state: bookState,
  /** Whether the best bid is above the best ask. */
  crossed: flag,
}, {
  /** Why the book shows nothing whatever is on chain. */
  reason: text,
  /** Why oracle-offset orders are left out. */
  offsetOrdersExcluded: text,
  /** The turn after which the book was so; with a past moment only. */
  asOf: object({
    /** The run of the book. */
    epoch: text,
    /** The chain's slot then. */
    slot: whole,
    /** Unix milliseconds. */
    ts: whole,
  }),
});

/** The body of /match. */
export const matchAnswer = object({
  /** In the order in which they happen. */
  fills: list(object({
    /** The source of the fill. */
    source: word('jit', 'dlob', 'vamm', 'external'),
    /** User account that filled; null for a source without one. */
    maker: orNull(text),
    /** The id of its order; null for a source without one. */
    orderId: orNull(whole),
    /** Price at 1e6. */
    price,
    /** Base at 1e9. */
    size: base,
    /** Quote at 1e6. */
    quote,
    /** What the taker pays beside the quote, at 1e6. */
    takerFee: quote,
    /** What the maker gets beside the quote, at 1e6. */
    makerRebate: quote,
  })),
  /** Base at 1e9. */
  filledBase: base,
  /** Quote at 1e6. */
  filledQuote: quote,
  /** Quote for a base at 1e6; null without a fill. */
  averagePrice: orNull(price),
  /** Of a fill, at 1e6; null without one. */
  worstPrice: orNull(price),
  /** A fraction of the best price; null without a fill. */
  priceImpact: orNull(text),
  /** Of all fills, at 1e6. */
  takerFee: quote,
  /** What is not filled: base at 1e9 where a size was given, else quote at 1e6. */
  unfilled: integer,
  /** The limit order that stays; null when none does. */
  rests: orNull(object({
    /** Price at 1e6. */
    price,
    /** Base at 1e9. */
    size: base,
    /** Rebate as a fraction of the quote. */
    rebateRate: orNull(text),
  })),
  /** Name of the market. */
  marketName: text,
  /** Type of the market. */
  marketType,
  /** Index among the markets of its type. */
  marketIndex: whole,
  /** When this version was made, in unix milliseconds. */
  ts: whole,
  /** The newest slot of the book. */
  slot: whole,
  /** Grows with each change of the market within an epoch. */
  seq: whole,
  /** Whose rules decided. */
  model: word('spec', 'onchain'),
  /** One run of the service on one chain. */
  epoch: text,
  /** How fresh the book is. */
  state: bookState,
}, {
  /** Why nothing fills, or not everything that could. */
  reason: text,
  /** The turn after which the book was so; with a past moment only. */
  asOf: object({
    /** The run of the book. */
    epoch: text,
    /** The chain's slot then. */
    slot: whole,
    /** Unix milliseconds. */
    ts: whole,
  }),
});

/** The body of /topMakers, accounts alone. */
export const topMakers = list(text);

/** The body of /topMakers with the bytes of each account. */
export const topMakerAccounts = list(object({
  /** User account. */
  userAccountPubKey: text,
  /** Its bytes; null when the node has no such account. */
  accountBase64: orNull(text),
}));

/** The body of /markets. */
export const markets = list(object({
  /** Name of the market, and of no other one. */
  symbol: text,
  /** Name on chain, with escapes; symbol is the key where another market has it first. */
  name: text,
  /** Index among the markets of its type. */
  marketIndex: whole,
  /** Type of the market. */
  marketType,
  /** Status of the market on chain. */
  status: text,
  /** Price step at 1e6. */
  tick: price,
  /** Size step in the market's own decimals. */
  step: integer,
  /** In the market's own decimals. */
  minOrderSize: integer,
  /** Decimals of the base. */
  decimals: whole,
  /** Account of the oracle. */
  oracle: text,
  /** Kind of the oracle. */
  oracleSource: text,
  /** Why the book shows nothing; null when it shows its orders. */
  emptyReason: orNull(text),
  /** Name of the traded token. */
  baseAsset: text,
  /** Name of the token that prices are in. */
  quoteAsset: text,
  /** Of the first fee tier, as parts of the quote; a rebate is negative. */
  fees: object({
    maker: decimal,
    taker: decimal,
  }),
  /** Highest leverage; 1 in spot markets. */
  leverageMax: decimal,
}, {
  /** The program whose rules the accounts follow. */
  program: text,
}));

/** The book by level. */
export type L2Book = Of<typeof l2Book>;

/** The book by order. */
export type L3Book = Of<typeof l3Book>;

/** The orders in auction. */
export type AuctionsBook = Of<typeof auctionsBook>;

/** What an order that is sent now would get. */
export type MatchAnswer = Of<typeof matchAnswer>;

/** A maker's account; null where the node has none. */
export type TopMakerAccount = Of<typeof topMakerAccounts>[number];

/** A market that is served. */
export type MarketInfo = Of<typeof markets>[number];

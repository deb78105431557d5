// Generated from the schemas of the service: UPDATE_GOLDEN=1 npx vitest run test/client/generated.test.ts
/** The bodies of market data: statistics, funding rates and trades. */
import { base, decimal, integer, list, type Of, object, orNull, price, quote, text, whole, word } from '../fields.js';

const marketType = word('perp', 'spot');

/** The body of /stats/markets. */
export const marketStats = list(object({
  /** Index among the markets of its type. */
  marketIndex: whole,
  /** Name of the market. */
  symbol: text,
  /** Type of the market. */
  marketType,
  /** Of the oracle now. */
  oraclePrice: decimal,
  /** Quote traded in the last 24 hours. */
  volume24h: decimal,
  /** Long positions at the price of the oracle, in USD; 0 for spot markets. */
  openInterest: decimal,
  /** The last one, a fraction an hour; positive when longs pay. 0 for spot. */
  fundingRate: decimal,
  /** The average of the last 24 hours, likewise. */
  fundingRate24hAvg: decimal,
  /** Of the market on chain, such as `active`. */
  status: text,
}, {
  /** Base of the long positions. */
  longOpenInterest: decimal,
  /** Base of the short positions, not above 0. */
  shortOpenInterest: decimal,
  /** When the funding rate was set, unix seconds. */
  fundingRateTs: orNull(whole),
  /** Base traded in the last 24 hours. */
  baseVolume24h: decimal,
  /** Of the last trade; null before the first. */
  price: orNull(decimal),
  /** Of the last trade before the last 24 hours. */
  price24hAgo: orNull(decimal),
  /** Highest price of the trades of the last 24 hours; null without any. */
  high24h: orNull(decimal),
  /** Lowest price of them. */
  low24h: orNull(decimal),
}));

/** The body of /liquidity. */
export const liquidity = list(object({
  /** Name of the market. */
  symbol: text,
  /** Type of the market. */
  marketType,
  /** Index among the markets of its type. */
  marketIndex: whole,
  /** Grows with each change of the market within an epoch. */
  seq: whole,
  /** The newest slot of the book. */
  slot: whole,
  /** One run of the service on one chain. */
  epoch: text,
  /** Of the book, with the AMM: `locked` and `crossed` where the best bid is at or above the best ask, `oneSided` and `empty` without orders. */
  condition: text,
  /** How fresh the book is. */
  state: word('rebuilding', 'live', 'lagging', 'stale'),
  /** At 1e6; left out where a side is empty. */
  bestBidPrice: orNull(price),
  /** At 1e6; left out where a side is empty. */
  bestAskPrice: orNull(price),
  /** The spread in basis points of the mid price; negative where the book is crossed; left out where a side is empty. */
  spreadBps: orNull(decimal),
  /** Within 1, 2, 5, 10, 25, 50, 100 basis points; empty where a side is empty. */
  depth: list(object({
    /** Distance from the mid price, basis points. */
    bps: whole,
    /** Base of the bids within it, at 1e9. */
    bidBase: base,
    /** Their value at their prices, quote at 1e6. */
    bidQuote: quote,
    /** Base of the asks within it, at 1e9. */
    askBase: base,
    /** Their value at their prices, quote at 1e6. */
    askQuote: quote,
  })),
}));

/** The body of /liquidity/history. */
export const liquidityHistory = object({
  /** Type of the market. */
  marketType,
  /** Index among the markets of its type. */
  marketIndex: whole,
  /** Seconds between two rows. */
  resolution: whole,
  /** Segments of the journal in the range whose rows are here. */
  segmentsRead: whole,
  /** Segments in the range: with fewer read, the same request reads more. */
  segments: whole,
  /** Oldest first; none where the journal has a gap. */
  rows: list(object({
    /** Unix time in milliseconds; the book after the last turn until then. */
    ts: whole,
    /** How fresh the book is. */
    state: word('rebuilding', 'live', 'lagging', 'stale'),
    /** At 1e6; left out where a side is empty. */
    bestBidPrice: orNull(price),
    /** At 1e6; left out where a side is empty. */
    bestAskPrice: orNull(price),
    /** The spread in basis points of the mid price; negative where the book is crossed; left out where a side is empty. */
    spreadBps: orNull(decimal),
    /** Within 1, 2, 5, 10, 25, 50, 100 basis points; empty where a side is empty. */
    depth: list(object({
      /** Distance from the mid price, basis points. */
      bps: whole,
      /** Base of the bids within it, at 1e9. */
      bidBase: base,
      /** Their value at their prices, quote at 1e6. */
      bidQuote: quote,
      /** Base of the asks within it, at 1e9. */
      askBase: base,
      /** Their value at their prices, quote at 1e6. */
      askQuote: quote,
    })),
    /** Width of a band of price, at 1e6: 1, 2 or 5 times a power of ten; left out without a mid price. */
    bandStep: orNull(price),
    /** Lower price of the band of the best bid, at 1e6. */
    bidBand: orNull(price),
    /** Bands from the best bid down to 100 basis points from the mid price. */
    bids: list(base),
    /** Lower price of the band of the best ask, at 1e6. */
    askBand: orNull(price),
    /** Bands from the best ask up to 100 basis points from the mid price. */
    asks: list(base),
  })),
});

/** The body of /fundingRates, newest first. */
export const fundingRates = list(object({
  /** Unix time in seconds, of the block. */
  ts: whole,
  /** Name of the market. */
  symbol: text,
  /** Index among the markets of its type. */
  marketIndex: whole,
  /** A fraction of the price per hour; positive is paid by longs. */
  fundingRate: decimal,
  /** Average of the oracle over the period. */
  oraclePrice: decimal,
  /** Average of the mark price over the period. */
  markPrice: decimal,
}));

/** The body of /trades, newest first. */
export const trades = list(object({
  /** Unix time in seconds, of the block. */
  ts: whole,
  /** Index among the markets of its type. */
  marketIndex: whole,
  /** Type of the market. */
  marketType,
  /** User account of the filler; null where there is none. */
  filler: orNull(text),
  /** User account of the taker; null where there is none. */
  taker: orNull(text),
  /** User account of the maker; null for fills of the AMM. */
  maker: orNull(text),
  /** The id of the taker's order in its account; null where there is none. */
  takerOrderId: orNull(whole),
  /** The id of the maker's; null for fills of the AMM. */
  makerOrderId: orNull(whole),
  /** Base at 1e9. */
  baseAssetAmountFilled: base,
  /** Quote at 1e6. */
  quoteAssetAmountFilled: quote,
  /** Quote at 1e6; positive is a charge. */
  takerFee: quote,
  /** Quote at 1e6; negative is a rebate, 0 where there is no maker. */
  makerFee: quote,
  /** What was done. */
  action: text,
  /** How, such as `orderFilledWithMatch`. */
  actionExplanation: text,
  /** The slot of the transaction. */
  slot: whole,
  /** The signature of the transaction. */
  txSig: text,
  /** Counts the fills of the market. */
  fillRecordId: integer,
  /** Whether the taker bought; null where there is no taker. */
  takerOrderDirection: orNull(word('long', 'short')),
  /** Of the oracle, at 1e6. */
  oraclePrice: price,
}, {
  txSigIndex: whole,
}));

/** Statistics of a market. */
export type MarketStats = Of<typeof marketStats>[number];

/** The spread of a market, and the depth near its mid price. */
export type MarketLiquidity = Of<typeof liquidity>[number];

/** The liquidity of a market over time, the oldest row first. */
export type LiquidityHistory = Of<typeof liquidityHistory>;

/** A funding rate. */
export type FundingRate = Of<typeof fundingRates>[number];

/** A trade. */
export type Trade = Of<typeof trades>[number];

/** The bodies of market data: statistics, funding rates, trades and candles. */
import {
  base,
  decimal,
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

const marketType = word('perp', 'spot');

/** The body of /stats/markets; decimals are for people. */
export const marketStats = list(
  object(
    {
      marketIndex: whole,
      symbol: text,
      marketType,
      oraclePrice: decimal,
      /** Quote. */
      volume24h: decimal,
      /** Quote: long base times the oracle price. */
      openInterest: decimal,
      /** A fraction per hour, as is fundingRate24hAvg. */
      fundingRate: decimal,
      fundingRate24hAvg: decimal,
      status: text,
    },
    {
      longOpenInterest: decimal,
      shortOpenInterest: decimal,
      /** Unix seconds of the funding rate; null before the first, and for spot markets. */
      fundingRateTs: orNull(whole),
      baseVolume24h: decimal,
      /** Of the last trade; null before the first. */
      price: orNull(decimal),
      price24hAgo: orNull(decimal),
      /** Null without a trade in the last 24 hours, as is low24h. */
      high24h: orNull(decimal),
      low24h: orNull(decimal),
    },
  ),
);

/** The body of /fundingRates, newest first. */
export const fundingRates = list(
  object({
    /** Unix seconds. */
    ts: whole,
    symbol: text,
    marketIndex: whole,
    /** A fraction per hour. */
    fundingRate: decimal,
    oraclePrice: decimal,
    markPrice: decimal,
  }),
);

/** The body of /trades, newest first. */
export const trades = list(
  object(
    {
      /** Unix seconds. */
      ts: whole,
      marketIndex: whole,
      marketType,
      filler: orNull(text),
      taker: orNull(text),
      /** Null for a fill of the AMM, as is makerOrderId. */
      maker: orNull(text),
      takerOrderId: orNull(whole),
      makerOrderId: orNull(whole),
      baseAssetAmountFilled: base,
      quoteAssetAmountFilled: quote,
      /** Positive is a charge. */
      takerFee: quote,
      /** Negative is a rebate. */
      makerFee: quote,
      action: text,
      actionExplanation: text,
      slot: whole,
      txSig: text,
      fillRecordId: integer,
      takerOrderDirection: orNull(word('long', 'short')),
      oraclePrice: price,
    },
    { txSigIndex: whole },
  ),
);

/** Statistics of a market. */
export type MarketStats = Of<typeof marketStats>[number];
/** A funding rate. */
export type FundingRate = Of<typeof fundingRates>[number];
/** A trade. */
export type Trade = Of<typeof trades>[number];

// Generated from the schemas of the service: UPDATE_GOLDEN=1 npx vitest run test/client/generated.test.ts
/** The bodies in the form of the Drift v2 data API: decimals as text, which are read to raw integers. */
import { integer, list, type Of, object, orNull, text, whole, word } from '../fields.js';
import { anyCount, orMissing, writtenBase, writtenPrice, writtenQuote, writtenRate } from '../written-amounts.js';

const marketType = word('perp', 'spot');

/** A trade. */
export const tradeRecord = object({
  /** Unix time in seconds, of the block. */
  ts: anyCount,
  /** The signature of the transaction. */
  txSig: text,
  /** Index among the events of the transaction. */
  txSigIndex: anyCount,
  /** The slot of the transaction. */
  slot: anyCount,
  /** What the filler got, quote. */
  fillerReward: orMissing(writtenQuote),
  /** What was filled, base. */
  baseAssetAmountFilled: orMissing(writtenBase),
  /** What was paid for it, quote. */
  quoteAssetAmountFilled: orMissing(writtenQuote),
  /** Positive is a charge, quote. */
  takerFee: orMissing(writtenQuote),
  /** Negative is a rebate, quote. */
  makerFee: orMissing(writtenQuote),
  /** What the referrer got, quote. */
  referrerReward: orMissing(writtenQuote),
  /** The part of a better price that the AMM retained, quote. */
  quoteAssetAmountSurplus: orMissing(writtenQuote),
  /** Size of the taker's order, base. */
  takerOrderBaseAssetAmount: orMissing(writtenBase),
  /** Filled of the taker's order so far, base. */
  takerOrderCumulativeBaseAssetAmountFilled: orMissing(writtenBase),
  /** Filled of the taker's order so far, quote. */
  takerOrderCumulativeQuoteAssetAmountFilled: orMissing(writtenQuote),
  /** Size of the maker's order, base. */
  makerOrderBaseAssetAmount: orMissing(writtenBase),
  /** Filled of the maker's order so far, base. */
  makerOrderCumulativeBaseAssetAmountFilled: orMissing(writtenBase),
  /** Filled of the maker's order so far, quote. */
  makerOrderCumulativeQuoteAssetAmountFilled: orMissing(writtenQuote),
  /** Of the oracle, quote for a base. */
  oraclePrice: orMissing(writtenPrice),
  /** What was done. */
  action: text,
  /** How, such as `orderFilledWithMatch`. */
  actionExplanation: text,
  /** Index among the markets of its type. */
  marketIndex: anyCount,
  /** Type of the market. */
  marketType,
  /** User account of the filler. */
  filler: orMissing(text),
  /** Counts the fills of the market. */
  fillRecordId: orMissing(integer),
  /** User account of the taker. */
  taker: orMissing(text),
  /** The id of the taker's order. */
  takerOrderId: orMissing(anyCount),
  /** What the taker did. */
  takerOrderDirection: orMissing(word('long', 'short')),
  /** User account of the maker; empty for fills of the AMM. */
  maker: orMissing(text),
  /** The id of the maker's order. */
  makerOrderId: orMissing(anyCount),
  /** What the maker did. */
  makerOrderDirection: orMissing(word('long', 'short')),
  /** Fee of the external venue, quote. */
  spotFulfillmentMethodFee: orMissing(writtenQuote),
  /** Name of the market. */
  symbol: text,
  /** Flags of the fill, as on chain. */
  bitFlags: anyCount,
}, {
  /** Entry of the position that the taker closed, quote. */
  takerExistingQuoteEntryAmount: orMissing(writtenQuote),
  /** The position that the taker closed, base. */
  takerExistingBaseAssetAmount: orMissing(writtenBase),
  /** Entry of the position that the maker closed, quote. */
  makerExistingQuoteEntryAmount: orMissing(writtenQuote),
  /** The position that the maker closed, base. */
  makerExistingBaseAssetAmount: orMissing(writtenBase),
});

/** A funding rate. */
export const fundingRateRecord = object({
  /** Unix time in seconds, of the block. */
  ts: whole,
  /** The signature of the transaction. */
  txSig: text,
  /** Index among the events of the transaction. */
  txSigIndex: whole,
  /** The slot of the transaction. */
  slot: whole,
  /** Counts the funding rates of the market. */
  recordId: integer,
  /** Index among the markets of its type. */
  marketIndex: whole,
  /** Name of the market. */
  symbol: text,
  /** Per hour, quote for a base. */
  fundingRate: writtenRate,
  /** What longs pay, quote for a base. */
  fundingRateLong: writtenRate,
  /** What shorts get, quote for a base. */
  fundingRateShort: writtenRate,
  /** The sum of what longs paid, quote for a base. */
  cumulativeFundingRateLong: writtenRate,
  /** The sum of what shorts got, quote for a base. */
  cumulativeFundingRateShort: writtenRate,
  /** Average of the oracle, quote for a base. */
  oraclePriceTwap: writtenPrice,
  /** Average of the mark price, quote for a base. */
  markPriceTwap: writtenPrice,
  /** What the AMM took in, quote. */
  periodRevenue: writtenQuote,
  /** The position of the AMM, base. */
  baseAssetAmountWithAmm: writtenBase,
  /** Of liquidity providers, not yet settled, base. */
  baseAssetAmountWithUnsettledLp: writtenBase,
});

/** The body of /market/{symbol}/trades, newest first. */
export const tradeRecords = object({
  /** Newest first. */
  records: list(tradeRecord),
  meta: object({
    /** The value of page for the next page; null on the last one. */
    nextPage: orNull(text),
  }),
});

/** The body of /market/{symbol}/fundingRates, newest first. */
export const fundingRateRecords = object({
  /** Newest first. */
  records: list(fundingRateRecord),
  meta: object({
    /** The value of page for the next page; null on the last one. */
    nextPage: orNull(text),
  }),
});

/** The bodies of /stats/markets/volume. */
export const volumes = object({
  /** Quote traded in all markets, quote. */
  total: writtenQuote,
  /** Perpetual markets first, each kind by index. */
  markets: list(object({
    /** Name of the market. */
    symbol: text,
    /** Quote traded, quote. */
    quoteVolume: writtenQuote,
    /** Base traded, base. */
    baseVolume: writtenBase,
    /** Index among the markets of its type. */
    marketIndex: whole,
    /** Type of the market. */
    marketType,
  })),
});

/** A trade with all that is known of it. */
export type TradeRecord = Of<typeof tradeRecord>;

/** A funding rate with all that is known of it. */
export type FundingRateRecord = Of<typeof fundingRateRecord>;

/** What was traded. */
export type Volumes = Of<typeof volumes>;

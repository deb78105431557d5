/** The bodies in the form of the Drift v2 data API: decimals as text, which are read to raw integers. */
import {
  type Base,
  type Price,
  parseBase,
  parseDecimal,
  parsePrice,
  parseQuote,
  type Quote,
} from '../amounts.js';
import { ClientError } from '../error.js';
import { integer, list, type Of, object, orNull, type Read, text, whole, word } from '../fields.js';

const RATE_DECIMALS = 9;
const marketType = word('perp', 'spot');

/** An amount in decimal notation, exact; pass numbers as text to keep every digit. */
function written<T>(parse: (text: string) => T): Read<T> {
  return (value, place) => {
    try {
      return parse(typeof value === 'number' ? String(value) : text(value, place));
    } catch (cause) {
      const message = `${place} is not a decimal of its unit`;
      throw new ClientError('MALFORMED_ANSWER', message, {}, { cause });
    }
  };
}

/** Reads a missing value, an empty text or null, as null. */
function orMissing<T>(read: Read<T>): Read<T | null> {
  return (value, place) => (value === '' ? null : orNull(read)(value, place));
}

const price: Read<Price> = written(parsePrice);
const base: Read<Base> = written(parseBase);
const quote: Read<Quote> = written(parseQuote);
/** Quote for a base, at 1e9. */
const rate: Read<bigint> = written((decimal) => parseDecimal(decimal, RATE_DECIMALS));
const orderId: Read<number> = (value, place) => Number(integer(value, place));
/** A number that is written as a number, or as its text. */
const count = orderId;

const orMissingQuote = orMissing(quote);
const orMissingBase = orMissing(base);
const direction = orMissing(word('long', 'short'));

/** The fields of every form of a trade. */
export const tradeFacts = {
  /** Unix seconds. */
  ts: count,
  txSig: text,
  slot: count,
  /** Counts the fills of the market. */
  fillRecordId: orMissing(integer),
  marketIndex: count,
  marketType,
  action: text,
  actionExplanation: text,
  baseAssetAmountFilled: orMissingBase,
  quoteAssetAmountFilled: orMissingQuote,
  /** The AMM's part of a price improvement. */
  quoteAssetAmountSurplus: orMissingQuote,
  oraclePrice: orMissing(price),
  filler: orMissing(text),
  referrerReward: orMissingQuote,
  taker: orMissing(text),
  takerOrderId: orMissing(orderId),
  takerOrderDirection: direction,
  /** Positive is a charge. */
  takerFee: orMissingQuote,
  takerOrderBaseAssetAmount: orMissingBase,
  takerOrderCumulativeBaseAssetAmountFilled: orMissingBase,
  takerOrderCumulativeQuoteAssetAmountFilled: orMissingQuote,
  /** Null for a fill of the AMM, like the other fields of the maker. */
  maker: orMissing(text),
  makerOrderId: orMissing(orderId),
  makerOrderDirection: direction,
  /** Negative is a rebate. */
  makerFee: orMissingQuote,
  makerOrderBaseAssetAmount: orMissingBase,
  makerOrderCumulativeBaseAssetAmountFilled: orMissingBase,
  makerOrderCumulativeQuoteAssetAmountFilled: orMissingQuote,
  bitFlags: count,
};

const tradeRecord = object(
  {
    ...tradeFacts,
    symbol: text,
    /** Its place among the program's events of the transaction. */
    txSigIndex: count,
    fillerReward: orMissingQuote,
    spotFulfillmentMethodFee: orMissingQuote,
  },
  {
    /** Of the closed position of the taker or maker; streams omit it. */
    takerExistingQuoteEntryAmount: orMissingQuote,
    takerExistingBaseAssetAmount: orMissingBase,
    makerExistingQuoteEntryAmount: orMissingQuote,
    makerExistingBaseAssetAmount: orMissingBase,
  },
);

const fundingRateRecord = object({
  /** Unix seconds. */
  ts: whole,
  txSig: text,
  txSigIndex: whole,
  slot: whole,
  /** Counts the funding rates of the market. */
  recordId: integer,
  marketIndex: whole,
  symbol: text,
  /** Quote for a base and hour, at 1e9, as are all rates here. */
  fundingRate: rate,
  fundingRateLong: rate,
  fundingRateShort: rate,
  cumulativeFundingRateLong: rate,
  cumulativeFundingRateShort: rate,
  oraclePriceTwap: price,
  markPriceTwap: price,
  periodRevenue: quote,
  baseAssetAmountWithAmm: base,
  baseAssetAmountWithUnsettledLp: base,
});

const meta = object({ nextPage: orNull(text) });

/** The body of /market/{symbol}/trades, newest first. */
export const tradeRecords = object({ records: list(tradeRecord), meta });

/** The body of /market/{symbol}/fundingRates, newest first. */
export const fundingRateRecords = object({ records: list(fundingRateRecord), meta });

/** The bodies of /stats/markets/volume. */
export const volumes = object({
  /** Of all markets. */
  total: quote,
  markets: list(
    object({ symbol: text, quoteVolume: quote, baseVolume: base, marketIndex: whole, marketType }),
  ),
});

/** A list of trades of a stream. */
export const streamTrades = list(tradeRecord);

/** A page as these paths answer it. */
export interface Records<T> {
  readonly records: readonly T[];
  readonly meta: { readonly nextPage: string | null };
}

/** A trade with all its fields. */
export type TradeRecord = Of<typeof tradeRecord>;
/** A funding rate with all its fields. */
export type FundingRateRecord = Of<typeof fundingRateRecord>;
/** Traded volumes. */
export type Volumes = Of<typeof volumes>;

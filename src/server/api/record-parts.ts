/** Parts of the bodies of the history. */
import { type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { wordSchema } from './param-parts.js';
import {
  always,
  base,
  count,
  countOrNull,
  decimal,
  fixed,
  id,
  marketIndex,
  marketType,
  mayMiss,
  price,
  quote,
  readAs,
  symbol,
  text,
  textOrNull,
  unread,
} from './schema-parts.js';

const rate = (description: string) =>
  readAs('writtenRate', fixed(9, `${description}, quote for a base.`));
/** The time of a block. */
export const ts = count('Unix time in seconds, of the block.');
/** The slot of a transaction. */
export const slot = count('The slot of the transaction.');
/** A signature. */
export const txSig = text('The signature of the transaction.');

/** The prices of a candle. */
export const candlePrices = {
  fillOpen: decimal('Close of the candle before; of the first, its first trade.'),
  fillHigh: decimal('Highest price, the open included.'),
  fillLow: decimal('Lowest price, the open included.'),
  fillClose: decimal('Price of the last trade.'),
};

/** The oracle's prices in a candle. */
export const oraclePrices = {
  oracleOpen: mayMiss(decimal('Of the oracle, likewise.')),
  oracleHigh: mayMiss(decimal('Of the oracle, likewise.')),
  oracleLow: mayMiss(decimal('Of the oracle, likewise.')),
  oracleClose: mayMiss(decimal('Of the oracle, likewise.')),
};

const order = (side: 'taker' | 'maker') => ({
  [`${side}OrderBaseAssetAmount`]: base(`Size of the ${side}'s order`),
  [`${side}OrderCumulativeBaseAssetAmountFilled`]: base(`Filled of the ${side}'s order so far`),
  [`${side}OrderCumulativeQuoteAssetAmountFilled`]: quote(`Filled of the ${side}'s order so far`),
});

/** A number that some channels write as text. */
const anyCount = <Schema extends TSchema>(schema: Schema) => readAs('anyCount', schema);

const direction = (description: string) =>
  readAs("orMissing(word('long', 'short'))", wordSchema(['long', 'short', ''], { description }));

/** The place of a record. */
export const txSigIndex = count('Index among the events of the transaction.');

/** A trade in the format of the Drift v2 data API. */
export const tradeRecord = Type.Object({
  ts: anyCount(ts),
  txSig,
  txSigIndex: anyCount(txSigIndex),
  slot: anyCount(slot),
  fillerReward: quote('What the filler got'),
  baseAssetAmountFilled: base('What was filled'),
  quoteAssetAmountFilled: quote('What was paid for it'),
  takerFee: quote('Positive is a charge'),
  makerRebate: unread(quote('The same as makerFee')),
  makerFee: quote('Negative is a rebate'),
  referrerReward: quote('What the referrer got'),
  quoteAssetAmountSurplus: quote('The part of a better price that the AMM retained'),
  ...order('taker'),
  ...order('maker'),
  oraclePrice: price('Of the oracle'),
  action: readAs('text', wordSchema(['fill'], { description: 'What was done.' })),
  actionExplanation: text('How, such as `orderFilledWithMatch`.'),
  marketIndex: anyCount(marketIndex),
  marketType,
  filler: readAs('orMissing(text)', text('User account of the filler.')),
  fillRecordId: id('Counts the fills of the market.'),
  taker: readAs('orMissing(text)', text('User account of the taker.')),
  takerOrderId: readAs('orMissing(anyCount)', id("The id of the taker's order.")),
  takerOrderDirection: direction('What the taker did.'),
  maker: readAs('orMissing(text)', text('User account of the maker; empty for fills of the AMM.')),
  makerOrderId: readAs('orMissing(anyCount)', id("The id of the maker's order.")),
  makerOrderDirection: direction('What the maker did.'),
  spotFulfillmentMethodFee: quote('Fee of the external venue'),
  marketFilter: unread(marketType),
  symbol,
  bitFlags: anyCount(count('Flags of the fill, as on chain.')),
  takerExistingQuoteEntryAmount: mayMiss(quote('Entry of the position that the taker closed')),
  takerExistingBaseAssetAmount: mayMiss(base('The position that the taker closed')),
  makerExistingQuoteEntryAmount: mayMiss(quote('Entry of the position that the maker closed')),
  makerExistingBaseAssetAmount: mayMiss(base('The position that the maker closed')),
});

/** A funding rate in the format of the Drift v2 data API. */
export const fundingRateRecord = Type.Object({
  ts,
  txSig,
  txSigIndex,
  slot,
  recordId: readAs('integer', id('Counts the funding rates of the market.')),
  marketIndex,
  symbol,
  fundingRate: rate('Per hour'),
  fundingRateLong: rate('What longs pay'),
  fundingRateShort: rate('What shorts get'),
  cumulativeFundingRateLong: rate('The sum of what longs paid'),
  cumulativeFundingRateShort: rate('The sum of what shorts got'),
  oraclePriceTwap: always(price('Average of the oracle')),
  markPriceTwap: always(price('Average of the mark price')),
  periodRevenue: always(quote('What the AMM took in')),
  baseAssetAmountWithAmm: always(base('The position of the AMM')),
  baseAssetAmountWithUnsettledLp: always(base('Of liquidity providers, not yet settled')),
});

/** Records, newest first. */
export const envelope = (records: TProperties[string], more: TProperties = {}) =>
  Type.Object({
    success: Type.Literal(true),
    records: Type.Array(records, { description: 'Newest first.' }),
    ...more,
  });

/** A page of the archived records of one day. */
export const archive = (record: TProperties[string]) =>
  Type.Object({
    success: Type.Literal(true),
    records: Type.Array(record, { description: 'Oldest first.' }),
    meta: Type.Object({
      records: count('Records of this page.'),
      totalRecords: count('Records of the day.'),
      totalPages: count('Pages of the day.'),
      currentPage: count('The page that this is.'),
      nextPage: countOrNull('The value of page for the next page; null on the last one.'),
    }),
  });

/** The member that names the next page. */
export const paged = {
  meta: Type.Object({
    nextPage: textOrNull('The value of page for the next page; null on the last one.'),
  }),
};

/** The bodies of the history's paths, for /openapi.json; tests validate real responses against them. */
import { type TProperties, type TSchema, Type } from '@sinclair/typebox';
import { wordSchema } from './param-schemas.js';
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
import { statsBodySchemas } from './stats-body-schemas.js';

const whole = (unit: string, description: string) => readAs(unit, Type.Integer({ description }));
const rate = (description: string) =>
  readAs('writtenRate', fixed(9, `${description}, quote for a base.`));
const ts = count('Unix time in seconds, of the block.');
const slot = count('The slot of the transaction.');
const txSig = text('The signature of the transaction.');

const historyState = wordSchema(['off', 'starting', 'backfilling', 'live', 'failing'], {
  description: 'The state of trades, funding rates and candles.',
});
const whyNotLive = textOrNull(
  'Why the history is not live, or what it lacks while it is; null when it lacks nothing.',
);

/** The history in the body of /ready. */
export const historyReadiness = Type.Object({ state: historyState, reason: whyNotLive });

/** The history in the body of /status. */
export const historyStatus = Type.Object({
  state: historyState,
  reason: whyNotLive,
  trades: count('Trades stored.'),
  fundingRates: count('Funding rates stored.'),
  truncated: count('Transactions whose log the node had cut.'),
  queued: count('Transactions that wait to be stored.'),
  spansOpen: count('Gaps of older signatures that are still to be fetched.'),
  finalisedSlot: count('All before this slot is complete, but for open gaps.'),
  completeSinceTs: unread(
    countOrNull(
      'Unix seconds from which on all is stored; null while that is unknown or a gap is open.',
    ),
  ),
  newestSlot: count('The newest slot with a trade that was stored in this run; 0 without one.'),
  lagMs: readAs(
    'orNull(decimal)',
    countOrNull('Time from the last live trade to its being stored; null without one.'),
  ),
  missingFills: Type.Record(Type.String(), Type.Integer({ minimum: 1 }), {
    description: 'Numbers of fills that are missing between stored ones, by market.',
  }),
  storeFailures: count('Writes that the disk refused.'),
  events: Type.Record(Type.String(), Type.Integer({ minimum: 0 }), {
    description: 'Events of the history, by name.',
  }),
});

const trade = Type.Object({
  ts,
  marketIndex,
  marketType,
  filler: textOrNull('User account of the filler; null where there is none.'),
  taker: textOrNull('User account of the taker; null where there is none.'),
  maker: textOrNull('User account of the maker; null for fills of the AMM.'),
  takerOrderId: countOrNull(
    "The id of the taker's order in its account; null where there is none.",
  ),
  makerOrderId: countOrNull("The id of the maker's; null for fills of the AMM."),
  baseAssetAmountFilled: whole('base', 'Base at 1e9.'),
  quoteAssetAmountFilled: whole('quote', 'Quote at 1e6.'),
  takerFee: whole('quote', 'Quote at 1e6; positive is a charge.'),
  makerFee: whole('quote', 'Quote at 1e6; negative is a rebate, 0 where there is no maker.'),
  action: readAs('text', wordSchema(['fill'], { description: 'What was done.' })),
  actionExplanation: text('How, such as `orderFilledWithMatch`.'),
  slot,
  txSig,
  fillRecordId: readAs('integer', countOrNull('Counts the fills of the market.')),
  takerOrderDirection: Type.Unsafe<'long' | 'short' | null>({
    enum: ['long', 'short', null],
    description: 'Whether the taker bought; null where there is no taker.',
  }),
  oraclePrice: whole('price', 'Of the oracle, at 1e6.'),
});

const fundingRate = Type.Object({
  ts,
  symbol,
  marketIndex,
  fundingRate: decimal('A fraction of the price per hour; positive is paid by longs.'),
  oraclePrice: decimal('Average of the oracle over the period.'),
  markPrice: decimal('Average of the mark price over the period.'),
});

const candlePrices = {
  fillOpen: decimal('Close of the candle before; of the first, its first trade.'),
  fillHigh: decimal('Highest price, the open included.'),
  fillLow: decimal('Lowest price, the open included.'),
  fillClose: decimal('Price of the last trade.'),
};

const oraclePrices = {
  oracleOpen: mayMiss(decimal('Of the oracle, likewise.')),
  oracleHigh: mayMiss(decimal('Of the oracle, likewise.')),
  oracleLow: mayMiss(decimal('Of the oracle, likewise.')),
  oracleClose: mayMiss(decimal('Of the oracle, likewise.')),
};

const candle = Type.Object({
  ts: count('Start, unix time in seconds.'),
  ...candlePrices,
  baseVolume: decimal('Base that was traded.'),
  quoteVolume: mayMiss(decimal('Quote that was paid for it.')),
  ...oraclePrices,
});

const order = (side: 'taker' | 'maker') => ({
  [`${side}OrderBaseAssetAmount`]: base(`Size of the ${side}'s order`),
  [`${side}OrderCumulativeBaseAssetAmountFilled`]: base(`Filled of the ${side}'s order so far`),
  [`${side}OrderCumulativeQuoteAssetAmountFilled`]: quote(`Filled of the ${side}'s order so far`),
});

/** A number that channels write as text as well. */
const anyCount = <Schema extends TSchema>(schema: Schema) => readAs('anyCount', schema);

const direction = (description: string) =>
  readAs("orMissing(word('long', 'short'))", wordSchema(['long', 'short', ''], { description }));

const txSigIndex = count('Index among the events of the transaction.');

const tradeRecord = Type.Object({
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

const fundingRateRecord = Type.Object({
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

const integer = (description: string) => Type.String({ pattern: '^-?[0-9]+$', description });

const rawFundingRate = Type.Object({
  ...{ txSig, slot, ts: integer('Unix time in seconds, of the block.') },
  recordId: integer('Counts the funding rates of the market.'),
  marketIndex,
  fundingRate: integer('Quote for a base and hour, at 1e9.'),
  cumulativeFundingRateLong: integer('The sum of what longs paid, at 1e9.'),
  cumulativeFundingRateShort: integer('The sum of what shorts got, at 1e9.'),
  oraclePriceTwap: integer('Average of the oracle, at 1e6.'),
  markPriceTwap: integer('Average of the mark price, at 1e6.'),
  fundingRateLong: integer('What longs pay, at 1e9.'),
  fundingRateShort: integer('What shorts get, at 1e9.'),
  periodRevenue: integer('What the AMM took in, at 1e6.'),
  baseAssetAmountWithAmm: integer('The position of the AMM, at 1e9.'),
  baseAssetAmountWithUnsettledLp: integer('Of liquidity providers, not yet settled, at 1e9.'),
});

const candleRecord = Type.Object({
  ts: count('Start, unix time in seconds.'),
  ...candlePrices,
  ...oraclePrices,
  quoteVolume: decimal('Quote that was paid.'),
  baseVolume: decimal('Base that was traded.'),
});

const envelope = (records: TProperties[string], more: TProperties = {}) =>
  Type.Object({
    success: Type.Literal(true),
    records: Type.Array(records, { description: 'Newest first.' }),
    ...more,
  });

const archive = (record: TProperties[string]) =>
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

const paged = {
  meta: Type.Object({
    nextPage: textOrNull('The value of page for the next page; null on the last one.'),
  }),
};

/** Every body of these paths by its name in the API description. */
export const historyBodySchemas = {
  ...statsBodySchemas,
  Trades: Type.Union([
    Type.Array(trade, { description: 'Newest first.' }),
    Type.Object(
      {
        data: Type.Object({
          trades: Type.Array(text('A trade of /market/{symbol}/trades as JSON.'), {
            description: 'Newest first.',
          }),
        }),
      },
      { description: 'With marketName or marketIndex.' },
    ),
  ]),
  FundingRates: Type.Union([
    Type.Array(fundingRate, { description: 'Newest first.' }),
    Type.Object(
      { fundingRates: Type.Array(rawFundingRate, { description: 'Newest first.' }) },
      { description: 'With marketName or marketIndex.' },
    ),
  ]),
  Candles: Type.Array(candle, { description: 'Oldest first, without gaps.' }),
  TradeRecords: envelope(tradeRecord, paged),
  UserTradeRecords: envelope(
    Type.Object({ ...tradeRecord.properties, user: text('The account that was asked for.') }),
    paged,
  ),
  FundingRateRecords: envelope(fundingRateRecord, paged),
  CandleRecords: envelope(candleRecord),
  TradeArchive: archive(tradeRecord),
  FundingRateArchive: archive(fundingRateRecord),
};

/**
 * Trades as JSON in streams: numbers in human units, each written from its integer with all its digits.
 * What the record does not have is null.
 */
import { candleTrade, scaledBase } from '../candles/trade.js';
import { decimal } from '../model/decimal.js';
import type { HistoryMarket, TradeRow } from '../model/records.js';

/** Decimals of prices and of quote amounts. */
const quotePlaces = 6;
const basePlaces = 9;

/** A trade of the market data dialect: the members that clients in use know. */
export function streamTradeText(row: TradeRow, market: HistoryMarket): string {
  const { base, quote } = writersOf(market);
  const price = candleTrade(row, market.decimals)?.price ?? null;
  return objectText([
    ['ts', String(row.ts)],
    ['txSig', text(row.txSig)],
    ['txSigIndex', String(row.index)],
    ['slot', String(row.slot)],
    ['fillRecordId', row.fillRecordId === null ? 'null' : `"${row.fillRecordId}"`],
    ['marketIndex', String(row.marketIndex)],
    ['marketType', text(row.marketType)],
    ['symbol', text(market.symbol)],
    ['action', text(row.action)],
    ['actionExplanation', text(row.actionExplanation)],
    ['price', quote(price)],
    ...amountMembers(row, { base, quote }),
    ['fillerReward', quote(row.fillerReward)],
    ['makerRebate', quote(row.makerFee)],
    ['spotFulfillmentMethodFee', quote(row.spotFulfillmentMethodFee)],
    ['bitFlags', String(row.bitFlags)],
  ]);
}

/**
 * A trade of the compatible channel, in the members that its clients know. The one that tells which
 * maker of indicative quotes owns an account is left out: nobody else should know it.
 */
export function channelTradeText(row: TradeRow, market: HistoryMarket): string {
  return objectText([
    ['ts', String(row.ts)],
    ['marketIndex', String(row.marketIndex)],
    ['marketType', text(row.marketType)],
    ...amountMembers(row, writersOf(market)),
    ['txSig', text(row.txSig)],
    ['slot', String(row.slot)],
    ['fillRecordId', String(row.fillRecordId)],
    ['action', text(row.action)],
    ['actionExplanation', text(row.actionExplanation)],
    ['bitFlags', String(row.bitFlags)],
  ]);
}

type Member = readonly [name: string, json: string];
type Writer = (amount: bigint | null) => string;

/** Who traded how much with whom: what both forms have. */
function amountMembers(
  row: TradeRow,
  { base, quote }: { readonly base: Writer; readonly quote: Writer },
): Member[] {
  const referrerReward = row.referrerReward === null ? null : BigInt(row.referrerReward);
  return [
    ['baseAssetAmountFilled', base(row.baseAssetAmountFilled)],
    ['quoteAssetAmountFilled', quote(row.quoteAssetAmountFilled)],
    ['quoteAssetAmountSurplus', quote(row.quoteAssetAmountSurplus)],
    ['oraclePrice', quote(row.oraclePrice)],
    ['filler', text(row.filler)],
    ['referrerReward', quote(referrerReward)],
    ['taker', text(row.taker)],
    ['takerOrderId', String(row.takerOrderId)],
    ['takerOrderDirection', text(row.takerOrderDirection)],
    ['takerFee', quote(row.takerFee)],
    ['takerOrderBaseAssetAmount', base(row.takerOrderBaseAssetAmount)],
    [
      'takerOrderCumulativeBaseAssetAmountFilled',
      base(row.takerOrderCumulativeBaseAssetAmountFilled),
    ],
    [
      'takerOrderCumulativeQuoteAssetAmountFilled',
      quote(row.takerOrderCumulativeQuoteAssetAmountFilled),
    ],
    ['maker', text(row.maker)],
    ['makerOrderId', String(row.makerOrderId)],
    ['makerOrderDirection', text(row.makerOrderDirection)],
    ['makerFee', quote(row.makerFee)],
    ['makerOrderBaseAssetAmount', base(row.makerOrderBaseAssetAmount)],
    [
      'makerOrderCumulativeBaseAssetAmountFilled',
      base(row.makerOrderCumulativeBaseAssetAmountFilled),
    ],
    [
      'makerOrderCumulativeQuoteAssetAmountFilled',
      quote(row.makerOrderCumulativeQuoteAssetAmountFilled),
    ],
  ];
}

function writersOf({ decimals }: HistoryMarket): { readonly base: Writer; readonly quote: Writer } {
  return {
    base: (amount) =>
      amount === null ? 'null' : decimal(scaledBase(amount, decimals), basePlaces),
    quote: (amount) => (amount === null ? 'null' : decimal(amount, quotePlaces)),
  };
}

function text(value: string | null): string {
  return JSON.stringify(value);
}

function objectText(members: readonly Member[]): string {
  return `{${members.map(([name, json]) => `"${name}":${json}`).join(',')}}`;
}

/**
 * Renders trades as JSON. Numbers are in human units, exact decimals of the integers; missing
 * values are null.
 */

import { BASE_PLACES, formatDecimal, QUOTE_PLACES } from '../../amounts/decimals.js';
import { candlePointOf } from '../candles/rules.js';
import { scaledBase } from '../model/amounts.js';
import type { HistoryMarket, TradeRow } from '../model/records.js';

/** Renders a trade of the market data dialect, with the members that existing clients know. */
export function streamTradeText(row: TradeRow, market: HistoryMarket): string {
  const { base, quote } = writersOf(market);
  const price = candlePointOf(row, market.decimals)?.price ?? null;
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
 * Renders a trade of the compatible channel, with the members that its clients know. The member
 * that would reveal an indicative maker's account is omitted.
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

/** Returns the amounts and accounts, which both formats share. */
function amountMembers(row: TradeRow, { base, quote }: Writers): Member[] {
  const referrerReward = row.referrerReward === null ? null : BigInt(row.referrerReward);
  return [
    ['baseAssetAmountFilled', base(row.baseAssetAmountFilled)],
    ['quoteAssetAmountFilled', quote(row.quoteAssetAmountFilled)],
    ['quoteAssetAmountSurplus', quote(row.quoteAssetAmountSurplus)],
    ['oraclePrice', quote(row.oraclePrice)],
    ['filler', text(row.filler)],
    ['referrerReward', quote(referrerReward)],
    ...sideMembers(row, 'taker', { base, quote }),
    ...sideMembers(row, 'maker', { base, quote }),
  ];
}

function sideMembers(row: TradeRow, side: 'taker' | 'maker', { base, quote }: Writers): Member[] {
  const order = `${side}Order` as const;
  const baseFilled = `${order}CumulativeBaseAssetAmountFilled` as const;
  const quoteFilled = `${order}CumulativeQuoteAssetAmountFilled` as const;
  return [
    [side, text(row[side])],
    [`${order}Id`, String(row[`${order}Id`])],
    [`${order}Direction`, text(row[`${order}Direction`])],
    [`${side}Fee`, quote(row[`${side}Fee`])],
    [`${order}BaseAssetAmount`, base(row[`${order}BaseAssetAmount`])],
    [baseFilled, base(row[baseFilled])],
    [quoteFilled, quote(row[quoteFilled])],
  ];
}

interface Writers {
  readonly base: Writer;
  readonly quote: Writer;
}

function writersOf({ decimals }: HistoryMarket): Writers {
  return {
    base: (amount) =>
      amount === null ? 'null' : formatDecimal(scaledBase(amount, decimals), BASE_PLACES),
    quote: (amount) => (amount === null ? 'null' : formatDecimal(amount, QUOTE_PLACES)),
  };
}

function text(value: string | null): string {
  return JSON.stringify(value);
}

function objectText(members: readonly Member[]): string {
  return `{${members.map(([name, json]) => `"${name}":${json}`).join(',')}}`;
}

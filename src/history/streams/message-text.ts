/**
 * The messages of the streams, as finished text. Numbers are in human units, each written from its
 * integer with all its digits; what a record does not have is null.
 */

import { BASE_PLACES, formatDecimal, QUOTE_PLACES } from '../../amounts/decimals.js';
import type { Candle } from '../candles/candle.js';
import { type CandleLabel, labelledCandleText } from '../candles/candle-text.js';
import { candlePointOf } from '../candles/rules.js';
import { scaledBase } from '../model/amounts.js';
import type { HistoryMarket, TradeRow } from '../model/records.js';

/** A trade for subscribers; its text is the same for all topics, and made once. */
export class StreamTrade {
  readonly #market: HistoryMarket;
  #text: string | undefined;

  constructor(
    readonly row: TradeRow,
    market: HistoryMarket,
  ) {
    this.#market = market;
  }

  get text(): string {
    this.#text ??= streamTradeText(this.row, this.#market);
    return this.#text;
  }
}

/** Trades that go out together, oldest arrival first. */
export interface TradeWindow {
  readonly trades: readonly StreamTrade[];
  /** Trades that came as well, and are not in the message because there were too many. */
  readonly leftOut: number;
}

/** The candle that a subscription goes on from. */
export function candleInitText(candle: Candle, label: CandleLabel): string {
  const jsonText = labelledCandleText(candle, label);
  const { symbol, resolution } = label;
  const about = `"symbol":${JSON.stringify(symbol)},"resolution":"${resolution}"`;
  return `{"type":"init","channelType":"candle","data":${jsonText},${about},"candle":${jsonText}}`;
}

/** A candle that is new, or is not what it was, with the trades of the window that are in it. */
export function candleChangeText(
  type: 'create' | 'update',
  change: {
    readonly candle: Candle;
    readonly label: CandleLabel;
    readonly window: TradeWindow;
  },
): string {
  const { candle, label, window } = change;
  const text = labelledCandleText(candle, label);
  return `{"type":"${type}","candle":${text},${tradesMembers(window)}}`;
}

/** The newest trades, that a subscription to trades goes on from. */
export function tradesInitText(trades: readonly StreamTrade[], market: HistoryMarket): string {
  return tradesText('init', { trades, leftOut: 0 }, market);
}

/** New trades. */
export function tradesUpdateText(window: TradeWindow, market: HistoryMarket): string {
  return tradesText('update', window, market);
}

function tradesText(type: string, window: TradeWindow, market: HistoryMarket): string {
  const symbol = JSON.stringify(market.symbol);
  return `{"type":"${type}","channelType":"trades","symbol":${symbol},${tradesMembers(window)}}`;
}

function tradesMembers({ trades, leftOut }: TradeWindow): string {
  const texts = trades.map(({ text }) => text);
  return `"trades":[${texts.join(',')}]${leftOut > 0 ? `,"tradesLeftOut":${leftOut}` : ''}`;
}

/** A trade of the compatible channel, whose data is text because its clients parse twice. */
export function channelText(row: TradeRow, market: HistoryMarket): string {
  const data = JSON.stringify(channelTradeText(row, market));
  return `{"channel":"trades_${market.key}","data":${data}}`;
}

/** What the compatible channel says where trades are missing. It has no `data`: clients pass over it. */
export function channelLeftOutText(market: HistoryMarket): string {
  const message = `Trades were left out for channel: trades, market: ${market.symbol}, read /trades`;
  return JSON.stringify({ message, leftOut: `trades_${market.key}` });
}

/** Whether a fill is sent: position transfers are no trades, as in /trades. */
export function isStreamed(row: TradeRow, { decimals }: HistoryMarket): boolean {
  return candlePointOf(row, decimals) !== null;
}

/** A trade of the market data dialect: the members that clients in use know. */
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

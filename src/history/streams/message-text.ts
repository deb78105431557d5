/** The messages of the streams, as finished text. */

import type { Candle } from '../candles/candle.js';
import { type CandleLabel, labelledCandleText } from '../candles/candle-text.js';
import { candleTrade } from '../candles/trade.js';
import type { HistoryMarket, TradeRow } from '../model/records.js';
import { channelTradeText, streamTradeText } from './trade-text.js';

/** A trade that readers are told; its text is the same for all topics, and made once. */
export class ToldTrade {
  #text: string | undefined;

  constructor(
    readonly row: TradeRow,
    private readonly market: HistoryMarket,
  ) {}

  get text(): string {
    this.#text ??= streamTradeText(this.row, this.market);
    return this.#text;
  }
}

/** Trades that go out together, oldest arrival first. */
export interface TradeWindow {
  readonly trades: readonly ToldTrade[];
  /** Trades that came as well, and are not in the message because there were too many. */
  readonly leftOut: number;
}

/** The candle that a subscription goes on from. */
export function candleInitText(candle: Candle, label: CandleLabel): string {
  const text = labelledCandleText(candle, label);
  const { symbol, resolution } = label;
  const about = `"symbol":${JSON.stringify(symbol)},"resolution":"${resolution}"`;
  return `{"type":"init","channelType":"candle","data":${text},${about},"candle":${text}}`;
}

/** A candle that is new, or is not what it was, with the trades of the window that are in it. */
export function candleChangeText(
  type: 'create' | 'update',
  told: {
    readonly candle: Candle;
    readonly label: CandleLabel;
    readonly window: TradeWindow;
  },
): string {
  const { candle, label, window } = told;
  const text = labelledCandleText(candle, label);
  return `{"type":"${type}","candle":${text},${tradesMembers(window)}}`;
}

/** The newest trades, that a subscription to trades goes on from. */
export function tradesInitText(trades: readonly ToldTrade[], market: HistoryMarket): string {
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

/** Whether a fill is told: position transfers are no trades, as in /trades. */
export function isTold(row: TradeRow, { decimals }: HistoryMarket): boolean {
  return candleTrade(row, decimals) !== null;
}

/** Encodes stream messages as JSON text. */

import type { Candle } from '../candles/candle.js';
import { type CandleLabel, labelledCandleText } from '../candles/candle-text.js';
import type { HistoryMarket, RecordRow } from '../model/records.js';
import { renderRows } from '../store/render-rows.js';

/**
 * A trade for subscribers. Its text is rendered once for all topics, and only when a topic sends
 * it.
 */
export class StreamTrade {
  readonly row: RecordRow;
  readonly #market: HistoryMarket;
  #text: string | undefined;

  constructor(row: RecordRow, market: HistoryMarket) {
    this.row = row;
    this.#market = market;
  }

  get text(): string {
    this.#text ??= renderRows([this.row], 'stream', { markets: [this.#market] }).toString();
    return this.#text;
  }
}

/** Trades of one flush, in order of arrival. */
export interface TradeWindow {
  readonly trades: readonly StreamTrade[];
  /** Number of trades omitted because of the maximum of a message. */
  readonly leftOut: number;
}

/** A new or changed candle with its trades since the last flush. */
interface ChangedCandle {
  readonly candle: Candle;
  readonly label: CandleLabel;
  readonly window: TradeWindow;
}

/** Renders the first message of a candle topic. */
export function candleInitText(candle: Candle, label: CandleLabel): string {
  const jsonText = labelledCandleText(candle, label);
  const { symbol, resolution } = label;
  const about = `"symbol":${JSON.stringify(symbol)},"resolution":"${resolution}"`;
  return `{"type":"init","channelType":"candle","data":${jsonText},${about},"candle":${jsonText}}`;
}

/** A new or changed candle. */
export function candleChangeText(
  type: 'create' | 'update',
  { candle, label, window }: ChangedCandle,
): string {
  const text = labelledCandleText(candle, label);
  return `{"type":"${type}","candle":${text},${tradesMembers(window)}}`;
}

/** Renders trades: the newest ones at the start of a subscription, or new ones. */
export function tradesText(
  type: 'init' | 'update',
  window: TradeWindow,
  market: HistoryMarket,
): string {
  const symbol = JSON.stringify(market.symbol);
  return `{"type":"${type}","channelType":"trades","symbol":${symbol},${tradesMembers(window)}}`;
}

function tradesMembers({ trades, leftOut }: TradeWindow): string {
  const texts = trades.map(({ text }) => text);
  return `"trades":[${texts.join(',')}]${leftOut > 0 ? `,"tradesLeftOut":${leftOut}` : ''}`;
}

/**
 * Renders a trade of the compatible channel, whose data is a JSON string because its clients parse
 * twice.
 */
export function channelText(row: RecordRow, market: HistoryMarket): string {
  const data = JSON.stringify(renderRows([row], 'channel', { markets: [market] }).toString());
  return `{"channel":"trades_${market.key}","data":${data}}`;
}

/**
 * Renders the message of the compatible channel for omitted trades. It has no `data`, so existing
 * clients ignore it.
 */
export function channelLeftOutText(market: HistoryMarket): string {
  const message = `Trades were left out for channel: trades, market: ${market.symbol}, read /trades`;
  return JSON.stringify({ message, leftOut: `trades_${market.key}` });
}

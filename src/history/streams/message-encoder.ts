import type { MarketMessage } from '../../contract/history-source.js';
import type { Candle } from '../candles/candle.js';
import type { CandleLabel } from '../candles/candle-text.js';
import type { HistoryMarket } from '../model/records.js';
import type { StreamTrade } from './stream-trade.js';

/** Trades of one flush, in order of arrival. */
export interface TradeWindow {
  readonly trades: readonly StreamTrade[];
  /** Omitted trades, beyond the maximum of a message. */
  readonly leftOut: number;
}

/** A new or changed candle, with its trades of the window. */
export interface ChangedCandle {
  readonly candle: Candle;
  readonly label: CandleLabel;
  readonly window: TradeWindow;
}

/** The messages of the market data dialect in one encoding. */
export interface MessageEncoder {
  writeCandleInit(candle: Candle, label: CandleLabel): MarketMessage;
  writeCandleChange(type: 'create' | 'update', change: ChangedCandle): MarketMessage;
  /** The newest trades at the start of a subscription, or new ones. */
  writeTrades(type: 'init' | 'update', window: TradeWindow, market: HistoryMarket): MarketMessage;
}

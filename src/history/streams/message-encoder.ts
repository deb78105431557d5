import type { MarketMessage } from '../../contract/history-source.js';
import type { Candle } from '../candles/candle.js';
import type { CandleLabel } from '../candles/candle-text.js';
import type { HistoryMarket } from '../model/records.js';
import type { StreamTrade } from './stream-trade.js';

/** Trades that go out together, oldest arrival first. */
export interface TradeWindow {
  readonly trades: readonly StreamTrade[];
  /** Trades that came as well, and are not in the message because there were too many. */
  readonly leftOut: number;
}

/** A candle that is new, or is not what it was, with the trades of the window that are in it. */
export interface ChangedCandle {
  readonly candle: Candle;
  readonly label: CandleLabel;
  readonly window: TradeWindow;
}

/** The messages of the market data dialect in one encoding. */
export interface MessageEncoder {
  /** The candle that a subscription goes on from. */
  writeCandleInit(candle: Candle, label: CandleLabel): MarketMessage;
  writeCandleChange(type: 'create' | 'update', change: ChangedCandle): MarketMessage;
  /** The newest trades, that a subscription to trades goes on from, or new ones. */
  writeTrades(type: 'init' | 'update', window: TradeWindow, market: HistoryMarket): MarketMessage;
}

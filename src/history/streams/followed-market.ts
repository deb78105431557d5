/** The topics of one market that have readers, and what waits to be told to them. */

import type { MarketFrame } from '../../contract/history-source.js';
import { resolutionOf, resolutionOfMinutes } from '../candles/resolution.js';
import { INIT_TRADES, WINDOW_TRADES_MAX } from '../model/limits.js';
import type { HistoryMarket, TradeRow } from '../model/records.js';
import type { CandleChange, RecordPageQuery } from '../store/types.js';
import { type CandleMoment, CandleTopic, type Telling } from './candle-topic.js';
import {
  channelLeftOutText,
  channelText,
  isTold,
  ToldTrade,
  tradesInitText,
  tradesUpdateText,
} from './message-text.js';
import type { CandleTopicName, TopicName } from './topic.js';

/** What texts are made from. */
export interface StreamMoment extends CandleMoment {
  readonly reader: CandleMoment['reader'] & {
    /** Newest first. */
    trades(query: RecordPageQuery): readonly TradeRow[];
  };
}

/** How a topic begins. */
export interface TopicStart {
  readonly name: TopicName;
  /** Who reads it may know it from another store, or from an earlier time. */
  readonly isAnew: boolean;
}

/** One market while it has readers. */
export class FollowedMarket {
  readonly #candles = new Map<string, CandleTopic>();
  readonly #trades = new Map<string, 'trades' | 'channel'>();
  /** The newest trades that wait, and how many more there were. */
  #window: ToldTrade[] = [];
  #leftOut = 0;
  /** Records were taken back, which readers of trades may have seen. */
  #wasTakenBack = false;

  get size(): number {
    return this.#candles.size + this.#trades.size;
  }

  has(topic: string): boolean {
    return this.#candles.has(topic) || this.#trades.has(topic);
  }

  delete(topic: string): boolean {
    return this.#candles.delete(topic) || this.#trades.delete(topic);
  }

  /** The text that a reader goes on from; the topic is open when this returns. */
  init(topic: string, { name, isAnew }: TopicStart, moment: StreamMoment): string {
    if (name.kind === 'candle') return this.#initCandles(topic, { ...name, isAnew }, moment);
    const { market } = moment;
    const isChannel = name.kind === 'channel';
    const text = isChannel ? channelLeftOutText(market) : this.#newestTrades(moment);
    this.#trades.set(topic, name.kind);
    return text;
  }

  add(trade: TradeRow, market: HistoryMarket): void {
    if (!isTold(trade, market)) return;
    this.#window.push(new ToldTrade(trade, market));
    if (this.#window.length <= WINDOW_TRADES_MAX) return;
    this.#window.shift();
    this.#leftOut += 1;
  }

  touch({ minutes, start, candle }: CandleChange): void {
    const resolution = resolutionOfMinutes(minutes);
    for (const topic of this.#candles.values()) {
      if (topic.series.resolution === resolution) topic.touch(start, candle);
    }
  }

  takenBack(): void {
    this.#wasTakenBack = true;
  }

  /** Whether a candle has begun that readers do not know. */
  isDue(now: number): boolean {
    return [...this.#candles.values()].some((topic) => topic.isDue(now));
  }

  /** What all readers are told now. Throws what the reader throws, and has then forgotten nothing. */
  flush(moment: StreamMoment): MarketFrame[] {
    const window = { trades: this.#window, leftOut: this.#leftOut };
    const tellings = new Map<string, Telling>();
    for (const [topic, candles] of this.#candles) {
      tellings.set(topic, candles.flush(window, moment));
    }
    for (const [topic, kind] of this.#trades) {
      const texts = this.#tradesTexts(kind, moment);
      tellings.set(topic, { texts, done: () => undefined });
    }
    for (const { done } of tellings.values()) done();
    this.#window = [];
    this.#leftOut = 0;
    this.#wasTakenBack = false;
    return [...tellings].flatMap(([topic, { texts }]) =>
      texts.map((text): MarketFrame => ({ topic, kind: 'update', text })),
    );
  }

  #initCandles(
    topic: string,
    { resolution: name, isAnew }: CandleTopicName & Pick<TopicStart, 'isAnew'>,
    moment: StreamMoment,
  ): string {
    const { key, symbol } = moment.market;
    const series = { market: key, resolution: resolutionOf(name) };
    const label = { symbol, resolution: name };
    const candles = this.#candles.get(topic) ?? new CandleTopic(series, label, isAnew);
    const text = candles.init(moment);
    this.#candles.set(topic, candles);
    return text;
  }

  /** Without those that wait: the next flush tells them. */
  #newestTrades({ reader, market }: StreamMoment): string {
    const isWaiting = ({ txSig, index }: TradeRow): boolean =>
      this.#window.some(({ row }) => row.txSig === txSig && row.index === index);
    const newest = reader.trades({ market: market.key, limit: INIT_TRADES });
    const shown = newest.filter((row) => !isWaiting(row)).toReversed();
    return tradesInitText(
      shown.map((row) => new ToldTrade(row, market)),
      market,
    );
  }

  #tradesTexts(kind: 'trades' | 'channel', moment: StreamMoment): string[] {
    const { market } = moment;
    const window = { trades: this.#window, leftOut: this.#leftOut };
    const isHole = this.#wasTakenBack || window.leftOut > 0;
    if (kind === 'channel') {
      const texts = window.trades.map(({ row }) => channelText(row, market));
      return isHole ? [channelLeftOutText(market), ...texts] : texts;
    }
    const texts = window.trades.length === 0 ? [] : [tradesUpdateText(window, market)];
    return this.#wasTakenBack ? [this.#newestTrades(moment), ...texts] : texts;
  }
}

/** The subscribed topics of one market, and their pending messages. */

import type { MarketFrame } from '../../contract/history-source.js';
import { resolutionOf } from '../../contract/resolutions.js';
import { resolutionOfMinutes } from '../candles/resolution.js';
import { INIT_TRADES, WINDOW_TRADES_MAX } from '../model/limits.js';
import type { HistoryMarket, RecordRow } from '../model/records.js';
import type { CandleChange, RecordPageQuery } from '../store/types.js';
import { type CandleContext, CandleTopic, type PendingMessages } from './candle-topic.js';
import { channelLeftOutText, channelText, StreamTrade, tradesText } from './message-text.js';
import type { CandleTopicName, ChannelTopicName, TopicName, TradesTopicName } from './topic.js';

/** The inputs of messages. */
export interface StreamContext extends CandleContext {
  readonly reader: CandleContext['reader'] & {
    /** Newest first. */
    readRecords(query: RecordPageQuery): readonly RecordRow[];
  };
}

/** How a topic begins. */
export interface TopicStart {
  readonly name: TopicName;
  /** Whether subscribers may know the topic from another store or from an earlier time. */
  readonly isReopened: boolean;
}

/** One market while it has subscribers. */
export class FollowedMarket {
  readonly #candles = new Map<string, CandleTopic>();
  readonly #trades = new Map<string, TradesTopicName | ChannelTopicName>();
  /** The newest trades to send, and the number of trades omitted before them. */
  #window: StreamTrade[] = [];
  #leftOut = 0;
  /** Whether records were reverted that subscribers may have received. */
  #wasReverted = false;

  get size(): number {
    return this.#candles.size + this.#trades.size;
  }

  hasTopic(topic: string): boolean {
    return this.#candles.has(topic) || this.#trades.has(topic);
  }

  deleteTopic(topic: string): boolean {
    return this.#candles.delete(topic) || this.#trades.delete(topic);
  }

  /** Returns the initial message for a subscriber; the topic is open on return. */
  openTopic(topic: string, { name, isReopened }: TopicStart, context: StreamContext): string {
    if (name.kind === 'candle') return this.#openCandles(topic, { ...name, isReopened }, context);
    const message =
      name.kind === 'channel' ? channelLeftOutText(context.market) : this.#newestTrades(context);
    this.#trades.set(topic, name);
    return message;
  }

  addTrade(trade: RecordRow, market: HistoryMarket): void {
    this.#window.push(new StreamTrade(trade, market));
    if (this.#window.length <= WINDOW_TRADES_MAX) return;
    this.#window.shift();
    this.#leftOut += 1;
  }

  markDirty({ minutes, start, candle }: CandleChange): void {
    const resolution = resolutionOfMinutes(minutes);
    for (const topic of this.#candles.values()) {
      if (topic.series.resolution === resolution) topic.markDirty(start, candle);
    }
  }

  markReverted(): void {
    this.#wasReverted = true;
  }

  /** Whether an unsent candle has begun. */
  isDue(now: number): boolean {
    return [...this.#candles.values()].some((topic) => topic.isDue(now));
  }

  /** Returns the frames to send now. When the reader throws, nothing is dropped. */
  flushFrames(context: StreamContext): MarketFrame[] {
    const window = { trades: this.#window, leftOut: this.#leftOut };
    const pending = new Map<string, PendingMessages>();
    for (const [topic, candles] of this.#candles) {
      pending.set(topic, candles.flushMessages(window, context));
    }
    for (const [topic, name] of this.#trades) {
      const messages = this.#tradesMessages(name, context);
      pending.set(topic, { messages, done: () => undefined });
    }
    for (const { done } of pending.values()) done();
    this.#window = [];
    this.#leftOut = 0;
    this.#wasReverted = false;
    return [...pending].flatMap(([topic, { messages }]) =>
      messages.map((message): MarketFrame => ({ topic, kind: 'update', message })),
    );
  }

  #openCandles(
    topic: string,
    { resolution: name, isReopened }: CandleTopicName & Pick<TopicStart, 'isReopened'>,
    context: StreamContext,
  ): string {
    const series = { market: context.market.key, resolution: resolutionOf(name) };
    const parts = { series, name, isReopened };
    const candles = this.#candles.get(topic) ?? new CandleTopic(parts);
    const message = candles.initMessage(context);
    this.#candles.set(topic, candles);
    return message;
  }

  /** Returns the newest trades without those that the next flush sends. */
  #newestTrades({ reader, market }: StreamContext): string {
    const isWaiting = ({ txSig, index }: RecordRow): boolean =>
      this.#window.some(({ row }) => row.txSig === txSig && row.index === index);
    const newest = reader.readRecords({
      kind: 'trade',
      market: market.key,
      limit: INIT_TRADES,
    });
    const shown = newest.filter((row) => !isWaiting(row)).toReversed();
    const trades = shown.map((row) => new StreamTrade(row, market));
    return tradesText('init', { trades, leftOut: 0 }, market);
  }

  #tradesMessages(name: TradesTopicName | ChannelTopicName, context: StreamContext): string[] {
    const { market } = context;
    const window = { trades: this.#window, leftOut: this.#leftOut };
    const isHole = this.#wasReverted || window.leftOut > 0;
    if (name.kind === 'channel') {
      const texts = window.trades.map(({ row }) => channelText(row, market));
      return isHole ? [channelLeftOutText(market), ...texts] : texts;
    }
    const updates = window.trades.length === 0 ? [] : [tradesText('update', window, market)];
    return this.#wasReverted ? [this.#newestTrades(context), ...updates] : updates;
  }
}

/** The candles of one topic as its subscribers get them, one flush after the other. */

import type { Candle } from '../candles/candle.js';
import type { CandleLabel } from '../candles/candle-text.js';
import { type BucketReader, type BucketSeries, readCandles } from '../candles/read-candles.js';
import { bucketAfter, bucketStart } from '../candles/resolution.js';
import type { Bucket } from '../candles/rules.js';
import { FLUSH_CANDLES_MAX } from '../model/limits.js';
import type { HistoryMarket } from '../model/records.js';
import {
  candleChangeText,
  candleInitText,
  type StreamTrade,
  type TradeWindow,
} from './message-text.js';
import { RecentBuckets } from './recent-buckets.js';

/** The inputs of a flush. */
export interface CandleContext {
  readonly reader: BucketReader;
  readonly market: HistoryMarket;
  /** Unix seconds. */
  readonly now: number;
}

const NO_TRADES: TradeWindow = { trades: [], leftOut: 0 };

/** Messages for subscribers; the topic keeps its state until `done` is called. */
export interface PendingMessages {
  readonly messages: readonly string[];
  readonly done: () => void;
}

/** The parts of a topic. */
interface CandleTopicParts {
  readonly series: BucketSeries;
  /** The resolution by the name that subscribers asked for. */
  readonly name: CandleLabel['resolution'];
  /** Whether clients may have older candles, which the first sent candle replaces. */
  readonly isReopened: boolean;
}

/** One candle topic while it has readers. */
export class CandleTopic {
  readonly series: BucketSeries;
  readonly #name: CandleLabel['resolution'];
  /** Starts of changed buckets. */
  readonly #dirty = new Set<number>();
  readonly #recent: RecentBuckets;
  readonly #isReopened: boolean;
  /** The start of the newest sent candle; null when none was sent. */
  #sentUpTo: number | null = null;

  constructor({ series, name, isReopened }: CandleTopicParts) {
    this.series = series;
    this.#name = name;
    this.#isReopened = isReopened;
    this.#recent = new RecentBuckets(series);
  }

  /**
   * Records a changed bucket. When more buckets changed than a flush sends, they are no longer
   * recorded one by one.
   */
  markDirty(start: number, bucket: Bucket | null): void {
    this.#recent.putBucket(start, bucket);
    if (this.#dirty.size <= FLUSH_CANDLES_MAX) this.#dirty.add(start);
  }

  /** Whether an unsent bucket has begun. */
  isDue(now: number): boolean {
    return this.#sentUpTo !== null && bucketStart(this.series.resolution, now) > this.#sentUpTo;
  }

  /** Returns the initial message for a new subscriber; empty when there is no candle. */
  initMessage({ reader, now, market }: CandleContext): string {
    const recent = this.#recent.readerAt(reader, now);
    const candle = readCandles(recent, { ...this.series, now, limit: 1 }).at(-1);
    if (candle === undefined) return '';
    this.#sentUpTo ??= candle.ts;
    return candleInitText(candle, this.#labelOf(market));
  }

  /** Returns the messages to send now, and a callback to call when they are sent. */
  flushMessages(window: TradeWindow, context: CandleContext): PendingMessages {
    const { reader, now, market } = context;
    const recent = this.#recent.readerAt(reader, now);
    const label = this.#labelOf(market);
    const candles = readCandles(recent, { ...this.series, now, limit: FLUSH_CANDLES_MAX });
    const newest = candles.at(-1);
    const messages = newest === undefined ? [] : this.#changes(candles, newest, { label, window });
    const done = (): void => {
      this.#sentUpTo = newest?.ts ?? null;
      this.#dirty.clear();
    };
    return { messages, done };
  }

  /** A label with the market's current symbol: subscribers learn of a rename before the history. */
  #labelOf({ symbol }: HistoryMarket): CandleLabel {
    return { symbol, resolution: this.#name };
  }

  #changes(
    candles: readonly Candle[],
    newest: Candle,
    { label, window }: { readonly label: CandleLabel; readonly window: TradeWindow },
  ): string[] {
    const isBeyond = this.#isBeyond(candles[0] ?? newest);
    const sent = isBeyond ? [newest] : this.#changedCandles(candles);
    const messages = isBeyond ? [candleInitText(newest, label)] : [];
    const rest = new Set(window.trades);
    for (const candle of sent) {
      const isLast = candle === sent.at(-1);
      const trades = [...rest].filter((trade) => isLast || this.#isIn(trade, candle));
      for (const trade of trades) rest.delete(trade);
      const part = { trades, leftOut: isLast ? window.leftOut : 0 };
      const isNew = this.#isNew(candle);
      // A `create` has no trades, because existing clients drop them.
      const created = { candle, label, window: NO_TRADES };
      if (isNew) messages.push(candleChangeText('create', created));
      if (isNew && trades.length === 0 && part.leftOut === 0) continue;
      messages.push(candleChangeText('update', { candle, label, window: part }));
    }
    return messages;
  }

  /**
   * Returns whether the changes exceed one flush, so that clients must read older candles again.
   */
  #isBeyond(oldest: Candle): boolean {
    if (this.#dirty.size > FLUSH_CANDLES_MAX) return true;
    if (this.#isReopened && this.#sentUpTo === null) return true;
    const unknown =
      this.#sentUpTo === null ? oldest.ts : bucketAfter(this.series.resolution, this.#sentUpTo, 1);
    return Math.min(unknown, ...this.#dirty) < oldest.ts;
  }

  /**
   * Returns the changed candles: a changed close also changes later flat candles, and the open of
   * the next candle with trades.
   */
  #changedCandles(candles: readonly Candle[]): Candle[] {
    let hasMoved = false;
    return candles.filter((candle) => {
      const isTouched = this.#dirty.has(candle.ts);
      const isChanged = isTouched || hasMoved || this.#isNew(candle);
      hasMoved = isTouched || (hasMoved && candle.trades === 0);
      return isChanged;
    });
  }

  #isNew({ ts }: Candle): boolean {
    return this.#sentUpTo === null || ts > this.#sentUpTo;
  }

  #isIn({ row }: StreamTrade, { ts }: Candle): boolean {
    return bucketStart(this.series.resolution, row.ts) === ts;
  }
}

/**
 * Live candles and trades: `Streams` renders messages from the changes of each committed write, so
 * that subscribers never see uncommitted data.
 *
 * All topics of a market are flushed together: immediately after a quiet period, and then at most
 * every 300 ms. A candle without trades is sent when the chain's time reaches it.
 *
 * A topic stays requested until it is left: if it cannot be read, it is opened as soon as that is
 * possible.
 *
 * *This folder does not* know its subscribers, buffer trades beyond one flush, or write to the
 * store.
 */

import type { MarketFrame } from '../../contract/history-source.js';
import type { MarketKey } from '../../contract/markets.js';
import type { Timer, Timers } from '../../contract/timers.js';
import { HistoryError } from '../model/error.js';
import { FLUSH_MS, REOPEN_MS, STREAM_TOPICS_MAX } from '../model/limits.js';
import type { HistoryMarket } from '../model/records.js';
import { marketKeyOfCode } from '../store/columns.js';
import type { StoreChange } from '../store/types.js';
import { FollowedMarket, type StreamContext, type TopicStart } from './followed-market.js';
import { readTopic, type TopicName } from './topic.js';

/** The dependencies of the streams. */
interface StreamsOptions {
  readonly reader: StreamContext['reader'];
  readonly marketOf: (key: MarketKey) => HistoryMarket | undefined;
  readonly timers: Timers;
  /** Returns the chain's time, unix seconds, at which empty candles begin; 0 while unknown. */
  readonly chainSeconds: () => number;
  readonly post: (frames: readonly MarketFrame[]) => void;
  /** Called once when a market cannot be read, and again only after it could be read. */
  readonly onFault: (error: unknown, market: MarketKey) => void;
}

/** The part of a commit's change that streams use. */
type StreamChange = Pick<StoreChange, 'records' | 'candles' | 'markets' | 'removed'>;

/** A subscribed market, and its flush schedule. */
class Following {
  readonly topics = new FollowedMarket();
  timer: Timer | undefined;
  flushedAtMs = Number.NEGATIVE_INFINITY;
  isBroken = false;
}

/** The topics with subscribers. */
export class Streams {
  readonly #options: StreamsOptions;
  /** The requested topics; a topic that its market does not list is not open yet. */
  readonly #topics = new Map<string, TopicName>();
  readonly #markets = new Map<MarketKey, Following>();
  #retryTimer: Timer | undefined;
  #isUnreadable = false;

  constructor(options: StreamsOptions) {
    this.#options = options;
  }

  /**
   * Opens a topic, or sends its state again. The response is one frame, which is posted before this
   * returns, or later, when the store opens or the market becomes known.
   */
  joinTopic(topic: string): void {
    const name = readTopic(topic);
    if (name === undefined) {
      this.#refuseTopic(topic, 'there is no such topic');
      return;
    }
    if (!this.#topics.has(topic) && this.#topics.size >= STREAM_TOPICS_MAX) {
      this.#refuseTopic(topic, `${STREAM_TOPICS_MAX} topics are open, which is the limit`);
      return;
    }
    this.#topics.set(topic, name);
    const kind = this.#isOpen(topic, name) ? 'snapshot' : 'reset';
    const refusal = this.#showTopic(topic, name, kind);
    if (refusal !== null) this.#refuseTopic(topic, refusal);
  }

  leaveTopic(topic: string): void {
    const name = this.#topics.get(topic);
    this.#topics.delete(topic);
    if (this.#topics.size === 0) this.#stopRetry();
    const following = name === undefined ? undefined : this.#markets.get(name.market);
    if (name === undefined || following?.topics.deleteTopic(topic) !== true) return;
    if (following.topics.size > 0) return;
    following.timer?.cancel();
    this.#markets.delete(name.market);
  }

  /** Opens every topic again for all its subscribers, after the store was replaced. */
  reopenAll(): void {
    for (const { timer } of this.#markets.values()) timer?.cancel();
    this.#markets.clear();
    this.openPending();
  }

  /** Opens pending topics. Topics that still fail are not rejected a second time. */
  openPending(): void {
    for (const [topic, name] of this.#topics) {
      if (!this.#isOpen(topic, name)) this.#showTopic(topic, name, 'reopened');
    }
  }

  /** Call this after each commit. */
  publishChange({ records, candles, markets, removed }: StreamChange): void {
    for (const trade of records) {
      // Position transfers are not trades, as in /trades.
      if (trade.kind !== 'trade') continue;
      const market = this.#options.marketOf(marketKeyOfCode(trade.market));
      if (market !== undefined) this.#markets.get(market.key)?.topics.addTrade(trade, market);
    }
    for (const change of candles) this.#markets.get(change.market)?.topics.markDirty(change);
    for (const key of markets) {
      const following = this.#markets.get(key);
      if (following === undefined) continue;
      if (removed > 0) following.topics.markReverted();
      this.#scheduleFlush(key, following);
    }
  }

  /** Stops all timers; no frame is posted afterwards. */
  stop(): void {
    for (const { timer } of this.#markets.values()) timer?.cancel();
    this.#markets.clear();
    this.#topics.clear();
    this.#stopRetry();
  }

  /**
   * Call this after each advance of the chain's time: it sends candles that have begun without a
   * trade.
   */
  publishTime(): void {
    const now = this.#options.chainSeconds();
    for (const [key, following] of this.#markets) {
      if (following.topics.isDue(now)) this.#scheduleFlush(key, following);
    }
  }

  #stopRetry(): void {
    this.#retryTimer?.cancel();
    this.#retryTimer = undefined;
  }

  #isOpen(topic: string, { market }: TopicName): boolean {
    return this.#markets.get(market)?.topics.hasTopic(topic) === true;
  }

  #refuseTopic(topic: string, reason: string): void {
    this.#options.post([{ topic, kind: 'refused', reason }]);
  }

  /**
   * Posts the initial state of a topic. Otherwise returns the reason to reject the topic, or null
   * when it is too early.
   */
  #showTopic(
    topic: string,
    name: TopicName,
    kind: 'snapshot' | 'reset' | 'reopened',
  ): string | null {
    const { marketOf, post } = this.#options;
    const market = marketOf(name.market);
    // The book knows the market already, and the history gets it within a second.
    if (market === undefined) return null;
    try {
      const start = { name, isReopened: kind === 'reopened' };
      const message = this.#initMessage(topic, start, market);
      this.#isUnreadable = false;
      post([{ topic, kind: kind === 'snapshot' ? 'snapshot' : 'reset', message }]);
      return null;
    } catch (error) {
      if (error instanceof HistoryError && error.code === 'NOT_READY') return null;
      this.#retryLater(error, name.market);
      return 'the history cannot be read';
    }
  }

  #initMessage(topic: string, about: TopicStart, market: HistoryMarket): string {
    const following = this.#markets.get(market.key) ?? new Following();
    const message = following.topics.openTopic(topic, about, this.#contextOf(market));
    this.#markets.set(market.key, following);
    return message;
  }

  /** Retries later, because no event signals that the disk is readable again. */
  #retryLater(error: unknown, market: MarketKey): void {
    if (!this.#isUnreadable) this.#options.onFault(error, market);
    this.#isUnreadable = true;
    this.#retryTimer?.cancel();
    this.#retryTimer = this.#options.timers.after(REOPEN_MS, () => this.openPending());
  }

  #contextOf(market: HistoryMarket): StreamContext {
    const { reader, chainSeconds } = this.#options;
    return { reader, market, now: chainSeconds() };
  }

  #scheduleFlush(key: MarketKey, following: Following): void {
    if (following.timer !== undefined) return;
    const { timers } = this.#options;
    const dueMs = following.flushedAtMs + FLUSH_MS;
    const waitMs = Math.max(0, dueMs - timers.nowMs());
    following.timer = timers.after(waitMs, () => this.#flushMarket(key, following));
  }

  #flushMarket(key: MarketKey, following: Following): void {
    const { marketOf, timers, post, onFault } = this.#options;
    following.timer = undefined;
    following.flushedAtMs = timers.nowMs();
    const market = marketOf(key);
    if (market === undefined) return;
    try {
      const frames = following.topics.flushFrames(this.#contextOf(market));
      following.isBroken = false;
      if (frames.length > 0) post(frames);
    } catch (error) {
      if (!following.isBroken) onFault(error, key);
      following.isBroken = true;
      this.#scheduleFlush(key, following);
    }
  }
}

/**
 * Live candles and trades: `Streams` makes the texts that readers are sent, from what the store says
 * after each commit, so that a reader never sees what could still be lost.
 *
 * The topics of a market are told together: at once when it was quiet, and then every 300 ms at most.
 * A candle that begins without a trade is told at its boundary.
 *
 * A topic that was asked for stays asked for until it is left: where it cannot be read, it is opened as
 * soon as it can be.
 *
 * *This folder does not* know who reads, keep trades beyond one flush, or write to the store.
 */

import type { MarketFrame } from '../../contract/history-source.js';
import type { MarketKey } from '../../contract/markets.js';
import type { Timer, Timers } from '../../rpc/timers.js';
import { HistoryError } from '../model/error.js';
import { AGAIN_MS, FLUSH_MS, STREAM_TOPICS_MAX } from '../model/limits.js';
import { type HistoryMarket, marketKeyOf } from '../model/records.js';
import type { StoreChange } from '../store/types.js';
import { FollowedMarket, type StreamMoment, type TopicStart } from './followed-market.js';
import { readTopic, type TopicName } from './topic.js';

/** The parts of the streams. */
export interface StreamsOptions {
  readonly reader: StreamMoment['reader'];
  /** Undefined for a market that is not served. */
  readonly marketOf: (key: MarketKey) => HistoryMarket | undefined;
  readonly timers: Timers;
  /** The wall clock, unix milliseconds: by it empty candles begin. */
  readonly unixMs: () => number;
  readonly post: (frames: readonly MarketFrame[]) => void;
  /** Told of what could not be read, once until it can be. */
  readonly onFault: (error: unknown, market: MarketKey) => void;
}

/** What a commit changed, as far as readers are concerned. */
export type StreamChange = Pick<StoreChange, 'trades' | 'candles' | 'markets' | 'removed'>;

/** A market that has readers, and when they are told. */
interface Following {
  readonly topics: FollowedMarket;
  timer: Timer | undefined;
  flushedAtMs: number;
  isBroken: boolean;
}

const minuteMs = 60_000;

/** The topics that have readers. */
export class Streams {
  readonly #options: StreamsOptions;
  /** What was asked for and not left: what is not among the markets' topics is still to be opened. */
  readonly #topics = new Map<string, TopicName>();
  readonly #markets = new Map<MarketKey, Following>();
  #boundary: Timer | undefined;
  #again: Timer | undefined;
  #isUnreadable = false;

  constructor(options: StreamsOptions) {
    this.#options = options;
  }

  /**
   * Begins a topic, or shows it once more. The answer is one frame, posted before this returns; or when
   * the topic is opened, where the store is not open yet.
   */
  join(topic: string): void {
    const name = readTopic(topic);
    if (name === undefined) {
      this.#refuse(topic, 'there is no such topic');
      return;
    }
    if (!this.#topics.has(topic) && this.#topics.size >= STREAM_TOPICS_MAX) {
      this.#refuse(topic, `there are ${STREAM_TOPICS_MAX} topics, which is the most`);
      return;
    }
    this.#topics.set(topic, name);
    const kind = this.#isOpen(topic, name) ? 'snapshot' : 'reset';
    const refusal = this.#show(topic, name, kind);
    if (refusal !== null) this.#refuse(topic, refusal);
  }

  leave(topic: string): void {
    const name = this.#topics.get(topic);
    this.#topics.delete(topic);
    if (this.#topics.size === 0) this.#stopTimers();
    const following = name === undefined ? undefined : this.#markets.get(name.market);
    if (name === undefined || following?.topics.delete(topic) !== true) return;
    if (following.topics.size > 0) return;
    following.timer?.cancel();
    this.#markets.delete(name.market);
  }

  /** Another store is read from now on, or the same one anew: every topic is opened for all its readers. */
  beginAnew(): void {
    for (const { timer } of this.#markets.values()) timer?.cancel();
    this.#markets.clear();
    this.openAgain();
  }

  /** Opens what could not be opened before. What still cannot be is not refused a second time. */
  openAgain(): void {
    for (const [topic, name] of this.#topics) {
      if (!this.#isOpen(topic, name)) this.#show(topic, name, 'reopened');
    }
  }

  /** After each commit. */
  stored({ trades, candles, markets, removed }: StreamChange): void {
    for (const trade of trades) {
      const market = this.#options.marketOf(marketKeyOf(trade));
      if (market !== undefined) this.#markets.get(market.key)?.topics.add(trade, market);
    }
    for (const change of candles) this.#markets.get(change.market)?.topics.touch(change);
    for (const key of markets) {
      const following = this.#markets.get(key);
      if (following === undefined) continue;
      if (removed > 0) following.topics.takenBack();
      this.#schedule(key, following);
    }
  }

  /** Tells nothing more. */
  stop(): void {
    for (const { timer } of this.#markets.values()) timer?.cancel();
    this.#markets.clear();
    this.#topics.clear();
    this.#stopTimers();
  }

  #stopTimers(): void {
    for (const timer of [this.#boundary, this.#again]) timer?.cancel();
    this.#boundary = undefined;
    this.#again = undefined;
  }

  #isOpen(topic: string, { market }: TopicName): boolean {
    return this.#markets.get(market)?.topics.has(topic) === true;
  }

  #refuse(topic: string, text: string): void {
    this.#options.post([{ topic, kind: 'refused', text }]);
  }

  /** Posts what a topic goes on from. Else the reason to refuse it; null when it is only too early. */
  #show(topic: string, name: TopicName, kind: 'snapshot' | 'reset' | 'reopened'): string | null {
    const { marketOf, post } = this.#options;
    const market = marketOf(name.market);
    if (market === undefined) return 'there is no such topic';
    try {
      const text = this.#init(topic, { name, isAnew: kind === 'reopened' }, market);
      this.#isUnreadable = false;
      post([{ topic, kind: kind === 'snapshot' ? 'snapshot' : 'reset', text }]);
      return null;
    } catch (error) {
      if (error instanceof HistoryError && error.code === 'NOT_READY') return null;
      this.#unreadable(error, name.market);
      return 'the history cannot be read';
    }
  }

  #init(topic: string, about: TopicStart, market: HistoryMarket): string {
    const following = this.#markets.get(market.key) ?? newFollowing();
    const text = following.topics.init(topic, about, this.#moment(market));
    this.#markets.set(market.key, following);
    if (this.#boundary === undefined) this.#awaitBoundary();
    return text;
  }

  /** Nothing tells when the disk can be read again. */
  #unreadable(error: unknown, market: MarketKey): void {
    if (!this.#isUnreadable) this.#options.onFault(error, market);
    this.#isUnreadable = true;
    this.#again?.cancel();
    this.#again = this.#options.timers.after(AGAIN_MS, () => this.openAgain());
  }

  #moment(market: HistoryMarket): StreamMoment {
    const { reader, unixMs } = this.#options;
    return { reader, market, now: Math.floor(unixMs() / 1_000) };
  }

  /** What comes while a flush is awaited goes out with it. */
  #schedule(key: MarketKey, following: Following): void {
    if (following.timer !== undefined) return;
    const { timers } = this.#options;
    const dueMs = following.flushedAtMs + FLUSH_MS;
    const waitMs = Math.max(0, dueMs - timers.nowMs());
    following.timer = timers.after(waitMs, () => this.#flush(key, following));
  }

  #flush(key: MarketKey, following: Following): void {
    const { marketOf, timers, post, onFault } = this.#options;
    following.timer = undefined;
    following.flushedAtMs = timers.nowMs();
    const market = marketOf(key);
    if (market === undefined) return;
    try {
      const frames = following.topics.flush(this.#moment(market));
      following.isBroken = false;
      if (frames.length > 0) post(frames);
    } catch (error) {
      if (!following.isBroken) onFault(error, key);
      following.isBroken = true;
      this.#schedule(key, following);
    }
  }

  /** All candles begin at a minute of UTC. */
  #awaitBoundary(): void {
    const { timers, unixMs } = this.#options;
    this.#boundary = timers.after(minuteMs - (unixMs() % minuteMs), () => {
      this.#awaitBoundary();
      const now = Math.floor(unixMs() / 1_000);
      for (const [key, following] of this.#markets) {
        if (following.topics.isDue(now)) this.#schedule(key, following);
      }
    });
  }
}

function newFollowing(): Following {
  return {
    topics: new FollowedMarket(),
    timer: undefined,
    flushedAtMs: Number.NEGATIVE_INFINITY,
    isBroken: false,
  };
}

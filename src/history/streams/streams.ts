/**
 * Live candles and trades: `Streams` makes the texts that readers are sent, from what the store says
 * after each commit, so that a reader never sees what could still be lost.
 *
 * The topics of a market are told together: at once when it was quiet, and then every 300 ms at most.
 * A candle that begins without a trade is told at its boundary.
 *
 * *This folder does not* know who reads, keep trades beyond one flush, or write to the store.
 */
import type { Timer, Timers } from '../../rpc/timers.js';
import type { HistoryFrame } from '../messages.js';
import { type HistoryMarket, type MarketKey, marketKeyOf } from '../records.js';
import type { StoreChange } from '../store/types.js';
import { FollowedMarket, type StreamMoment } from './followed-market.js';
import { FLUSH_MS, STREAM_TOPICS_MAX } from './limits.js';
import { readTopic, type TopicName } from './topic.js';

/** The parts of the streams. */
export interface StreamsOptions {
  readonly reader: StreamMoment['reader'];
  /** Undefined for a market that is not served. */
  readonly marketOf: (key: MarketKey) => HistoryMarket | undefined;
  readonly timers: Timers;
  /** The wall clock, unix milliseconds: by it empty candles begin. */
  readonly unixMs: () => number;
  readonly post: (frames: readonly HistoryFrame[]) => void;
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
  readonly #markets = new Map<MarketKey, Following>();
  #boundary: Timer | undefined;

  constructor(options: StreamsOptions) {
    this.#options = options;
  }

  /** Begins a topic, or shows it once more. The answer is one frame, posted before this returns. */
  join(topic: string): void {
    this.#options.post([this.#joined(topic)]);
  }

  leave(topic: string): void {
    const name = readTopic(topic);
    const following = name === undefined ? undefined : this.#markets.get(name.market);
    if (name === undefined || following?.topics.delete(topic) !== true) return;
    if (following.topics.size > 0) return;
    following.timer?.cancel();
    this.#markets.delete(name.market);
    if (this.#markets.size === 0) this.stop();
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
    this.#boundary?.cancel();
    this.#boundary = undefined;
  }

  #joined(topic: string): HistoryFrame {
    const name = readTopic(topic);
    const market = name === undefined ? undefined : this.#options.marketOf(name.market);
    if (name === undefined || market === undefined) return refused(topic, 'there is no such topic');
    const isOpen = this.#markets.get(name.market)?.topics.has(topic) === true;
    if (!isOpen && this.#topicCount() >= STREAM_TOPICS_MAX) {
      return refused(topic, `there are ${STREAM_TOPICS_MAX} topics, which is the most`);
    }
    try {
      const text = this.#init(topic, name, market);
      return { topic, kind: isOpen ? 'shown' : 'opened', text };
    } catch (error) {
      this.#options.onFault(error, name.market);
      return refused(topic, 'the history cannot be read');
    }
  }

  #init(topic: string, name: TopicName, market: HistoryMarket): string {
    const following = this.#markets.get(name.market) ?? newFollowing();
    const text = following.topics.init(topic, name, this.#moment(market));
    this.#markets.set(name.market, following);
    if (this.#boundary === undefined) this.#awaitBoundary();
    return text;
  }

  #topicCount(): number {
    return [...this.#markets.values()].reduce((sum, { topics }) => sum + topics.size, 0);
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

function refused(topic: string, text: string): HistoryFrame {
  return { topic, kind: 'refused', text };
}

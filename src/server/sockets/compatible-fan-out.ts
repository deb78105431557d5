/**
 * Publishes whole books of the compatible channels: one frame of the core for each topic, rendered from
 * the newest book and published once for all its subscribers.
 *
 * This file does not know the content of a frame, nor who its subscribers are.
 */

import { LIMITS } from '../../config/limits.js';
import type { BookSource, MarketDirectory } from '../../contract/book-source.js';
import type { MarketChanges } from '../../contract/feed-engine.js';
import type { MarketInfo } from '../../contract/markets.js';
import type { Timers } from '../../contract/timers.js';
import type { FanOutStats } from '../metrics/socket-metrics.js';
import type { Publish } from '../transport/client-socket.js';
import { SocketError } from '../transport/errors.js';
import { ChangedTopics, type QuoteContent } from './changed-topics.js';
import { Throttle, type Throttled } from './throttle.js';

/** A topic of the compatible channels: all its subscribers receive the same frames. */
export interface BookTopicSpec extends QuoteContent {
  readonly key: string;
  readonly marketType: MarketInfo['marketType'];
  readonly marketIndex: number;
  /** Whether it has the usual depth and no grouping, as most clients ask for. */
  readonly isCommon: boolean;
  /** Between two frames; that of the channels where it is left out. */
  readonly intervalMs?: number;
  /** Renders the current frame: a view that is valid until the next call of the book. */
  readonly render: (book: BookSource, market: number) => Uint8Array;
}

/** A topic while it has subscribers. */
export interface BookTopic extends Throttled, QuoteContent {
  readonly spec: BookTopicSpec;
  /** The id of its market; undefined while the market is not served. */
  market: number | undefined;
  subscribers: number;
  /** Whether its last frame failed. */
  broken: boolean;
}

/** The topics with subscribers, by key and by market. */
class BookTopics {
  readonly #directory: MarketDirectory;
  readonly #topics = new Map<string, BookTopic>();
  #byMarket = new Map<number, Set<BookTopic>>();
  #rows: readonly MarketInfo[] = [];

  constructor(directory: MarketDirectory) {
    this.#directory = directory;
  }

  get size(): number {
    return this.#topics.size;
  }

  allTopics(): Iterable<BookTopic> {
    return this.#topics.values();
  }

  ofMarket(id: number): Iterable<BookTopic> {
    return this.#byMarket.get(id) ?? [];
  }

  /** Adds a subscriber, and the topic with the first one. */
  addSubscriber(spec: BookTopicSpec): BookTopic {
    const topic = this.#topics.get(spec.key) ?? this.#addTopic(spec);
    topic.subscribers += 1;
    return topic;
  }

  /** Removes a subscriber, and the topic with the last one. Returns whether the topic was removed. */
  removeSubscriber(topic: BookTopic): boolean {
    topic.subscribers -= 1;
    if (topic.subscribers > 0) return false;
    this.#topics.delete(topic.spec.key);
    if (topic.market !== undefined) this.#byMarket.get(topic.market)?.delete(topic);
    return true;
  }

  /** Looks up the markets of all topics again when the set of markets has changed. */
  refreshMarkets(): void {
    const rows = this.#directory.markets();
    if (rows === this.#rows) return;
    this.#rows = rows;
    this.#byMarket = new Map();
    for (const topic of this.#topics.values()) this.#indexTopic(topic);
  }

  #addTopic(spec: BookTopicSpec): BookTopic {
    this.refreshMarkets();
    const topic: BookTopic = {
      spec,
      hasQuotes: spec.hasQuotes,
      hasIndicative: spec.hasIndicative,
      market: undefined,
      subscribers: 0,
      readyAtMs: 0,
      changedAtMs: 0,
      broken: false,
    };
    this.#topics.set(spec.key, topic);
    this.#indexTopic(topic);
    return topic;
  }

  #indexTopic(topic: BookTopic): void {
    const { marketType, marketIndex } = topic.spec;
    const named = (market: MarketInfo): boolean =>
      market.marketIndex === marketIndex && market.marketType === marketType;
    const id = this.#rows.find(named)?.id;
    topic.market = id;
    if (id === undefined) return;
    const topics = this.#byMarket.get(id) ?? new Set();
    this.#byMarket.set(id, topics.add(topic));
  }
}

/** The parts and settings of a fan-out. */
export interface BookFanOutOptions {
  readonly book: BookSource;
  readonly directory: MarketDirectory;
  readonly publish: Publish;
  readonly timers: Timers;
  /** Between two frames of a topic. */
  readonly intervalMs: number;
  /** Called when a frame of a topic fails, once until the topic works again. */
  readonly onFault: (error: unknown, topic: string) => void;
  /** Called for every published frame with the time that its oldest change had waited. */
  readonly onPublished?: (seconds: number) => void;
  /** Time for the frames of one turn of the event loop; the limit of the service by default. */
  readonly sliceMs?: number;
}

/** The topics of the compatible channels. */
export class BookFanOut {
  readonly #options: BookFanOutOptions;
  readonly #topics: BookTopics;
  readonly #changed: ChangedTopics;
  readonly #throttle: Throttle<BookTopic>;
  readonly #counts = { published: 0, delivered: 0, deliveredBytes: 0, failed: 0 };

  constructor(options: BookFanOutOptions) {
    this.#options = options;
    this.#topics = new BookTopics(options.directory);
    this.#changed = new ChangedTopics(options.book);
    this.#throttle = new Throttle({
      publish: (topic, nowMs) => this.#publishTopic(topic, nowMs),
      timers: options.timers,
      sliceMs: options.sliceMs ?? LIMITS.fanOutSliceMs,
    });
  }

  /** Adds a subscriber. */
  addSubscriber(spec: BookTopicSpec): BookTopic {
    // The first subscriber receives the current version of the book.
    if (this.#topics.size === 0) this.#changed.syncVersion();
    return this.#topics.addSubscriber(spec);
  }

  /** Removes a subscriber. */
  removeSubscriber(topic: BookTopic): void {
    if (this.#topics.removeSubscriber(topic)) this.#throttle.removeItem(topic);
  }

  /** Renders the current frame: a view that is valid until the next call of the book. */
  renderFrame({ spec, market }: BookTopic): Uint8Array {
    if (market !== undefined) return spec.render(this.#options.book, market);
    throw new SocketError('UNKNOWN_MARKET', 'the market is no longer served');
  }

  /** Publishes what a turn of the engine has changed. */
  publishTurn(changes: MarketChanges): void {
    if (this.#topics.size === 0) return;
    this.#topics.refreshMarkets();
    const nowMs = this.#options.timers.nowMs();
    this.#changed.forEachChanged(changes, this.#topics, (topic) => {
      this.#throttle.markDirty(topic, nowMs);
    });
    this.#throttle.flush(nowMs);
  }

  readStats(): FanOutStats {
    return { ...this.#counts };
  }

  /** Publishes nothing more. */
  stop(): void {
    this.#throttle.stop();
  }

  #publishTopic(topic: BookTopic, nowMs: number): void {
    const { spec, market } = topic;
    if (market === undefined) return;
    const { book, publish, timers, intervalMs, onPublished } = this.#options;
    topic.readyAtMs = nowMs + (spec.intervalMs ?? intervalMs);
    try {
      const bytes = spec.render(book, market);
      publish(spec.key, bytes);
      this.#counts.published += 1;
      this.#counts.delivered += topic.subscribers;
      this.#counts.deliveredBytes += topic.subscribers * bytes.length;
      topic.broken = false;
    } catch (error) {
      this.#recordFailure(topic, error);
      return;
    }
    onPublished?.((timers.nowMs() - topic.changedAtMs) / 1_000);
  }

  #recordFailure(topic: BookTopic, error: unknown): void {
    this.#counts.failed += 1;
    if (topic.broken) return;
    topic.broken = true;
    this.#options.onFault(error, topic.spec.key);
  }
}

/**
 * Topics of whole books: the core renders one frame for each topic from the newest book. All topics
 * change when the feed's state or the epoch changes.
 *
 * This file does not know the content of a frame.
 */
import type { BookSource, MarketDirectory } from '../../contract/book-source.js';
import type { MarketChanges } from '../../contract/feed-engine.js';
import type { MarketInfo } from '../../contract/markets.js';
import { SocketError } from '../transport/errors.js';
import type { Publisher, WholeTopic } from './publisher.js';
import { CHANGE, type ChangeKind } from './unmarked-changes.js';

/** A topic of one market. */
export interface BookTopicSpec {
  readonly key: string;
  readonly marketType: MarketInfo['marketType'];
  readonly marketIndex: number;
  /** Whether the topic has the default depth and no grouping, which most clients request. */
  readonly isCommon: boolean;
  /** The lowest kind of change that affects the topic. */
  readonly leastChange: ChangeKind;
  /** The interval between frames; by default the channels' interval. */
  readonly intervalMs?: number;
  /** Renders the current frame: a view that is valid until the next call of the book. */
  readonly render: (book: BookSource, market: number) => Uint8Array;
}

/** The parts and settings of the topics. */
export interface BookTopicsOptions {
  readonly book: BookSource;
  readonly directory: MarketDirectory;
  readonly publisher: Publisher;
  /** The interval between frames of a topic. */
  readonly publishIntervalMs: number;
}

/** A topic while it has subscribers. */
class BookTopic implements WholeTopic {
  /** The id of the topic's market; undefined while the market is not served. */
  market: number | undefined;
  subscribers = 0;
  readyAtMs = 0;
  changedAtMs = 0;
  broken = false;

  readonly #options: BookTopicsOptions;
  readonly #onLeft: () => void;

  /** `onLeft` is called when the last subscriber has left. */
  constructor(
    readonly spec: BookTopicSpec,
    options: BookTopicsOptions,
    onLeft: () => void,
  ) {
    this.#options = options;
    this.#onLeft = onLeft;
  }

  get key(): string {
    return this.spec.key;
  }

  renderFrame(nowMs: number): Uint8Array | null {
    if (this.market === undefined) return null;
    this.readyAtMs = nowMs + (this.spec.intervalMs ?? this.#options.publishIntervalMs);
    return this.renderFirst();
  }

  /** Renders the first frame of a subscription. Throws UNKNOWN_MARKET, or an error of the book. */
  renderFirst(): Uint8Array {
    if (this.market !== undefined) return this.spec.render(this.#options.book, this.market);
    throw new SocketError('UNKNOWN_MARKET', 'the market is no longer served');
  }

  leave(): void {
    this.subscribers -= 1;
    if (this.subscribers === 0) this.#onLeft();
  }
}

/** The topics with subscribers, by key and by market. */
export class BookTopics {
  readonly #options: BookTopicsOptions;
  readonly #topics = new Map<string, BookTopic>();
  #byMarket = new Map<number, Set<BookTopic>>();
  #rows: readonly MarketInfo[] = [];

  constructor(options: BookTopicsOptions) {
    this.#options = options;
  }

  /**
   * Adds a subscriber; the returned topic is what the subscriber later leaves. Throws when the book
   * cannot be rendered.
   */
  join(spec: BookTopicSpec): WholeTopic {
    const topic = this.#topics.get(spec.key) ?? this.#addTopic(spec);
    topic.subscribers += 1;
    try {
      topic.renderFirst();
    } catch (error) {
      topic.leave();
      throw error;
    }
    return topic;
  }

  /** Marks the topics that a turn of the engine has changed for publication. */
  addTurn({ dirty, requoted, indicated, allChanged }: MarketChanges): void {
    if (this.#topics.size === 0) return;
    this.#refreshMarkets();
    const { publisher } = this.#options;
    const nowMs = publisher.timers.nowMs();
    const addDue = (topics: Iterable<BookTopic>, kind: ChangeKind): void => {
      for (const topic of topics) {
        if (kind < topic.spec.leastChange || !publisher.addDue(topic)) continue;
        topic.changedAtMs = nowMs;
      }
    };
    if (allChanged) addDue(this.#topics.values(), CHANGE.book);
    for (const id of dirty) addDue(this.#ofMarket(id), CHANGE.book);
    for (const id of requoted) addDue(this.#ofMarket(id), CHANGE.quotes);
    for (const id of indicated) addDue(this.#ofMarket(id), CHANGE.indicative);
  }

  #ofMarket(id: number): Iterable<BookTopic> {
    return this.#byMarket.get(id) ?? [];
  }

  /** Looks up the markets of all topics again when the set of markets has changed. */
  #refreshMarkets(): void {
    const rows = this.#options.directory.markets();
    if (rows === this.#rows) return;
    this.#rows = rows;
    this.#byMarket = new Map();
    for (const topic of this.#topics.values()) this.#indexTopic(topic);
  }

  #addTopic(spec: BookTopicSpec): BookTopic {
    this.#refreshMarkets();
    const topic = new BookTopic(spec, this.#options, () => this.#removeTopic(topic));
    this.#topics.set(spec.key, topic);
    this.#indexTopic(topic);
    return topic;
  }

  #removeTopic(topic: BookTopic): void {
    this.#topics.delete(topic.key);
    if (topic.market !== undefined) this.#byMarket.get(topic.market)?.delete(topic);
    this.#options.publisher.removeTopic(topic);
  }

  #indexTopic(topic: BookTopic): void {
    const { marketType, marketIndex } = topic.spec;
    const named = (market: MarketInfo): boolean =>
      market.marketIndex === marketIndex && market.marketType === marketType;
    topic.market = this.#rows.find(named)?.id;
    if (topic.market === undefined) return;
    const topics = this.#byMarket.get(topic.market) ?? new Set();
    this.#byMarket.set(topic.market, topics.add(topic));
  }
}

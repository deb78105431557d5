/** The topics that have readers, each once, and the markets that they are of. */

import type { BookSource } from '../../contract/book-source.js';
import type { MarketInfo } from '../../contract/markets.js';
import type { BookTopicSpec } from './book-dialect.js';
import type { Throttled } from './throttle.js';

/** A topic while it has readers. */
export interface BookTopic extends Throttled {
  readonly spec: BookTopicSpec;
  /** The id of its market; undefined while that is not served. */
  market: number | undefined;
  subscribers: number;
  /** Its last frame could not be made. */
  broken: boolean;
}

/** The live topics by key and by market. */
export class BookTopics {
  readonly #topics = new Map<string, BookTopic>();
  #byMarket = new Map<number, Set<BookTopic>>();
  #rows: readonly MarketInfo[] = [];

  constructor(private readonly book: BookSource) {}

  get size(): number {
    return this.#topics.size;
  }

  allTopics(): Iterable<BookTopic> {
    return this.#topics.values();
  }

  ofMarket(id: number): Iterable<BookTopic> {
    return this.#byMarket.get(id) ?? [];
  }

  /** Adds a reader. */
  addSubscriber(spec: BookTopicSpec): BookTopic {
    const topic = this.#topics.get(spec.key) ?? this.#addTopic(spec);
    topic.subscribers += 1;
    return topic;
  }

  /** Takes a reader away; with the last one goes the topic. True when it has gone. */
  removeSubscriber(topic: BookTopic): boolean {
    topic.subscribers -= 1;
    if (topic.subscribers > 0) return false;
    this.#topics.delete(topic.spec.key);
    if (topic.market !== undefined) this.#byMarket.get(topic.market)?.delete(topic);
    return true;
  }

  /** Finds the markets again where the set of markets is another than the last time. */
  refreshMarkets(): void {
    const rows = this.book.markets();
    if (rows === this.#rows) return;
    this.#rows = rows;
    this.#byMarket = new Map();
    for (const topic of this.#topics.values()) this.#indexTopic(topic);
  }

  #addTopic(spec: BookTopicSpec): BookTopic {
    this.refreshMarkets();
    const topic: BookTopic = {
      spec,
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
    const named = (row: MarketInfo): boolean =>
      row.marketIndex === marketIndex && row.marketType === marketType;
    const id = this.#rows.find(named)?.id;
    topic.market = id;
    if (id === undefined) return;
    const topics = this.#byMarket.get(id) ?? new Set();
    this.#byMarket.set(id, topics.add(topic));
  }
}

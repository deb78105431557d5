/** The topics that have readers, each once, and the markets that they are of. */
import type { BookSource, MarketRow } from '../ports/book-source.js';
import type { Throttled } from './throttle.js';
import type { TopicSpec } from './ws-channel.js';

/** A topic while it has readers. */
export interface Topic extends Throttled {
  readonly spec: TopicSpec;
  /** The id of its market; undefined while that is not served. */
  market: number | undefined;
  readers: number;
  /** Its last frame could not be made. */
  broken: boolean;
}

/** The live topics by key and by market. */
export class Topics {
  readonly #topics = new Map<string, Topic>();
  #byMarket = new Map<number, Set<Topic>>();
  #rows: readonly MarketRow[] = [];

  constructor(private readonly book: BookSource) {}

  get size(): number {
    return this.#topics.size;
  }

  all(): Iterable<Topic> {
    return this.#topics.values();
  }

  ofMarket(id: number): Iterable<Topic> {
    return this.#byMarket.get(id) ?? [];
  }

  /** Adds a reader. */
  join(spec: TopicSpec): Topic {
    const topic = this.#topics.get(spec.key) ?? this.#add(spec);
    topic.readers += 1;
    return topic;
  }

  /** Takes a reader away; with the last one goes the topic. True when it has gone. */
  leave(topic: Topic): boolean {
    topic.readers -= 1;
    if (topic.readers > 0) return false;
    this.#topics.delete(topic.spec.key);
    if (topic.market !== undefined) this.#byMarket.get(topic.market)?.delete(topic);
    return true;
  }

  /** Finds the markets again where the set of markets is another than the last time. */
  followMarkets(): void {
    const rows = this.book.markets();
    if (rows === this.#rows) return;
    this.#rows = rows;
    this.#byMarket = new Map();
    for (const topic of this.#topics.values()) this.#place(topic);
  }

  #add(spec: TopicSpec): Topic {
    this.followMarkets();
    const topic: Topic = {
      spec,
      market: undefined,
      readers: 0,
      readyAtMs: 0,
      changedAtMs: 0,
      broken: false,
    };
    this.#topics.set(spec.key, topic);
    this.#place(topic);
    return topic;
  }

  #place(topic: Topic): void {
    const { marketType, marketIndex } = topic.spec;
    const named = (row: MarketRow): boolean =>
      row.marketIndex === marketIndex && row.marketType === marketType;
    const id = this.#rows.find(named)?.id;
    topic.market = id;
    if (id === undefined) return;
    const topics = this.#byMarket.get(id) ?? new Set();
    this.#byMarket.set(id, topics.add(topic));
  }
}

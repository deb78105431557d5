/**
 * Topics of whole books: the core renders one frame for each topic from the newest book. All topics
 * change when the feed's state or the epoch changes.
 *
 * This file does not know the content of a frame.
 */
import type { BookSource } from '../../contract/book-source.js';
import type { MarketChanges } from '../../contract/feed-engine.js';
import type { MarketInfo } from '../../contract/markets.js';
import type { Publisher, WholeTopic } from './publisher.js';
import { CHANGE, type ChangeKind } from './unmarked-changes.js';

/** A topic of one market. */
export interface BookTopicSpec {
  readonly key: string;
  readonly market: MarketInfo;
  /** Whether the topic has the default depth and no grouping, as most clients request. */
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
  readonly publisher: Publisher;
  /** The interval between frames of a topic. */
  readonly publishIntervalMs: number;
}

/** A topic while it has subscribers. */
class BookTopic implements WholeTopic {
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

  renderFrame(nowMs: number): Uint8Array {
    this.readyAtMs = nowMs + (this.spec.intervalMs ?? this.#options.publishIntervalMs);
    return this.renderFirst();
  }

  /** Throws the errors of the book. */
  renderFirst(): Uint8Array {
    return this.spec.render(this.#options.book, this.spec.market.id);
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
  readonly #byMarket = new Map<number, Set<BookTopic>>();

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

  #addTopic(spec: BookTopicSpec): BookTopic {
    const topic = new BookTopic(spec, this.#options, () => this.#removeTopic(topic));
    this.#topics.set(spec.key, topic);
    const { id } = spec.market;
    this.#byMarket.set(id, (this.#byMarket.get(id) ?? new Set()).add(topic));
    return topic;
  }

  #removeTopic(topic: BookTopic): void {
    this.#topics.delete(topic.key);
    this.#byMarket.get(topic.spec.market.id)?.delete(topic);
    this.#options.publisher.removeTopic(topic);
  }
}

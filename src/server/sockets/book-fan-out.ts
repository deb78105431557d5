/**
 * Sends changed books to their readers: one frame of the core a topic, published once for all of them
 * and made from the newest book.
 *
 * This file does not know what is in a frame, nor who reads it.
 */

import { LIMITS } from '../../config/limits.js';
import type { BookSource } from '../../contract/book-source.js';
import type { MarketChanges } from '../../contract/feed-engine.js';
import type { FanOutStats } from '../metrics/socket-metrics.js';
import type { Publish } from '../transport/client-socket.js';
import { SocketError } from '../transport/errors.js';
import type { BookTopicSpec } from './book-dialect.js';
import { type BookTopic, BookTopics } from './book-topics.js';
import { Throttle } from './throttle.js';
import { VersionStamp } from './version-stamp.js';

/** The parts and settings of a fan-out. */
export interface BookFanOutOptions {
  readonly book: BookSource;
  readonly publish: Publish;
  /** Between two frames of a topic. */
  readonly intervalMs: number;
  /** Told of a frame that could not be made, once until the topic works again. */
  readonly onFault: (error: unknown, topic: string) => void;
  /** Told of every published frame how long its oldest change had waited. */
  readonly onPublished?: (seconds: number) => void;
  /** What the frames of one turn of the loop may take; the limit of the service by default. */
  readonly sliceMs?: number;
}

/** The readers of one service. Time is that of `performance.now`. */
export class BookFanOut {
  readonly #options: BookFanOutOptions;
  readonly #topics: BookTopics;
  readonly #versionStamp: VersionStamp;
  readonly #throttle: Throttle<BookTopic>;
  readonly #counts = { published: 0, delivered: 0, deliveredBytes: 0, failed: 0 };

  constructor(options: BookFanOutOptions) {
    this.#options = options;
    this.#topics = new BookTopics(options.book);
    this.#versionStamp = new VersionStamp(options.book);
    this.#throttle = new Throttle({
      publish: (topic, nowMs) => this.#publishTopic(topic, nowMs),
      sliceMs: options.sliceMs ?? LIMITS.fanOutSliceMs,
    });
  }

  /** Adds a reader. */
  addSubscriber(spec: BookTopicSpec): BookTopic {
    // What the first reader is shown is what changes are told from.
    if (this.#topics.size === 0) this.#versionStamp.hasChanged();
    return this.#topics.addSubscriber(spec);
  }

  /** Takes a reader away. */
  removeSubscriber(topic: BookTopic): void {
    if (this.#topics.removeSubscriber(topic)) this.#throttle.removeItem(topic);
  }

  /** The frame of now, for a reader that has just come: a view until the book is asked again. */
  renderFrame({ spec, market }: BookTopic): Uint8Array {
    if (market !== undefined) return spec.render(this.#options.book, market);
    throw new SocketError('UNKNOWN_MARKET', 'the market is no longer served');
  }

  /** After each turn of the engine, with what it has changed. */
  publishTurn({ dirty, requoted, indicated }: MarketChanges): void {
    if (this.#topics.size === 0) return;
    this.#topics.refreshMarkets();
    const nowMs = performance.now();
    if (this.#versionStamp.hasChanged()) this.#markDirty(this.#topics.allTopics(), nowMs);
    else {
      for (const id of dirty) this.#markDirty(this.#topics.ofMarket(id), nowMs);
      for (const id of requoted) this.#markQuoted(id, 'hasQuotes', nowMs);
      for (const id of indicated) this.#markQuoted(id, 'hasIndicative', nowMs);
    }
    this.#throttle.flush(nowMs);
  }

  figures(): FanOutStats {
    return { ...this.#counts };
  }

  /** Publishes nothing more. */
  stop(): void {
    this.#throttle.stop();
  }

  #markDirty(topics: Iterable<BookTopic>, nowMs: number): void {
    for (const topic of topics) this.#throttle.markDirty(topic, nowMs);
  }

  /** Who reads orders alone is not told of quotes, nor of indicative ones who reads the AMM's. */
  #markQuoted(id: number, needs: 'hasQuotes' | 'hasIndicative', nowMs: number): void {
    for (const topic of this.#topics.ofMarket(id)) {
      if (topic.spec[needs]) this.#throttle.markDirty(topic, nowMs);
    }
  }

  #publishTopic(topic: BookTopic, nowMs: number): void {
    const { spec, market } = topic;
    if (market === undefined) return;
    const { book, publish, intervalMs, onPublished } = this.#options;
    topic.readyAtMs = nowMs + intervalMs;
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
    onPublished?.((performance.now() - topic.changedAtMs) / 1_000);
  }

  #recordFailure(topic: BookTopic, error: unknown): void {
    this.#counts.failed += 1;
    if (topic.broken) return;
    topic.broken = true;
    this.#options.onFault(error, topic.spec.key);
  }
}

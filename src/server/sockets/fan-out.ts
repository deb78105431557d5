/**
 * Sends changed books to their readers: one frame of the core a topic, published once for all of them
 * and made from the newest book.
 *
 * This file does not know what is in a frame, nor who reads it.
 */

import { LIMITS } from '../../config/limits.js';
import type { MarketChanges } from '../../contract/feed-engine.js';
import type { FanOutStats } from '../metrics/socket-metrics.js';
import type { BookSource } from '../ports/book-source.js';
import { SocketError } from '../transport/ws-error.js';
import type { Publish } from '../transport/ws-socket.js';
import { BookMoment } from './book-moment.js';
import { Throttle } from './throttle.js';
import type { TopicSpec } from './ws-channel.js';
import { type Topic, Topics } from './ws-topics.js';

/** The parts and settings of a fan-out. */
export interface FanOutOptions {
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
export class FanOut {
  readonly #options: FanOutOptions;
  readonly #topics: Topics;
  readonly #moment: BookMoment;
  readonly #throttle: Throttle<Topic>;
  readonly #counts = { published: 0, delivered: 0, deliveredBytes: 0, failed: 0 };

  constructor(options: FanOutOptions) {
    this.#options = options;
    this.#topics = new Topics(options.book);
    this.#moment = new BookMoment(options.book);
    this.#throttle = new Throttle({
      publish: (topic, nowMs) => this.#publish(topic, nowMs),
      sliceMs: options.sliceMs ?? LIMITS.fanOutSliceMs,
    });
  }

  /** Adds a reader. */
  join(spec: TopicSpec): Topic {
    // What the first reader is shown is what changes are told from.
    if (this.#topics.size === 0) this.#moment.hasChanged();
    return this.#topics.join(spec);
  }

  /** Takes a reader away. */
  leave(topic: Topic): void {
    if (this.#topics.leave(topic)) this.#throttle.delete(topic);
  }

  /** The frame of now, for a reader that has just come: a view until the book is asked again. */
  frame({ spec, market }: Topic): Uint8Array {
    if (market !== undefined) return spec.render(this.#options.book, market);
    throw new SocketError('UNKNOWN_MARKET', 'the market is no longer served');
  }

  /** After each turn of the engine, with what it has changed. */
  turn({ dirty, requoted, indicated }: MarketChanges): void {
    if (this.#topics.size === 0) return;
    this.#topics.followMarkets();
    const nowMs = performance.now();
    if (this.#moment.hasChanged()) this.#mark(this.#topics.all(), nowMs);
    else {
      for (const id of dirty) this.#mark(this.#topics.ofMarket(id), nowMs);
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

  #mark(topics: Iterable<Topic>, nowMs: number): void {
    for (const topic of topics) this.#throttle.mark(topic, nowMs);
  }

  /** Who reads orders alone is not told of quotes, nor of indicative ones who reads the AMM's. */
  #markQuoted(id: number, needs: 'hasQuotes' | 'hasIndicative', nowMs: number): void {
    for (const topic of this.#topics.ofMarket(id)) {
      if (topic.spec[needs]) this.#throttle.mark(topic, nowMs);
    }
  }

  #publish(topic: Topic, nowMs: number): void {
    const { spec, market } = topic;
    if (market === undefined) return;
    const { book, publish, intervalMs, onPublished } = this.#options;
    topic.readyAtMs = nowMs + intervalMs;
    try {
      const bytes = spec.render(book, market);
      publish(spec.key, bytes);
      this.#counts.published += 1;
      this.#counts.delivered += topic.readers;
      this.#counts.deliveredBytes += topic.readers * bytes.length;
      topic.broken = false;
    } catch (error) {
      this.#failed(topic, error);
      return;
    }
    onPublished?.((performance.now() - topic.changedAtMs) / 1_000);
  }

  #failed(topic: Topic, error: unknown): void {
    this.#counts.failed += 1;
    if (topic.broken) return;
    topic.broken = true;
    this.#options.onFault(error, topic.spec.key);
  }
}

/**
 * Sends changed books to their readers: one frame of the core a topic, published once for all of them.
 * The first change goes out at once, then at most one frame in each interval, made from the newest
 * book; the last change is never lost, because what had to wait goes out when its time has come.
 *
 * This file does not know what is in a frame, nor who reads it.
 */
import { LIMITS } from '../limits.js';
import type { BookSource } from './book-source.js';
import type { TopicSpec } from './ws-channel.js';
import { SocketError } from './ws-error.js';
import type { Publish } from './ws-socket.js';
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
}

/** What was published since the start. */
export interface FanOutFigures {
  readonly topics: number;
  /** Frames made. */
  readonly published: number;
  /** Frames that readers were given: each frame once a reader. */
  readonly delivered: number;
  readonly deliveredBytes: number;
  /** Frames that could not be made. */
  readonly failed: number;
}

/** The readers of one service. Time is that of `performance.now`. */
export class FanOut {
  readonly #options: FanOutOptions;
  readonly #topics: Topics;
  /** What has changed since its last frame, in the order of changing. */
  readonly #due = new Set<Topic>();
  readonly #counts = { published: 0, delivered: 0, deliveredBytes: 0, failed: 0 };
  #epoch = '';
  #state = '';
  #timer: NodeJS.Timeout | undefined;
  #wakeAtMs = Number.POSITIVE_INFINITY;

  constructor(options: FanOutOptions) {
    this.#options = options;
    this.#topics = new Topics(options.book);
  }

  /** Adds a reader. Throws LIMIT_EXCEEDED when there are too many topics. */
  join(spec: TopicSpec): Topic {
    // What the first reader is shown is what changes are told from.
    if (this.#topics.size === 0) this.#wholeBookChanged();
    return this.#topics.join(spec);
  }

  /** Takes a reader away. */
  leave(topic: Topic): void {
    if (this.#topics.leave(topic)) this.#due.delete(topic);
  }

  /** The frame of now, for a reader that has just come: a view until the book is asked again. */
  frame({ spec, market }: Topic): Uint8Array {
    if (market !== undefined) return spec.render(this.#options.book, market);
    throw new SocketError('UNKNOWN_MARKET', 'the market is no longer served');
  }

  /** After each turn of the engine, with the ids of the markets whose book has changed. */
  turn(dirty: readonly number[]): void {
    if (this.#topics.size === 0) return;
    this.#topics.followMarkets();
    const nowMs = performance.now();
    if (this.#wholeBookChanged()) this.#mark(this.#topics.all(), nowMs);
    else for (const id of dirty) this.#mark(this.#topics.ofMarket(id), nowMs);
    if (nowMs >= this.#wakeAtMs) this.#flush();
  }

  figures(): FanOutFigures {
    return { topics: this.#topics.size, ...this.#counts };
  }

  /** Publishes nothing more. */
  stop(): void {
    clearTimeout(this.#timer);
    this.#due.clear();
    this.#wakeAtMs = Number.POSITIVE_INFINITY;
  }

  /** Every book shows the state of the feed and the epoch: when they change, all books do. */
  #wholeBookChanged(): boolean {
    const { book } = this.#options;
    const [row] = book.markets();
    if (row === undefined) return false;
    const { epoch } = book;
    const { state } = book.version(row.id);
    if (epoch === this.#epoch && state === this.#state) return false;
    this.#epoch = epoch;
    this.#state = state;
    return true;
  }

  #mark(topics: Iterable<Topic>, nowMs: number): void {
    for (const topic of topics) {
      if (this.#due.has(topic)) continue;
      topic.changedAtMs = nowMs;
      this.#due.add(topic);
      this.#wakeAt(topic.readyAtMs, nowMs);
    }
  }

  /** Plans a flush, unless one comes sooner. */
  #wakeAt(atMs: number, nowMs: number): void {
    if (atMs >= this.#wakeAtMs) return;
    this.#wakeAtMs = atMs;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#flush(), Math.ceil(atMs - nowMs));
  }

  /**
   * Publishes what is ready. One turn of the loop is not held for longer than its share: the rest
   * goes out in the next, those first that changed first.
   */
  #flush(): void {
    clearTimeout(this.#timer);
    this.#wakeAtMs = Number.POSITIVE_INFINITY;
    const startMs = performance.now();
    let nowMs = startMs;
    let nextMs = Number.POSITIVE_INFINITY;
    for (const topic of this.#due) {
      if (topic.readyAtMs > nowMs) {
        nextMs = Math.min(nextMs, topic.readyAtMs);
        continue;
      }
      if (nowMs - startMs > LIMITS.fanOutSliceMs) {
        nextMs = nowMs + 1;
        break;
      }
      this.#due.delete(topic);
      this.#publish(topic, nowMs);
      nowMs = performance.now();
    }
    if (nextMs < Number.POSITIVE_INFINITY) this.#wakeAt(nextMs, nowMs);
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

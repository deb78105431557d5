/**
 * The streaming channels: deltas to those who have the book before them, snapshots to those who have
 * not, beats to those who would else wonder. Every frame is made once in the core and published once;
 * all topics of a turn go out in that turn, so that the transport sends a reader of many one packet,
 * unless they are so many that the loop would be held: then the rest goes out in the next turns.
 *
 * This file does not know what is in a frame, nor who reads it.
 */
import { LIMITS } from '../../config/limits.js';
import type { MarketChanges } from '../../contract/feed-engine.js';
import type { FanOutStats } from '../metrics/socket-metrics.js';
import type { BookSource, TopicDelta } from '../ports/book-source.js';
import type { Publish } from '../transport/ws-socket.js';
import { BookMoment } from './book-moment.js';
import type { ResumePoint, StreamRequest } from './stream-request.js';
import { RingMemory } from './stream-ring.js';
import { type StreamTopic, StreamTopics } from './stream-topics.js';
import { Throttle } from './throttle.js';
import { WallClock } from './wall-clock.js';

/** The parts and settings of the streaming channels. */
export interface StreamFanOutOptions {
  readonly book: BookSource;
  readonly publish: Publish;
  /** Between two frames of a topic. */
  readonly intervalMs: number;
  /** Told of a frame that could not be made, once until the topic works again. */
  readonly onFault: (error: unknown, topic: string) => void;
  /** Told of a topic that has ended, because its market is served no longer. */
  readonly onEnded: (topic: string) => void;
  /** Told of every published frame how long its oldest change had waited. */
  readonly onPublished?: (seconds: number) => void;
  /** What the frames of one turn of the loop may take; the limit of the service by default. */
  readonly sliceMs?: number;
}

/** The streaming topics of one service. Time is that of `performance.now`. */
export class StreamFanOut {
  readonly #options: StreamFanOutOptions;
  readonly #memory = new RingMemory();
  readonly #topics: StreamTopics;
  readonly #moment: BookMoment;
  readonly #throttle: Throttle<StreamTopic>;
  readonly #wall = new WallClock();
  readonly #counts = { published: 0, delivered: 0, deliveredBytes: 0, failed: 0 };
  #receivedAtMs = 0;
  #watch: NodeJS.Timeout | undefined;

  constructor(options: StreamFanOutOptions) {
    this.#options = options;
    this.#moment = new BookMoment(options.book);
    this.#throttle = new Throttle({
      publish: (topic, nowMs) => this.#publish(topic, nowMs),
      sliceMs: options.sliceMs ?? LIMITS.streamSliceMs,
    });
    const onClosed = (topic: StreamTopic): void => this.#throttle.delete(topic);
    this.#topics = new StreamTopics(options.book, this.#memory, onClosed);
  }

  /** Begins to send heartbeats, and to forget what nobody comes back for. */
  start(): void {
    this.#watch = setInterval(() => this.#look(performance.now()), LIMITS.streamWatchMs).unref();
  }

  /** Adds a reader. */
  join(request: StreamRequest): StreamTopic {
    // What the first reader is shown is what changes are told from.
    if (this.#topics.size === 0) this.#moment.hasChanged();
    const isKnown = request.spec.timing === true && this.#receivedAtMs > 0;
    const recvNs = isKnown ? this.#wall.ns(this.#receivedAtMs) : 0n;
    return this.#topics.join(request, performance.now(), recvNs);
  }

  /** Takes a reader away. */
  leave(topic: StreamTopic): void {
    this.#topics.leave(topic, performance.now());
  }

  /** The last publication of a topic: what a new reader begins with. A view, as are all frames. */
  snapshot({ handle, spec }: StreamTopic, answer: { id: string; reset: boolean }): Uint8Array {
    const sendNs = spec.timing ? this.#wall.ns(performance.now()) : 0n;
    return this.#options.book.topicSnapshot(handle, { ...answer, sendNs });
  }

  /** The number of the first delta that a reader has missed; undefined when it is not known. */
  missedSince({ epoch, ring }: StreamTopic, point: ResumePoint): number | undefined {
    return point.epoch === epoch ? ring.after(point.seq) : undefined;
  }

  /** After each turn of the engine: what changed, and when the first part of it had come in. */
  turn({ dirty, requoted, indicated }: MarketChanges, receivedAtMs: number): void {
    this.#receivedAtMs = receivedAtMs;
    if (this.#topics.size === 0) return;
    for (const topic of this.#topics.withoutMarket()) this.#end(topic);
    const nowMs = performance.now();
    if (this.#moment.hasChanged()) this.#mark(this.#topics.all(), nowMs);
    else {
      for (const id of dirty) this.#mark(this.#topics.ofMarket(id), nowMs);
      for (const id of requoted) this.#mark(this.#topics.quotedOf(id), nowMs);
      for (const id of indicated) this.#mark(this.#topics.indicativeOf(id), nowMs);
    }
    this.#throttle.flush(nowMs);
  }

  /** What was published; a topic whose readers are gone is published to nobody. */
  figures(): FanOutStats & { readonly ringBytes: number } {
    return { ...this.#counts, ringBytes: this.#memory.bytes };
  }

  /** Publishes nothing more. */
  stop(): void {
    clearInterval(this.#watch);
    this.#throttle.stop();
  }

  #mark(topics: Iterable<StreamTopic>, nowMs: number): void {
    for (const topic of topics) {
      if (this.#throttle.mark(topic, nowMs)) topic.receivedAtMs = this.#receivedAtMs;
    }
  }

  #publish(topic: StreamTopic, nowMs: number): void {
    const { handle, spec } = topic;
    let delta: TopicDelta | null;
    try {
      delta = spec.timing
        ? this.#options.book.topicDelta(handle, {
            recvNs: this.#wall.ns(topic.receivedAtMs),
            sendNs: this.#wall.ns(performance.now()),
          })
        : this.#options.book.topicDelta(handle);
      topic.broken = false;
    } catch (error) {
      this.#failed(topic, error);
      return;
    }
    if (delta === null) return;
    topic.readyAtMs = nowMs + this.#options.intervalMs;
    this.#keep(topic, delta, nowMs);
    this.#counts.published += 1;
    this.#send(topic, delta.frame, nowMs);
    this.#options.onPublished?.((performance.now() - topic.changedAtMs) / 1_000);
  }

  #keep(topic: StreamTopic, delta: TopicDelta, nowMs: number): void {
    if (delta.reset) {
      topic.ring.clear();
      topic.epoch = this.#options.book.epoch;
    } else {
      topic.ring.push(delta, nowMs);
    }
  }

  #send(topic: StreamTopic, frame: Uint8Array, nowMs: number): void {
    topic.framedAtMs = nowMs;
    if (topic.readers === 0) return;
    this.#options.publish(topic.key, frame);
    this.#counts.delivered += topic.readers;
    this.#counts.deliveredBytes += topic.readers * frame.length;
  }

  /** Heartbeats where nothing was sent for a second; what does not fit goes the next time. */
  #look(startMs: number): void {
    const { book } = this.#options;
    this.#topics.expire(startMs - LIMITS.ringMsMax);
    this.#memory.expire(startMs - LIMITS.ringMsMax);
    for (const topic of this.#topics.all()) {
      // A beat on a topic whose frames fail would say that its readers are up to date.
      if (topic.readers === 0 || topic.broken) continue;
      if (topic.framedAtMs + LIMITS.streamBeatMs > startMs) continue;
      try {
        this.#send(topic, book.topicHeartbeat(topic.handle), startMs);
      } catch (error) {
        this.#failed(topic, error);
      }
      if (performance.now() - startMs > LIMITS.fanOutSliceMs) return;
    }
  }

  #end(topic: StreamTopic): void {
    this.#topics.close(topic);
    this.#options.onEnded(topic.key);
  }

  #failed(topic: StreamTopic, error: unknown): void {
    this.#counts.failed += 1;
    if (topic.broken) return;
    topic.broken = true;
    this.#options.onFault(error, topic.key);
  }
}

/**
 * The streaming channels: deltas to those who have the book before them, snapshots to those who have
 * not, beats to those who would else wonder. Every frame is made once in the core and published once;
 * all topics of a turn go out in that turn, so that the transport sends a reader of many one packet,
 * unless they are so many that the loop would be held: then the rest goes out in the next turns.
 *
 * This file does not know what is in a frame, nor who reads it.
 */
import { LIMITS } from '../../config/limits.js';
import type { BookSource } from '../../contract/book-source.js';
import type { MarketChanges } from '../../contract/feed-engine.js';
import type { TopicDelta } from '../../contract/topics.js';
import type { FanOutStats } from '../metrics/socket-metrics.js';
import type { Publish } from '../transport/client-socket.js';
import type { ResumePoint, StreamRequest } from './stream-dialect.js';
import { RingMemory } from './stream-ring.js';
import { type StreamTopic, StreamTopics } from './stream-topics.js';
import { Throttle } from './throttle.js';
import { VersionStamp } from './version-stamp.js';
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
  readonly #versionStamp: VersionStamp;
  readonly #throttle: Throttle<StreamTopic>;
  readonly #wall = new WallClock();
  readonly #counts = { published: 0, delivered: 0, deliveredBytes: 0, failed: 0 };
  #receivedAtMs = 0;
  #housekeeping: NodeJS.Timeout | undefined;

  constructor(options: StreamFanOutOptions) {
    this.#options = options;
    this.#versionStamp = new VersionStamp(options.book);
    this.#throttle = new Throttle({
      publish: (topic, nowMs) => this.#publishTopic(topic, nowMs),
      sliceMs: options.sliceMs ?? LIMITS.streamSliceMs,
    });
    const onClosed = (topic: StreamTopic): void => this.#throttle.removeItem(topic);
    this.#topics = new StreamTopics(options.book, this.#memory, onClosed);
  }

  /** Begins to send heartbeats, and to forget what nobody comes back for. */
  start(): void {
    this.#housekeeping = setInterval(
      () => this.#runHousekeeping(performance.now()),
      LIMITS.streamWatchMs,
    ).unref();
  }

  /** Adds a reader. */
  addSubscriber(request: StreamRequest): StreamTopic {
    // What the first reader is shown is what changes are told from.
    if (this.#topics.size === 0) this.#versionStamp.hasChanged();
    const isKnown = request.spec.timing === true && this.#receivedAtMs > 0;
    const recvNs = isKnown ? this.#wall.toUnixNs(this.#receivedAtMs) : 0n;
    return this.#topics.addSubscriber(request, performance.now(), recvNs);
  }

  /** Takes a reader away. */
  removeSubscriber(topic: StreamTopic): void {
    this.#topics.removeSubscriber(topic, performance.now());
  }

  /** The last publication of a topic: what a new reader begins with. A view, as are all frames. */
  renderSnapshot(
    { handle, spec }: StreamTopic,
    answer: { id: string; reset: boolean },
  ): Uint8Array {
    const sendNs = spec.timing ? this.#wall.toUnixNs(performance.now()) : 0n;
    return this.#options.book.topicSnapshot(handle, { ...answer, sendNs });
  }

  /** The number of the first delta that a reader has missed; undefined when it is not known. */
  findFirstMissed({ epoch, ring }: StreamTopic, point: ResumePoint): number | undefined {
    return point.epoch === epoch ? ring.findNumberAfter(point.seq) : undefined;
  }

  /** After each turn of the engine: what changed, and when the first part of it had come in. */
  publishTurn({ dirty, requoted, indicated }: MarketChanges, receivedAtMs: number): void {
    this.#receivedAtMs = receivedAtMs;
    if (this.#topics.size === 0) return;
    for (const topic of this.#topics.findUnserved()) this.#endTopic(topic);
    const nowMs = performance.now();
    if (this.#versionStamp.hasChanged()) this.#markDirty(this.#topics.allTopics(), nowMs);
    else {
      for (const id of dirty) this.#markDirty(this.#topics.ofMarket(id), nowMs);
      for (const id of requoted) this.#markDirty(this.#topics.quotedOf(id), nowMs);
      for (const id of indicated) this.#markDirty(this.#topics.indicativeOf(id), nowMs);
    }
    this.#throttle.flush(nowMs);
  }

  /** What was published; a topic whose readers are gone is published to nobody. */
  figures(): FanOutStats & { readonly ringBytes: number } {
    return { ...this.#counts, ringBytes: this.#memory.bytes };
  }

  /** Publishes nothing more. */
  stop(): void {
    clearInterval(this.#housekeeping);
    this.#throttle.stop();
  }

  #markDirty(topics: Iterable<StreamTopic>, nowMs: number): void {
    for (const topic of topics) {
      if (this.#throttle.markDirty(topic, nowMs)) topic.receivedAtMs = this.#receivedAtMs;
    }
  }

  #publishTopic(topic: StreamTopic, nowMs: number): void {
    const { handle, spec } = topic;
    let delta: TopicDelta | null;
    try {
      delta = spec.timing
        ? this.#options.book.topicDelta(handle, {
            recvNs: this.#wall.toUnixNs(topic.receivedAtMs),
            sendNs: this.#wall.toUnixNs(performance.now()),
          })
        : this.#options.book.topicDelta(handle);
      topic.broken = false;
    } catch (error) {
      this.#recordFailure(topic, error);
      return;
    }
    if (delta === null) return;
    topic.readyAtMs = nowMs + this.#options.intervalMs;
    this.#storeDelta(topic, delta, nowMs);
    this.#counts.published += 1;
    this.#publishFrame(topic, delta.frame, nowMs);
    this.#options.onPublished?.((performance.now() - topic.changedAtMs) / 1_000);
  }

  #storeDelta(topic: StreamTopic, delta: TopicDelta, nowMs: number): void {
    if (delta.reset) {
      topic.ring.clear();
      topic.epoch = this.#options.book.epoch;
    } else {
      topic.ring.appendDelta(delta, nowMs);
    }
  }

  #publishFrame(topic: StreamTopic, frame: Uint8Array, nowMs: number): void {
    topic.framedAtMs = nowMs;
    if (topic.subscribers === 0) return;
    this.#options.publish(topic.key, frame);
    this.#counts.delivered += topic.subscribers;
    this.#counts.deliveredBytes += topic.subscribers * frame.length;
  }

  /** Heartbeats where nothing was sent for a second; what does not fit goes the next time. */
  #runHousekeeping(startMs: number): void {
    const { book } = this.#options;
    this.#topics.closeIdle(startMs - LIMITS.ringMsMax);
    this.#memory.expireChunks(startMs - LIMITS.ringMsMax);
    for (const topic of this.#topics.allTopics()) {
      // A beat on a topic whose frames fail would say that its readers are up to date.
      if (topic.subscribers === 0 || topic.broken) continue;
      if (topic.framedAtMs + LIMITS.streamBeatMs > startMs) continue;
      try {
        this.#publishFrame(topic, book.topicHeartbeat(topic.handle), startMs);
      } catch (error) {
        this.#recordFailure(topic, error);
      }
      if (performance.now() - startMs > LIMITS.fanOutSliceMs) return;
    }
  }

  #endTopic(topic: StreamTopic): void {
    this.#topics.closeTopic(topic);
    this.#options.onEnded(topic.key);
  }

  #recordFailure(topic: StreamTopic, error: unknown): void {
    this.#counts.failed += 1;
    if (topic.broken) return;
    topic.broken = true;
    this.#options.onFault(error, topic.key);
  }
}

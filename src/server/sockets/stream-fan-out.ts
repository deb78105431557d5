/**
 * Publishes the streaming channels: deltas, snapshots for new subscribers, and heartbeats where nothing
 * else was sent. Every frame is rendered once in the core and published once. All topics of a turn are
 * published in that turn, so that the transport packs them together for a subscriber of many, unless
 * that would hold the event loop too long: then the rest follows in the next turns.
 *
 * This file does not know the content of a frame, nor who its subscribers are.
 */
import { LIMITS } from '../../config/limits.js';
import type { MarketChanges } from '../../contract/feed-engine.js';
import type { TopicDelta } from '../../contract/topics.js';
import type { FanOutStats } from '../metrics/socket-metrics.js';
import { ChangedTopics } from './changed-topics.js';
import type { BookFanOutOptions } from './compatible-fan-out.js';
import { RingMemory } from './stream-ring.js';
import {
  type ResumePoint,
  type StreamRequest,
  type StreamTopic,
  StreamTopics,
} from './stream-topics.js';
import { Throttle } from './throttle.js';

/** The parts and settings of the streaming channels. */
export interface StreamFanOutOptions extends BookFanOutOptions {
  /** Called for a topic that has ended because its market is no longer served. */
  readonly onEnded: (topic: string) => void;
  /** Beyond so many an idle topic makes room for a new one. */
  readonly topicsMax: number;
}

/** The streaming topics of one service. Time is that of `performance.now`. */
export class StreamFanOut {
  readonly #options: StreamFanOutOptions;
  readonly #memory = new RingMemory();
  readonly #topics: StreamTopics;
  readonly #changed: ChangedTopics;
  readonly #throttle: Throttle<StreamTopic>;
  readonly #wall = new WallClock();
  readonly #counts = { published: 0, delivered: 0, deliveredBytes: 0, failed: 0 };
  #receivedAtMs = 0;
  #housekeeping: NodeJS.Timeout | undefined;

  constructor(options: StreamFanOutOptions) {
    this.#options = options;
    this.#changed = new ChangedTopics(options.book);
    this.#throttle = new Throttle({
      publish: (topic, nowMs) => this.#publishTopic(topic, nowMs),
      sliceMs: options.sliceMs ?? LIMITS.streamSliceMs,
    });
    const onClosed = (topic: StreamTopic): void => this.#throttle.removeItem(topic);
    this.#topics = new StreamTopics(options, this.#memory, onClosed);
  }

  /** Starts to send heartbeats, and to drop idle topics and old deltas. */
  start(): void {
    this.#housekeeping = setInterval(
      () => this.#runHousekeeping(performance.now()),
      LIMITS.streamWatchMs,
    ).unref();
  }

  /** Adds a subscriber. */
  addSubscriber(request: StreamRequest): StreamTopic {
    // The first subscriber receives the current version of the book.
    if (this.#topics.size === 0) this.#changed.syncVersion();
    const isKnown = request.spec.timing === true && this.#receivedAtMs > 0;
    const recvNs = isKnown ? this.#wall.toUnixNs(this.#receivedAtMs) : 0n;
    return this.#topics.addSubscriber(request, performance.now(), recvNs);
  }

  /** Removes a subscriber. */
  removeSubscriber(topic: StreamTopic): void {
    this.#topics.removeSubscriber(topic, performance.now());
  }

  /** Renders the last publication of a topic as a snapshot: a view, as are all frames. */
  renderSnapshot(
    { handle, spec }: StreamTopic,
    answer: { id: string; reset: boolean },
  ): Uint8Array {
    const sendNs = spec.timing ? this.#wall.toUnixNs(performance.now()) : 0n;
    return this.#options.book.topicSnapshot(handle, { ...answer, sendNs });
  }

  /** The number of the first delta that a client has missed; undefined when it is not known. */
  findFirstMissed({ epoch, ring }: StreamTopic, point: ResumePoint): number | undefined {
    return point.epoch === epoch ? ring.findNumberAfter(point.seq) : undefined;
  }

  /** Publishes what a turn of the engine has changed, the first part of it received at a time. */
  publishTurn(changes: MarketChanges, receivedAtMs: number): void {
    this.#receivedAtMs = receivedAtMs;
    if (this.#topics.size === 0) return;
    for (const topic of this.#topics.findUnserved()) this.#endTopic(topic);
    const nowMs = performance.now();
    this.#changed.forEachChanged(changes, this.#topics, (topic) => {
      if (this.#throttle.markDirty(topic, nowMs)) topic.receivedAtMs = receivedAtMs;
    });
    this.#throttle.flush(nowMs);
  }

  /** Counts since the start; a topic without subscribers is published to nobody. */
  readStats(): FanOutStats & { readonly ringBytes: number } {
    return { ...this.#counts, ringBytes: this.#memory.bytes };
  }

  /** Publishes nothing more. */
  stop(): void {
    clearInterval(this.#housekeeping);
    this.#throttle.stop();
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
    topic.readyAtMs = nowMs + Math.max(this.#options.intervalMs, spec.intervalMs ?? 0);
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

  /** Drops what is too old, and sends heartbeats where nothing was sent for a second. */
  #runHousekeeping(startMs: number): void {
    const { book } = this.#options;
    this.#topics.closeIdle(startMs - LIMITS.ringMsMax);
    this.#memory.expireChunks(startMs - LIMITS.ringMsMax);
    for (const topic of this.#topics.allTopics()) {
      // A heartbeat on a topic whose frames fail would claim that its subscribers are up to date.
      if (topic.subscribers === 0 || topic.broken) continue;
      if (topic.framedAtMs + LIMITS.streamHeartbeatMs > startMs) continue;
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

/** Steps of the system's clock beyond this are followed. */
const DRIFT_MS_MAX = 2;

/** Unix time in nanoseconds: finer than `Date.now`, which it follows when the system's clock is set. */
class WallClock {
  #offsetMs = performance.timeOrigin;

  /** Unix nanoseconds of a time of `performance.now`. */
  toUnixNs(atMs: number): bigint {
    const drift = Date.now() - (this.#offsetMs + performance.now());
    if (Math.abs(drift) > DRIFT_MS_MAX) this.#offsetMs += drift;
    return BigInt(Math.round((this.#offsetMs + atMs) * 1_000_000));
  }
}

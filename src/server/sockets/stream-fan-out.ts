/**
 * Publishes the streaming channels: deltas, snapshots for new subscribers, and heartbeats where nothing
 * else was sent. Every frame is rendered once in the core and published once. Marks say when, so that
 * every process with the same marks sends the same frames. All topics of a mark are published in its
 * turn, so that the transport packs them together for a subscriber of many, unless that would hold the
 * event loop too long: then the rest follows in the next turns of the loop, before the book moves on.
 *
 * This file does not know the content of a frame, nor its subscribers, nor the time between two marks.
 */
import { LIMITS } from '../../config/limits.js';
import type { BookSource, MarketDirectory } from '../../contract/book-source.js';
import type { MarketChanges } from '../../contract/feed-engine.js';
import type { MarketMark, MarkPublisher, PublishMark } from '../../contract/publish-mark.js';
import type { Timer, Timers } from '../../contract/timers.js';
import type { TopicDelta } from '../../contract/topics.js';
import type { FanOutStats } from '../metrics/socket-metrics.js';
import { repeatCall } from '../transport/repeated-call.js';
import type { PublisherOptions } from './publisher.js';
import { RingMemory } from './stream-ring.js';
import {
  type ResumePoint,
  type StreamRequest,
  type StreamTopic,
  StreamTopics,
} from './stream-topics.js';
import { UnmarkedChanges } from './unmarked-changes.js';

/** The parts and settings of the streaming channels. */
export interface StreamFanOutOptions extends PublisherOptions {
  readonly book: BookSource;
  readonly directory: MarketDirectory;
  /** Called for a topic that has ended because its market is no longer served. */
  readonly onEnded: (topic: string) => void;
  /** Beyond so many an idle topic makes room for a new one. */
  readonly topicsMax: number;
}

/** What a turn has changed, what is published at its end, and when its first part was received. */
export interface MarkedTurn {
  readonly changes: MarketChanges;
  readonly mark: PublishMark;
  readonly receivedAtMs: number;
}

/** The streaming topics of one service. */
export class StreamFanOut implements MarkPublisher {
  readonly #options: StreamFanOutOptions;
  readonly timers: Timers;
  readonly #memory = new RingMemory();
  readonly #topics: StreamTopics;
  readonly #unmarked = new UnmarkedChanges();
  /** The topics of the last mark whose frames are still to be made. */
  readonly #due = new Set<StreamTopic>();
  /** Called once they are made. */
  readonly #afterMark: (() => void)[] = [];
  /** Called after each mark: readers that have seen more than this book. */
  readonly ahead = new Set<() => void>();
  #nextSlice: Timer | undefined;
  readonly #counts = { published: 0, delivered: 0, deliveredBytes: 0, failed: 0 };
  #receivedAtMs = 0;
  #housekeeping: Timer | undefined;
  #stopped = false;

  constructor(options: StreamFanOutOptions) {
    this.#options = options;
    this.timers = options.timers;
    const onClosed = (topic: StreamTopic): void => void this.#due.delete(topic);
    const unmarked = this.#unmarked;
    this.#topics = new StreamTopics({ ...options, unmarked }, this.#memory, onClosed);
  }

  /** Starts to send heartbeats, and to drop idle topics and old deltas. */
  start(): void {
    this.#housekeeping = repeatCall(this.timers, LIMITS.streamWatchMs, () =>
      this.#runHousekeeping(this.timers.nowMs()),
    );
  }

  /** Adds a subscriber. */
  addSubscriber(request: StreamRequest): StreamTopic {
    const isKnown = request.spec.timing === true && this.#receivedAtMs > 0;
    const recvNs = isKnown ? this.timers.unixNs(this.#receivedAtMs) : 0n;
    return this.#topics.addSubscriber(request, this.timers.nowMs(), recvNs);
  }

  /** Removes a subscriber. */
  removeSubscriber(topic: StreamTopic): void {
    this.#topics.removeSubscriber(topic, this.timers.nowMs());
  }

  /** Renders the last publication of a topic as a snapshot: a view, as are all frames. */
  renderSnapshot(
    { handle, spec }: StreamTopic,
    answer: { id: string; reset: boolean },
  ): Uint8Array {
    const sendNs = spec.timing ? this.timers.unixNs(this.timers.nowMs()) : 0n;
    return this.#options.book.topicSnapshot(handle, { ...answer, sendNs });
  }

  /** The number of the first delta that a client has missed; undefined when it is not known. */
  findFirstMissed({ epoch, ring }: StreamTopic, point: ResumePoint): number | undefined {
    return point.epoch === epoch ? ring.findNumberAfter(point.seq) : undefined;
  }

  /** Whether a reader has what this book has yet to publish, as at an edge that is behind the one before. */
  isBehind(topic: StreamTopic, point: ResumePoint): boolean {
    const { epoch, seq, spec, classIndex, leastChange } = topic;
    if (point.epoch !== epoch || point.seq <= seq) return false;
    // Its frame of the last mark is still to be made.
    if (this.#due.has(topic)) return true;
    if (this.#options.book.version(spec.market).seq < point.seq) return true;
    const change = this.#unmarked.find(spec.market, classIndex);
    return change !== undefined && change.kind >= leastChange;
  }

  /** Publishes what the mark of a turn says. What it makes later it makes before the book moves on. */
  publishTurn({ changes, mark, receivedAtMs }: MarkedTurn): void {
    if (this.#stopped) return;
    this.#receivedAtMs = receivedAtMs;
    const nowMs = this.timers.nowMs();
    this.#unmarked.addTurn(changes, { nowMs, receivedAtMs });
    if (this.#topics.size > 0) {
      for (const topic of this.#topics.findUnserved()) this.#endTopic(topic);
    }
    for (const marked of mark) this.#addDue(marked);
    if (this.#publishSlice(nowMs)) this.#endMark();
    else this.#planSlice();
  }

  /** Whether frames of the last mark are still to be made, or were in this turn of the loop: the book must not move until then. */
  get isPublishing(): boolean {
    return this.#due.size > 0 || this.#nextSlice !== undefined;
  }

  finishMark(): void {
    // Also when all that was due has been closed: somebody may still wait.
    do {
      for (const topic of this.#due) this.#publishTopic(topic, this.timers.nowMs());
      this.#due.clear();
      this.#endMark();
      // Who waited may have ended a turn, and left frames of its mark for later.
    } while (this.#due.size > 0);
  }

  /** Makes what is left of the last mark of one topic. */
  finishTopic(topic: StreamTopic): void {
    if (this.#due.delete(topic)) this.#publishTopic(topic, this.timers.nowMs());
  }

  onceFinished(resume: () => void): void {
    if (!this.isPublishing) resume();
    else this.#afterMark.push(resume);
  }

  /** Counts since the start; a topic without subscribers is published to nobody. */
  readStats(): FanOutStats & { readonly ringBytes: number } {
    return { ...this.#counts, ringBytes: this.#memory.bytes };
  }

  /** Closes all topics, which have no subscribers any more. */
  forgetTopics(): void {
    this.#topics.closeIdle(Number.POSITIVE_INFINITY);
  }

  /** Publishes nothing more. */
  stop(): void {
    this.#stopped = true;
    this.#housekeeping?.cancel();
    this.#due.clear();
    this.#endMark();
  }

  /** Adds the topics of a market that its mark publishes. */
  #addDue({ market, classes }: MarketMark): void {
    for (const topic of this.#topics.ofMarket(market)) {
      if ((classes & (1 << topic.classIndex)) === 0) continue;
      const change = this.#unmarked.find(market, topic.classIndex);
      if (change === undefined || change.kind < topic.leastChange) continue;
      topic.changedAtMs = change.changedAtMs;
      topic.receivedAtMs = change.receivedAtMs;
      this.#due.add(topic);
    }
    this.#unmarked.clear(market, classes);
  }

  /** Publishes for one slice of time; true when nothing is left. */
  #publishSlice(startMs: number): boolean {
    const { sliceMs = LIMITS.publishSliceMs } = this.#options;
    let nowMs = startMs;
    for (const topic of this.#due) {
      if (nowMs - startMs > sliceMs) return false;
      this.#due.delete(topic);
      this.#publishTopic(topic, nowMs);
      nowMs = this.timers.nowMs();
    }
    return true;
  }

  /**
   * Publishes the rest in the next turns of the loop. The mark ends in one without a slice: who waits for it goes on
   * then, and makes frames as well.
   */
  #planSlice(): void {
    this.#nextSlice ??= this.timers.soon(() => {
      this.#nextSlice = undefined;
      if (this.#due.size === 0) this.#endMark();
      else {
        this.#publishSlice(this.timers.nowMs());
        this.#planSlice();
      }
    });
  }

  #endMark(): void {
    this.#nextSlice?.cancel();
    this.#nextSlice = undefined;
    for (const look of [...this.ahead]) look();
    if (this.#afterMark.length === 0) return;
    for (const resume of this.#afterMark.splice(0)) resume();
  }

  /** Publishes the next frame of a topic; of one that begins with it nobody has read anything yet. */
  #publishTopic(topic: StreamTopic, nowMs: number): void {
    const { handle, spec } = topic;
    let delta: TopicDelta | null;
    try {
      delta = spec.timing
        ? this.#options.book.topicDelta(handle, {
            recvNs: this.timers.unixNs(topic.receivedAtMs),
            sendNs: this.timers.unixNs(this.timers.nowMs()),
          })
        : this.#options.book.topicDelta(handle);
      topic.broken = false;
    } catch (error) {
      this.#recordFailure(topic, error);
      return;
    }
    if (delta !== null) topic.seq = delta.seq;
    if (topic.isUnmarked) this.#beginTopic(topic);
    else if (delta !== null) this.#publishDelta(topic, delta, nowMs);
  }

  #beginTopic(topic: StreamTopic): void {
    topic.isUnmarked = false;
    topic.epoch = this.#options.book.epoch;
    const waiting = [...topic.waiting];
    topic.waiting.clear();
    for (const begin of waiting) begin();
  }

  #publishDelta(topic: StreamTopic, delta: TopicDelta, nowMs: number): void {
    if (delta.reset) {
      topic.ring.clear();
      topic.epoch = this.#options.book.epoch;
    } else {
      topic.ring.appendDelta(delta, nowMs);
    }
    this.#counts.published += 1;
    this.#publishFrame(topic, delta.frame, nowMs);
    this.#options.onPublished?.((this.timers.nowMs() - topic.changedAtMs) / 1_000);
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
      if (topic.subscribers === 0 || topic.broken || topic.isUnmarked) continue;
      if (topic.framedAtMs + LIMITS.streamHeartbeatMs > startMs) continue;
      try {
        this.#publishFrame(topic, book.topicHeartbeat(topic.handle), startMs);
      } catch (error) {
        this.#recordFailure(topic, error);
      }
      if (this.timers.nowMs() - startMs > LIMITS.fanOutSliceMs) return;
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

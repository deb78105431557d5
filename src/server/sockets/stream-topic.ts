import type { BookSource } from '../../contract/book-source.js';
import type { Timers } from '../../contract/timers.js';
import type { TopicSpec } from '../../contract/topics.js';
import type { Publisher, Topic } from './publisher.js';
import { Ring, type RingMemory } from './stream-ring.js';
import { type ChangeKind, classOf, leastChangeOf } from './unmarked-changes.js';

/** The name and content of a topic. */
export interface StreamRequest {
  readonly key: string;
  readonly spec: TopicSpec;
}

/** The last publication that a client received before it disconnected. */
export interface ResumePoint {
  readonly epoch: string;
  readonly seq: number;
}

/** A topic whose readers may resume. */
export interface ResumableTopic {
  readonly key: string;
  readonly epoch: string;
  readonly ring: Ring;
  readonly isUnmarked: boolean;
  readonly waiting: Set<() => void>;
  renderSnapshot(answer: { readonly id: string; readonly reset: boolean }): Uint8Array;
  findFirstMissed(point: ResumePoint): number | undefined;
}

/** The open topics of a channel. */
export interface ResumableTopics {
  readonly publisher: Publisher;
  /** Returns whether a reader is ahead of the topic. */
  isBehind(topic: ResumableTopic, point: ResumePoint): boolean;
  removeSubscriber(topic: ResumableTopic): void;
}

/** The dependencies of a topic. */
interface StreamTopicParts {
  readonly book: BookSource;
  readonly timers: Timers;
  readonly memory: RingMemory;
  /**
   * The time at which the newest part of the book was received, unix nanoseconds; 0 when unknown.
   */
  readonly recvNs: bigint;
}

/**
 * An open topic of the streaming channels: renders deltas for its subscribers, and snapshots for
 * new subscribers.
 */
export class StreamTopic implements Topic, ResumableTopic {
  readonly key: string;
  readonly spec: TopicSpec;
  /** The topic in the book. */
  readonly handle: number;
  readonly ring: Ring;
  /** The index of the interval class whose marks publish the topic. */
  readonly classIndex: number;
  /** The lowest kind of change that affects the topic. */
  readonly leastChange: ChangeKind;
  /** 0, because marks alone decide when the topic is published. */
  readonly readyAtMs = 0;
  /** The epoch of the last publication. */
  epoch: string;
  /** The seq of the last publication. */
  seq: number;
  subscribers = 0;
  /**
   * Whether the topic was opened between a change and its publish mark: it then starts at the next
   * mark, so that all processes agree.
   */
  isUnmarked = false;
  /** Callbacks of waiting subscribers; called when the topic starts. */
  readonly waiting = new Set<() => void>();
  changedAtMs = 0;
  /** The receipt time of the first change that is not published yet. */
  receivedAtMs = 0;
  /** The time of the last frame. */
  framedAtMs: number;
  /** The time since which the topic has no subscribers. */
  idleSinceMs = 0;
  broken = false;
  readonly #book: BookSource;
  readonly #timers: Timers;

  /** Opens the topic in the book. Throws the errors of the book. */
  constructor({ key, spec }: StreamRequest, { book, timers, memory, recvNs }: StreamTopicParts) {
    this.key = key;
    this.spec = spec;
    this.#book = book;
    this.#timers = timers;
    this.handle = book.topics.openTopic(spec, recvNs);
    this.ring = new Ring(memory);
    this.classIndex = classOf(spec);
    this.leastChange = leastChangeOf(spec);
    this.epoch = book.epoch;
    this.seq = book.version(spec.market).seq;
    this.framedAtMs = timers.nowMs();
  }

  /**
   * Renders the next delta. When the topic starts with this delta, no reader has the state before
   * it.
   */
  renderFrame(nowMs: number): Uint8Array | null {
    const delta = this.#book.topics.renderDelta(this.handle, this.#frameTimes());
    if (delta !== null) this.seq = delta.seq;
    if (this.isUnmarked) {
      this.#begin();
      return null;
    }
    if (delta === null) return null;
    if (delta.reset) {
      this.ring.clear();
      this.epoch = this.#book.epoch;
    } else this.ring.appendDelta(delta, nowMs);
    this.framedAtMs = nowMs;
    return delta.frame;
  }

  renderHeartbeat(nowMs: number): Uint8Array {
    const frame = this.#book.topics.renderHeartbeat(this.handle);
    this.framedAtMs = nowMs;
    return frame;
  }

  /** Renders the last publication as a snapshot. The returned bytes are a view. */
  renderSnapshot(answer: { readonly id: string; readonly reset: boolean }): Uint8Array {
    const sendNs = this.spec.timing ? this.#timers.unixNs(this.#timers.nowMs()) : 0n;
    return this.#book.topics.renderSnapshot(this.handle, { ...answer, sendNs });
  }

  /** The number of the first delta that a client has missed; undefined when unknown. */
  findFirstMissed(point: ResumePoint): number | undefined {
    return point.epoch === this.epoch ? this.ring.findNumberAfter(point.seq) : undefined;
  }

  /** Closes the topic in the book. */
  close(): void {
    this.ring.clear();
    this.#book.topics.closeTopic(this.handle);
  }

  #frameTimes() {
    if (this.spec.timing !== true) return undefined;
    return {
      recvNs: this.#timers.unixNs(this.receivedAtMs),
      sendNs: this.#timers.unixNs(this.#timers.nowMs()),
    };
  }

  #begin(): void {
    this.isUnmarked = false;
    this.epoch = this.#book.epoch;
    const waiting = [...this.waiting];
    this.waiting.clear();
    for (const begin of waiting) begin();
  }
}

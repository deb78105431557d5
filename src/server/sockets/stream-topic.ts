import type { BookSource } from '../../contract/book-source.js';
import type { Timers } from '../../contract/timers.js';
import type { TopicSpec } from '../../contract/topics.js';
import type { Topic } from './publisher.js';
import { Ring, type RingMemory } from './stream-ring.js';
import { type ChangeKind, classOf, leastChangeOf } from './unmarked-changes.js';

/** A topic by its name, and its content. */
export interface StreamRequest {
  readonly key: string;
  readonly spec: TopicSpec;
}

/** The last publication that a client received before it disconnected. */
export interface ResumePoint {
  readonly epoch: string;
  readonly seq: number;
}

/** The parts of a topic. */
export interface StreamTopicParts {
  readonly book: BookSource;
  readonly timers: Timers;
  readonly memory: RingMemory;
  /** When the newest part of the book was received, in unix nanoseconds; 0 where it is not known. */
  readonly recvNs: bigint;
}

/** An open topic of the streaming channels: deltas, and snapshots for subscribers that begin. */
export class StreamTopic implements Topic {
  readonly key: string;
  readonly spec: TopicSpec;
  /** The topic in the book. */
  readonly handle: number;
  readonly ring: Ring;
  /** The interval class whose marks it follows. */
  readonly classIndex: number;
  /** Changes of its market below this do not change it. */
  readonly leastChange: ChangeKind;
  /** Marks say when it is published. */
  readonly readyAtMs = 0;
  /** The epoch of its last publication. */
  epoch: string;
  /** The sequence number of its last publication. */
  seq: number;
  subscribers = 0;
  /**
   * It was opened after a change that no mark of its class has: it begins at the next one, as it would go
   * on from there in every other process.
   */
  isUnmarked = false;
  /** Called once it begins; one a subscriber that waits for that. */
  readonly waiting = new Set<() => void>();
  changedAtMs = 0;
  /** When the first notification of the unpublished changes was received. */
  receivedAtMs = 0;
  /** When the last frame was published. */
  framedAtMs: number;
  /** Since when it has had no subscriber. */
  idleSinceMs = 0;
  broken = false;
  readonly #book: BookSource;
  readonly #timers: Timers;

  /** Opens the topic in the book. Throws what the book throws. */
  constructor({ key, spec }: StreamRequest, { book, timers, memory, recvNs }: StreamTopicParts) {
    this.key = key;
    this.spec = spec;
    this.#book = book;
    this.#timers = timers;
    this.handle = book.openTopic(spec, recvNs);
    this.ring = new Ring(memory);
    this.classIndex = classOf(spec);
    this.leastChange = leastChangeOf(spec);
    this.epoch = book.epoch;
    this.seq = book.version(spec.market).seq;
    this.framedAtMs = timers.nowMs();
  }

  /** Makes the next delta. Of a topic that begins with it nobody has read anything yet. */
  renderFrame(nowMs: number): Uint8Array | null {
    const delta = this.#book.topicDelta(this.handle, this.#frameTimes());
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
    const frame = this.#book.topicHeartbeat(this.handle);
    this.framedAtMs = nowMs;
    return frame;
  }

  /** Renders the last publication as a snapshot: a view, as are all frames. */
  renderSnapshot(answer: { readonly id: string; readonly reset: boolean }): Uint8Array {
    const sendNs = this.spec.timing ? this.#timers.unixNs(this.#timers.nowMs()) : 0n;
    return this.#book.topicSnapshot(this.handle, { ...answer, sendNs });
  }

  /** The number of the first delta that a client has missed; undefined when it is not known. */
  findFirstMissed(point: ResumePoint): number | undefined {
    return point.epoch === this.epoch ? this.ring.findNumberAfter(point.seq) : undefined;
  }

  /** Closes the topic in the book. */
  close(): void {
    this.ring.clear();
    this.#book.closeTopic(this.handle);
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

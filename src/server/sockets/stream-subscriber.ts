/** One subscription of a streaming topic: from a snapshot on, or from where the client was. */

import type { ResumePoint } from './stream-dialect.js';
import type { StreamFanOut } from './stream-fan-out.js';
import type { StreamTopic } from './stream-topics.js';
import type { FrameSink, SnapshotKind, Subscriber } from './subscription.js';

/** What a reader is made of. */
export interface StreamSubscriberParts {
  readonly streams: StreamFanOut;
  /** Joined already. */
  readonly topic: StreamTopic;
  /** The JSON text of the request's id; empty for none. */
  readonly id: string;
  readonly resume: ResumePoint | undefined;
}

/** A reader of deltas. */
export class StreamSubscriber implements Subscriber {
  readonly hasHeartbeat = false;
  readonly #parts: StreamSubscriberParts;
  /** The number of the next delta to replay; undefined where it takes a snapshot. */
  #nextMissed: number | undefined;

  constructor(parts: StreamSubscriberParts) {
    this.#parts = parts;
    const { streams, topic, resume } = parts;
    this.#nextMissed = resume === undefined ? undefined : streams.findFirstMissed(topic, resume);
  }

  get key(): string {
    return this.#parts.topic.key;
  }

  get errorMembers(): object {
    return { topic: this.key };
  }

  sendSnapshot(sink: FrameSink, showing: SnapshotKind): boolean {
    const { streams, topic, id } = this.#parts;
    const isReset = showing === 'reset';
    if (!isReset && this.#nextMissed !== undefined && this.#hasAllFrom(this.#nextMissed)) {
      return this.#replayMissed(sink, this.#nextMissed);
    }
    this.#nextMissed = undefined;
    return sink.send(streams.renderSnapshot(topic, { id: isReset ? '' : id, reset: isReset }));
  }

  leaveTopic(): void {
    this.#parts.streams.removeSubscriber(this.#parts.topic);
  }

  /**
   * What was missed may be forgotten while the client reads the beginning of it; and what brings
   * another epoch is no delta, so that the ring does not know it.
   */
  #hasAllFrom(number: number): boolean {
    const { topic, resume } = this.#parts;
    if (topic.epoch !== resume?.epoch) return false;
    return number === topic.ring.nextNumber || topic.ring.frame(number) !== undefined;
  }

  #replayMissed(sink: FrameSink, from: number): boolean {
    const { ring } = this.#parts.topic;
    for (let number = from; number < ring.nextNumber; number += 1) {
      this.#nextMissed = number;
      if (sink.isBehind()) return false;
      const frame = ring.frame(number);
      if (frame === undefined || !sink.send(frame)) return false;
    }
    this.#nextMissed = undefined;
    return true;
  }
}

/** One subscription of a streaming topic: from a snapshot on, or from where the client was. */
import type { StreamFanOut } from './stream-fan-out.js';
import type { ResumePoint } from './stream-request.js';
import type { StreamTopic } from './stream-topics.js';
import type { FrameSink, Reader, Showing } from './ws-reader.js';

/** What a reader is made of. */
export interface StreamReaderParts {
  readonly streams: StreamFanOut;
  /** Joined already. */
  readonly topic: StreamTopic;
  /** The JSON text of the request's id; empty for none. */
  readonly id: string;
  readonly resume: ResumePoint | undefined;
}

/** A reader of deltas. */
export class StreamReader implements Reader {
  readonly hasBeat = false;
  readonly #parts: StreamReaderParts;
  /** The number of the next delta to replay; undefined where it takes a snapshot. */
  #missed: number | undefined;

  constructor(parts: StreamReaderParts) {
    this.#parts = parts;
    const { streams, topic, resume } = parts;
    this.#missed = resume === undefined ? undefined : streams.missedSince(topic, resume);
  }

  get key(): string {
    return this.#parts.topic.key;
  }

  get errorMembers(): object {
    return { topic: this.key };
  }

  show(sink: FrameSink, showing: Showing): boolean {
    const { streams, topic, id } = this.#parts;
    const isReset = showing === 'reset';
    if (!isReset && this.#missed !== undefined && this.#hasAllFrom(this.#missed)) {
      return this.#replay(sink, this.#missed);
    }
    this.#missed = undefined;
    return sink.send(streams.snapshot(topic, { id: isReset ? '' : id, reset: isReset }));
  }

  leave(): void {
    this.#parts.streams.leave(this.#parts.topic);
  }

  /**
   * What was missed may be forgotten while the client reads the beginning of it; and what brings
   * another epoch is no delta, so that the ring does not know it.
   */
  #hasAllFrom(number: number): boolean {
    const { topic, resume } = this.#parts;
    if (topic.epoch !== resume?.epoch) return false;
    return number === topic.ring.next || topic.ring.frame(number) !== undefined;
  }

  #replay(sink: FrameSink, from: number): boolean {
    const { ring } = this.#parts.topic;
    for (let number = from; number < ring.next; number += 1) {
      this.#missed = number;
      if (sink.isBehind()) return false;
      const frame = ring.frame(number);
      if (frame === undefined || !sink.send(frame)) return false;
    }
    this.#missed = undefined;
    return true;
  }
}

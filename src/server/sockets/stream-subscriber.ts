import { LIMITS } from '../../config/limits.js';
import type { Timer } from '../../contract/timers.js';
import type { ResumableTopic, ResumableTopics, ResumePoint } from './stream-topic.js';
import type {
  FrameSink,
  SendOutcome,
  SnapshotCallbacks,
  SnapshotKind,
  Subscriber,
} from './subscription.js';

/** The dependencies of a subscriber. */
interface StreamSubscriberParts {
  readonly streams: ResumableTopics;
  /** The subscriber is already counted in the topic. */
  readonly topic: ResumableTopic;
  /** The JSON text of the request's id; empty for none. */
  readonly id: string;
  readonly resume: ResumePoint | undefined;
  /** The ring number of the delta after `resume`, if known. */
  readonly firstMissed?: number | undefined;
}

/** Sends the snapshot of a topic, or the deltas that a client has missed, to one client. */
export class StreamSubscriber implements Subscriber {
  /** Present when the topic has not started yet, or has not reached the client's position. */
  readonly attachCallbacks: ((callbacks: SnapshotCallbacks) => void) | undefined;
  readonly #parts: StreamSubscriberParts;
  #begin: () => void = () => undefined;
  /**
   * The number of the next missed delta to send; undefined to send a snapshot; null until it is
   * known.
   */
  #nextMissed: number | undefined | null;
  /** The time limit of the wait for a book that is older than the client's book. */
  #patience: Timer | undefined;
  #isPatient: boolean;

  constructor(parts: StreamSubscriberParts) {
    this.#parts = parts;
    const { topic, firstMissed } = parts;
    this.#nextMissed = firstMissed ?? null;
    this.#isPatient = topic.isUnmarked || this.#isBehind();
    if (!this.#isPatient) this.#findFirstMissed();
    else {
      this.attachCallbacks = ({ onReady }) => {
        this.#begin = onReady;
      };
    }
  }

  get key(): string {
    return this.#parts.topic.key;
  }

  get errorMembers(): object {
    return { topic: this.key };
  }

  sendSnapshot(sink: FrameSink, showing: SnapshotKind): SendOutcome {
    const { topic, id } = this.#parts;
    if (topic.isUnmarked) {
      topic.waiting.add(this.#begin);
      return 'later';
    }
    if (this.#isPatient && this.#isBehind()) {
      this.#waitForBook();
      return 'later';
    }
    this.#endWait();
    this.#findFirstMissed();
    const from = this.#nextMissed ?? undefined;
    const isReset = showing === 'reset';
    if (!isReset && from !== undefined && this.#hasAllFrom(from)) {
      return this.#replayMissed(sink, from);
    }
    this.#nextMissed = undefined;
    return sink.send(topic.renderSnapshot({ id: isReset ? '' : id, reset: isReset }));
  }

  leaveTopic(): void {
    const { streams, topic } = this.#parts;
    topic.waiting.delete(this.#begin);
    this.#endWait();
    streams.removeSubscriber(topic);
  }

  /**
   * Whether the client is ahead of the book. A client with a known next delta, as after a replay,
   * never waits, because no callback would end the wait.
   */
  #isBehind(): boolean {
    const { streams, topic, resume, firstMissed } = this.#parts;
    return firstMissed === undefined && resume !== undefined && streams.isBehind(topic, resume);
  }

  /** Called once, when the book has reached the client's position: finds the first missed delta. */
  #findFirstMissed(): void {
    const { topic, resume } = this.#parts;
    if (this.#nextMissed !== null) return;
    this.#nextMissed = resume === undefined ? undefined : topic.findFirstMissed(resume);
  }

  /**
   * Checks after each mark whether the book has reached the client's position. A client with an
   * impossible position gets a snapshot.
   */
  #waitForBook(): void {
    const { ahead, timers } = this.#parts.streams.publisher;
    ahead.add(this.#look);
    this.#patience ??= timers.after(LIMITS.resumeWaitMsMax, () => {
      this.#isPatient = false;
      this.#begin();
    });
  }

  readonly #look = (): void => {
    if (!this.#isBehind()) this.#begin();
  };

  #endWait(): void {
    if (this.#patience === undefined) return;
    this.#patience.cancel();
    this.#parts.streams.publisher.ahead.delete(this.#look);
  }

  /**
   * Whether all missed deltas are still in the ring, which may drop them while the client reads.
   * After a change of the epoch they are not: the first book of an epoch is not a delta.
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

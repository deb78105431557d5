/**
 * Publishes the frames of all topics: each is made once and published once for all subscribers of its topic.
 * A topic that has changed is published in its turn, then at most once an interval; the last change is never
 * lost, because a topic that is not ready is published when its time has come. Frames are made in slices, so
 * that no turn of the loop is held for long.
 *
 * This file does not know the content of a frame, nor who its subscribers are.
 */
import { LIMITS } from '../../config/limits.js';
import type { Timer, Timers } from '../../contract/timers.js';
import type { FanOutStats } from '../metrics/socket-metrics.js';
import type { Publish } from '../transport/client-socket.js';

/** A name under which all subscribers receive the same frames. */
export interface Topic {
  readonly key: string;
  subscribers: number;
  /** No frame is made before this time, which the topic sets with each frame. */
  readyAtMs: number;
  /** When the first unpublished change of the book occurred; null where frames follow no change of it. */
  changedAtMs: number | null;
  /** Whether the last frame failed. */
  broken: boolean;
  /** Makes the next frame: a view that is valid until the next one; null when nothing is to be published. */
  renderFrame(nowMs: number): Uint8Array | null;
}

/** A topic each frame of which is complete by itself. */
export interface WholeTopic extends Topic {
  /** Makes the first frame of a subscription. Throws when it cannot be made. */
  renderFirst(): Uint8Array;
  /** Removes a subscriber. */
  leave(): void;
}

/** The parts and settings of a publisher. */
export interface PublisherOptions {
  readonly publish: Publish;
  readonly timers: Timers;
  /** Called when a frame of a topic fails, once until the topic works again. */
  readonly onFault: (error: unknown, topic: string) => void;
  /** Called for every frame of a changed book with the time that the first change had waited. */
  readonly onPublished?: ((seconds: number) => void) | undefined;
  /** Time for the frames of one turn of the event loop; the limit of the service by default. */
  readonly sliceMs?: number | undefined;
}

/** Publishes the topics of one service. */
export class Publisher {
  readonly timers: Timers;
  readonly #options: PublisherOptions;
  readonly #sliceMs: number;
  /** In the order of changing. */
  readonly #due = new Set<Topic>();
  /** When the first of them is ready. */
  #nextMs = Number.POSITIVE_INFINITY;
  /** The next slice. */
  #timer: Timer | undefined;
  #timerAtMs = Number.POSITIVE_INFINITY;
  #isStopped = false;
  readonly #counts = { delivered: 0, deliveredBytes: 0, failed: 0 };

  constructor(options: PublisherOptions) {
    this.#options = options;
    this.timers = options.timers;
    this.#sliceMs = options.sliceMs ?? LIMITS.publishSliceMs;
  }

  /** Adds a topic to those that are published when they are ready. Returns false when it was added already. */
  addDue(topic: Topic): boolean {
    if (this.#due.has(topic)) return false;
    this.#due.add(topic);
    this.#nextMs = Math.min(this.#nextMs, topic.readyAtMs);
    return true;
  }

  removeTopic(topic: Topic): void {
    this.#due.delete(topic);
  }

  /** Publishes what is ready, as far as a slice goes, and plans the rest. */
  publishDue(): void {
    if (this.#isStopped) return;
    const startMs = this.timers.nowMs();
    this.#planSlice(startMs >= this.#nextMs ? this.#publishReady(startMs) : startMs);
  }

  /** Sends a frame to the subscribers of a topic. */
  sendFrame({ key, subscribers }: Pick<Topic, 'key' | 'subscribers'>, frame: Uint8Array): void {
    if (subscribers === 0) return;
    this.#options.publish(key, frame);
    this.#counts.delivered += subscribers;
    this.#counts.deliveredBytes += subscribers * frame.length;
  }

  /** Counts a frame that is not made. */
  countFailure(): void {
    this.#counts.failed += 1;
  }

  /** Counts a frame that could not be made, and reports the first of a row. */
  recordFailure(topic: Pick<Topic, 'key' | 'broken'>, error: unknown): void {
    this.countFailure();
    if (topic.broken) return;
    topic.broken = true;
    this.#options.onFault(error, topic.key);
  }

  readStats(): FanOutStats {
    return { ...this.#counts };
  }

  /** Publishes nothing more. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  /** Plans the next slice, unless one comes sooner. */
  #planSlice(nowMs: number): void {
    if (this.#nextMs >= this.#timerAtMs) return;
    this.#timerAtMs = this.#nextMs;
    this.#timer?.cancel();
    const run = (): void => {
      this.#timerAtMs = Number.POSITIVE_INFINITY;
      // A timer may come some microseconds early: topics are compared with the clock one by one.
      this.#planSlice(this.#publishReady(this.timers.nowMs()));
    };
    const waitMs = Math.ceil(this.#nextMs - nowMs);
    this.#timer = waitMs > 0 ? this.timers.after(waitMs, run) : this.timers.soon(run);
  }

  /** Publishes for one slice, first the topics that changed first. Returns the time at the end. */
  #publishReady(startMs: number): number {
    let nowMs = startMs;
    let nextMs = Number.POSITIVE_INFINITY;
    for (const topic of this.#due) {
      if (topic.readyAtMs > nowMs) {
        nextMs = Math.min(nextMs, topic.readyAtMs);
        continue;
      }
      if (nowMs - startMs > this.#sliceMs) {
        nextMs = nowMs;
        break;
      }
      this.#due.delete(topic);
      this.#publishTopic(topic, nowMs);
      nowMs = this.timers.nowMs();
    }
    this.#nextMs = nextMs;
    return nowMs;
  }

  #publishTopic(topic: Topic, nowMs: number): void {
    let frame: Uint8Array | null;
    try {
      frame = topic.renderFrame(nowMs);
      topic.broken = false;
    } catch (error) {
      this.recordFailure(topic, error);
      return;
    }
    if (frame === null) return;
    this.sendFrame(topic, frame);
    if (topic.changedAtMs === null) return;
    this.#options.onPublished?.((this.timers.nowMs() - topic.changedAtMs) / 1_000);
  }
}

/**
 * Publishes the frames of all topics: each frame is rendered once and published once for all
 * subscribers of its topic. A changed topic is published in its turn, and at most once an interval.
 * The last change is never lost: a topic whose interval has not passed is published when it has.
 *
 * Frames are rendered in slices, so that no turn of the event loop is blocked for long. The frames
 * of a mark come first, so that the transport packs them together for a client with many topics.
 * They show the book of their turn, so the book does not change until they are rendered.
 *
 * This file does not know the content of a frame, nor its subscribers.
 */
import { LIMITS } from '../../config/limits.js';
import type { MarkPublisher } from '../../contract/publish-mark.js';
import type { Timer, Timers } from '../../contract/timers.js';
import type { PublisherStats } from '../metrics/socket-metrics.js';
import type { Publish } from '../transport/client-socket.js';

/** A named stream of frames, with the same frames for all its subscribers. */
export interface Topic {
  readonly key: string;
  subscribers: number;
  /** The earliest time of the next frame; each frame sets it. */
  readyAtMs: number;
  /** The time of the first unpublished change of the book; null when frames do not depend on changes. */
  changedAtMs: number | null;
  /** Whether the last frame failed. */
  broken: boolean;
  /**
   * Renders the next frame, a view that is valid until the next frame; null when there is no change
   * to publish.
   */
  renderFrame(nowMs: number): Uint8Array | null;
}

/** A topic whose frames are complete: each frame replaces the previous frame. */
export interface WholeTopic extends Topic {
  /** Renders the first frame of a subscription. Throws when rendering fails. */
  renderFirst(): Uint8Array;
  /** Removes a subscriber. */
  leave(): void;
}

/** The parts and settings of a publisher. */
export interface PublisherOptions {
  readonly publish: Publish;
  readonly timers: Timers;
  /** Called when a frame of a topic fails; not called again until a frame of the topic succeeds. */
  readonly onFault: (error: unknown, topic: string) => void;
  /**
   * Called for each frame after a change of the book, with the age of the first change in seconds.
   */
  readonly onPublished?: ((seconds: number) => void) | undefined;
  /** Time budget for frames in one turn of the event loop; by default the service's limit. */
  readonly sliceMs?: number | undefined;
}

/** Publishes the topics of one service. */
export class Publisher implements MarkPublisher {
  readonly timers: Timers;
  readonly #options: PublisherOptions;
  readonly #sliceMs: number;
  /** Callbacks of readers that are ahead of this book; called after each mark. */
  readonly ahead = new Set<() => void>();
  /** The topics of the last mark whose frames are not rendered yet. */
  readonly #marked = new Set<Topic>();
  /** Whether frames of the last mark are missing, so that the book must not change yet. */
  #isMarkOpen = false;
  /** The callbacks that wait for the end of the mark, in order. */
  readonly #waiting: (() => void)[] = [];
  /** Resumes the next waiter. */
  #resumption: Timer | undefined;
  /** Changed topics, in the order of their changes. */
  readonly #due = new Set<Topic>();
  /** The time at which the first of the changed topics may be published. */
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

  /** Adds a changed topic. Returns false when the topic was already added. */
  addDue(topic: Topic): boolean {
    if (this.#due.has(topic)) return false;
    this.#due.add(topic);
    this.#nextMs = Math.min(this.#nextMs, topic.readyAtMs);
    return true;
  }

  /** Adds a topic to the mark: its frame shows this turn's book. */
  addMarked(topic: Topic): void {
    this.#marked.add(topic);
  }

  /** Whether the topic's frame of the last mark is not yet rendered. */
  isMarked(topic: Topic): boolean {
    return this.#marked.has(topic);
  }

  removeTopic(topic: Topic): void {
    this.#marked.delete(topic);
    this.#due.delete(topic);
  }

  /** Publishes the topics of a turn. Frames that do not fit the slice are rendered before the book changes. */
  publishTurn(): void {
    if (this.#isStopped) return;
    const startMs = this.timers.nowMs();
    this.#isMarkOpen = !this.#publishMarked(startMs);
    if (!this.#isMarkOpen) this.#endMark();
    this.#publishRest(startMs);
  }

  /** Publishes the topics whose interval has passed, for one slice, and schedules the rest. */
  publishDue(): void {
    if (!this.#isStopped) this.#publishRest(this.timers.nowMs());
  }

  get isPublishing(): boolean {
    return this.#isMarkOpen;
  }

  finishMark(): void {
    // A resumed callback may end another turn, which queues the frames of another mark.
    while (this.#isMarkOpen) {
      for (const topic of this.#marked) this.#publishMarkedTopic(topic);
      this.#endMark();
    }
  }

  /** Publishes a topic now if its frame of the last mark is not yet rendered. */
  finishTopic(topic: Topic): void {
    if (this.#marked.has(topic)) this.#publishMarkedTopic(topic);
  }

  onceFinished(resume: () => void): void {
    if (this.#waiting.length === 0 && !this.#isMarkOpen) resume();
    else this.#waiting.push(resume);
  }

  /** Sends a frame to the subscribers of a topic. */
  sendFrame({ key, subscribers }: Pick<Topic, 'key' | 'subscribers'>, frame: Uint8Array): void {
    if (subscribers === 0) return;
    this.#options.publish(key, frame);
    this.#counts.delivered += subscribers;
    this.#counts.deliveredBytes += subscribers * frame.length;
  }

  /** Counts a failed frame. */
  countFailure(): void {
    this.#counts.failed += 1;
  }

  /** Counts a failed frame; reports only the first of consecutive failures of a topic. */
  recordFailure(topic: Pick<Topic, 'key' | 'broken'>, error: unknown): void {
    this.countFailure();
    if (topic.broken) return;
    topic.broken = true;
    this.#options.onFault(error, topic.key);
  }

  readStats(): PublisherStats {
    return { ...this.#counts };
  }

  /** Stops publishing. */
  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
    this.#marked.clear();
    this.#endMark();
  }

  /**
   * Uses the rest of a slice for topics whose interval has passed, and schedules the next slice
   * unless an earlier one is scheduled.
   */
  #publishRest(startMs: number): void {
    const nowMs = this.timers.nowMs();
    const endMs = nowMs < this.#nextMs ? nowMs : this.#publishReady(startMs, nowMs);
    const nextMs = this.#isMarkOpen ? endMs : this.#nextMs;
    if (nextMs >= this.#timerAtMs) return;
    this.#timerAtMs = nextMs;
    this.#timer?.cancel();
    const waitMs = Math.ceil(nextMs - endMs);
    const run = (): void => this.#runSlice();
    this.#timer = waitMs > 0 ? this.timers.after(waitMs, run) : this.timers.soon(run);
  }

  /**
   * Publishes for one slice. A mark ends in a turn of the loop that renders none of its frames,
   * because the callback that is resumed there renders frames as well.
   */
  #runSlice(): void {
    this.#timerAtMs = Number.POSITIVE_INFINITY;
    const startMs = this.timers.nowMs();
    if (this.#marked.size > 0) this.#publishMarked(startMs);
    else if (this.#isMarkOpen) this.#endMark();
    this.#publishRest(startMs);
  }

  /** Renders frames of the last mark; returns true when all are rendered. */
  #publishMarked(startMs: number): boolean {
    let nowMs = startMs;
    for (const topic of this.#marked) {
      if (nowMs - startMs > this.#sliceMs) return false;
      this.#publishMarkedTopic(topic, nowMs);
      nowMs = this.timers.nowMs();
    }
    return true;
  }

  #publishMarkedTopic(topic: Topic, nowMs = this.timers.nowMs()): void {
    this.#marked.delete(topic);
    this.#publishTopic(topic, nowMs);
  }

  #endMark(): void {
    this.#isMarkOpen = false;
    for (const look of [...this.ahead]) look();
    this.#resumeNext();
  }

  /** Resumes one waiting callback in each turn of the loop, because each may render frames. */
  #resumeNext(): void {
    const resume = this.#resumption === undefined ? this.#waiting.shift() : undefined;
    if (resume === undefined) return;
    if (this.#waiting.length > 0) {
      this.#resumption = this.timers.soon(() => {
        this.#resumption = undefined;
        if (!this.#isMarkOpen) this.#resumeNext();
      });
    }
    resume();
  }

  /**
   * Publishes changed topics whose interval has passed, in the order of their changes. Returns the
   * time at the end.
   */
  #publishReady(startMs: number, fromMs: number): number {
    let nowMs = fromMs;
    let nextMs = Number.POSITIVE_INFINITY;
    for (const topic of this.#due) {
      // A timer may come some microseconds early.
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

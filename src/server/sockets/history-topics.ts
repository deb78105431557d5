/**
 * Publishes live candles and trades: each message of the history is published once for all
 * subscribers of its topic. A new subscriber first receives a snapshot, which the history makes on
 * request.
 *
 * This file does not know the content of a message, nor its subscribers.
 */
import { LIMITS } from '../../config/limits.js';
import type { MarketFrame, MarketStreamSource } from '../../contract/history-source.js';
import type { Timer } from '../../contract/timers.js';
import { SocketError } from '../transport/errors.js';
import type { Publisher, Topic } from './publisher.js';
import { userKeyOf } from './user-topic.js';
import type { UserTopics } from './user-topics.js';

/** A subscriber that waits for the snapshot of its topic. */
export interface PendingSubscriber {
  /**
   * Receives the snapshot; a subscriber that joins the topic during this call misses no message.
   */
  onSnapshot(message: string): void;
  onRefused(error: SocketError): void;
}

/** A topic while it has subscribers. */
export class HistoryTopic {
  subscribers = 0;
  readonly pendingSubscribers = new Set<PendingSubscriber>();
  /** Whether the history has sent a snapshot. */
  isOpen = false;
  /** Whether messages were dropped, so that all subscribers need the next snapshot. */
  hasGap = false;
  /** The deadline of the history for a requested snapshot. */
  snapshotTimeout: Timer | undefined;

  constructor(readonly key: string) {}
}

/**
 * The topics of candles and trades; messages are published in the order in which the history sends
 * them.
 */
export class HistoryTopics {
  readonly #source: MarketStreamSource;
  readonly #publisher: Publisher;
  readonly #topics = new Map<string, HistoryTopic>();
  readonly #queue: FrameQueue;

  constructor(
    source: MarketStreamSource,
    publisher: Publisher,
    users?: Pick<UserTopics, 'noteTrade'>,
  ) {
    this.#source = source;
    this.#publisher = publisher;
    this.#queue = new FrameQueue(publisher, (frame) => this.#handleFrame(frame));
    source.onFrames((frames) => {
      const [own, ofUsers] = [frames.filter((frame) => !isOfUser(frame)), frames.filter(isOfUser)];
      for (const { topic, message } of ofUsers) users?.noteTrade(topic, message);
      if (own.length > 0 && !this.#queue.addFrames(own)) this.#resetTopics();
    });
  }

  /** Throws NOT_READY when the service has no history. */
  requireHistory(): void {
    if (this.#source.readStats().state !== 'off') return;
    throw new SocketError('NOT_READY', 'there are no candles and trades: the history is off');
  }

  /** Adds a subscriber, which then calls {@link HistoryTopics.requestSnapshot}. */
  addSubscriber(key: string): HistoryTopic {
    const topic = this.#topics.get(key) ?? new HistoryTopic(key);
    this.#topics.set(key, topic);
    topic.subscribers += 1;
    return topic;
  }

  /** Removes a subscriber; removes the topic with its last subscriber. */
  removeSubscriber(topic: HistoryTopic): void {
    topic.subscribers -= 1;
    if (topic.subscribers > 0) return;
    topic.snapshotTimeout?.cancel();
    this.#topics.delete(topic.key);
    this.#source.leave(topic.key);
  }

  /** Requests a snapshot of a topic for one subscriber. */
  requestSnapshot(topic: HistoryTopic, subscriber: PendingSubscriber): void {
    topic.pendingSubscribers.add(subscriber);
    if (topic.snapshotTimeout !== undefined) return;
    this.#armTimeout(topic);
    this.#source.join(topic.key);
  }

  /** Waits for no snapshot any more. */
  stop(): void {
    for (const { snapshotTimeout } of this.#topics.values()) snapshotTimeout?.cancel();
  }

  /** Handles dropped messages: requests a snapshot of every topic for all its subscribers. */
  #resetTopics(): void {
    for (const topic of this.#topics.values()) {
      topic.hasGap = true;
      this.#source.join(topic.key);
    }
  }

  #handleFrame(frame: MarketFrame): void {
    const topic = this.#topics.get(frame.topic);
    if (topic === undefined) return;
    if (frame.kind === 'refused') this.#refusePending(topic, frame.reason);
    else if (frame.kind === 'update') this.#publishMessage(topic, frame.message);
    else this.#sendSnapshot(topic, frame.message, frame.kind);
  }

  /**
   * Sends a snapshot. Current subscribers receive it only when messages may be missing; pending
   * subscribers always receive it.
   */
  #sendSnapshot(topic: HistoryTopic, message: string, kind: 'reset' | 'snapshot'): void {
    if ((kind === 'reset' && topic.isOpen) || topic.hasGap) this.#publishMessage(topic, message);
    topic.isOpen = true;
    topic.hasGap = false;
    for (const subscriber of this.#takePending(topic)) subscriber.onSnapshot(message);
  }

  /**
   * Starts the deadline of a snapshot; a history that is still opening or restarting sends a
   * snapshot of every topic when it is open.
   */
  #armTimeout(topic: HistoryTopic): void {
    const { marketShowMsMax } = LIMITS;
    topic.snapshotTimeout = this.#publisher.timers.after(marketShowMsMax, () => {
      const { state } = this.#source.readStats();
      if (state === 'starting' || state === 'failing') this.#armTimeout(topic);
      else this.#refusePending(topic, `the history did not answer within ${marketShowMsMax} ms`);
    });
  }

  #refusePending(topic: HistoryTopic, reason: string): void {
    this.#publisher.countFailure();
    const error = new SocketError('NOT_READY', reason);
    for (const subscriber of this.#takePending(topic)) subscriber.onRefused(error);
  }

  #takePending(topic: HistoryTopic): readonly PendingSubscriber[] {
    topic.snapshotTimeout?.cancel();
    topic.snapshotTimeout = undefined;
    const pending = [...topic.pendingSubscribers];
    topic.pendingSubscribers.clear();
    return pending;
  }

  #publishMessage(topic: HistoryTopic, message: string): void {
    const subscribers = topic.subscribers - topic.pendingSubscribers.size;
    if (message === '' || subscribers === 0) return;
    this.#publisher.sendFrame({ key: topic.key, subscribers }, Buffer.from(message));
  }
}

/** The waiting messages of all topics, which the publisher treats as one topic. */
class FrameQueue implements Topic {
  readonly key = 'candles and trades';
  readonly changedAtMs = null;
  readonly readyAtMs = 0;
  readonly subscribers = 0;
  broken = false;
  readonly #publisher: Publisher;
  readonly #handleFrame: (frame: MarketFrame) => void;
  #waiting: MarketFrame[] = [];
  /** How many of them were handled. */
  #handled = 0;
  #isHandling = false;

  constructor(publisher: Publisher, handleFrame: (frame: MarketFrame) => void) {
    this.#publisher = publisher;
    this.#handleFrame = handleFrame;
  }

  /** Adds messages. When too many wait, drops all waiting messages and returns false. */
  addFrames(frames: readonly MarketFrame[]): boolean {
    const count = this.#waiting.length - this.#handled + frames.length;
    if (count > LIMITS.marketFramesMax) {
      this.#clear();
      return false;
    }
    for (const frame of frames) this.#waiting.push(frame);
    // Handling a message may add more.
    if (this.#publisher.addDue(this) && !this.#isHandling) this.#publisher.publishDue();
    return true;
  }

  renderFrame(): null {
    const frame = this.#waiting[this.#handled];
    if (frame === undefined) return null;
    this.#handled += 1;
    if (this.#handled < this.#waiting.length) this.#publisher.addDue(this);
    else this.#clear();
    this.#isHandling = true;
    try {
      this.#handleFrame(frame);
    } finally {
      this.#isHandling = false;
    }
    return null;
  }

  #clear(): void {
    this.#waiting = [];
    this.#handled = 0;
  }
}

type UpdateFrame = Exclude<MarketFrame, { readonly kind: 'refused' }>;

const isOfUser = (frame: MarketFrame): frame is UpdateFrame =>
  frame.kind !== 'refused' && frame.topic.startsWith(userKeyOf(''));

/**
 * Publishes live candles and trades: messages of the history, each published once for all subscribers of
 * its topic. A new subscriber first receives a snapshot, which is requested from the history.
 *
 * This file does not know the content of a message, nor who its subscribers are.
 */
import { LIMITS } from '../../config/limits.js';
import type {
  MarketFrame,
  MarketMessage,
  MarketStreamSource,
} from '../../contract/history-source.js';
import type { Timer, Timers } from '../../contract/timers.js';
import type { FanOutStats } from '../metrics/socket-metrics.js';
import type { Publish } from '../transport/client-socket.js';
import { SocketError } from '../transport/errors.js';

/** The parts and settings. */
export interface MarketFanOutOptions {
  readonly source: MarketStreamSource;
  readonly publish: Publish;
  readonly timers: Timers;
  /** What the messages of one turn of the loop may take; the limit of the service by default. */
  readonly sliceMs?: number;
  /** Messages that may wait; the limit of the service by default. */
  readonly waitingMax?: number;
}

/** A subscriber that waits for the snapshot of its topic. */
export interface PendingSubscriber {
  /** The snapshot; a subscriber that joins the topic during this call misses nothing. */
  onSnapshot(message: MarketMessage): void;
  onRefused(error: SocketError): void;
}

/** A topic while it has subscribers. */
export interface MarketTopic {
  readonly key: string;
  subscribers: number;
  readonly pendingSubscribers: Set<PendingSubscriber>;
  /** Whether the history has sent a snapshot. */
  isOpen: boolean;
  /** Messages were dropped: all subscribers need the next snapshot. */
  hasGap: boolean;
  /** Runs while a snapshot is requested, until the history must have sent it. */
  snapshotTimeout: Timer | undefined;
}

/** The topics of candles and trades. */
export class MarketFanOut {
  readonly #options: MarketFanOutOptions;
  readonly #topics = new Map<string, MarketTopic>();
  readonly #counts = { published: 0, delivered: 0, deliveredBytes: 0, failed: 0 };
  #waiting: MarketFrame[] = [];
  #turn: Timer | undefined;
  #isDraining = false;
  #isStopped = false;

  constructor(options: MarketFanOutOptions) {
    this.#options = options;
    options.source.onFrames((frames) => this.#enqueueFrames(frames));
  }

  /** Throws NOT_READY where there is no history to follow. */
  requireHistory(): void {
    if (this.#options.source.readStats().state !== 'off') return;
    throw new SocketError('NOT_READY', 'there are no candles and trades: the history is off');
  }

  /** Adds a subscriber, which then calls {@link MarketFanOut.requestSnapshot}. */
  addSubscriber(key: string): MarketTopic {
    const topic = this.#topics.get(key) ?? newTopic(key);
    this.#topics.set(key, topic);
    topic.subscribers += 1;
    return topic;
  }

  /** Removes a subscriber, and the topic with the last one. */
  removeSubscriber(topic: MarketTopic): void {
    topic.subscribers -= 1;
    if (topic.subscribers > 0) return;
    topic.snapshotTimeout?.cancel();
    this.#topics.delete(topic.key);
    this.#options.source.leave(topic.key);
  }

  /** Requests a snapshot of a topic for one subscriber. */
  requestSnapshot(topic: MarketTopic, subscriber: PendingSubscriber): void {
    topic.pendingSubscribers.add(subscriber);
    if (topic.snapshotTimeout !== undefined) return;
    this.#armTimeout(topic);
    this.#options.source.join(topic.key);
  }

  readStats(): FanOutStats {
    return { ...this.#counts };
  }

  /** Publishes nothing more. */
  stop(): void {
    this.#isStopped = true;
    this.#turn?.cancel();
    for (const { snapshotTimeout } of this.#topics.values()) snapshotTimeout?.cancel();
    this.#waiting = [];
  }

  #enqueueFrames(frames: readonly MarketFrame[]): void {
    if (this.#isStopped) return;
    const { waitingMax = LIMITS.marketFramesMax } = this.#options;
    if (this.#waiting.length + frames.length > waitingMax) this.#resetTopics();
    else for (const frame of frames) this.#waiting.push(frame);
    if (this.#turn === undefined && !this.#isDraining) this.#drainQueue();
  }

  /** Drops everything that waits, and requests a snapshot of every topic for all its subscribers. */
  #resetTopics(): void {
    this.#waiting = [];
    for (const topic of this.#topics.values()) {
      topic.hasGap = true;
      this.#options.source.join(topic.key);
    }
  }

  #drainQueue(): void {
    this.#turn = undefined;
    const { timers, sliceMs = LIMITS.marketSliceMs } = this.#options;
    const endMs = timers.nowMs() + sliceMs;
    const frames = this.#waiting;
    let done = 0;
    // Handling a frame may enqueue more.
    this.#isDraining = true;
    for (const frame of frames) {
      this.#handleFrame(frame);
      done += 1;
      if (timers.nowMs() >= endMs) break;
    }
    this.#isDraining = false;
    frames.splice(0, done);
    if (this.#waiting.length > 0) this.#turn = timers.soon(() => this.#drainQueue());
  }

  #handleFrame(frame: MarketFrame): void {
    const topic = this.#topics.get(frame.topic);
    if (topic === undefined) return;
    if (frame.kind === 'refused') this.#refusePending(topic, frame.reason);
    else if (frame.kind === 'update') this.#publishMessage(topic, frame.message);
    else this.#sendSnapshot(topic, frame.message, frame.kind);
  }

  /** Current subscribers receive it only when something may be missing; pending ones always do. */
  #sendSnapshot(topic: MarketTopic, message: MarketMessage, kind: 'reset' | 'snapshot'): void {
    if ((kind === 'reset' && topic.isOpen) || topic.hasGap) this.#publishMessage(topic, message);
    topic.isOpen = true;
    topic.hasGap = false;
    for (const subscriber of this.#takePending(topic)) subscriber.onSnapshot(message);
  }

  /** A history that is not open yet, or starts again, shows every topic when it is. */
  #armTimeout(topic: MarketTopic): void {
    const { marketShowMsMax } = LIMITS;
    topic.snapshotTimeout = this.#options.timers.after(marketShowMsMax, () => {
      const { state } = this.#options.source.readStats();
      if (state === 'starting' || state === 'failing') this.#armTimeout(topic);
      else this.#refusePending(topic, `the history did not answer within ${marketShowMsMax} ms`);
    });
  }

  #refusePending(topic: MarketTopic, reason: string): void {
    this.#counts.failed += 1;
    const error = new SocketError('NOT_READY', reason);
    for (const subscriber of this.#takePending(topic)) subscriber.onRefused(error);
  }

  #takePending(topic: MarketTopic): readonly PendingSubscriber[] {
    topic.snapshotTimeout?.cancel();
    topic.snapshotTimeout = undefined;
    const pending = [...topic.pendingSubscribers];
    topic.pendingSubscribers.clear();
    return pending;
  }

  #publishMessage(topic: MarketTopic, message: MarketMessage): void {
    const readers = topic.subscribers - topic.pendingSubscribers.size;
    if (message === '' || readers === 0) return;
    const bytes = bytesOf(message);
    this.#options.publish(topic.key, bytes);
    this.#counts.published += 1;
    this.#counts.delivered += readers;
    this.#counts.deliveredBytes += readers * bytes.length;
  }
}

/** What is sent of a message. */
export function bytesOf(message: MarketMessage): Uint8Array {
  return typeof message === 'string' ? Buffer.from(message) : message;
}

function newTopic(key: string): MarketTopic {
  return {
    ...{ key, subscribers: 0, pendingSubscribers: new Set() },
    ...{ isOpen: false, hasGap: false, snapshotTimeout: undefined },
  };
}

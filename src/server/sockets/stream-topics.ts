/**
 * The open topics of the streaming channels: topics with subscribers, and idle topics whose last
 * subscriber left recently and may resume. Marks decide which topics are published, so that all
 * processes with the same marks send the same frames. A topic without changes sends heartbeats.
 *
 * This file does not know the content of frames or the time between marks.
 */
import { LIMITS } from '../../config/limits.js';
import type { BookSource, MarketDirectory } from '../../contract/book-source.js';
import type { MarketChanges } from '../../contract/feed-engine.js';
import type { MarketInfo } from '../../contract/markets.js';
import type { EndedTurn, MarketMark } from '../../contract/publish-mark.js';
import type { Timer } from '../../contract/timers.js';
import { repeatCall } from '../transport/repeated-call.js';
import type { Publisher } from './publisher.js';
import { RingMemory } from './stream-ring.js';
import { type ResumePoint, type StreamRequest, StreamTopic } from './stream-topic.js';
import { UnmarkedChanges } from './unmarked-changes.js';

/** The parts and settings of the streaming channels. */
interface StreamTopicsOptions {
  readonly book: BookSource;
  readonly directory: MarketDirectory;
  readonly publisher: Publisher;
  /** Maximum number of topics. At the maximum, a new topic replaces an idle one. */
  readonly topicsMax: number;
}

/** Returns whether the market is served under the name in the topic's key. */
export function isServed(
  { key, spec }: StreamRequest,
  { book, directory }: Pick<StreamTopicsOptions, 'book' | 'directory'>,
): boolean {
  const isListed = directory.markets().some(({ id }) => id === spec.market);
  return isListed && book.topicName(spec) === key;
}

/** The open topics by name and by market. */
export class StreamTopics {
  readonly publisher: Publisher;
  readonly #options: StreamTopicsOptions;
  readonly #memory = new RingMemory();
  readonly #unmarked = new UnmarkedChanges();
  readonly #topics = new Map<string, StreamTopic>();
  readonly #byMarket = new Map<number, Set<StreamTopic>>();
  /** Topics without subscribers, in the order in which they became idle. */
  readonly #idle = new Set<StreamTopic>();
  #rows: readonly MarketInfo[] = [];
  #receivedAtMs = 0;
  #housekeeping: Timer | undefined;

  constructor(options: StreamTopicsOptions) {
    this.#options = options;
    this.publisher = options.publisher;
  }

  /** Starts the timer for heartbeats and for dropping idle topics and old deltas. */
  start(): void {
    const { timers } = this.publisher;
    this.#housekeeping = repeatCall(timers, LIMITS.streamWatchMs, () =>
      this.#runHousekeeping(timers.nowMs()),
    );
  }

  stop(): void {
    this.#housekeeping?.cancel();
  }

  /** Memory of the deltas for reconnecting readers. */
  get ringBytes(): number {
    return this.#memory.bytes;
  }

  /** Adds a subscriber. A new topic starts with the book of the last mark, or at the next mark. */
  addSubscriber(request: StreamRequest): StreamTopic {
    const topic = this.#topics.get(request.key) ?? this.#openTopic(request);
    topic.subscribers += 1;
    this.#idle.delete(topic);
    return topic;
  }

  /** Removes a subscriber. The topic stays open for some time. */
  removeSubscriber(topic: StreamTopic): void {
    topic.subscribers -= 1;
    if (topic.subscribers > 0 || this.#topics.get(topic.key) !== topic) return;
    topic.idleSinceMs = this.publisher.timers.nowMs();
    this.#idle.add(topic);
  }

  /** Returns whether a reader is ahead of this book, as after moving to a slower edge. */
  isBehind(topic: StreamTopic, point: ResumePoint): boolean {
    const { epoch, seq, spec } = topic;
    if (point.epoch !== epoch || point.seq <= seq) return false;
    if (this.publisher.isMarked(topic)) return true;
    if (this.#options.book.version(spec.market).seq < point.seq) return true;
    return this.#findUnmarked(topic) !== undefined;
  }

  /**
   * Adds the topics of a turn's mark to the publisher, which renders their frames before the book
   * changes.
   */
  addTurn({ changes, mark, receivedAtMs }: EndedTurn<MarketChanges>): void {
    this.#receivedAtMs = receivedAtMs;
    this.#unmarked.addTurn(changes, { nowMs: this.publisher.timers.nowMs(), receivedAtMs });
    if (this.#topics.size > 0) this.#closeUnserved();
    for (const marked of mark) this.#addMarked(marked);
  }

  /** Closes all topics. They must have no subscribers. */
  forgetTopics(): void {
    this.#closeIdle(Number.POSITIVE_INFINITY);
  }

  #addMarked({ market, classes }: MarketMark): void {
    for (const topic of this.#byMarket.get(market) ?? []) {
      if ((classes & (1 << topic.classIndex)) === 0) continue;
      const change = this.#findUnmarked(topic);
      if (change === undefined) continue;
      topic.changedAtMs = change.changedAtMs;
      topic.receivedAtMs = change.receivedAtMs;
      this.publisher.addMarked(topic);
    }
    this.#unmarked.clear(market, classes);
  }

  /** The unpublished changes that a topic shows. */
  #findUnmarked({ spec, classIndex, leastChange }: StreamTopic) {
    const change = this.#unmarked.find(spec.market, classIndex);
    return change !== undefined && change.kind >= leastChange ? change : undefined;
  }

  #openTopic(request: StreamRequest): StreamTopic {
    const { book, topicsMax } = this.#options;
    const { timers } = this.publisher;
    const [oldest] = this.#idle;
    if (this.#topics.size >= topicsMax && oldest !== undefined) this.#closeTopic(oldest);
    const isKnown = request.spec.timing === true && this.#receivedAtMs > 0;
    const recvNs = isKnown ? timers.unixNs(this.#receivedAtMs) : 0n;
    const topic = new StreamTopic(request, { book, timers, memory: this.#memory, recvNs });
    topic.isUnmarked = this.#findUnmarked(topic) !== undefined;
    this.#topics.set(request.key, topic);
    const { market } = request.spec;
    this.#byMarket.set(market, (this.#byMarket.get(market) ?? new Set()).add(topic));
    return topic;
  }

  /**
   * Closes topics whose market was removed or renamed since the last call, which have no subscribers
   * now: another market may take the name, and its topics would have the same key.
   */
  #closeUnserved(): void {
    const rows = this.#options.directory.markets();
    if (rows === this.#rows) return;
    this.#rows = rows;
    for (const topic of [...this.#topics.values()]) {
      if (!isServed(topic, this.#options)) this.#closeTopic(topic);
    }
  }

  #closeIdle(beforeMs: number): void {
    for (const topic of this.#idle) {
      if (topic.idleSinceMs >= beforeMs) break;
      this.#closeTopic(topic);
    }
  }

  #closeTopic(topic: StreamTopic): void {
    if (this.#topics.get(topic.key) !== topic) return;
    this.#topics.delete(topic.key);
    this.#idle.delete(topic);
    const { market } = topic.spec;
    const ofMarket = this.#byMarket.get(market);
    ofMarket?.delete(topic);
    if (ofMarket?.size === 0) this.#byMarket.delete(market);
    this.publisher.removeTopic(topic);
    topic.close();
  }

  /**
   * Drops idle topics and old deltas, and sends a heartbeat on each topic that sent nothing for a
   * second.
   */
  #runHousekeeping(startMs: number): void {
    this.#closeIdle(startMs - LIMITS.ringMsMax);
    this.#memory.expireChunks(startMs - LIMITS.ringMsMax);
    for (const topic of this.#topics.values()) {
      // No heartbeat is sent on a failing topic, because it would wrongly tell subscribers that
      // they are up to date.
      if (topic.subscribers === 0 || topic.broken || topic.isUnmarked) continue;
      if (topic.framedAtMs + LIMITS.streamHeartbeatMs > startMs) continue;
      try {
        this.publisher.sendFrame(topic, topic.renderHeartbeat(startMs));
      } catch (error) {
        this.publisher.recordFailure(topic, error);
      }
      if (this.publisher.timers.nowMs() - startMs > LIMITS.publishSliceMs) return;
    }
  }
}

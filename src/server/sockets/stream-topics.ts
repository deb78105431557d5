/**
 * The streaming topics that are open in the book: those with readers, and those whose last reader has
 * left a moment ago and may come back to resume.
 */
import { LIMITS } from '../../config/limits.js';
import type { BookSource } from '../../contract/book-source.js';
import type { MarketInfo } from '../../contract/markets.js';
import type { TopicSpec } from '../../contract/topics.js';
import type { StreamRequest } from './stream-dialect.js';
import { Ring, type RingMemory } from './stream-ring.js';
import type { Throttled } from './throttle.js';

/** An open topic. */
export interface StreamTopic extends Throttled {
  /** Its name, which its frames repeat. */
  readonly key: string;
  readonly spec: TopicSpec;
  /** The topic in the book. */
  readonly handle: number;
  readonly ring: Ring;
  /** The epoch of its last publication. */
  epoch: string;
  subscribers: number;
  /** When the first notification came in of what was not published; as {@link Throttled}. */
  receivedAtMs: number;
  /** When its readers were sent a frame last. */
  framedAtMs: number;
  /** Since when it has no reader. */
  idleSinceMs: number;
  /** Its last frame could not be made. */
  broken: boolean;
}

/** The open topics by name and by market. */
export class StreamTopics {
  readonly #topics = new Map<string, StreamTopic>();
  readonly #byMarket = new Map<number, Set<StreamTopic>>();
  /** Those without a reader, in the order in which the last one left. */
  readonly #idle = new Set<StreamTopic>();
  #rows: readonly MarketInfo[] = [];

  constructor(
    private readonly book: BookSource,
    private readonly memory: RingMemory,
    /** Told of every topic that is closed, for whatever reason. */
    private readonly onClosed: (topic: StreamTopic) => void,
  ) {}

  /** All of them, those without readers as well. */
  get size(): number {
    return this.#topics.size;
  }

  allTopics(): Iterable<StreamTopic> {
    return this.#topics.values();
  }

  ofMarket(id: number): Iterable<StreamTopic> {
    return this.#byMarket.get(id) ?? [];
  }

  /** Those of a market that show more than orders. */
  *quotedOf(id: number): Iterable<StreamTopic> {
    for (const topic of this.ofMarket(id)) {
      if (topic.spec.vamm === true || topic.spec.indicative === true) yield topic;
    }
  }

  /** Those of a market that show indicative quotes. */
  *indicativeOf(id: number): Iterable<StreamTopic> {
    for (const topic of this.ofMarket(id)) {
      if (topic.spec.indicative === true) yield topic;
    }
  }

  /** Adds a reader, to a topic that shows the book of now when it is new. */
  addSubscriber(request: StreamRequest, nowMs: number, recvNs: bigint): StreamTopic {
    const topic = this.#topics.get(request.key) ?? this.#openTopic(request, nowMs, recvNs);
    topic.subscribers += 1;
    this.#idle.delete(topic);
    return topic;
  }

  /** Takes a reader away. The topic stays open for a while. */
  removeSubscriber(topic: StreamTopic, nowMs: number): void {
    topic.subscribers -= 1;
    if (topic.subscribers > 0 || this.#topics.get(topic.key) !== topic) return;
    topic.idleSinceMs = nowMs;
    this.#idle.add(topic);
  }

  /** Closes those without a reader since before a time. */
  closeIdle(beforeMs: number): void {
    for (const topic of this.#idle) {
      if (topic.idleSinceMs >= beforeMs) break;
      this.closeTopic(topic);
    }
  }

  /**
   * The topics whose market is served no longer, or not by the name that the topic has of it, since the
   * last time that this was asked: another market may take that name, and its topics this one's.
   */
  findUnserved(): readonly StreamTopic[] {
    const rows = this.book.markets();
    if (rows === this.#rows) return [];
    this.#rows = rows;
    const names = new Map(rows.map(({ id, symbol }) => [id, symbol]));
    return [...this.#topics.values()].filter(({ key, spec }) => {
      const name = names.get(spec.market);
      if (name === undefined || this.book.findMarket(name)?.id !== spec.market) return true;
      return this.book.topicName(spec) !== key;
    });
  }

  closeTopic(topic: StreamTopic): void {
    if (this.#topics.get(topic.key) !== topic) return;
    this.#topics.delete(topic.key);
    this.#idle.delete(topic);
    const ofMarket = this.#byMarket.get(topic.spec.market);
    ofMarket?.delete(topic);
    if (ofMarket?.size === 0) this.#byMarket.delete(topic.spec.market);
    topic.ring.clear();
    this.onClosed(topic);
    this.book.closeTopic(topic.handle);
  }

  #openTopic({ key, spec }: StreamRequest, nowMs: number, recvNs: bigint): StreamTopic {
    const [oldest] = this.#idle;
    if (this.#topics.size >= LIMITS.topicsMax && oldest !== undefined) this.closeTopic(oldest);
    const handle = this.book.openTopic(spec, recvNs);
    const topic: StreamTopic = {
      ...{ key, spec, handle, ring: new Ring(this.memory), epoch: this.book.epoch },
      ...{ subscribers: 0, readyAtMs: 0, changedAtMs: 0, receivedAtMs: 0, framedAtMs: nowMs },
      ...{ idleSinceMs: 0, broken: false },
    };
    this.#topics.set(key, topic);
    const ofMarket = this.#byMarket.get(spec.market) ?? new Set();
    this.#byMarket.set(spec.market, ofMarket.add(topic));
    return topic;
  }
}

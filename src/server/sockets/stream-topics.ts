/**
 * The streaming topics that are open in the book: those with subscribers, and idle ones, whose last
 * subscriber left a short time ago and may come back to resume.
 */
import type { BookSource, MarketDirectory } from '../../contract/book-source.js';
import type { MarketInfo } from '../../contract/markets.js';
import type { TopicSpec } from '../../contract/topics.js';
import { Ring, type RingMemory } from './stream-ring.js';
import {
  type ChangeKind,
  classOf,
  leastChangeOf,
  type UnmarkedChanges,
} from './unmarked-changes.js';

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

/** An open topic. */
export interface StreamTopic {
  /** Its name, which its frames repeat. */
  readonly key: string;
  readonly spec: TopicSpec;
  /** The topic in the book. */
  readonly handle: number;
  readonly ring: Ring;
  /** The interval class whose marks it follows. */
  readonly classIndex: number;
  /** Changes of its market below this do not change it. */
  readonly leastChange: ChangeKind;
  /** The epoch of its last publication. */
  epoch: string;
  /** Its sequence number. */
  seq: number;
  subscribers: number;
  /**
   * It was opened after a change that no mark of its class has: it begins at the next one, as it would go
   * on from there in every other process.
   */
  isUnmarked: boolean;
  /** Called once it begins; one a subscriber that waits for that. */
  readonly waiting: Set<() => void>;
  /** When the first of the changes that are to be published occurred. */
  changedAtMs: number;
  /** When the first notification of them was received. */
  receivedAtMs: number;
  /** When the last frame was published. */
  framedAtMs: number;
  /** Since when it has had no subscriber. */
  idleSinceMs: number;
  /** Whether its last frame failed. */
  broken: boolean;
}

/** What a {@link StreamTopics} goes by. */
export interface StreamTopicsOptions {
  readonly book: BookSource;
  readonly directory: MarketDirectory;
  /** Beyond so many an idle topic makes room for a new one. */
  readonly topicsMax: number;
  readonly unmarked: UnmarkedChanges;
}

/** Whether its market is served, and by the name in the topic's key. */
export function isServed(
  { key, spec }: StreamRequest,
  { book, directory }: Pick<StreamTopicsOptions, 'book' | 'directory'>,
): boolean {
  const row = directory.markets().find(({ id }) => id === spec.market);
  if (row === undefined || directory.findMarket(row.symbol)?.id !== row.id) return false;
  return book.topicName(spec) === key;
}

/** The open topics by name and by market. */
export class StreamTopics {
  readonly #book: BookSource;
  readonly #directory: MarketDirectory;
  readonly #topicsMax: number;
  readonly #unmarked: UnmarkedChanges;
  readonly #memory: RingMemory;
  readonly #onClosed: (topic: StreamTopic) => void;
  readonly #topics = new Map<string, StreamTopic>();
  readonly #byMarket = new Map<number, Set<StreamTopic>>();
  /** Those without a subscriber, in the order in which the last one left. */
  readonly #idle = new Set<StreamTopic>();
  #rows: readonly MarketInfo[] = [];

  /** `onClosed` is called for every topic that closes, for whatever reason. */
  constructor(
    { book, directory, topicsMax, unmarked }: StreamTopicsOptions,
    memory: RingMemory,
    onClosed: (topic: StreamTopic) => void,
  ) {
    this.#book = book;
    this.#directory = directory;
    this.#topicsMax = topicsMax;
    this.#unmarked = unmarked;
    this.#memory = memory;
    this.#onClosed = onClosed;
  }

  /** The number of all of them, idle ones included. */
  get size(): number {
    return this.#topics.size;
  }

  allTopics(): Iterable<StreamTopic> {
    return this.#topics.values();
  }

  ofMarket(id: number): Iterable<StreamTopic> {
    return this.#byMarket.get(id) ?? [];
  }

  /** Adds a subscriber; a new topic begins with the book of the last mark, or at the next one. */
  addSubscriber(request: StreamRequest, nowMs: number, recvNs: bigint): StreamTopic {
    const topic = this.#topics.get(request.key) ?? this.#openTopic(request, nowMs, recvNs);
    topic.subscribers += 1;
    this.#idle.delete(topic);
    return topic;
  }

  /** Removes a subscriber. The topic stays open for a while. */
  removeSubscriber(topic: StreamTopic, nowMs: number): void {
    topic.subscribers -= 1;
    if (topic.subscribers > 0 || this.#topics.get(topic.key) !== topic) return;
    topic.idleSinceMs = nowMs;
    this.#idle.add(topic);
  }

  /** Closes those that became idle before a time. */
  closeIdle(beforeMs: number): void {
    for (const topic of this.#idle) {
      if (topic.idleSinceMs >= beforeMs) break;
      this.closeTopic(topic);
    }
  }

  /**
   * Finds the topics whose market is no longer served, or no longer by the name in the topic's key, since
   * the last call: another market may take that name, and its topics would have this key.
   */
  findUnserved(): readonly StreamTopic[] {
    const rows = this.#directory.markets();
    if (rows === this.#rows) return [];
    this.#rows = rows;
    const names = new Map(rows.map(({ id, symbol }) => [id, symbol]));
    return [...this.#topics.values()].filter(({ key, spec }) => {
      const name = names.get(spec.market);
      if (name === undefined || this.#directory.findMarket(name)?.id !== spec.market) return true;
      return this.#book.topicName(spec) !== key;
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
    this.#onClosed(topic);
    this.#book.closeTopic(topic.handle);
  }

  #openTopic({ key, spec }: StreamRequest, nowMs: number, recvNs: bigint): StreamTopic {
    const [oldest] = this.#idle;
    if (this.#topics.size >= this.#topicsMax && oldest !== undefined) this.closeTopic(oldest);
    const handle = this.#book.openTopic(spec, recvNs);
    const [classIndex, leastChange] = [classOf(spec), leastChangeOf(spec)];
    const change = this.#unmarked.find(spec.market, classIndex);
    const topic: StreamTopic = {
      ...{ key, spec, handle, ring: new Ring(this.#memory), epoch: this.#book.epoch },
      ...{ seq: this.#book.version(spec.market).seq, changedAtMs: 0, receivedAtMs: 0 },
      ...{ classIndex, leastChange, subscribers: 0, waiting: new Set() },
      isUnmarked: change !== undefined && change.kind >= leastChange,
      ...{ framedAtMs: nowMs, idleSinceMs: 0, broken: false },
    };
    this.#topics.set(key, topic);
    const ofMarket = this.#byMarket.get(spec.market) ?? new Set();
    this.#byMarket.set(spec.market, ofMarket.add(topic));
    return topic;
  }
}

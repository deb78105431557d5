import type { MarketChanges } from '../../contract/feed-engine.js';
import type { TopicSpec } from '../../contract/topics.js';
import { systemTimers } from '../../rpc/timers.js';
import { Publisher } from '../sockets/publisher.js';
import type { StreamTopic } from '../sockets/stream-topic.js';
import { StreamTopics } from '../sockets/stream-topics.js';
import { changes, MarkedChanges } from './market-changes.js';
import { FakeBook } from './running-server.js';

export const INTERVAL_MS = 10;
export const TOPICS_MAX = 2_000;
const ANSWER = { id: '', reset: false };

/** The topics of a fake book: of the market 0, unless a test says another one. */
export class TopicsScene {
  readonly book = new FakeBook();
  readonly published: [topic: string, frame: Record<string, unknown>][] = [];
  readonly faults: string[] = [];
  readonly waits: number[] = [];
  /** When the changes of the next turns came in; now, where a test says nothing. */
  receivedAtMs: number | undefined;
  readonly publisher = new Publisher({
    timers: systemTimers,
    publish: (topic, bytes) => this.published.push([topic, JSON.parse(bytes.toString())]),
    onFault: (_, topic) => this.faults.push(topic),
    onPublished: (seconds) => this.waits.push(seconds),
  });
  readonly topics = new StreamTopics({
    ...{ book: this.book, directory: this.book, publisher: this.publisher, topicsMax: TOPICS_MAX },
  });
  readonly marked = new MarkedChanges(INTERVAL_MS, (turn, mark) => {
    const { receivedAtMs = performance.now() } = this;
    this.topics.addTurn({ changes: turn, mark, receivedAtMs });
    this.publisher.publishTurn();
  });

  join(depth: number, market = 0, others: Partial<TopicSpec> = {}): StreamTopic {
    const spec = { channel: 'book', market, depth, ...others } as const;
    return this.topics.addSubscriber({ key: this.book.topicName(spec), spec });
  }

  turn(...markets: readonly number[]): void {
    this.change({ dirty: markets });
  }

  change(changed: Partial<MarketChanges>): void {
    this.book.current = { ...this.book.current, seq: this.book.current.seq + 1 };
    this.marked.publishTurn(changes(changed));
  }

  joinMany(depths: number): readonly StreamTopic[] {
    return Array.from({ length: depths }, (_, at) => this.join(at + 1));
  }

  snapshot(topic: StreamTopic): Record<string, unknown> {
    return JSON.parse(topic.renderSnapshot(ANSWER).toString());
  }

  /** The frames published since the last call, in short form. */
  taken(): readonly string[] {
    return this.published
      .splice(0)
      .map(([topic, { type, prev, seq }]) =>
        type === 'delta' ? `${topic} ${prev}-${seq}` : `${topic} ${type} ${seq}`,
      );
  }
}

import type { ClientError } from '../error.js';
import { LatestValues } from '../listeners.js';
import { SubscriptionCore } from '../subscription-core.js';
import type { Best, BookView } from './topic.js';
import type { TopicPhase, TopicReader } from './topic-reader.js';

/**
 * One subscription to a topic. Listeners are called with every book, and `for await` loops get them as
 * fast as they turn: a slow loop gets the newest book only.
 *
 * @example
 * const subscription = stream.subscribe({ channel: 'bbo', market: 'SOL-PERP' });
 * subscription.onUpdate(({ bestBidPrice }) => console.log(bestBidPrice));
 */
export class Subscription<Row extends Best> implements AsyncIterable<BookView<Row>> {
  readonly #reader: TopicReader;
  readonly #core: SubscriptionCore<LatestValues<BookView<Row>>>;

  /** The client makes it; `onClose` is called once. */
  constructor(reader: TopicReader, onClose: () => void, signal: AbortSignal | undefined) {
    const core = new SubscriptionCore<LatestValues<BookView<Row>>>(onClose);
    this.#reader = reader;
    this.#core = core;
    core.addCleanup(reader.updates.add(() => this.#pushView()));
    core.addCleanup(reader.ends.add((error) => core.end(error)));
    core.watchSignal(signal);
  }

  /** The newest book; undefined before the first. */
  get view(): BookView<Row> | undefined {
    // A reader of a topic has the rows of that topic.
    return this.#reader.view as BookView<Row> | undefined;
  }

  /** The topic's name as the service has it; undefined before the first response. */
  get topicName(): string | undefined {
    return this.#reader.name;
  }

  /** What it is doing, as "A correct client" of docs/streaming.md has it. */
  get phase(): TopicPhase {
    return this.#reader.phase;
  }

  /** Why it has ended; undefined while it has not, and when it was closed. */
  get error(): ClientError | undefined {
    return this.#core.error;
  }

  /** Whether it has not ended. */
  get isOpen(): boolean {
    return this.#core.isOpen;
  }

  /** Calls with every book from now on, and at once with the newest. Returns what removes the listener. */
  onUpdate(listener: (view: BookView<Row>) => void): () => void {
    const { view } = this;
    const stop = this.#reader.updates.add((next) => listener(next as BookView<Row>));
    const remove = this.#core.addCleanup(stop);
    if (view !== undefined && this.isOpen) listener(view);
    return remove;
  }

  /** Calls once when it ends otherwise than by `close`: the service refuses the topic, or an abort. */
  onError(listener: (error: ClientError) => void): () => void {
    return this.#core.onError(listener);
  }

  /**
   * Calls with every transient error: the service has no book yet, or as many subscriptions as it
   * takes. The subscription is retried each second.
   */
  onRetry(listener: (error: ClientError) => void): () => void {
    return this.#core.addCleanup(this.#reader.retries.add(listener));
  }

  /** Ends it: no listener is called any more, and loops end. */
  close(): void {
    this.#core.end(undefined);
  }

  /** Leaving the loop closes the subscription. An error of the topic is thrown in the loop. */
  [Symbol.asyncIterator](): AsyncIterator<BookView<Row>> {
    const loop = this.#core.addLoop((onLeave) => new LatestValues<BookView<Row>>(onLeave));
    if (this.view !== undefined) loop.push(this.view);
    return loop;
  }

  #pushView(): void {
    const { view } = this;
    if (view !== undefined) for (const loop of this.#core.loops) loop.push(view);
  }
}

import type { ClientError } from '../error.js';
import { LatestValues } from '../listeners.js';
import { SubscriptionCore } from '../subscription-core.js';
import type { Best, BookView, ProvenBook } from './topic.js';
import type { TopicPhase, TopicReader } from './topic-reader.js';

/**
 * One subscription to a topic. Listeners get every book; a slow `for await` loop skips to the
 * newest.
 *
 * @example
 * const subscription = stream.subscribe({ channel: 'bbo', market: 'SOL-PERP' });
 * subscription.onUpdate(({ bestBidPrice }) => console.log(bestBidPrice));
 */
export class Subscription<Row extends Best> implements AsyncIterable<BookView<Row>> {
  readonly #reader: TopicReader;
  readonly #core: SubscriptionCore<LatestValues<BookView<Row>>>;

  /** The client creates subscriptions; `onClose` is called once. */
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
    // The reader of a topic has rows of the topic's type.
    return this.#reader.view as BookView<Row> | undefined;
  }

  /** The service's name of the topic; undefined before the first reply. */
  get topicName(): string | undefined {
    return this.#reader.name;
  }

  /** The phase, as in "A correct client" of docs/streaming-client.md. */
  get phase(): TopicPhase {
    return this.#reader.phase;
  }

  /** The error that ended the subscription; undefined while it is open, and after `close`. */
  get error(): ClientError | undefined {
    return this.#core.error;
  }

  /** The newest proven book; undefined without `prove`, and before the first. */
  proven: ProvenBook | undefined;

  /** Ends the subscription with an error. */
  failWith(error: ClientError): void {
    this.#core.end(error);
  }

  /** Whether it has not ended. */
  get isOpen(): boolean {
    return this.#core.isOpen;
  }

  /**
   * Registers a listener for books, and calls it immediately with the newest. Returns its
   * unsubscribe function.
   */
  onUpdate(listener: (view: BookView<Row>) => void): () => void {
    const { view } = this;
    const stop = this.#reader.updates.add((next) => listener(next as BookView<Row>));
    const remove = this.#core.addCleanup(stop);
    if (view !== undefined && this.isOpen) listener(view);
    return remove;
  }

  /** Registers a listener for an end other than by `close`: a rejection of the topic, or an abort. */
  onError(listener: (error: ClientError) => void): () => void {
    return this.#core.onError(listener);
  }

  /**
   * Registers a listener for temporary errors: the service has no book yet, or has reached its
   * maximum of subscriptions. The subscription is retried each second. Returns the unsubscribe
   * function.
   */
  onRetry(listener: (error: ClientError) => void): () => void {
    return this.#core.addCleanup(this.#reader.retries.add(listener));
  }

  /** Ends the subscription: no listener is called any more, and loops end. */
  close(): void {
    this.#core.end(undefined);
  }

  /**
   * Iterates over the newest books. Leaving the loop closes the subscription; an error of the topic
   * is thrown in the loop.
   */
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

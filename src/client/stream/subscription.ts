import { ClientError } from '../error.js';
import { LatestValues, Listeners } from '../listeners.js';
import type { Best, BookView } from './topic.js';
import type { TopicReader } from './topic-reader.js';

/**
 * One interest in a topic. Books come to callbacks at once, and to `for await` loops as fast as they
 * turn: a loop that is slow is given the newest book only.
 */
export class Subscription<Row extends Best> implements AsyncIterable<BookView<Row>> {
  readonly #loops = new Set<LatestValues<BookView<Row>>>();
  readonly #offs = new Set<() => void>();
  readonly #errors = new Listeners<ClientError>();
  readonly #retries = new Listeners<ClientError>();
  #error: ClientError | undefined;
  #isOpen = true;

  /** The client makes it; `onClose` is called once. */
  constructor(
    private readonly reader: TopicReader,
    private readonly onClose: () => void,
    signal: AbortSignal | undefined,
  ) {
    this.#offs.add(reader.updates.add(() => this.#pushView()));
    this.#offs.add(reader.ends.add((error) => this.#end(error)));
    this.#offs.add(reader.retries.add((error) => this.#retries.emit(error)));
    if (signal === undefined) return;
    const abort = (): void => {
      const { reason } = signal;
      this.#end(new ClientError('ABORTED', 'the subscription was aborted', {}, { cause: reason }));
    };
    signal.addEventListener('abort', abort, { once: true });
    this.#offs.add(() => signal.removeEventListener('abort', abort));
    if (signal.aborted) abort();
  }

  /** The newest book; undefined before the first. */
  get view(): BookView<Row> | undefined {
    // A reader of a topic has the rows of that topic.
    return this.reader.view as BookView<Row> | undefined;
  }

  /** Why it has ended; undefined while it has not, and when it was closed. */
  get error(): ClientError | undefined {
    return this.#error;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Calls with every book from now on, and at once with the one that is there. */
  onUpdate(listener: (view: BookView<Row>) => void): () => void {
    if (!this.#isOpen) return () => {};
    const { view } = this;
    const stop = this.reader.updates.add((next) => listener(next as BookView<Row>));
    const off = (): void => {
      stop();
      this.#offs.delete(off);
    };
    this.#offs.add(off);
    if (view !== undefined) listener(view);
    return off;
  }

  /** Calls once when it ends otherwise than by `close`: the service refuses the topic, or an abort. */
  onError(listener: (error: ClientError) => void): () => void {
    return this.#errors.add(listener);
  }

  /**
   * Calls when the service cannot do it now: it has no book yet, or as many subscriptions as it takes.
   * It is asked again, each second.
   */
  onRetry(listener: (error: ClientError) => void): () => void {
    return this.#retries.add(listener);
  }

  /** Ends it: nothing is called any more, and loops end. */
  close(): void {
    this.#end(undefined);
  }

  /** Leaving the loop closes the subscription. An error of the topic is thrown in the loop. */
  [Symbol.asyncIterator](): AsyncIterator<BookView<Row>> {
    const loop = new LatestValues<BookView<Row>>(() => {
      this.#loops.delete(loop);
      this.close();
    });
    if (this.#isOpen) this.#loops.add(loop);
    if (this.view !== undefined && this.#isOpen) loop.push(this.view);
    if (!this.#isOpen) loop.end(this.#error === undefined ? {} : { error: this.#error });
    return loop;
  }

  #pushView(): void {
    const { view } = this;
    if (view !== undefined) for (const loop of this.#loops) loop.push(view);
  }

  #end(error: ClientError | undefined): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#error = error;
    for (const loop of [...this.#loops]) loop.end(error === undefined ? {} : { error });
    for (const off of this.#offs) off();
    this.onClose();
    if (error !== undefined) this.#errors.emit(error);
    this.#errors.clear();
    this.#retries.clear();
  }
}

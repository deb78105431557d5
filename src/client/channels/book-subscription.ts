import type { ClientError } from '../error.js';
import type { L2Book } from '../http/book-shapes.js';
import { LatestValues, Listeners } from '../listeners.js';
import { SubscriptionCore } from '../subscription-core.js';

/** Where books come from. */
export interface BookSource {
  readonly books: Listeners<L2Book>;
  readonly ends: Listeners<ClientError>;
}

/**
 * One followed book. Listeners get every frame, loops the newest.
 *
 * @example
 * const subscription = channels.books({ channel: 'orderbook', marketType: 'perp', market: 'SOL-PERP' });
 * subscription.onBook(({ bestBidPrice, slot }) => console.log(bestBidPrice, slot));
 */
export class BookSubscription implements AsyncIterable<L2Book> {
  readonly #books = new Listeners<L2Book>();
  readonly #core: SubscriptionCore<LatestValues<L2Book>>;
  #book: L2Book | undefined;

  /** The client makes it; `onClose` is called once. */
  constructor(source: BookSource, onClose: () => void, signal: AbortSignal | undefined) {
    const core = new SubscriptionCore<LatestValues<L2Book>>(onClose);
    this.#core = core;
    core.addCleanup(() => this.#books.clear());
    source.books.add((book) => this.#emitBook(book));
    source.ends.add((error) => core.end(error));
    core.watchSignal(signal);
  }

  /** The newest book; undefined before the first. While the connection is lost it is the last known. */
  get book(): L2Book | undefined {
    return this.#book;
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
  onBook(listener: (book: L2Book) => void): () => void {
    const remove = this.#books.add(listener);
    if (this.#book !== undefined) listener(this.#book);
    return remove;
  }

  /** Calls once when it ends otherwise than by `close`: the service refuses it, or an abort. */
  onError(listener: (error: ClientError) => void): () => void {
    return this.#core.onError(listener);
  }

  /** Ends it: no listener is called any more, and loops end. */
  close(): void {
    this.#core.end(undefined);
  }

  /** Leaving the loop closes the subscription. An error of the service is thrown in the loop. */
  [Symbol.asyncIterator](): AsyncIterator<L2Book> {
    return this.#core.addLoop((onLeave) => {
      const loop = new LatestValues<L2Book>(onLeave);
      if (this.#book !== undefined) loop.push(this.#book);
      return loop;
    });
  }

  #emitBook(book: L2Book): void {
    if (!this.isOpen) return;
    this.#book = book;
    this.#books.emit(book);
    for (const loop of this.#core.loops) loop.push(book);
  }
}

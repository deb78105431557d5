import { ClientError } from '../error.js';
import type { L2Book } from '../http/book-shapes.js';
import { LatestValues, Listeners } from '../listeners.js';

/** Where books come from. */
export interface BookSource {
  readonly books: Listeners<L2Book>;
  readonly ends: Listeners<ClientError>;
}

/** One followed book. Callbacks are told every frame, loops the newest. */
export class BookSubscription implements AsyncIterable<L2Book> {
  readonly #books = new Listeners<L2Book>();
  readonly #errors = new Listeners<ClientError>();
  readonly #loops = new Set<LatestValues<L2Book>>();
  #book: L2Book | undefined;
  #error: ClientError | undefined;
  #isOpen = true;
  #stopSignal: () => void = () => {};

  /** The client makes it; `onClose` is called once. */
  constructor(
    line: BookSource,
    private readonly onClose: () => void,
    signal: AbortSignal | undefined,
  ) {
    line.books.add((book) => this.#emitBook(book));
    line.ends.add((error) => this.#end(error));
    if (signal === undefined) return;
    const abort = (): void => {
      const { reason } = signal;
      this.#end(new ClientError('ABORTED', 'the subscription was aborted', {}, { cause: reason }));
    };
    signal.addEventListener('abort', abort, { once: true });
    this.#stopSignal = () => signal.removeEventListener('abort', abort);
    if (signal.aborted) abort();
  }

  /** The newest book; undefined before the first. While the connection is lost it is the last known. */
  get book(): L2Book | undefined {
    return this.#book;
  }

  /** Why it has ended; undefined while it has not, and when it was closed. */
  get error(): ClientError | undefined {
    return this.#error;
  }

  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Calls with every book from now on, and at once with the one that is there. */
  onBook(listener: (book: L2Book) => void): () => void {
    const off = this.#books.add(listener);
    if (this.#book !== undefined) listener(this.#book);
    return off;
  }

  /** Calls once when it ends otherwise than by `close`: the service refuses it, or an abort. */
  onError(listener: (error: ClientError) => void): () => void {
    return this.#errors.add(listener);
  }

  /** Ends it: nothing is called any more, and loops end. */
  close(): void {
    this.#end(undefined);
  }

  /** Leaving the loop closes the subscription. An error of the service is thrown in the loop. */
  [Symbol.asyncIterator](): AsyncIterator<L2Book> {
    const loop = new LatestValues<L2Book>(() => {
      this.#loops.delete(loop);
      this.close();
    });
    if (this.#book !== undefined) loop.push(this.#book);
    if (this.#isOpen) this.#loops.add(loop);
    else loop.end(this.#error === undefined ? {} : { error: this.#error });
    return loop;
  }

  #emitBook(book: L2Book): void {
    if (!this.#isOpen) return;
    this.#book = book;
    this.#books.emit(book);
    for (const loop of this.#loops) loop.push(book);
  }

  #end(error: ClientError | undefined): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#error = error;
    this.#stopSignal();
    for (const loop of [...this.#loops]) loop.end(error === undefined ? {} : { error });
    this.onClose();
    if (error !== undefined) this.#errors.emit(error);
    this.#books.clear();
    this.#errors.clear();
  }
}

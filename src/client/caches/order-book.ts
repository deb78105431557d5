/**
 * The order book of the market that somebody looks at: one at a time, whose market, grouping and depth
 * can be changed while it is followed.
 *
 * ```ts
 * const book = new OrderBookCache(stream);
 * book.onUpdate(({ bids, asks, bestBidPrice, bestAskPrice }) => draw(bids, asks));
 * book.updateSubscription({ market: 'SOL-PERP', grouping: 10 });
 * book.updateSubscription({ grouping: 100 });
 * ```
 */
import { ClientError } from '../error.js';
import { LatestValues, Listeners } from '../listeners.js';
import type { Level } from '../row-shapes.js';
import type { StreamClient } from '../stream/client.js';
import type { BookTopic, BookView, StreamDepth } from '../stream/topic.js';
import { ComposedBook } from './shown-book.js';

/** What is shown; what is left out stays as it was. */
export interface BookRequest {
  readonly market?: string;
  /** Ticks a group, 1 at first. */
  readonly grouping?: number;
  /** Levels a side, 50 at first. */
  readonly depth?: StreamDepth;
  /** Whether the AMM's levels are shown, true at first. */
  readonly includeVamm?: boolean;
  /** Whether quotes of makers without an order are shown, false at first. */
  readonly includeIndicative?: boolean;
}

/**
 * An order book that callbacks are told of. Its best prices are those of the market, also where levels
 * are grouped and the best group stands at another price.
 */
export class OrderBookCache implements AsyncIterable<BookView<Level>> {
  readonly #stream: StreamClient;
  readonly #updates = new Listeners<BookView<Level>>();
  readonly #errors = new Listeners<ClientError>();
  readonly #retries = new Listeners<ClientError>();
  readonly #loops = new Set<LatestValues<BookView<Level>>>();
  /** The last that was there, to which a wish that is refused goes back. */
  #topic: BookTopic = { channel: 'book', market: '', includeVamm: true };
  #requested = this.#topic;
  #current: ComposedBook | undefined;
  #pending: ComposedBook | undefined;
  #store: BookView<Level> | undefined;
  #isDestroyed = false;

  /** The stream stays its owner's: it is not closed here. */
  constructor(stream: StreamClient) {
    this.#stream = stream;
  }

  /** The newest book; undefined before the first, and after `unsubscribe`. */
  get store(): BookView<Level> | undefined {
    return this.#store;
  }

  /**
   * Shows another book, or the same in another way. The old one is shown until the new one is there,
   * unless it is of another market. A wish that the service refuses is forgotten: the next one adds to
   * what was there before. Throws INVALID_OPTION when there is no market to show, and CLOSED after
   * `destroy`.
   */
  updateSubscription(wish: BookRequest): void {
    if (this.#isDestroyed) throw new ClientError('CLOSED', 'the cache was destroyed');
    const topic = { ...this.#requested, ...wish };
    if (topic.market === '') {
      throw new ClientError('INVALID_OPTION', 'there is no market yet', {}, { param: 'market' });
    }
    const coming = new ComposedBook(this.#stream, topic);
    if (topic.market !== this.#requested.market) this.unsubscribe();
    this.#pending?.close();
    this.#requested = topic;
    this.#pending = coming;
    coming.notifyOwner({
      updated: () => this.#handleUpdate(coming),
      failed: (error) => this.#handleRefusal(coming, error),
      troubled: (error) => this.#retries.emit(error),
    });
  }

  /** Ends what is followed; listeners stay for what is followed next. */
  unsubscribe(): void {
    this.#current?.close();
    this.#pending?.close();
    this.#current = undefined;
    this.#pending = undefined;
    this.#store = undefined;
  }

  /** Calls with every book; answers what ends that. */
  onUpdate(listener: (book: BookView<Level>) => void): () => void {
    return this.#updates.add(listener);
  }

  /** Calls when the service refuses what is wished for, or does not serve it any longer. */
  onError(listener: (error: ClientError) => void): () => void {
    return this.#errors.add(listener);
  }

  /** Calls when the service cannot show it now; it is asked again by itself. */
  onRetry(listener: (error: ClientError) => void): () => void {
    return this.#retries.add(listener);
  }

  /** Ends everything, loops as well. */
  destroy(): void {
    this.#isDestroyed = true;
    this.unsubscribe();
    for (const listeners of [this.#updates, this.#errors, this.#retries]) listeners.clear();
    for (const loop of [...this.#loops]) loop.end();
  }

  /** The newest book, each time that there is another one; leaving the loop ends nothing else. */
  [Symbol.asyncIterator](): AsyncIterator<BookView<Level>> {
    const offs: (() => void)[] = [];
    const values = new LatestValues<BookView<Level>>(() => {
      for (const off of offs) off();
      this.#loops.delete(values);
    });
    this.#loops.add(values);
    offs.push(
      this.#updates.add((book) => values.push(book)),
      this.#errors.add((error) => values.end({ error })),
    );
    if (this.#store !== undefined) values.push(this.#store);
    if (this.#isDestroyed) values.end();
    return values;
  }

  #handleUpdate(from: ComposedBook): void {
    const { view } = from;
    if (view === undefined) return;
    if (from === this.#pending) {
      this.#current?.close();
      this.#current = from;
      this.#pending = undefined;
      this.#topic = from.topic;
    }
    if (from === this.#current) this.#tell(view);
  }

  #handleRefusal(from: ComposedBook, error: ClientError): void {
    from.close();
    if (from === this.#pending) {
      this.#pending = undefined;
      this.#requested = this.#topic;
    } else if (this.#store?.isFollowing === true) {
      // The other part of it was right until now.
      this.#tell({ ...this.#store, isFollowing: false });
    }
    this.#errors.emit(error);
  }

  #tell(view: BookView<Level>): void {
    this.#store = view;
    this.#updates.emit(view);
  }
}
